"""The kl certificate of the selected hypothesis against its true risk, known for Gaussian rows."""

from __future__ import annotations

import math

import numpy as np

import driftline as dl

STREAMS, ROUNDS, FLIPPED, DELTA = 1000, 120, 0.1, 0.05


def drawn(rng: np.random.Generator, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal rows of three columns; the label is the sign of the first, flipped now and then."""
    X = rng.normal(size=(rounds, 3))
    return X, np.where((X[:, 0] > 0.0) ^ (rng.random(rounds) < FLIPPED), 1.0, -1.0)


def risk_of(selected: dl.Selected) -> float:
    """Of a linear hypothesis without bias: by its angle to the target; one that is 0 answers +1."""
    w = np.array([selected.score_many(np.eye(3)[[k]])[0] for k in range(3)])
    if not w.any():
        return 0.5
    angle = math.acos(np.clip(w[0] / np.linalg.norm(w), -1.0, 1.0))
    return FLIPPED + (1.0 - 2.0 * FLIPPED) * angle / math.pi


def test_the_certificate_covers_the_true_risk() -> None:
    rng = np.random.default_rng(8)
    covered, penalty_free = 0, 0
    for _ in range(STREAMS):
        found = dl.select(dl.Perceptron(bias=False), drawn(rng, ROUNDS), assume="iid", delta=DELTA)
        assert found.certificate is not None and found.error is not None
        risk = risk_of(found)
        covered += risk <= found.certificate
        penalty_free += risk <= found.error
    assert covered >= (1.0 - DELTA) * STREAMS
    assert penalty_free < (1.0 - DELTA) * STREAMS  # the error on the rest alone is no certificate


def test_it_is_less_than_half_of_what_the_tutorial_says() -> None:
    T = 4000
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(T, 10))
        y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
        found = dl.select(dl.Perceptron(bias=False), (X, y), assume="iid", delta=DELTA)
        tutorial = found.mistakes / T + 6.0 * math.sqrt(math.log(T / DELTA) / T)
        assert found.certificate is not None
        assert found.certificate < 0.5 * tutorial
