"""Dicts of named features, and the usual loop over them: predict, then learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data import NAMES, Data


def examples(data: Data, width: int, label: Callable[[float], Any]) -> list[tuple[dict[str, float], Any]]:
    """Return dicts of `width` floats with their labels. Equal names share one string object."""
    names = [f"feature_{i}" for i in range(NAMES)]
    if width == 10:
        keys, values, y = [range(10)] * len(data.y10), data.values10, data.y10
    else:
        keys, values, y = data.names76.tolist(), data.values76, data.y76
    rows = zip(keys, values.tolist(), y.tolist(), strict=True)
    return [({names[i]: value for i, value in zip(key, row, strict=True)}, label(sign)) for key, row, sign in rows]


def predict_then_learn(learner: Any, stream: list[tuple[dict[str, float], Any]]) -> None:
    """Predict each example, then learn it."""
    predict, learn = learner.predict_one, learner.learn_one
    for x, y in stream:
        predict(x)
        learn(x, y)
