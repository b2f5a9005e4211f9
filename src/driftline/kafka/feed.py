"""From a topic to a model of the service: every message is learned once.

The id of an example is ``TOPIC/PARTITION/OFFSET``. The service learns an id once, and stores the id
with the example in one transaction. The offset is committed to Kafka after that. So a message that
is sent again after a crash changes nothing, and none is left out.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from driftline.client import Model, Outcome, ServiceError
from driftline.client.calls import learn_item
from driftline.kafka.dead_letters import DeadLetters
from driftline.kafka.messages import BadMessageError, Fields
from driftline.kafka.reader import Reader

AWAY = (0, 307, 429, 500, 502, 503, 504)
"""Statuses after which the same request may succeed later."""
FORBIDDEN = (401, 403, 404)
"""Statuses that say that the feed must not go on."""
LONGEST_REST = 5.0
READ_SECONDS = 0.2


@dataclass
class Fed:
    """What became of the messages so far."""

    learned: int = 0
    repeated: int = 0


class GoneError(Exception):
    """The partitions went to another member while a batch was being sent."""


class Feed:
    """Sends the messages of a reader to a model.

    Parameters
    ----------
    reader : Reader
        Where messages come from.
    model : Model
        The model that learns.
    fields : Fields
        Where a message has its example.
    dead : DeadLetters
        Takes the bad messages.
    batch : int
        The most messages of a request.
    """

    def __init__(self, reader: Reader, model: Model, fields: Fields, dead: DeadLetters, batch: int) -> None:
        self.fed = Fed()
        self._reader, self._model, self._fields, self._dead = reader, model, fields, dead
        self._batch = batch
        self._stopped: Callable[[], bool] = lambda: False
        self._told = False

    def run(self, stopped: Callable[[], bool], *, until_end: bool) -> None:
        """Feed until stopped, or until the end of the topic.

        Parameters
        ----------
        stopped
            Whether to stop before the next batch.
        until_end
            Whether to stop when all messages of this moment were learned.
        """
        self._stopped = stopped
        while not stopped():
            messages = self._reader.batch(self._batch, READ_SECONDS)
            generation = self._reader.generation
            if messages:
                try:
                    self._learn(messages, generation)
                except GoneError:
                    continue
                self._dead.sync()
                self._reader.commit(messages, generation)
            elif until_end and self._reader.at_end():
                return

    def _learn(self, messages: list[Any], generation: int) -> None:
        items = []
        for message in messages:
            try:
                x, y = self._fields.example(message.value())
                id_ = f"{message.topic()}/{message.partition()}/{message.offset()}"
                items.append((message, learn_item(x, y, id_)))
            except (BadMessageError, ValueError) as error:
                self._dead.add(message, str(error))
        rest = 0.05
        while items:
            left = self._send(items)
            rest = rest if len(left) < len(items) else min(LONGEST_REST, 2.0 * rest)
            items = left
            if items:
                self._reader.rest(rest * random.uniform(0.5, 1.0))
                if self._stopped() or self._reader.generation != generation:
                    raise GoneError

    def _send(self, items: list[Any]) -> list[Any]:
        """Send items in their order; return those to send again."""
        try:
            results = self._model.send_items("learn", [item for _, item in items], Outcome)
        except ServiceError as error:
            if error.status in AWAY:
                if not self._told:
                    self._told = True
                    print(f"driftline: the feed waits for the service: {error}", file=sys.stderr, flush=True)
                return items
            if error.status in FORBIDDEN:
                raise
            if len(items) == 1:
                self._dead.add(items[0][0], str(error))
                return []
            half = len(items) // 2  # one item may make the whole request unreadable
            left = self._send(items[:half])
            return [*left, *items[half:]] if left else self._send(items[half:])
        left = []
        for one, result in zip(items, results, strict=True):
            if not isinstance(result, ServiceError):
                self.fed.learned += result.kind == "learned"
                self.fed.repeated += result.kind != "learned"
            elif result.status in AWAY:
                left.append(one)
            else:
                self._dead.add(one[0], str(result))
        return left
