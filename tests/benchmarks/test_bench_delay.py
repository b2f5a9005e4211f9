"""`make bench-delay`: the loop of the peers has the delay of ``dl.run``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from delay import __main__ as command  # noqa: E402
from delay.loop import errors, last_known_label  # noqa: E402


@pytest.mark.parametrize("delay", [0, 1, 30, 299, 1000])
def test_the_loop_of_the_peers_is_the_run(delay: int) -> None:
    [(X, y)] = dl.streams.SwitchingHyperplane(n=300, d=4, noise=0.1, block=300)
    run = dl.run(dl.PA1(labels=(-1.0, 1.0)), (X, y), delay=delay)
    learner = dl.PA1(labels=(-1.0, 1.0))

    def learn(x: Any, positive: bool) -> None:
        learner.learn_one(x, 1.0 if positive else -1.0)

    wrong = errors(lambda x: learner.score_one(x) >= 0.0, learn, list(X), (y > 0.0).tolist(), delay)
    assert wrong == (run.label_errors, 300)


def test_the_baseline_knows_only_labels_that_have_arrived() -> None:
    labels = [True, True, False, True, False]
    assert last_known_label(labels, 0) == 4  # guesses - T T F T
    assert last_known_label(labels, 2) == 3  # guesses - - - T T
    assert last_known_label(labels, 9) == 3


def test_what_learners_say_before_any_label() -> None:
    """The lines of the table that tell rows before any label apart."""
    y = np.where(np.arange(30) < 20, 1.0, -1.0)
    stream = command.Stream("made", 0, np.random.default_rng(0).normal(size=(30, 2)), y)
    negative, positive = (command.before_any_label(stream, 29, wrong) for wrong in command.EARLY.values())
    for learner, wrong in [(dl.Tracker(), negative), (dl.AROW(), positive), (dl.PA1(), positive)]:
        assert dl.run(learner, (stream.X, y), delay=29, progress=False).label_errors == wrong
    assert last_known_label((y > 0.0).tolist(), 29) == negative
    assert command.before_any_label(stream, 21, -1.0) == 2


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    monkeypatch.setattr(command, "OURS", {"driftline PA1": dl.PA1})
    file = tmp_path / "delay.json"
    assert command.main(["--no-peers", "--rows", "1200", "--only", "hyper", "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert "driftline PA1" in out and "last label known" in out
    found = json.loads(file.read_text())
    assert [one["delay"] for one in found["wrong"]] == [0, 100, 1000] * 2
    with pytest.raises(SystemExit):
        command.main(["--rows", "1000"])
