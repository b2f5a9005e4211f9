"""Many examples at once: the answers, events and bits of one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from driftline.serve.errors import Refused
from driftline.serve.hosted import bulk
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.state import state_bytes
from driftline.serve.log.events import ContenderAdded, Created, Limits
from driftline.serve.spec import Budget, Efficient, Spec

LIMITS = Limits(max_open=40, remember=10, window=30)
PLAIN = {
    "pa1": Spec(learner="pa1"),
    "declared": Spec(learner="pa1", labels=["no", "yes"]),
    "scaled": Spec(learner="arow", options={"scale": "standard"}),
    "weighted": Spec(learner="pa1", options={"class_weight": {"no": 0.0}}),
}
OTHERS = {
    "efficient": Spec(learner="pa1", asking=Efficient(b=0.5)),
    "budget": Spec(learner="pa1", asking=Budget(share=0.5)),
    "classes": Spec(learner="multiclasspa"),
    "regressor": Spec(learner="paregressor"),
}


def row(rng: random.Random, listed: bool) -> tuple[Any, str]:
    values = [rng.gauss(0.0, 1.0) for _ in range(4)]
    y = "yes" if values[0] + 0.3 * rng.gauss(0.0, 1.0) > 0.2 else "no"
    if listed:
        return values, y
    return dict(zip(rng.sample("abcdefg", 4), [*values[:3], rng.choice(["red", "blue", 1, True])], strict=True)), y


def model(spec: Spec, rounds: int = 30, listed: bool = False) -> HostedModel:
    made, rng = HostedModel.created(Created(0.0, spec, "", None, LIMITS)), random.Random(2)
    for k in range(rounds):
        x, y = row(rng, listed)
        made.learn(x, y, None, "me", 1.0 + k)
    return made


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("spec", PLAIN.values(), ids=PLAIN)
def test_results_events_and_bits_are_those_of_one_by_one(spec: Spec, listed: bool) -> None:
    one, many = model(spec, listed=listed), model(spec, listed=listed)
    rng = random.Random(3)
    for size in (1, 7, 60, 1, 90, 2000):  # beyond the open tickets, and the rounds of the calibrator
        X, ys = zip(*(row(rng, listed) for _ in range(size)), strict=True)
        at = 40.0 + size
        rows = bulk.rows_for(many, list(X))
        assert rows is not None
        asked = [one.ask(x, None, at) for x in X]
        assert bulk.ask(many, rows, X, at) == ([found for found, _ in asked], [event for _, event in asked])
        learned = [one.learn(x, y, None, "me", at) for x, y in zip(X, ys, strict=True)]
        assert bulk.learn(many, rows, X, ys, "me", at) == ([f for f, _ in learned], [event for _, event in learned])
        assert state_bytes(one) == state_bytes(many)


def test_a_refused_example_or_label_changes_nothing() -> None:
    made = model(PLAIN["pa1"])
    before = state_bytes(made)
    good = {"a": 1.0, "b": 2.0}
    for X, ys in (
        ([good, good, {"a": float("inf")}], ["no", "yes", "no"]),
        ([good] * 3, ["no", "yes", "maybe"]),
        ([good] * 3, ["no", "yes", float("nan")]),
        ([good, {"new": 1.0}, {"a": 10**400}], ["no", "yes", "no"]),
    ):
        with pytest.raises(Refused):
            bulk.learn(made, X, X, ys, "me", 99.0)
        if ys[2] == "no":
            with pytest.raises(Refused):
                bulk.ask(made, X, X, 99.0)
        assert state_bytes(made) == before


@pytest.mark.parametrize("spec", OTHERS.values(), ids=OTHERS)
def test_other_models_take_examples_one_by_one(spec: Spec) -> None:
    made = HostedModel.created(Created(0.0, spec, "", None, LIMITS))
    for k in range(4):
        made.learn({"a": 1.0 - k}, k % 2, None, "me", 1.0)
    assert bulk.rows_for(made, [{"a": 1.0}] * 9) is None


def test_so_do_new_models_challengers_waiting_labels_and_mixed_kinds() -> None:
    X: Any = [{"a": 1.0}] * 9
    assert bulk.rows_for(model(PLAIN["declared"], 0), X) is None
    assert bulk.rows_for(model(PLAIN["pa1"]), [*X, [1.0]]) is None
    waiting = model(PLAIN["pa1"])
    waiting.tell("later", "yes", "me", 50.0)
    assert bulk.rows_for(waiting, X) is None
    challenged = model(PLAIN["pa1"])
    assert bulk.rows_for(challenged, X) is not None
    challenged.change(ContenderAdded(0.0, "c", PLAIN["pa1"], None, "me"), 50.0)
    assert bulk.rows_for(challenged, X) is None
