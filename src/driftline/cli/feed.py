"""``driftline feed``: let a model of the service learn the messages of a Kafka topic."""

from __future__ import annotations

import os
import signal
from threading import Event
from typing import Annotated

from cyclopts import Parameter

TOKEN = "DRIFTLINE_TOKEN"


def feed(
    source: str,
    *,
    model: str,
    server: str = "http://127.0.0.1:8000",
    token: str | None = None,
    label: str = "y",
    features: str | None = None,
    group: str = "driftline",
    dead_letters: str | None = None,
    batch: int = 500,
    until_end: Annotated[bool, Parameter(negative="")] = False,
    kafka: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
) -> int:
    """Let a model of the service learn each message of a Kafka topic once.

    A message is a JSON object. Several feeds with the same group share the partitions. SIGTERM and
    Ctrl-C stop the feed. Started again, it goes on after the last message that was learned.

    Parameters
    ----------
    source
        The topic, as kafka://HOST:PORT/TOPIC. Separate several brokers by commas.
    model
        The name of the model.
    server
        The address of the service.
    token
        The token. Default: the environment variable DRIFTLINE_TOKEN.
    label
        The field of the label.
    features
        The field with the features, as an object or a list of numbers. Default: all other fields
        are features.
    group
        The consumer group, in which Kafka stores how far the topic was read.
    dead_letters
        File to which messages that cannot be learned are added, as JSON lines.
    batch
        Most messages of a request, at most 10000.
    until_end
        Stop at the end of the topic.
    kafka
        A setting of librdkafka as NAME=VALUE, such as security.protocol=ssl. Repeat the option for
        several settings.
    """
    from driftline.internals.require import whole
    from driftline.kafka.address import topic_of

    topic = topic_of(source)
    whole("feed", "--batch", batch, 1, 10_000)
    settings = dict(setting_of("feed", one) for one in kafka)
    from driftline.client import Client, ServiceError
    from driftline.kafka.dead_letters import DeadLetters
    from driftline.kafka.feed import Feed
    from driftline.kafka.messages import Fields
    from driftline.kafka.reader import Reader

    stopped = Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, frame: stopped.set())
    dead = DeadLetters(dead_letters)
    with Client(server, token or os.environ.get(TOKEN), retries=0) as client:
        reader = Reader(topic, group, settings)
        found = Feed(reader, client.model(model), Fields(label, features), dead, batch)
        try:
            found.run(stopped.is_set, until_end=until_end)
        except ServiceError as error:
            raise OSError(f"feed: {error}") from None
        finally:
            reader.close()
            dead.close()
            print(counted(found.fed.learned, found.fed.repeated, dead.count, dead_letters), flush=True)
    return 0


def setting_of(command: str, text: str) -> tuple[str, str]:
    """Return the name and the value of a setting given as NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"{command}: --kafka must be NAME=VALUE, got {text!r}")
    return name, value


def counted(learned: int, repeated: int, bad: int, path: str | None) -> str:
    """Return what became of the messages.

    >>> counted(1200, 3, 2, "bad.jsonl")
    '1,200 messages learned, 3 learned before, 2 bad, written to bad.jsonl'
    """
    written = f", written to {path}" if bad and path else ""
    return f"{learned:,} messages learned, {repeated:,} learned before, {bad:,} bad{written}"
