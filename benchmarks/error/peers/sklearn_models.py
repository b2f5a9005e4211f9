"""scikit-learn: `partial_fit` with one row at a time, after a StandardScaler that is also fitted
row by row.

The scaler is fitted to a row after the prediction and before the learner. Sparse streams are not
scaled. Before the first label there is no prediction, which counts as negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.preprocessing import StandardScaler

from error.play import Guess, Step
from error.stored import Stream

MODELS: dict[str, Callable[[], Any]] = {
    "SGDClassifier": SGDClassifier,
    "LogisticSGD": lambda: SGDClassifier(loss="log_loss"),
    "Perceptron": Perceptron,
}
LOGISTIC = "LogisticSGD"
CLASSES = np.array([False, True])
LABELS = {label: np.array([label]) for label in (False, True)}


def examples(stream: Stream) -> list[Any]:
    """Return matrices of one row."""
    return [stream.X[row : row + 1] for row in range(stream.rows)]


def learner(model: str, seed: int, sparse: bool) -> Step:
    """Return a new learner as a step."""
    made = MODELS[model]().set_params(random_state=seed)
    scaler = None if sparse else StandardScaler()
    fitted = False

    def step(x: Any, positive: bool) -> Guess:
        nonlocal fitted
        guess = Guess(False, 0.0, 0.5 if model == LOGISTIC else math.nan)
        if fitted:
            score = float(made.decision_function(x if scaler is None else scaler.transform(x))[0])
            probability = 0.5 + 0.5 * math.tanh(0.5 * score) if model == LOGISTIC else math.nan
            guess = Guess(score > 0.0, score, probability)
        if scaler is not None:
            x = scaler.partial_fit(x).transform(x)
        made.partial_fit(x, LABELS[positive], classes=CLASSES)
        fitted = True
        return guess

    return step
