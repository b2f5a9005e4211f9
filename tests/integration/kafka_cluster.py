"""A Kafka cluster in this process: the mock of librdkafka. Topics appear by themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class Cluster:
    """The brokers, and a producer."""

    def __init__(self, producer: Any, brokers: str) -> None:
        self.producer = producer
        self.brokers = brokers

    def address(self, topic: str) -> str:
        return f"kafka://{self.brokers}/{topic}"

    def produce(self, topic: str, values: Iterable[Any], partitions: int = 1) -> None:
        """Write messages, in turn to the partitions; bytes as they are, other values as JSON."""
        for k, value in enumerate(values):
            content = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.producer.produce(topic, content, partition=k % partitions)
            self.producer.poll(0)
        assert self.producer.flush(30) == 0

    def spread(self, topic: str, messages: Iterable[tuple[int, Any]]) -> None:
        """Write pairs of partition and message."""
        for partition, value in messages:
            self.producer.produce(topic, json.dumps(value).encode(), partition=partition)
            self.producer.poll(0)
        assert self.producer.flush(30) == 0


@contextmanager
def mock_cluster() -> Iterator[Cluster]:
    """Start a cluster; skip the test without confluent_kafka."""
    kafka = pytest.importorskip("confluent_kafka", reason="confluent_kafka")
    producer = kafka.Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "", "log_level": 0})
    brokers = producer.list_topics(timeout=10).brokers.values()
    yield Cluster(producer, ",".join(f"{one.host}:{one.port}" for one in brokers))
    producer.flush(5)
