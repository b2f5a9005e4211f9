"""Run every setting of the tuning grids over a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.learners import LearnedBlock, Learner
from driftline.reproduce.shen2009.grids import METHODS, Candidate, grid
from driftline.rules.composed.bank import is_column
from driftline.rules.rule import When

POINTS = 50
"""Number of points of a curve."""


def curve_at(phase: int) -> list[int]:
    """Return the numbers of examples of the second half at which a curve has its points."""
    return sorted({round(share * 2 * phase) for share in np.linspace(1.0 / POINTS, 1.0, POINTS)})


@dataclass(frozen=True)
class Tried:
    """A setting that was run over the stream."""

    choice: Candidate
    trials: LearnedBlock
    learned: Callable[[], Learner]


def tried_settings(X: Any, y: Floats, when: When, quick: bool) -> Iterator[tuple[str, list[Tried]]]:
    """Yield each method with all its settings, run over the whole stream.

    The rules with a shrink and a step run together in one pass of a bank.
    """
    choices = {method: grid(method, when, quick) for method in METHODS}
    columns = {method: some for method, some in choices.items() if is_column(some[0].rule)}
    rules = [one.rule for some in columns.values() for one in some]
    bank = dl.Bank(rules, bias=False)
    each = bank.test_then_train_each(X, y)
    place = 0
    for method, some in choices.items():
        if method in columns:
            yield (
                method,
                [Tried(one, each[place + k], partial(bank.__getitem__, place + k)) for k, one in enumerate(some)],
            )
            place += len(some)
        else:
            yield method, [_alone(one, X, y) for one in some]


def _alone(choice: Candidate, X: Any, y: Floats) -> Tried:
    learner = Learner(choice.rule, bias=False)
    return Tried(choice, learner.test_then_train(X, y), lambda: learner)
