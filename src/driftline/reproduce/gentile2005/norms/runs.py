"""Mistakes and bounds of p-norm Perceptrons from p = 2 to p = 2 ln n on the same streams."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Answer, Setting, Task
from driftline.reproduce.gentile2005.norms.stream import FEATURES, RELEVANT, dense_target, sparse_target
from driftline.reproduce.gentile2005.parts import QUICK_SEEDS, SEEDS, generator, tasks_over_seeds
from driftline.reproduce.gentile2005.records import Record, answer

ROUNDS, QUICK_ROUNDS = 2000, 600
LONGER = 3
"""Factor on the number of rounds if all features are relevant."""
LARGEST = 2.0 * math.log(FEATURES)
PS, QUICK_PS = (2.0, 3.0, 4.0, 6.0, 8.0, 10.0, LARGEST), (2.0, 4.0, LARGEST)
DENSE = "all features relevant"
LEARNER = "p-norm Perceptron"


def tasks(setting: Setting) -> Sequence[Task]:
    """Return the tasks, with two seeds each, because this is the slowest part without text."""
    seeds, at_once = (QUICK_SEEDS, QUICK_SEEDS) if setting.quick else (SEEDS, 2)
    return tasks_over_seeds("norms", "signs", seeds, at_once)


def solve(what: Mapping[str, Any], setting: Setting) -> Answer:
    """Return the records of all p on all streams of these seeds."""
    return answer(record for seed in what["seeds"] for record in _runs(seed, setting))


def sparse_name(relevant: int) -> str:
    """Return the name of the stream with this number of relevant features."""
    return f"{relevant} of {FEATURES:,} features relevant"


def _runs(seed: int, setting: Setting) -> Iterator[Record]:
    rounds, ps = (QUICK_ROUNDS, QUICK_PS) if setting.quick else (ROUNDS, PS)
    for relevant in RELEVANT:
        X, y, u = sparse_target(relevant, rounds, generator(setting, f"norms-{relevant}", seed))
        yield from _each(sparse_name(relevant), X, y, u, ps, seed)
    X, y, u = dense_target(LONGER * rounds, generator(setting, "norms-dense", seed))
    yield from _each(DENSE, X, y, u, ps, seed)


def _each(where: str, X: Any, y: Floats, u: Floats, ps: Sequence[float], seed: int) -> Iterator[Record]:
    margin = float((y * (X @ u)).min())
    relevant, present = float(np.count_nonzero(u)), float(abs(X).sum(axis=1).max())
    for p in ps:
        mistakes = int(dl.PNormPerceptron(p=p, bias=False).test_then_train(X, y).mistaken.sum())
        found = {"rounds": len(y), "mistakes": mistakes, "bound": bound_of(p, margin, relevant, present)}
        yield Record(where, LEARNER, p, seed, found)


def bound_of(p: float, margin: float, relevant: float, present: float) -> float:
    """Return the bound (p - 1) R^2 / gamma^2 for x and u with entries -1, 0 and +1.

    Then R = present^(1/p) and gamma = margin / relevant^(1/q).
    """
    gamma = margin / relevant ** (1.0 - 1.0 / p)
    return bounds.PNormSeparable(p=p, R=present ** (1.0 / p), gamma=gamma).value
