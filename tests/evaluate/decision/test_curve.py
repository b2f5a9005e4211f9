"""Precision/recall curves from bins, beside scikit-learn's from all probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve

import driftline as dl
from driftline.evaluate.decision.probability_bins import BINS, EDGES, THRESHOLDS, bins_of


def sample(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 4000))
    p = rng.beta(rng.uniform(0.05, 2.0), rng.uniform(0.05, 2.0), size=rows)
    if seed % 3 == 0:
        p = np.round(p, 2)
    y = rng.random(rows) < p ** rng.uniform(0.3, 3.0)
    y[0] = True
    return p, y


@pytest.mark.parametrize("seed", range(20))
def test_values_are_exact_at_the_thresholds_and_within_the_bounds_between_them(seed: int) -> None:
    p, y = sample(seed)
    curve = dl.precision_recall(y, p, True)
    for threshold, precision, recall in zip(curve.thresholds, curve.precision, curve.recall, strict=True):
        flagged = p >= threshold
        assert precision == (flagged & y).sum() / flagged.sum() and recall == (flagged & y).sum() / y.sum()
    assert curve.positives == y.sum() and curve.negatives == (~y).sum() and curve.note == ""
    precision, recall, thresholds = precision_recall_curve(y, p)
    recalls = np.append(curve.recall, 0.0)
    place = np.searchsorted(curve.thresholds, thresholds, side="right")
    own = recall[:-1]
    assert (own <= recalls[place - 1] + 1e-12).all() and (own >= recalls[place] - 1e-12).all()
    low, high = curve.average_precision_bounds
    assert low - 1e-12 <= average_precision_score(y, p) <= high + 1e-12
    assert low - 1e-12 <= curve.average_precision <= high + 1e-12


def test_the_error_of_the_average_precision_is_small() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < 0.02
    p = 1.0 / (1.0 + np.exp(4.0 - 2.0 * rng.normal(size=y.size) - 3.0 * y))
    curve = dl.precision_recall(y, p, True)
    low, high = curve.average_precision_bounds
    assert abs(curve.average_precision - average_precision_score(y, p)) < 0.003 and high - low < 0.02


@given(st.floats(0.0, 1.0))
def test_the_bin_of_a_probability_decides_it(p: float) -> None:
    place = int(bins_of(np.array([p]))[0])
    assert 0 <= place < BINS and THRESHOLDS[place] <= p < THRESHOLDS[place + 1]


def test_bins_are_narrow() -> None:
    odds = EDGES / (1.0 - EDGES)
    assert len(EDGES) == BINS - 1 and (odds[1:] / odds[:-1]).max() < 1.016
    assert EDGES[0] < 1.2e-7 and 1.0 - EDGES[-1] < 1.2e-7


def test_without_positives_values_are_nan_with_a_word() -> None:
    curve = dl.precision_recall([0, 0, 0], [0.1, 0.5, 0.9])
    assert np.isnan(curve.precision).all() and np.isnan(curve.recall).all() and len(curve.thresholds) == 3
    assert math.isnan(curve.average_precision) and all(map(math.isnan, curve.average_precision_bounds))
    assert curve.note == "precision and recall are undefined: there are no positives" and curve.note in repr(curve)
    empty = dl.precision_recall([], [])
    assert len(empty.thresholds) == 0 and empty.note
    fresh = dl.Decision(positive="a", recall=0.5).curve()
    assert len(fresh.thresholds) == 0 and fresh.note
    without_negatives = dl.precision_recall([1, 1], [0.1, 0.2])
    assert without_negatives.precision.tolist() == [1.0, 1.0] and without_negatives.average_precision == 1.0


def test_the_curve_of_a_decision_is_that_of_its_probabilities() -> None:
    p, y = sample(7)
    P = np.column_stack([1.0 - p, p])
    for decision in (dl.Decision(positive=True, precision=0.7), dl.Decision({True: {False: 3}, False: {True: 1}})):
        decision.learn_many(P, y, (False, True))
        own, due = decision.curve(), dl.precision_recall(y, p, True)
        for name in ("thresholds", "precision", "recall"):
            assert getattr(own, name).tolist() == getattr(due, name).tolist()
        recent = decision.curve(recent=True)
        assert 0.0 < recent.positives < own.positives or own.positives < 50


def test_the_recent_curve_forgets() -> None:
    decision = dl.Decision(positive=True, recall=0.5, memory=50)
    decision.learn_many([[0.9, 0.1]] * 1000, [True] * 1000, (False, True))
    decision.learn_many([[0.1, 0.9]] * 2000, [True] * 2000, (False, True))
    assert decision.curve(recent=True).recall[-1] > 0.999 > 0.7 > decision.curve().recall[-1]


@pytest.mark.parametrize(
    ("p", "message"), [([0.5], r"2 numbers, one for each label, got \(1,\)"), ([0.1, math.nan], "from 0 to 1, got nan")]
)
def test_bad_probabilities(p: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^precision_recall: .*{message}"):
        dl.precision_recall([0, 1], p)
