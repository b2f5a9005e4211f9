"""river: PA-I and Perceptron on dicts, one at a time, predicted and then learned.

Its PA-I runs without an intercept, as driftline's does. Its Perceptron always learns one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from contest import WIDTHS, Attempt, Task, dict_heat
from data import Data
from dicts import examples, predict_then_learn
from river import linear_model

LEARNERS: dict[str, Callable[[], Any]] = {
    "river PA-I": lambda: linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False),
    "river Perceptron": lambda: linear_model.Perceptron(),
}


def versions() -> dict[str, str]:
    """Return river's version."""
    return {"river": version("river")}


def tasks(data: Data) -> Iterator[Task]:
    """Yield both learners on both widths."""
    for width in WIDTHS:
        stream = examples(data, width, lambda sign: sign > 0.0)
        for name, make in LEARNERS.items():
            yield Task(dict_heat(width), name, len(stream), _dicts(stream, make))


def _dicts(stream: list[tuple[dict[str, float], Any]], make: Callable[[], Any]) -> Callable[[], Attempt]:
    def prepare() -> Attempt:
        model = make()
        return Attempt(
            lambda: predict_then_learn(model, stream),
            lambda: float(sum(value * value for value in model.weights.values())),
        )

    return prepare
