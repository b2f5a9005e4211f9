"""Dicts of named features: the usual loop over them, and lists of them.

``python benchmarks/dicts.py [REPEATS]`` times lists of dicts: ``learn_many`` and ``score_many`` of
driftline against its ``learn_one`` and ``score_one``, river's loop, and river's ``learn_many`` and
``predict_proba_many`` on a frame built from the same list. river 0.26 learns frames with the
Perceptron only, and learns a frame as one mini-batch.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from columns import align
from data import NAMES, Data

ROWS, LISTS, ROUNDS = 2_000, (1_000, 100), 10
LEARN, SCORE = "learn", "score"
LOOP, RIVER = "ours, one by one", "river, one by one"
Stream = list[tuple[dict[str, Any], Any]]
Call = Callable[[Any, list[dict[str, Any]], list[Any]], object]


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


# lists ----------------------------------------------------------------------------------------------------------------
def streams() -> dict[str, Stream]:
    """Return the same ten features in several forms: floats, other orders and values of other kinds."""
    rng = random.Random(1)
    rows = [{f"feature_{k}": rng.gauss(0.0, 1.0) for k in range(10)} for _ in range(ROWS)]
    y = [x["feature_0"] + x["feature_1"] > 0.0 for x in rows]
    forms: dict[str, list[dict[str, Any]]] = {
        "floats": rows,
        "other orders": [dict(rng.sample(list(x.items()), len(x))) for x in rows],
        "two ints": [x | {"feature_2": rng.randrange(9), "feature_5": rng.random() < 0.5} for x in rows],
        "two strings": [x | {"feature_2": rng.choice("abc"), "feature_5": rng.choice("xy")} for x in rows],
        "one missing": [x | {"feature_2": None} for x in rows],
    }
    return {name: list(zip(X, y, strict=True)) for name, X in forms.items()}


def _each(method: str, learns: bool) -> Call:
    def call(learner: Any, X: list[dict[str, Any]], y: list[Any]) -> None:
        one = getattr(learner, method)
        for x, label in zip(X, y, strict=True):
            one(x, label) if learns else one(x)

    return call


def _frame(method: str, learns: bool) -> Call:
    import pandas as pd

    def call(learner: Any, X: list[dict[str, Any]], y: list[Any]) -> None:
        many, frame = getattr(learner, method), pd.DataFrame(X)
        many(frame, pd.Series(y)) if learns else many(frame)

    return call


def tasks() -> list[tuple[str, str, Callable[[], Any], Call]]:
    """Return call, name, maker of the learner, and what is done with each list. The first of a call is ours."""
    from river import linear_model

    import driftline as dl

    def river() -> Any:
        return linear_model.PAClassifier(C=1.0, mode=1, learn_intercept=False)

    def ours() -> Any:
        return dl.PA1(C=1.0, bias=False)

    return [
        (LEARN, "ours, learn_many", ours, lambda learner, X, y: learner.learn_many(X, y)),
        (LEARN, LOOP, ours, _each("learn_one", True)),
        (LEARN, RIVER, river, _each("learn_one", True)),
        (LEARN, "river, frames", linear_model.Perceptron, _frame("learn_many", True)),
        (SCORE, "ours, score_many", ours, lambda learner, X, y: learner.score_many(X)),
        (SCORE, LOOP, ours, _each("score_one", False)),
        (SCORE, RIVER, river, _each("predict_one", False)),
        (SCORE, "river, frames", linear_model.Perceptron, _frame("predict_proba_many", False)),
    ]


def measure(repeats: int) -> list[dict[str, Any]]:
    """Return the tasks with the times of all repeats, in turn, after one round that warms up.

    river takes numbers only: it has no times for strings and missing values. Learners to score
    have learned the stream.
    """
    told: list[dict[str, Any]] = []
    for form, stream in streams().items():
        chosen = [one for one in tasks() if "river" not in one[1] or form in ("floats", "other orders", "two ints")]
        for size in LISTS:
            X, y = ([one[k] for one in stream] for k in (0, 1))
            lists = [(X[at : at + size], y[at : at + size]) for at in range(0, ROWS, size)]
            times: dict[tuple[str, str], list[float]] = {(call, name): [] for call, name, _, _ in chosen}
            scored = {}
            for call, name, make, _ in chosen:
                if call == SCORE:
                    scored[name] = make()
                    for x, label in stream:
                        scored[name].learn_one(x, label)
            for turn in range(ROUNDS * repeats + 1):
                for at in range(len(chosen)):
                    call, name, make, run = chosen[(at + turn) % len(chosen)]  # in rotating order
                    learner = scored[name] if call == SCORE else make()
                    start = time.perf_counter()
                    for part in lists:
                        run(learner, *part)
                    if turn:
                        times[call, name].append(time.perf_counter() - start)
            told += [
                {"form": form, "size": size, "call": call, "name": name, "seconds": seconds}
                for (call, name), seconds in times.items()
            ]
    return told


def lines(told: list[dict[str, Any]]) -> list[str]:
    """Return the times per row and their ratios to ``learn_many`` or ``score_many``."""
    rows = [["call", "name", "values", "rows per list", "median", "min - max", "ratio"]]
    base = 0.0
    for one in told:
        micro = [1e6 * seconds / ROWS for seconds in one["seconds"]]
        median = statistics.median(micro)
        base = median if "_many" in one["name"] else base
        between = f"{min(micro):.2f} - {max(micro):.2f}"
        rows.append(
            [
                one["call"],
                one["name"],
                one["form"],
                f"{one['size']:,}",
                f"{median:.2f} us",
                between,
                f"{median / base:.2f}",
            ]
        )
    return ["lists of dicts of 10 features, time per row, in turn:", *align(rows, words=3)]


if __name__ == "__main__":
    print("\n".join(lines(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5))))
