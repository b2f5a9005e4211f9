"""The address of a topic: ``kafka://HOST:PORT/TOPIC``, with several brokers separated by commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

KIND = "kafka://"
DEFAULT_PORT = 9092
TOPIC = re.compile(r"[A-Za-z0-9._-]{1,160}")
BROKER = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True)
class Topic:
    """A topic and its brokers.

    Attributes
    ----------
    brokers
        Host and port of some brokers, separated by commas.
    name
        The name of the topic.
    """

    brokers: str
    name: str


def topic_of(address: str) -> Topic:
    """Return the topic of an address.

    >>> topic_of("kafka://one:9093,two/mails")
    Topic(brokers='one:9093,two:9092', name='mails')
    """
    hosts, slash, name = address.removeprefix(KIND).partition("/")
    found = [BROKER.fullmatch(one) for one in hosts.split(",")]
    if not address.startswith(KIND) or not slash or None in found or not TOPIC.fullmatch(name):
        raise ValueError(
            f"kafka: address must be kafka://HOST:PORT/TOPIC with at most 160 letters, digits, . _ - in TOPIC, "
            f"got {address!r}"
        )
    brokers = [f"{one['host']}:{one['port'] or DEFAULT_PORT}" for one in found if one is not None]
    return Topic(",".join(brokers), name)
