"""`make bench ONLY=serve`: its parts, the reading of wrk's output, the ratios, and a small replay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
import bench  # noqa: E402
import dicts  # noqa: E402
from only import chosen  # noqa: E402
from serve import load, not_durable, replay, speed  # noqa: E402


def test_texts_choose_the_parts() -> None:
    assert chosen("serve", bench.CHOICES) == ["serve", "serve-replay"]
    assert chosen("lists", bench.CHOICES) == ["lists of dicts"]
    assert "lists of dicts" in chosen("dicts", bench.CHOICES)
    assert set(bench.APART) < set(bench.CHOICES)


def test_a_part_of_its_own_is_measured_and_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dicts, "measure", lambda repeats: [{"repeats": repeats}])
    monkeypatch.setitem(bench.APART, bench.DICTS, (bench.APART[bench.DICTS][0], lambda told: [f"told {told}"]))
    assert bench.main(["--only", "lists", "--repeats", "7"]) == 0
    assert capsys.readouterr().out == "told [{'repeats': 7}]\n"


def test_the_number_of_events() -> None:
    assert bench._options(["--only", "serve"]).events == replay.EVENTS == 1_000_000
    assert bench._options(["--only", "serve", "--quick"]).events == 50_000
    assert bench._options(["--only", "serve", "--events", "300"]).events == 300
    with pytest.raises(SystemExit):
        bench._options(["--events", "0"])


def test_failed_requests_are_an_error() -> None:
    line = "printf 'Requests/sec: 3\\nRESULT 300 1500000 {} 20 90\\n'"
    done = load.finish(subprocess.Popen(["sh", "-c", line.format(0)], stdout=subprocess.PIPE, text=True))
    assert (done.requests, done.seconds, done.p50, done.p99, done.per_second) == (300, 1.5, 20.0, 90.0, 200.0)
    with pytest.raises(ValueError, match=r"must be answered 2xx, got 2 failures of 300"):
        load.finish(subprocess.Popen(["sh", "-c", line.format(2)], stdout=subprocess.PIPE, text=True))
    with pytest.raises(ValueError, match=r"must have a line RESULT, got 'unable to connect'"):
        load.parsed("unable to connect")


def _told(durable: list[float], river: list[float]) -> dict[str, Any]:
    rates = [
        {"call": "predict", "name": name, "per_second": each, "seconds": [2e-5] * len(each)}
        for name, each in ((speed.DURABLE, durable), (speed.RIVER, river))
    ]
    waits = [{"kind": speed.FULL, "name": speed.DURABLE, "rounds": [(500.0, 2000.0, 9000.0, 100.0)] * 3}]
    return {"rates": rates, "latencies": waits, "sync_seconds": [0.002], "peer": True}


@pytest.mark.parametrize(("river", "verdict"), [([4.0, 5.0, 9.0], "met"), ([5.1, 5.1, 1.0], "missed")])
def test_the_ratio_is_that_of_the_medians(river: list[float], verdict: str) -> None:
    found = speed.lines(_told([12.0, 10.0, 2.0], river))
    [row] = [line for line in found if ">= 2x" in line]
    assert row.split()[-1] == verdict
    assert any("0.50 ms" in line and "2.00 ms" in line for line in found)
    assert found[-1].startswith("left out: the daemon of Vowpal Wabbit")


def test_batches_on_fewer_connections_have_a_ratio_and_no_target() -> None:
    assert [speed.BATCHES[call][1] for call in (speed.LEARN_MANY, speed.LEARN_FEWER)] == [128, 32]
    told = _told([3.0], [2.0])
    for one in told["rates"]:
        one["call"] = speed.LEARN_FEWER
    [row] = [line for line in speed.lines(told) if "1.50x" in line]
    assert row.strip().startswith("learn:batch, 32 connections") and "met" not in row and "missed" not in row


def test_without_wrk_the_part_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(load, "available", lambda: False)
    told = speed.measure(1, None, tmp_path, print)
    assert speed.lines(told) == ["left out: driftline serve: wrk must be installed: apt-get install wrk"]
    assert list(tmp_path.iterdir()) == []


def test_bodies_are_what_the_service_takes(tmp_path: Path) -> None:
    msgspec = pytest.importorskip("msgspec")
    from driftline.serve.http import types

    bodies = speed.Bodies(tmp_path)
    bodies.write()
    for call, kind, number in (
        ("predict", types.Predict, speed.EXAMPLES),
        ("learn", types.Learn, speed.EXAMPLES),
        ("predict:batch", types.PredictBatch, speed.EXAMPLES // speed.BATCH),
        ("learn:batch", types.LearnBatch, speed.EXAMPLES // speed.BATCH),
    ):
        lines = bodies.file(call).read_text().splitlines()
        assert len([msgspec.json.decode(line, type=kind) for line in lines]) == number


def test_the_baseline_stores_nothing() -> None:
    class Hub:
        def put(self, entry: object) -> None:
            raise AssertionError

    hub: Any = Hub()
    with pytest.raises(StopIteration):
        not_durable._without_storage(hub).send(None)
    assert hub.put(object()) is None


def test_both_tasks_of_the_replay_learn_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "LEARNERS", {"pa1": replay.LEARNERS["pa1"]})
    told = replay.measure(2, 3 * replay.PAGE + 7, tmp_path, lambda text: None)
    assert [(one["learner"], one["task"], len(one["seconds"])) for one in told["seconds"]] == [
        ("pa1", replay.RECOVER, 2),
        ("pa1", replay.LEARN, 2),
    ]
    assert list(tmp_path.iterdir()) == []
    told["seconds"][0]["seconds"], told["seconds"][1]["seconds"] = [3.0, 3.2], [2.0, 2.1]
    assert "1.51" in replay.lines(told)[2] and replay.lines(told)[2].endswith("missed")
