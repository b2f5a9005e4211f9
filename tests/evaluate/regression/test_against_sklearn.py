"""Metrics of regressions agree with scikit-learn on random streams."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sk

import driftline as dl
from driftline.evaluate.regression import RegressionFigures
from driftline.internals.compiled import Floats

TIGHT = 1e-12
SCALES = {"plain": (0.0, 1.0), "far from 0": (1e9, 1.0), "tiny": (1e-8, 1e-10), "huge": (-3e14, 1e12)}


def check(found: RegressionFigures, y: Floats, predicted: Floats) -> None:
    """Compare everything that scikit-learn computes too."""
    wanted = {
        "mae": sk.mean_absolute_error(y, predicted),
        "mse": sk.mean_squared_error(y, predicted),
        "rmse": sk.root_mean_squared_error(y, predicted),
        "r2": sk.r2_score(y, predicted),
        "bias": np.mean(predicted - y),
    }
    assert found.n == len(y)
    for name, value in wanted.items():
        scale = {"bias": wanted["mae"], "r2": 1.0 + abs(value)}.get(name, abs(value))
        assert getattr(found, name) == pytest.approx(value, rel=0, abs=TIGHT * scale), name


def baselines(y: Floats) -> tuple[Floats, Floats]:
    """What the mean so far and the previous target predict."""
    sums = accumulate(map(Fraction, y[:-1].tolist()))
    means = np.array([0.0, *(float(total / k) for k, total in enumerate(sums, 1))])
    return means, np.array([0.0, *y[:-1]])


def drawn(name: str, seed: int, size: int = 3000) -> tuple[Floats, Floats]:
    offset, spread = SCALES[name]
    rng = np.random.default_rng(seed)
    y = offset + spread * rng.normal(size=size)
    return y, y + 0.3 * spread * rng.normal(size=size) + 0.1 * spread


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", SCALES)
def test_all_metrics(name: str, seed: int) -> None:
    y, predicted = drawn(name, seed)
    metrics = dl.RegressionMetrics(window=700)
    for start, stop in ((0, 1), (1, 990), (990, 991), (991, 2500), (2500, 3000)):
        metrics.add(y[start:stop], predicted[start:stop])
    check(metrics, y, predicted)
    check(metrics.window, y[-700:], predicted[-700:])
    means, lasts = baselines(y)
    assert metrics.mean_mae == pytest.approx(sk.mean_absolute_error(y, means), rel=TIGHT)
    assert metrics.mean_rmse == pytest.approx(sk.root_mean_squared_error(y, means), rel=TIGHT)
    assert metrics.no_change_mae == pytest.approx(sk.mean_absolute_error(y, lasts), rel=TIGHT)
    assert metrics.no_change_rmse == pytest.approx(sk.root_mean_squared_error(y, lasts), rel=TIGHT)
    assert metrics.window.mean_mae == pytest.approx(sk.mean_absolute_error(y[-700:], means[-700:]), rel=TIGHT)
    assert metrics.target_mean == pytest.approx(math.fsum(y) / len(y), rel=TIGHT)
    assert metrics.target_deviation == pytest.approx(np.std(y), rel=TIGHT)
    assert (metrics.target_lowest, metrics.target_highest) == (y.min(), y.max())


def test_a_first_target_far_from_the_others_keeps_r2() -> None:
    y, predicted = drawn("plain", 1)
    y[0] = 1e15
    metrics = dl.RegressionMetrics()
    metrics.add(y, predicted)
    check(metrics, y, predicted)


def test_a_long_stream_loses_no_digits() -> None:
    y = np.full(2_000_000, 0.1)
    y[::2] = 1e6 + 0.1
    metrics = dl.RegressionMetrics()
    for block in np.split(y, 4):
        metrics.add(block, block + 0.1)
    check(metrics, y, y + 0.1)
    assert metrics.mae == pytest.approx(math.fsum(np.abs((y + 0.1) - y)) / len(y), rel=1e-15)


@pytest.mark.parametrize("name", ["plain", "far from 0"])
def test_series(name: str) -> None:
    y, predicted = drawn(name, 3, 40_000)
    metrics = dl.RegressionMetrics(window=500)
    for start in range(0, len(y), 777):
        metrics.add(y[start : start + 777], predicted[start : start + 777])
    series = metrics.series
    assert series["n"].tolist() == list(range(1024, 40_000, 1024))
    for k in (0, 5, 38):
        part = slice(int(series["n"][k]) - 500, int(series["n"][k]))
        assert series["mae"][k] == pytest.approx(sk.mean_absolute_error(y[part], predicted[part]), rel=1e-9)
        assert series["rmse"][k] == pytest.approx(sk.root_mean_squared_error(y[part], predicted[part]), rel=1e-9)
        assert series["r2"][k] == pytest.approx(sk.r2_score(y[part], predicted[part]), rel=1e-9)


NUMBERS = st.floats(-1e15, 1e15, allow_subnormal=False)


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 40).flatmap(lambda n: st.tuples(*[arrays(float, n, elements=NUMBERS)] * 2)), st.data())
def test_any_numbers_in_any_blocks(columns: tuple[Floats, Floats], data: st.DataObject) -> None:
    y, predicted = columns
    cut = data.draw(st.integers(0, len(y)))
    whole, parts = dl.RegressionMetrics(window=7), dl.RegressionMetrics(window=7)
    whole.add(y, predicted)
    parts.add(y[:cut], predicted[:cut])
    for k in range(cut, len(y)):
        parts.add(y[k], predicted[k])
    assert whole.to_dict() == parts.to_dict()
    assert whole.mae == pytest.approx(sk.mean_absolute_error(y, predicted), rel=TIGHT)
    assert whole.mse == pytest.approx(sk.mean_squared_error(y, predicted), rel=TIGHT)
