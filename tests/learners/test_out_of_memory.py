"""Memory that runs out while a learner grows: the call raises, and the learner is as it was before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import assert_same, snapshot
from tests.support.learner_cases import OTHERS, Other, examples, rows_of
from tests.support.linear_cases import Case, one_of_each

ALLOCATORS = ("zeros", "empty", "ones", "arange", "concatenate")
FEW_BYTES = 64
REBUILT = ("multilinearperceptron",)  # to undo a round, it computes its powers again from its examples
WIDE = 180  # arrays of the wide rows are then larger than those of ordinary rows
MOST = 1000  # allocations of a call
CASES = [*one_of_each(), *OTHERS]


class Allocations:
    """Counts the arrays that driftline allocates. ``refuses`` says, of number and bytes, what does not fit.

    There is always room for a few numbers.
    """

    def __init__(self, refuses: Callable[[int, int], bool]) -> None:
        self.refuses = refuses
        self.number = 0
        self.largest = FEW_BYTES

    def failing(self, allocate: Callable[..., Any]) -> Callable[..., Any]:
        def allocated(*args: Any, **options: Any) -> Any:
            made = allocate(*args, **options)
            if made.nbytes > FEW_BYTES and sys._getframe(1).f_globals["__name__"].startswith("driftline."):
                self.number += 1
                if self.refuses(self.number, made.nbytes):
                    raise MemoryError
                self.largest = max(self.largest, made.nbytes)
            return made

        return allocated


@contextmanager
def memory_for(allocations: Allocations, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for name in ALLOCATORS:
            patch.setattr(np, name, allocations.failing(getattr(np, name)))
        yield


def without(fails: int, case: Case | Other) -> Callable[[int, int], bool]:
    """No memory for allocation number ``fails`` and all later ones."""
    if case.name in REBUILT:
        return lambda number, size: number == fails
    return lambda number, size: number >= fails


def larger_than(most: int) -> Callable[[int, int], bool]:
    """No memory for an array of more than ``most`` bytes."""
    return lambda number, size: size > most


def blocks(case: Case | Other) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Ordinary rows as dicts with their labels, and rows with many features that are new."""
    X, y = examples(getattr(case, "feed", "signed"))
    wide = [{f"new{j}": 0.1 + 0.01 * ((i + j) % 7) for j in range(WIDE)} for i in range(3)]
    return (rows_of("dicts", X[:30]), y[:30]), (wide, y[:3])


def accepts(learner: dl.Learner, X: Any, y: Any) -> bool:
    try:
        deepcopy(learner).learn_many(X, y)
    except ValueError:
        return False
    return True


def learn_many(learner: dl.Learner, X: Any, y: Any) -> Any:
    return learner.learn_many(X, y)


def learn_one(learner: dl.Learner, X: Any, y: Any) -> Any:
    return learner.learn_one(X[0], y[0])


@pytest.mark.parametrize("learn", [learn_many, learn_one])
@pytest.mark.parametrize("trained", [True, False], ids=["trained", "fresh"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_learner_without_memory_is_as_it_was(
    case: Case | Other, trained: bool, learn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary, wide = blocks(case)
    start = case.learner()
    if trained:
        start.learn_many(*ordinary)
    block = wide if accepts(start, *wide) else ordinary
    following = (ordinary, block) if trained else (block,)
    learn(deepcopy(start), *block)  # compiles what is needed
    twin, scores, largest = deepcopy(start), [], []
    for more in following:
        needed = Allocations(lambda number, size: False)
        with memory_for(needed, monkeypatch):
            scores.append(twin.learn_many(*more))
        largest.append(needed.largest)
    for fails in range(1, MOST):
        learner = deepcopy(start)
        with memory_for(Allocations(without(fails, case)), monkeypatch):
            try:
                learn(learner, *block)
            except (MemoryError, ValueError):
                pass
            else:
                break
        assert_same(snapshot(start), snapshot(learner))
        for more, expected, most in zip(following, scores, largest, strict=True):
            with memory_for(Allocations(larger_than(most)), monkeypatch):  # no more than its twin needs
                assert np.array_equal(learner.learn_many(*more), expected), fails
        assert_same(snapshot(twin), snapshot(learner))
    assert fails < MOST - 1
    assert fails > 1 or block is ordinary  # a learner that refuses the wide rows may need no memory
