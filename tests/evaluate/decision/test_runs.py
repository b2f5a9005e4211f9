"""Runs with a decision: every example is decided before it is learned, also after a resumed run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.learners.learned_block import LearnedBlock

COSTS = {True: {False: 5.0}, False: {True: 1.0}}
rng = np.random.default_rng(11)
X = rng.normal(size=(900, 3))
Y = X[:, 0] + 0.7 * rng.normal(size=900) > 1.0


def decision_of(kind: str) -> dl.Decision:
    return dl.Decision(COSTS) if kind == "costs" else dl.Decision(positive=True, recall=0.8)


def same(one: dl.Decision, other: dl.Decision) -> None:
    (meta, arrays), (due, due_arrays) = one.state(), other.state()
    assert meta == due and all(arrays[name].tobytes() == due_arrays[name].tobytes() for name in due_arrays)


@pytest.mark.parametrize("kind", ["costs", "recall"])
def test_a_run_decides_then_learns(kind: str) -> None:
    run = dl.run(dl.Tracker(labels=(False, True)), (X, Y), decision=decision_of(kind))
    learner, due = dl.Tracker(labels=(False, True)), decision_of(kind)
    for x, y in zip(X, Y.tolist(), strict=True):
        due.learn(learner.predict_proba_one(x), y)
        learner.learn_one(x, y)
    assert run.decision is not None and run.decision.achieved.examples == len(Y)
    assert np.isclose(run.decision.achieved.recall, due.achieved.recall)
    assert run.decision.achieved.cost == due.achieved.cost or kind == "recall"
    same(run.decision, due)


def test_a_run_without_a_decision_has_none() -> None:
    assert dl.run(dl.PA1(), (X, Y)).decision is None
    with pytest.raises(ValueError, match=r"run: decision must be a driftline.Decision, got 0.9. Leave it out"):
        dl.run(dl.PA1(), (X, Y), decision=0.9)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["costs", "recall"])
def test_the_result_does_not_depend_on_blocks(kind: str) -> None:
    runs = [dl.run(dl.Tracker(), (X, Y), rows=rows, decision=decision_of(kind)) for rows in (7, 900)]
    assert runs[0].decision is not None and runs[1].decision is not None
    same(runs[0].decision, runs[1].decision)


@pytest.mark.parametrize("kind", ["costs", "recall"])
def test_a_resumed_run_has_the_same_bits(kind: str, tmp_path: Path) -> None:
    whole = dl.run(dl.Tracker(), (X, Y), decision=decision_of(kind))
    dl.run(dl.Tracker(), (X[:430], Y[:430]), decision=decision_of(kind), checkpoint=dl.Checkpoint(tmp_path, 100))
    again = dl.Checkpoint(tmp_path, 100, resume=True)
    resumed = dl.run(dl.Tracker(), (X, Y), decision=decision_of(kind), checkpoint=again)
    assert whole.decision is not None and resumed.decision is not None
    same(whole.decision, resumed.decision)
    assert resumed.decision.achieved.examples == len(Y)


def test_another_decision_cannot_resume(tmp_path: Path) -> None:
    dl.run(dl.Tracker(), (X, Y), decision=decision_of("costs"), checkpoint=dl.Checkpoint(tmp_path, 100))
    again = dl.Checkpoint(tmp_path, 100, resume=True)
    with pytest.raises(dl.ModelError, match=r"wrong decision .*other settings"):
        dl.run(dl.Tracker(), (X, Y), decision=decision_of("recall"), checkpoint=again)


def block(**given: Any) -> LearnedBlock:
    size = len(given["y"])
    return LearnedBlock(scores=np.zeros(size), events=np.zeros(size, np.uint8), **given)


def test_columns_are_found_by_their_labels() -> None:
    """A record of two labels, one of several, and one from before the second label."""
    learner = dl.PA1(labels=("ok", "fraud"))
    decision = dl.Decision(positive="fraud", recall=0.5)
    decision.add(block(y=np.array([1.0, -1.0]), probabilities=np.array([[0.1, 0.9], [0.2, 0.8]])), None, learner)
    assert decision.achieved.positives == 1 and decision.achieved.decided_positive == 2
    several = dl.OneVsRest(labels=("ok", "fraud", "other"))
    P = np.array([[0.1, 0.2, 0.7], [0.1, 0.8, 0.1]])
    classes = np.array([2.0, 1.0])
    decision.add(block(y=np.ones(2), several=True, classes=classes, probabilities=P), None, several)
    assert decision.achieved.positives == 2 and decision.achieved.decided_positive == 3
    for label, sign, due in (("fraud", -1.0, 3), ("ok", 1.0, 3)):
        new = dl.PA1()
        new.learn_one({"a": 1.0}, label)
        P = np.array([[0.0, 1.0]] if sign > 0.0 else [[1.0, 0.0]])
        decision.add(block(y=np.array([sign]), probabilities=P), None, new)
        assert decision.achieved.positives == due
    with pytest.raises(ValueError, match=r"Decision: a learned block must have probabilities, got none"):
        decision.add(block(y=np.ones(1)), None, learner)


def test_labels_that_were_not_asked_for_are_not_learned() -> None:
    from driftline.engines.state import UNASKED

    decision = dl.Decision(positive="fraud", recall=0.5)
    given = block(y=np.array([1.0, -1.0]), probabilities=np.array([[0.1, 0.9], [0.2, 0.8]]))
    given.events[0] = int(UNASKED)
    decision.add(given, None, dl.PA1(labels=("ok", "fraud")))
    assert decision.achieved.examples == 1 and decision.achieved.positives == 0
