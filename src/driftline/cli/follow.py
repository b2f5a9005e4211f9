"""``driftline follow``: a learner for each key of a Kafka topic."""

from __future__ import annotations

import signal
from pathlib import Path
from threading import Event
from typing import Annotated

from cyclopts import Parameter


def follow(
    source: str,
    *,
    states: str,
    learner: str = "pa1",
    key: str | None = None,
    label: str = "y",
    features: str | None = None,
    group: str = "driftline",
    dead_letters: str | None = None,
    checkpoint: float = 5.0,
    max_keys: int | None = None,
    until_end: Annotated[bool, Parameter(negative="")] = False,
    kafka: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
) -> int:
    """Learn a Kafka topic with a learner for each key, each message once.

    A message is a JSON object. The states of each partition are in a file, with the offset of the
    next message. dl.Keyed.load reads such a file. SIGTERM and Ctrl-C stop the command after a last
    checkpoint. Started again, it goes on from there.

    Parameters
    ----------
    source
        The topic, as kafka://HOST:PORT/TOPIC. Separate several brokers by commas.
    states
        Folder of the files TOPIC-PARTITION.db. All members of a group must share it.
    learner
        The learner of each key, such as pa1 or 'pa1(C=0.1, labels=("no", "yes"))'.
    key
        The field of the key, a text or a whole number. All messages of a key must be in one
        partition. Default: the key of the Kafka message.
    label
        The field of the label.
    features
        The field with the features, as an object or a list of numbers. Default: all other fields
        are features.
    group
        The consumer group. Its members share the partitions.
    dead_letters
        File to which messages that cannot be learned are added, as JSON lines.
    checkpoint
        Seconds between two checkpoints of a partition that has new messages.
    max_keys
        Most keys of each partition in memory; the others are in temporary files.
    until_end
        Stop at the end of the topic.
    kafka
        A setting of librdkafka as NAME=VALUE, such as security.protocol=ssl. Repeat the option for
        several settings.
    """
    from driftline.cli.feed import counted, setting_of
    from driftline.cli.learner import called
    from driftline.kafka.address import topic_of

    topic = topic_of(source)
    settings = dict(setting_of("follow", one) for one in kafka)
    if not 0.0 < checkpoint <= 3600.0:
        raise ValueError(f"follow: --checkpoint must be above 0 and at most 3600 seconds, got {checkpoint:g}")
    make, positional, named = called(learner)
    made = make(*positional, **named)
    from driftline.kafka.dead_letters import DeadLetters
    from driftline.kafka.keyed_topic import KeyedTopic
    from driftline.kafka.messages import Fields

    stopped = Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, frame: stopped.set())
    dead = DeadLetters(dead_letters)
    try:
        found = KeyedTopic(
            topic,
            made,
            Path(states),
            Fields(label, features),
            key,
            dead,
            group=group,
            settings=settings,
            most_seconds=checkpoint,
            most_keys=max_keys,
        )
        found.run(stopped.is_set, until_end=until_end)
    finally:
        dead.close()
    print(counted(found.learned, 0, dead.count, dead_letters), flush=True)
    return 0
