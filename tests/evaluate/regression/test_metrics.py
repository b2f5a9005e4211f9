"""Metrics of regressions: what is undefined, slices, bad input and saved states."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.evaluate.regression.figures import NUMBERS
from driftline.evaluate.regression.observer import RegressionObserver
from driftline.learners import LearnedBlock

RNG = np.random.default_rng(7)
Y = 5.0 + RNG.normal(size=2000)
PREDICTED = Y + 0.2 * RNG.normal(size=2000)
COLOURS = [{"colour": colour} for colour in RNG.choice(["red", "green", "blue"], size=2000)]


def block(start: int, stop: int) -> tuple[LearnedBlock, Any]:
    y, scores = Y[start:stop], PREDICTED[start:stop]
    return LearnedBlock(y, scores, np.zeros(len(y), np.uint8), start=start), COLOURS[start:stop]


def fed(observer: RegressionObserver, start: int, stop: int, rows: int) -> RegressionObserver:
    for first in range(start, stop, rows):
        observer.add(*block(first, min(stop, first + rows)), dl.PA1())
    return observer


def test_without_examples_everything_is_undefined() -> None:
    metrics = dl.RegressionMetrics()
    assert metrics.n == 0
    assert all(math.isnan(getattr(metrics, name)) for name in NUMBERS)
    assert metrics.why == dict.fromkeys(NUMBERS, "no examples")
    assert metrics.to_dict()["mae"] is None


def test_equal_targets_have_no_r2() -> None:
    metrics = dl.RegressionMetrics()
    metrics.add([2.0, 2.0], [1.0, 2.0])
    assert math.isnan(metrics.r2)
    assert metrics.why == {"r2": "all targets are equal", "inside": "the learner has no epsilon"}


@pytest.mark.parametrize("bad", [math.inf, math.nan, 1e150])
def test_an_overflowed_prediction_is_counted(bad: float) -> None:
    metrics = dl.RegressionMetrics(epsilon=0.1)
    metrics.add([1.0, 2.0, 3.0], [1.0, bad, 3.0])
    assert metrics.overflowed == 1
    assert math.isnan(metrics.mae) and math.isnan(metrics.r2)
    assert metrics.why["mae"] == metrics.why["inside"] == "1 predictions have overflowed"
    assert metrics.no_change_mae == 1.0
    metrics.to_dict()


def test_slices_add_up() -> None:
    observer = fed(RegressionObserver(column="colour", epsilon=0.1), 0, 2000, 300)
    metrics, colours = observer.metrics, np.array([x["colour"] for x in COLOURS])
    for colour, part in metrics.slices.items():
        mine = colours == colour
        assert part.n == mine.sum()
        assert part.mae == pytest.approx(np.abs(Y - PREDICTED)[mine].mean(), rel=1e-12)
        assert part.inside == (np.abs(Y - PREDICTED)[mine] <= 0.1).mean()
        assert part.no_change_mae == pytest.approx(np.abs(np.diff(Y, prepend=0.0))[mine].mean(), rel=1e-12)
    assert sum(part.n for part in metrics.slices.values()) == 2000


@pytest.mark.parametrize("cut", [0, 1, 255, 256, 1300])
def test_a_resumed_observer_has_the_same_bits(cut: int) -> None:
    whole = fed(RegressionObserver(500, 0.1, "colour"), 0, 2000, 97)
    saved = fed(RegressionObserver(500, 0.1, "colour"), 0, cut, 64)
    resumed = RegressionObserver(500, 0.1, "colour")
    meta, arrays = saved.state()
    resumed.restore(meta, {name: array.copy() for name, array in arrays.items()})
    fed(resumed, cut, 2000, 500)
    ours, theirs = resumed.state(), whole.state()
    assert ours[0] == theirs[0]
    for name, array in theirs[1].items():
        assert ours[1][name].tobytes() == array.tobytes(), name


WRONG: dict[str, Any] = {
    "epsilon": 0.2,
    "last": math.nan,
    "window": 7,
    "stride": 300,
    "slice": "size",
    "values": ["a", "a"],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_state_of_no_run_is_refused(name: str) -> None:
    meta, arrays = fed(RegressionObserver(500, 0.1, "colour"), 0, 600, 97).state()
    with pytest.raises(ValueError):
        RegressionObserver(500, 0.1, "colour").restore(meta | {name: WRONG[name]}, arrays)


@pytest.mark.parametrize("name", ["total", "slices", "window", "points"])
def test_arrays_of_no_run_are_refused(name: str) -> None:
    meta, arrays = fed(RegressionObserver(500, 0.1, "colour"), 0, 600, 97).state()
    for broken in (arrays[name][:-1], arrays[name].astype(np.float32), np.full_like(arrays[name], np.nan)):
        with pytest.raises(ValueError):
            RegressionObserver(500, 0.1, "colour").restore(meta, arrays | {name: broken})


NO_NUMBERS: list[Any] = [
    ["1.5", "2"],
    [b"1", b"2"],
    [True, False],
    [1, 10**400],
    [1.0, None],
    np.array([1, 2], "m8[ns]"),
    np.array([1, 2], "M8[D]"),
]


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="RegressionMetrics: window must be a whole number >= 1, got 0"):
        dl.RegressionMetrics(window=0)
    with pytest.raises(ValueError, match="RegressionMetrics: epsilon must be >= 0 and finite, got -1"):
        dl.RegressionMetrics(epsilon=-1)
    metrics = dl.RegressionMetrics()
    for y, predicted, message in (
        ([1.0, 2.0], [1.0], "predicted must have 2 entries, as y, got 1"),
        ([1.0, math.nan], [1.0, 2.0], r"y must have finite targets .* got .*nan.* at position 1"),
        ([1e16], [1.0], "at most 1e\\+15"),
        (["low"], [1.0], "y must be a number or a sequence of numbers"),
        ([[1.0]], [[1.0]], "y must be a number or a sequence of numbers"),
        *((y, [1.0, 2.0], "y must be a number or a sequence of numbers") for y in NO_NUMBERS),
        *(([1.0, 2.0], y, "predicted must be a number or a sequence of numbers") for y in NO_NUMBERS),
        (np.ma.array([1.0, 2.0], mask=[False, True]), [1.0, 2.0], "y must not have masked entries, got 1"),
    ):
        with pytest.raises(ValueError, match=f"RegressionMetrics: .*{message}"):
            metrics.add(y, predicted)
    assert metrics.n == 0


def test_repr() -> None:
    metrics = dl.RegressionMetrics()
    metrics.add([1.0, 2.0, 4.0], [1.5, 2.0, 4.0])
    assert repr(metrics) == "<RegressionMetrics: 3 examples, MAE 0.1667, RMSE 0.2887, R2 0.9464>"
