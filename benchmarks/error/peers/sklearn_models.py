"""scikit-learn: `partial_fit` with one row at a time, after a StandardScaler that is also fitted
row by row.

The scaler is fitted to a row after the prediction and before the learner. Sparse streams are not
scaled. Before the first label there is no prediction, which counts as negative, or with several
classes as a mistake.
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

LOGISTIC = "LogisticSGD"
MODELS: dict[str, Callable[[], Any]] = {
    "SGDClassifier": SGDClassifier,
    LOGISTIC: lambda: SGDClassifier(loss="log_loss"),
    "Perceptron": Perceptron,
    # what PassiveAggressiveClassifier was before it was deprecated
    "SGDClassifier-pa1": lambda: SGDClassifier(penalty=None, learning_rate="pa1", eta0=1.0),
}
CLASSES = np.array([False, True])
LABELS = {label: np.array([label]) for label in (False, True)}


def examples(stream: Stream) -> list[Any]:
    """Return matrices of one row."""
    return [stream.X[row : row + 1] for row in range(stream.rows)]


def learner(model: str, stream: Stream) -> Step:
    """Return a new learner as a step."""
    made = MODELS[model]().set_params(random_state=stream.seed)
    scaler = None if stream.sparse else StandardScaler()
    guessed = _class_guess(made) if stream.several else _guess(made, model == LOGISTIC)
    classes = np.array(stream.classes)
    labels = {label: np.array([label]) for label in stream.classes}
    fitted = False

    def step(x: Any, label: Any) -> Guess:
        nonlocal fitted
        if fitted:
            guess = guessed(x if scaler is None else scaler.transform(x))
        elif stream.several:
            guess = Guess(None)
        else:
            guess = Guess(False, 0.0, 0.5 if model == LOGISTIC else math.nan)
        if scaler is not None:
            x = scaler.partial_fit(x).transform(x)
        made.partial_fit(x, labels[label], classes=classes)
        fitted = True
        return guess

    return step


def _guess(made: Any, logistic: bool) -> Callable[[Any], Guess]:
    """Return the function that predicts one of two labels."""

    def guess(x: Any) -> Guess:
        score = float(made.decision_function(x)[0])
        probability = 0.5 + 0.5 * math.tanh(0.5 * score) if logistic else math.nan
        return Guess(score > 0.0, score, probability)

    return guess


def _class_guess(made: Any) -> Callable[[Any], Guess]:
    """Return the function that predicts one of several classes."""
    return lambda x: Guess(int(made.predict(x)[0]))
