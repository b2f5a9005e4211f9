"""The calibrators of one score and of several classes: against plain versions, and on odd scores."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.calibration import class_calibrator, score_calibrator
from driftline.engines.calibration.recent_scores import stride_of
from tests.oracles.calibration import Calibration

RNG = np.random.default_rng(5)
ODD = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e300, -1e300, 5e-324, 1.0, 1e-200]


def test_it_is_the_mixture_of_the_calibrator_for_two_features() -> None:
    scores = RNG.normal(size=400) * np.linspace(1.0, 50.0, 400)
    labels = RNG.random(400) < 1.0 / (1.0 + np.exp(-scores / 10.0))
    oracle, numbers = Calibration(2), score_calibrator.new_numbers()
    squares = rounds = 0.0
    for score, positive in zip(scores.tolist(), labels.tolist(), strict=True):
        squares, rounds = 0.999 * squares + score**2, 0.999 * rounds + 1.0
        z = min(8.0, max(-8.0, score / np.sqrt(squares / rounds)))
        features = [np.array([z, np.tanh(3.0 * z)])]
        due = oracle.probability(features)
        assert score_calibrator.probability(numbers, score) == pytest.approx(due, rel=1e-7)
        assert score_calibrator.learn(numbers, score, positive) == pytest.approx(due, rel=1e-7)
        oracle.learn(features, positive)


def test_a_probability_before_learning_is_that_of_learning() -> None:
    numbers = score_calibrator.new_numbers()
    for score, positive in zip(RNG.normal(size=200), RNG.random(200) < 0.3, strict=True):
        before = score_calibrator.probability(numbers, score)
        assert score_calibrator.learn(numbers, score, bool(positive)) == before


def test_odd_scores_have_finite_probabilities() -> None:
    numbers = score_calibrator.new_numbers()
    calibrated = class_calibrator.new_calibrator(3)
    found = np.zeros(3)
    for k in range(600):
        score_calibrator.learn(numbers, ODD[k % len(ODD)], k % 3 == 0)
        class_calibrator.learn(*calibrated, RNG.choice(ODD, 3), 3, k % 2)
        class_calibrator.probability(*calibrated, RNG.choice(ODD, 3), 3, found)
        assert (found > 0.0).all() and found.sum() == pytest.approx(1.0)
    for score in ODD:
        assert 0.0 < score_calibrator.probability(numbers, score) < 1.0


def test_the_unit_of_the_scores_does_not_matter() -> None:
    scores, labels = RNG.normal(size=300), RNG.random(300) < 0.6
    numbers = {unit: score_calibrator.new_numbers() for unit in (1.0, 2.0**-300, 2.0**300)}
    for score, positive in zip(scores.tolist(), labels.tolist(), strict=True):
        found = {score_calibrator.learn(own, unit * score, positive) for unit, own in numbers.items()}
        assert len(found) == 1


@pytest.mark.parametrize(("classes", "due"), [(0, 512), (64, 512), (65, 256), (128, 256), (1000, 32), (10**6, 32)])
def test_fewer_rounds_are_kept_of_many_classes(classes: int, due: int) -> None:
    assert stride_of(classes) == due


def test_class_scores_are_calibrated_by_a_softmax() -> None:
    """With logits as scores, the log loss comes close to that of the true probabilities."""
    logits = 2.0 * RNG.normal(size=(3000, 4))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = [int(RNG.choice(4, p=share)) for share in shares]
    calibrated, found, losses = class_calibrator.new_calibrator(4), np.zeros(4), []
    for row, y in zip(7.0 * logits, labels, strict=True):
        class_calibrator.probability(*calibrated, row, 4, found)
        losses.append(-np.log(found[y]))
        class_calibrator.learn(*calibrated, row, 4, y)
    true = -np.log(shares[np.arange(3000), labels])
    assert np.mean(losses[500:]) < np.mean(true[500:]) + 0.03
