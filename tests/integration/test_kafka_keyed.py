"""``driftline follow``: a learner for each key, with offsets in the same transaction as the states."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.keyed.files import is_blank
from tests.integration.kafka_cluster import Cluster, mock_cluster

pytest.importorskip("confluent_kafka", reason="confluent_kafka")
LEARNER = "pa1(C=0.5, labels=('no', 'yes'))"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with mock_cluster() as one:
        yield one


def events(count: int, keys: int = 40, partitions: int = 4, seed: int = 1) -> list[tuple[int, dict[str, Any]]]:
    """Pairs of partition and message; a key is always in the same partition."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        key, a, b = rng.randrange(keys), rng.uniform(-1, 1), rng.uniform(-1, 1)
        y = "yes" if a + (key % 3 - 1) * b > 0 else "no"
        found.append((key % partitions, {"customer": f"c{key}", "a": a, "b": b, "y": y}))
    return found


def follower(
    cluster: Cluster, topic: str, folder: Path, *options: str, learner: str = LEARNER
) -> subprocess.Popen[str]:
    command = ["follow", cluster.address(topic), "--states", str(folder), "--learner", learner, "--key", "customer"]
    command += ["--group", topic, "--checkpoint", "0.1", "--kafka", "session.timeout.ms=6000"]
    command += ["--kafka", "heartbeat.interval.ms=300", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "driftline.cli", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def stored(folder: Path) -> int:
    """The number of messages in the checkpoints."""
    return sum(dl.Keyed.load(path).next or 0 for path in folder.glob("*.db") if not is_blank(path))


def until(folder: Path, count: int) -> None:
    end = time.monotonic() + 90
    while stored(folder) < count:
        assert time.monotonic() < end, f"{stored(folder)} of {count}"
        time.sleep(0.02)


def check(folder: Path, rows: list[tuple[int, dict[str, Any]]]) -> None:
    """The states have the bits of one process over the same messages."""
    whole = dl.Keyed(dl.PA1(C=0.5, labels=("no", "yes")))
    for _, row in rows:
        x = {name: value for name, value in row.items() if name not in ("customer", "y")}
        whole.learn_one(x, row["y"], key=row["customer"])
    found = {}
    for path in folder.glob("*.db"):
        keyed = dl.Keyed.load(path)
        found |= {key: keyed[key].to_bytes() for key in keyed}
    assert found == {key: whole[key].to_bytes() for key in whole}


def test_killed_followers_learn_each_message_once(cluster: Cluster, tmp_path: Path) -> None:
    rows, rng = events(6000), random.Random(4)
    for k in range(3):
        cluster.spread("keyed", rows[2000 * k : 2000 * (k + 1)])
        running = follower(cluster, "keyed", tmp_path)
        until(tmp_path, 2000 * k + 1 + rng.randrange(1500))
        running.kill()
        running.communicate()
    running = follower(cluster, "keyed", tmp_path, "--until-end")
    out, err = running.communicate(timeout=90)
    assert running.returncode == 0 and "0 bad" in out, err
    assert stored(tmp_path) == 6000
    check(tmp_path, rows)


def test_partitions_move_between_two_followers(cluster: Cluster, tmp_path: Path) -> None:
    rows = events(6000, seed=7)
    cluster.spread("moving", rows[:2000])
    first = follower(cluster, "moving", tmp_path)
    until(tmp_path, 500)
    second = follower(cluster, "moving", tmp_path)
    until(tmp_path, 2000)
    for k in range(2000, 4000, 200):
        cluster.spread("moving", rows[k : k + 200])
        time.sleep(0.3)
    first.kill()
    first.communicate()
    cluster.spread("moving", rows[4000:])
    until(tmp_path, 6000)
    second.send_signal(signal.SIGTERM)
    out, err = second.communicate(timeout=60)
    assert second.returncode == 0 and "0 bad" in out, err
    check(tmp_path, rows)


def test_other_states_and_bad_messages(cluster: Cluster, tmp_path: Path) -> None:
    rows = [row for _, row in events(20)]
    bad = [{"a": 1.0, "y": "no"}, {"customer": 1.5, "y": "no"}, {"customer": "c1", "a": 1.0, "y": "eggs"}, b"{"]
    cluster.produce("states", [*rows[:10], *bad, *rows[10:]])
    running = follower(cluster, "states", tmp_path, "--until-end")
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0 and "20 messages learned, 0 learned before, 4 bad" in out, err
    check(tmp_path, [(0, row) for row in rows])
    running = follower(cluster, "states", tmp_path, "--until-end", learner="arow")
    _, err = running.communicate(timeout=60)
    assert running.returncode == 2 and "must hold states of" in err
