"""From a topic to a learner for each key, with the states of each partition in a file.

``FOLDER/TOPIC-PARTITION.db`` is a checkpoint of a ``Keyed``. It holds the offset of the next message
in the same transaction as the states. A member of the group that gets a partition loads its
file and reads from this offset, so every message is learned once. A member that lost a partition
without noticing cannot write the file any more after another member has: it loads the file again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from driftline.kafka.address import Topic
from driftline.kafka.dead_letters import DeadLetters
from driftline.kafka.messages import BadMessageError, Fields
from driftline.kafka.reader import BEGINNING, Reader
from driftline.keyed import Keyed
from driftline.keyed.files import is_blank
from driftline.learners.learner import Learner
from driftline.saved import ModelError

READ_SECONDS = 0.2
MOST_ROWS = 1000


@dataclass
class Partition:
    """The states of one partition.

    Attributes
    ----------
    keyed
        The learners.
    next
        The offset of the next message.
    new
        The messages since the last checkpoint.
    written
        When the last checkpoint was written.
    """

    keyed: Keyed
    next: int
    new: int
    written: float


class KeyedTopic:
    """Learns a topic with a learner for each key.

    Parameters
    ----------
    topic : Topic
        What to read.
    learner : Learner
        A new learner; all keys share its parameters.
    folder : Path
        Where the states are. All members of the group must see the same folder.
    fields : Fields
        Where a message has its example.
    key : str or None
        The field of the key. None takes the key of the Kafka message.
    dead : DeadLetters
        Takes the bad messages.
    group : str
        The consumer group.
    settings : mapping
        Settings of librdkafka.
    most_rows : int
        A checkpoint is written after this number of messages of a partition.
    most_seconds : float
        A checkpoint is written after this time, if there are new messages.
    most_keys : int, optional
        ``max_keys_in_memory`` of each partition.
    """

    def __init__(
        self,
        topic: Topic,
        learner: Learner,
        folder: Path,
        fields: Fields,
        key: str | None,
        dead: DeadLetters,
        *,
        group: str,
        settings: Mapping[str, Any],
        most_rows: int = 10_000,
        most_seconds: float = 5.0,
        most_keys: int | None = None,
    ) -> None:
        self.learned = 0
        self._topic, self._learner, self._folder = topic, learner, folder
        self._fields, self._key, self._dead = fields, key, dead
        self._most_rows, self._most_seconds, self._most_keys = most_rows, most_seconds, most_keys
        self._states: dict[int, Partition] = {}
        self._error: Exception | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._reader = Reader(topic, group, settings, start=self._begin, stop=self._end)

    def run(self, stopped: Callable[[], bool], *, until_end: bool) -> None:
        """Learn until stopped, or until the end of the topic; the last checkpoint is written at the end.

        Parameters
        ----------
        stopped
            Whether to stop before the next messages.
        until_end
            Whether to stop when all messages of this moment were learned.
        """
        try:
            while not stopped():
                messages = self._reader.batch(MOST_ROWS, READ_SECONDS)
                self._raise()
                for number in sorted({one.partition() for one in messages}):
                    self._learn(number, [one for one in messages if one.partition() == number])
                for number in list(self._states):
                    self._write_if_due(number)
                if until_end and not messages and self._reader.at_end():
                    break
            for number in list(self._states):
                self._write(number)
        finally:
            self._reader.close()  # gives the partitions back
            for one in self._states.values():
                one.keyed.close()
        self._raise()

    # learning ----------------------------------------------------------------------------------
    def _learn(self, number: int, messages: list[Any]) -> None:
        state = self._states.get(number)
        if state is None:
            return  # another member has it, or will read it from its checkpoint
        rows = []
        for message in messages:
            if message.offset() < state.next:
                continue
            try:
                rows.append((message, *self._row(message)))
            except BadMessageError as error:
                self._dead.add(message, str(error))
            state.next = message.offset() + 1
            state.new += 1
        try:
            if rows:
                _, keys, X, y = (list(column) for column in zip(*rows, strict=True))
                state.keyed.learn_many(X, y, keys=keys)
            self.learned += len(rows)
        except (ValueError, TypeError):
            for message, key, x, y in rows:  # the same bits; each bad row by itself
                try:
                    state.keyed.learn_one(x, y, key=key)
                    self.learned += 1
                except (ValueError, TypeError) as error:
                    self._dead.add(message, str(error))

    def _row(self, message: Any) -> tuple[Any, Any, Any]:
        """The key, the example and the label of a message."""
        found = self._fields.keyed_example(message.value(), self._key)
        if self._key is not None:
            return found
        raw = message.key()
        if raw is None:
            raise BadMessageError("message: must have a key, got none. Give the field of the key with --key")
        try:
            return raw.decode(), *found[1:]
        except UnicodeDecodeError:
            return raw, *found[1:]

    # checkpoints -------------------------------------------------------------------------------
    def _path(self, number: int) -> Path:
        return self._folder / f"{self._topic.name}-{number}.db"

    def _begin(self, number: int) -> int:
        """Load the states of a partition; return the offset of its next message."""
        try:
            self._states[number] = state = self._loaded(number)
        except Exception as error:  # raised in a callback, it would be lost
            self._error = error
            return BEGINNING
        return state.next or BEGINNING

    def _loaded(self, number: int) -> Partition:
        path = self._path(number)
        spill = None if self._most_keys is None else self._folder
        if is_blank(path):
            return Partition(Keyed(self._learner, max_keys_in_memory=self._most_keys, spill=spill), 0, 0, monotonic())
        keyed = Keyed.load(path, max_keys_in_memory=self._most_keys, spill=spill)
        if keyed.learner.to_bytes() != self._learner.to_bytes() or type(keyed.next) is not int:
            keyed.close()
            raise ModelError(
                f"{path}: must hold states of {self._learner!r} and an offset, got others. Choose another folder"
            )
        return Partition(keyed, keyed.next, 0, monotonic())

    def _end(self, numbers: list[int]) -> None:
        """Write and close the states of partitions that go to another member."""
        for number in numbers:
            try:
                self._write(number, again=False)
            except Exception as error:
                self._error = error
            state = self._states.pop(number, None)
            if state is not None:
                state.keyed.close()

    def _write_if_due(self, number: int) -> None:
        state = self._states[number]
        if state.new >= self._most_rows or (state.new and monotonic() - state.written >= self._most_seconds):
            self._write(number)

    def _write(self, number: int, *, again: bool = True) -> None:
        """Write a checkpoint. If another member has written one, go on from that."""
        state = self._states.get(number)
        if state is None or not state.new:
            return
        self._dead.sync()
        try:
            state.keyed.checkpoint(self._path(number), next=state.next)
        except ModelError as error:
            print(f"driftline: partition {number}: {error}. Its messages are read again", file=sys.stderr, flush=True)
            if again:
                state.keyed.close()
                self._states[number] = self._loaded(number)
                self._reader.seek(number, self._states[number].next)
            return
        state.new, state.written = 0, monotonic()
        self._reader.commit_offset(number, state.next)

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error
