"""The comparison of the Tracker's banks: grouped results, and when a bank is worse."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import driftline as dl
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
import tracker_bank  # noqa: E402
from tracker_bank import Tally  # noqa: E402
from tracker_streams import Draw, random_texts  # noqa: E402


def tally(*mistakes: list[int]) -> Tally:
    made = Tally(False)
    made.rows, made.mistakes = 1000, list(mistakes)
    return made


def test_what_is_counted() -> None:
    X, y = random_texts(1, 1000, 1, 300)
    played = Tally(True)
    for seed in (0, 1):
        order = np.random.default_rng(seed).permutation(300)
        played.play(Draw("texts", X[order], y[order]))
    due = [dl.Tracker(bank).learn_many(X[order], y[order]) for bank in tracker_bank.BANKS]
    assert played.mistakes[1] == [int(np.sum((votes >= 0.0) != (y[order] > 0.0))) for votes in due]
    recipe, light = np.sum(played.mistakes, axis=0)
    assert played.rows == 600 and played.change == pytest.approx(math.log(light / recipe))


def test_what_is_worse_is_named() -> None:
    text = tracker_bank.render({"a": tally([100, 102], [100, 98]), "b": tally([50, 51]), "b + 0.4": tally([90, 45])})
    lines = text.splitlines()
    assert lines[1].split() == ["a", "2", "1,000", "0.2000", "0.2000", "+0.0", "%", "2.0"]
    assert lines[2].split() == ["b", "1", "1,000", "0.0500", "0.0510", "+2.0", "%", "-"]
    assert lines[-1] == "worse by more than 1% of the error: b"
    mean = 100.0 * (math.log(51 / 50) + math.log(0.5)) / 3.0
    assert next(line for line in lines if line.startswith("all")).split()[1:3] == ["3", f"{mean:+.2f}"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("spam", "long"),
        ("spam: 500", "short"),
        ("spam + 0.3", "fewer wrong labels"),
        ("plane: 500 + 0.4", "40 % wrong labels"),
    ],
)
def test_kinds_of_streams(name: str, kind: str) -> None:
    assert (
        tracker_bank.kind_of(name, False) == f"dense, {kind}" and tracker_bank.kind_of(name, True) == f"sparse, {kind}"
    )


def test_random_texts_have_targets_of_equal_labels() -> None:
    X, y = random_texts(3, 500, 2, 400)
    assert X.shape == (400, 500) and set(X.data) == {1.0}
    assert [int(part.sum()) for part in (y[:200], y[200:])] == pytest.approx([0, 0], abs=20)
