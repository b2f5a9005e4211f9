"""A consumer of one topic. Offsets are committed by hand, after the messages were learned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

try:
    import confluent_kafka as kafka
except ImportError as error:
    raise ImportError('Kafka needs confluent-kafka: pip install "driftline[kafka]"') from error

from driftline.kafka.address import Topic

FIXED = {
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "partition.assignment.strategy": "range,roundrobin",  # all partitions come anew, at their committed offsets
}
ENDED = kafka.KafkaError._PARTITION_EOF
BEGINNING: int = kafka.OFFSET_BEGINNING
LASTING = {kafka.KafkaError.UNKNOWN_TOPIC_OR_PART, kafka.KafkaError._AUTO_OFFSET_RESET}
SESSION_LOST = {
    kafka.KafkaError.ILLEGAL_GENERATION,
    kafka.KafkaError.UNKNOWN_MEMBER_ID,
    kafka.KafkaError.REBALANCE_IN_PROGRESS,
    kafka.KafkaError._ASSIGNMENT_LOST,
    kafka.KafkaError._NO_OFFSET,
}


class Reader:
    """Reads a topic as a member of a group.

    Parameters
    ----------
    topic : Topic
        What to read.
    group : str
        The group. Its members share the partitions, and its offsets are stored in Kafka.
    settings : mapping
        Further settings of librdkafka, such as those of TLS.
    start : callable, optional
        Returns the offset at which to read a partition that was given to this member. Without it,
        the group goes on where it committed.
    stop : callable, optional
        Called with the partitions that go to another member.
    """

    def __init__(
        self,
        topic: Topic,
        group: str,
        settings: Mapping[str, Any],
        *,
        start: Callable[[int], int] | None = None,
        stop: Callable[[list[int]], None] | None = None,
    ) -> None:
        wrong = sorted(FIXED.keys() & settings.keys())
        if wrong:
            raise ValueError(f"kafka: {wrong[0]} must be left to driftline, got a setting. Leave it out")
        self.topic = topic
        self.generation = 0
        """The number of times that partitions came or went. Messages read before may be those of another member now."""
        self._start, self._stop = start, stop
        self._ended: set[int] = set()
        self._told = False
        self._kept: list[Any] = []
        first = "earliest" if start is None else "error"  # a removed message must not be passed over
        own = {"bootstrap.servers": topic.brokers, "group.id": group, "auto.offset.reset": first}
        try:
            self._consumer = kafka.Consumer({**own, **settings, **FIXED, "error_cb": self._trouble})
        except kafka.KafkaException as error:
            raise ValueError(f"kafka: settings must be settings of librdkafka, got {error.args[0].str()}") from None
        self._consumer.subscribe([topic.name], on_assign=self._came, on_revoke=self._went, on_lost=self._went)

    def batch(self, most: int, seconds: float) -> list[Any]:
        """Return the next messages, at most ``most``, after at most about ``seconds``."""
        kept, self._kept = self._kept, []
        return [*kept, *self._messages(self._consumer.consume(most, seconds))]

    def _messages(self, events: Iterable[Any]) -> list[Any]:
        found = []
        for one in events:
            error = one.error()
            if error is None:
                self._ended.discard(one.partition())
                found.append(one)
            elif error.code() == ENDED:
                self._ended.add(one.partition())
            elif error.fatal() or error.code() in LASTING:
                raise ValueError(f"kafka: topic {self.topic.name} must be readable, got {error.str()}")
        return found

    def at_end(self) -> bool:
        """Whether all partitions of this member were read to their end."""
        mine = {one.partition for one in self._consumer.assignment()}
        return bool(mine) and mine <= self._ended

    def commit(self, messages: Iterable[Any], generation: int) -> bool:
        """Store the offsets after these messages; return False if partitions came or went since they were read."""
        after: dict[int, int] = {}
        for message in messages:
            after[message.partition()] = max(after.get(message.partition(), 0), message.offset() + 1)
        if generation != self.generation:
            return False
        try:
            offsets = [kafka.TopicPartition(self.topic.name, partition, offset) for partition, offset in after.items()]
            self._consumer.commit(offsets=offsets, asynchronous=False)
        except kafka.KafkaException as error:
            if error.args[0].code() in SESSION_LOST:
                return False
            self._trouble(error.args[0])  # the messages are read again after a restart, and ignored
        return True

    def commit_offset(self, partition: int, offset: int) -> None:
        """Tell Kafka how far a partition was read. Only tools that show it need it."""
        with suppress(kafka.KafkaException):
            self._consumer.commit(offsets=[kafka.TopicPartition(self.topic.name, partition, offset)], asynchronous=True)

    def seek(self, partition: int, offset: int) -> None:
        """Read a partition from another offset."""
        self._consumer.seek(kafka.TopicPartition(self.topic.name, partition, offset or BEGINNING))

    def rest(self, seconds: float) -> None:
        """Wait without reading, and remain a member of the group."""
        mine = self._consumer.assignment()
        self._consumer.pause(mine)
        generation = self.generation
        event = self._consumer.poll(seconds)
        self._kept += self._messages([] if event is None else [event])  # of partitions that came meanwhile
        if generation == self.generation:
            self._consumer.resume(mine)

    def close(self) -> None:
        """Leave the group."""
        self._consumer.close()

    def _came(self, consumer: Any, partitions: list[Any]) -> None:
        self.generation += 1
        self._ended.clear()
        if self._start is not None:
            for one in partitions:
                one.offset = self._start(one.partition)
            consumer.assign(partitions)

    def _went(self, consumer: Any, partitions: list[Any]) -> None:
        self.generation += 1
        self._ended.clear()
        self._kept.clear()
        if self._stop is not None:
            self._stop([one.partition for one in partitions])

    def _trouble(self, error: Any) -> None:
        """Report the first failure of a connection. librdkafka connects again by itself."""
        if not self._told:
            self._told = True
            print(f"driftline: kafka: {error.str()}", file=sys.stderr, flush=True)
