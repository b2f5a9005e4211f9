"""scikit-learn: PA-I, hinge loss at a constant rate, and Perceptron, with `partial_fit`.

The learner with a constant rate has an L2 penalty, which makes it equal to driftline's NORMA with
alpha = eta0, lam = scikit-learn's alpha and rho = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
from blocks import block_rows, cut
from contest import BLOCKS, Attempt, Task, block_heat
from data import Data
from sklearn.linear_model import Perceptron, SGDClassifier

PLAIN = {"fit_intercept": False, "shuffle": False, "max_iter": 1, "tol": None}

LEARNERS: dict[str, Callable[[], Any]] = {
    "scikit-learn PA-I": lambda: SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0, penalty=None, **PLAIN),
    "scikit-learn hinge, constant rate": lambda: SGDClassifier(
        loss="hinge", learning_rate="constant", eta0=0.1, penalty="l2", alpha=1e-5, **PLAIN
    ),
    "scikit-learn Perceptron": lambda: Perceptron(penalty=None, eta0=1.0, **PLAIN),
}


def versions() -> dict[str, str]:
    """Return the versions of scikit-learn and its numpy."""
    return {"scikit-learn": version("scikit-learn"), "numpy of the peers": version("numpy")}


def tasks(data: Data) -> Iterator[Task]:
    """Yield every learner in every heat of matrices."""
    for kind in ("sparse", "dense"):
        for size in BLOCKS:
            for name, make in LEARNERS.items():
                rows = block_rows(data, kind, size)
                yield Task(block_heat(kind, size), name, rows, _fit(data, kind, size, make))


def _fit(data: Data, kind: str, size: int | None, make: Callable[[], Any]) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        model, blocks, classes = make(), cut(data, kind, size), np.array([-1.0, 1.0])

        def run() -> None:
            (X, y), *rest = blocks
            model.partial_fit(X, y, classes=classes)
            for X, y in rest:
                model.partial_fit(X, y)

        return Attempt(run, lambda: float((model.coef_ * model.coef_).sum()))

    return prepare
