"""The other libraries at their defaults, as pairs of functions that predict and learn one example.

Only processes of the peers' environment import this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Predict = Callable[[Any], float]
Learn = Callable[[Any, float], None]


def dicts(X: np.ndarray) -> list[Any]:
    """Return examples of river."""
    return [dict(enumerate(row)) for row in X.tolist()]


def matrices(X: np.ndarray) -> list[Any]:
    """Return examples of scikit-learn."""
    return [X[row : row + 1] for row in range(len(X))]


def lines(X: np.ndarray) -> list[Any]:
    """Return examples of Vowpal Wabbit."""
    return ["".join(f" {k}:{value:.9g}" for k, value in enumerate(row) if value) for row in X.tolist()]


def river(model: str) -> tuple[Predict, Learn]:
    """Return a regressor of river."""
    from river import forest, linear_model, neighbors, rules, tree

    makers = {
        "LinearRegression": linear_model.LinearRegression,
        "PARegressor": linear_model.PARegressor,
        "BayesianLinearRegression": linear_model.BayesianLinearRegression,
        "HoeffdingTreeRegressor": tree.HoeffdingTreeRegressor,
        "HoeffdingAdaptiveTreeRegressor": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=0),
        "ARFRegressor": lambda: forest.ARFRegressor(seed=0),
        "AMFRegressor": lambda: forest.AMFRegressor(seed=0),
        "AMRules": rules.AMRules,
        "KNNRegressor": neighbors.KNNRegressor,
    }
    made: Any = makers[model]()
    return lambda x: float(made.predict_one(x) or 0.0), made.learn_one


def scikit_learn(model: str) -> tuple[Predict, Learn]:
    """Return a regressor of scikit-learn; before the first example it predicts 0."""
    from sklearn.linear_model import SGDRegressor

    losses = {
        "SGDRegressor": {},
        # what PassiveAggressiveRegressor was before it was deprecated
        "SGDRegressor-pa1": {
            "loss": "epsilon_insensitive",
            "penalty": None,
            "learning_rate": "pa1",
            "eta0": 1.0,
        },
    }
    made = SGDRegressor(random_state=0, **losses[model])
    fitted = False

    def predict(x: Any) -> float:
        return float(made.predict(x)[0]) if fitted else 0.0

    def learn(x: Any, y: float) -> None:
        nonlocal fitted
        made.partial_fit(x, [y])
        fitted = True

    return predict, learn


def vowpal_wabbit(model: str) -> tuple[Predict, Learn]:
    """Return Vowpal Wabbit with squared loss."""
    from vowpalwabbit import Workspace

    made = Workspace("--quiet" + {"default": "", "coin": " --coin"}[model])

    def predict(x: str) -> float:
        return float(made.predict(f"|{x}"))

    def learn(x: str, y: float) -> None:
        made.learn(f"{y:.9g} |{x}")

    return predict, learn


MAKE = {"river": river, "scikit-learn": scikit_learn, "vowpalwabbit": vowpal_wabbit}
EXAMPLES = {"river": dicts, "scikit-learn": matrices, "vowpalwabbit": lines}
