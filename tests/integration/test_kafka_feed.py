"""``driftline feed``: from a Kafka topic to a model of the service, each message once."""

from __future__ import annotations

import json
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
from driftline.client import Client
from tests.integration.kafka_cluster import Cluster, mock_cluster
from tests.serve.http.live import process

pytest.importorskip("confluent_kafka", reason="confluent_kafka")
SPEC: dict[str, Any] = {"options": {"C": 0.5}, "labels": ["no", "yes"]}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with mock_cluster() as one:
        yield one


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    database = str(tmp_path_factory.mktemp("feed") / "a.db")
    with process("-m", "driftline.cli", "serve", database, "--port", "0", "--no-log-requests") as running:
        assert running.stdout is not None
        with Client(running.stdout.readline().split()[1]) as client:
            client.url = client._http.base_url  # type: ignore[attr-defined]
            yield client


def events(count: int, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    rows = [{"a": rng.uniform(-1, 1), "b": rng.uniform(-1, 1), "n": k % 7} for k in range(count)]
    return [{**row, "y": "yes" if row["a"] + row["b"] > 0 else "no"} for row in rows]


def feeder(cluster: Cluster, service: Client, name: str, *options: str) -> subprocess.Popen[str]:
    url = str(service.url)  # type: ignore[attr-defined]
    command = ["feed", cluster.address(name), "--model", name, "--server", url, "--group", name]
    command += ["--kafka", "session.timeout.ms=6000", "--kafka", "heartbeat.interval.ms=300", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "driftline.cli", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def seen(service: Client, name: str) -> int:
    return service.model(name).info().contenders[0].examples


def until(service: Client, name: str, count: int) -> None:
    end = time.monotonic() + 90
    while seen(service, name) < count:
        assert time.monotonic() < end, f"{seen(service, name)} of {count}"
        time.sleep(0.02)


def exported(service: Client, name: str, path: Path) -> bytes:
    service.model(name).export(path)
    return path.read_bytes()


def looped(rows: list[dict[str, Any]]) -> bytes:
    learner = dl.PA1(C=0.5, labels=("no", "yes"))
    for row in rows:
        learner.learn_one({name: value for name, value in row.items() if name != "y"}, row["y"])
    return learner.to_bytes()


def test_killed_feeds_learn_each_message_once_and_in_order(cluster: Cluster, service: Client, tmp_path: Path) -> None:
    rows, rng = events(4000), random.Random(2)
    service.create("killed", "pa1", **SPEC)
    cluster.produce("killed", rows)
    for k in range(3):
        running = feeder(cluster, service, "killed", "--batch", "50")
        until(service, "killed", 500 * (k + 1) + rng.randrange(400))
        running.kill()
        running.communicate()
    running = feeder(cluster, service, "killed", "--until-end")
    out, err = running.communicate(timeout=90)
    assert running.returncode == 0, err
    assert "0 bad" in out and seen(service, "killed") == 4000
    assert exported(service, "killed", tmp_path / "m.dl") == looped(rows)


def test_two_feeds_share_the_partitions_and_one_takes_over(cluster: Cluster, service: Client, tmp_path: Path) -> None:
    rows = events(6000, seed=3)
    service.create("shared", "pa1", **SPEC)
    cluster.produce("shared", rows[:3000], partitions=4)
    first = feeder(cluster, service, "shared", "--batch", "20")
    until(service, "shared", 200)
    second = feeder(cluster, service, "shared", "--batch", "20")
    until(service, "shared", 1500)
    first.kill()
    first.communicate()
    cluster.produce("shared", rows[3000:], partitions=4)
    until(service, "shared", 6000)
    second.send_signal(signal.SIGTERM)
    out, err = second.communicate(timeout=60)
    assert second.returncode == 0 and "0 bad" in out, err
    assert seen(service, "shared") == 6000
    order = ids_of_log(service, "shared")
    assert sorted(order) == sorted(f"shared/{k % 4}/{k // 4 + 750 * h}" for h in (0, 1) for k in range(3000))
    for partition in range(4):
        mine = [int(one.split("/")[2]) for one in order if one.split("/")[1] == str(partition)]
        assert mine == sorted(mine)
    learned = [rows[int(offset) % 750 * 4 + int(p) + 3000 * (int(offset) >= 750)] for _, p, offset in
               (one.split("/") for one in order)]  # fmt: skip
    assert exported(service, "shared", tmp_path / "m.dl") == looped(learned)


def ids_of_log(service: Client, name: str) -> list[str]:
    """The ids in the order in which they were learned."""
    found: list[str] = []
    after, path = 0, f"/v1/models/{name}/log"
    while entries := service._http.get(path, params={"after": after, "limit": 1000}).json()["events"]:
        after = entries[-1]["position"]
        for one in entries:
            found += _tickets(one["event"])
    return found


def _tickets(event: Any) -> list[str]:
    """All ids of messages in an event, whatever its kind."""
    if isinstance(event, str):
        return [event] if event.count("/") == 2 else []
    values = event.values() if isinstance(event, dict) else event if isinstance(event, list) else ()
    return [one for value in values for one in _tickets(value)]


def test_bad_messages_are_counted_and_kept(cluster: Cluster, service: Client, tmp_path: Path) -> None:
    good = events(30, seed=5)
    bad: list[Any] = [b"not json", b"\xff\xfe", [1, 2], {"a": 1.0}, {"a": {"b": 1}, "y": "no"}, {"a": 1.0, "y": "eggs"}]
    bad += [{"a": 1.0, "y": None}, {"a": 1.0, "y": [1]}]
    mixed = [one for pair in zip(good, bad * 4, strict=False) for one in pair][: 2 * len(good)]
    service.create("mixed", "pa1", **SPEC)
    cluster.produce("mixed", mixed)
    dead = tmp_path / "dead.jsonl"
    running = feeder(cluster, service, "mixed", "--until-end", "--dead-letters", str(dead))
    out, err = running.communicate(timeout=90)
    assert running.returncode == 0, err
    assert f"30 messages learned, 0 learned before, 30 bad, written to {dead}" in out
    assert err.startswith("driftline: bad message mixed/0/1: message: must be JSON")
    lines = [json.loads(line) for line in dead.read_text().splitlines()]
    assert [one["offset"] for one in lines if "value_base64" in one] == [3, 19, 35, 51]
    assert {one["offset"] for one in lines} == set(range(1, 60, 2)) and all(one["reason"] for one in lines)
    assert exported(service, "mixed", tmp_path / "m.dl") == looped(good)


def test_an_unknown_model_stops_the_feed_and_keeps_the_offset(cluster: Cluster, service: Client) -> None:
    cluster.produce("unknown", events(5))
    running = feeder(cluster, service, "unknown")
    _, err = running.communicate(timeout=60)
    assert running.returncode == 2 and "name must be that of a model" in err
    service.create("unknown", "pa1", **SPEC)
    running = feeder(cluster, service, "unknown", "--until-end")
    out, err = running.communicate(timeout=60)
    assert "5 messages learned, 0 learned before, 0 bad" in out, err
