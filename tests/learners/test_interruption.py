"""Ctrl-C at any moment: a learner has learned all of a call or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import assert_same, snapshot


class Interrupting(Mapping[str, float]):
    """An example that is interrupted when it is read."""

    def __getitem__(self, name: str) -> float:
        raise KeyboardInterrupt

    def __iter__(self) -> Iterator[str]:
        raise KeyboardInterrupt

    def __len__(self) -> int:
        return 1


def used() -> dl.Learner:
    learner = dl.PA1()
    learner.learn_many([{"a": 1.0}, {"b": 2.0}], [True, False])
    return learner


@pytest.mark.parametrize("make", [dl.PA1, used])
def test_while_dicts_are_encoded(make: Any) -> None:
    learner = make()
    before = snapshot(learner)
    many: list[Any] = [{f"word{i}": 1.0} for i in range(2000)]
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many([*many, Interrupting()], [True, False] * 1000 + [True])
    assert_same(before, snapshot(learner))
    assert learner.score_one({"word1500": 1.0}) == learner.score_one({"never": 1.0})


def test_while_labels_are_read() -> None:
    class Labels(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            yield 1.0
            raise KeyboardInterrupt

    learner = dl.PA1()
    before = snapshot(learner)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(np.ones((2, 4000)), Labels([1.0, -1.0]))
    assert_same(before, snapshot(learner))
    assert (learner.score_many(np.ones((2, 30))) == 0.0).all()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_around_the_compiled_loop(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learner, expected = used(), used()
    before = snapshot(learner)
    original = learner._engine.learn

    def interrupted(rows: Any, trials: Any) -> int:
        if moment == "after":
            original(rows, trials)
        raise KeyboardInterrupt

    monkeypatch.setattr(learner._engine, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many([{"new": 1.0}, {"newer": 1.0}], [True, False])
    monkeypatch.undo()
    if moment == "after":
        expected.learn_many([{"new": 1.0}, {"newer": 1.0}], [True, False])
        assert_same(snapshot(expected), snapshot(learner))
    else:
        assert_same(before, snapshot(learner))
