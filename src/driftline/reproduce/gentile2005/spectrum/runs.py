"""Runs of both Perceptrons on the same streams, with their mistakes and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import driftline as dl
from driftline import bounds
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, SEEDS, generator, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer
from driftline.reproduce.gentile2005.spectrum.stream import AXES, ROUNDS, SPREADS, draw

FIRST, SECOND = "first order", "second order"
AS = (1.0, 0.01)
"""Values of a for the second-order Perceptron. The length of an example is 1."""
QUICK_ROUNDS, QUICK_SPREADS = 1000, (1.0, 30.0, 1000.0)


def tasks(setting: Setting) -> Sequence[Task]:
    """Return the tasks, each with a few seeds and all spreads and axes."""
    seeds, at_once = (QUICK_SEEDS, QUICK_SEEDS) if setting.quick else (SEEDS, 6)
    return tasks_over_seeds("spectrum", "gaussian", seeds, at_once)


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the records of all learners on all streams of these seeds."""
    return answer(record for seed in what["seeds"] for record in _runs(seed, setting))


def _runs(seed: int, setting: Setting) -> Iterator[Record]:
    rounds, spreads = (QUICK_ROUNDS, QUICK_SPREADS) if setting.quick else (ROUNDS, SPREADS)
    for axis in AXES:
        for spread in spreads:
            X, y, u = draw(spread, axis, rounds, generator(setting, f"spectrum-{axis}-{spread:g}", seed))
            gamma = float((y * (X @ u)).min())
            first = dl.Perceptron(bias=False)
            mistakes = int(first.test_then_train(X, y).mistaken.sum())
            bound = bounds.PerceptronSeparable(R=1.0 + 1e-12, gamma=gamma).value
            yield Record(axis, FIRST, spread, seed, {"mistakes": mistakes, "bound": bound})
            for a in AS:
                second = dl.SecondOrderPerceptron(a=a, bias=False)
                mistakes = int(second.test_then_train(X, y).mistaken.sum())
                bound = bounds.SecondOrderSeparable(a=a, logdet=second.logdet, gamma=gamma).value
                yield Record(axis, second_order_name(a), spread, seed, {"mistakes": mistakes, "bound": bound})


def second_order_name(a: float) -> str:
    """Return the name of the second-order Perceptron with this a."""
    return f"{SECOND}, a = {a:g}"
