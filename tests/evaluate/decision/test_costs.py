"""Decisions of least expected cost: brute force, the costs that are counted, and bad matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import driftline as dl

COST = st.floats(0.0, 100.0)
FRAUD = {"fraud": {"ok": 20.0}, "ok": {"fraud": 1.0}}


@given(st.data(), st.integers(2, 5))
def test_the_decision_has_the_least_expected_cost(data: Any, size: int) -> None:
    costs = data.draw(arrays(np.float64, (size, size), elements=COST))
    P = data.draw(arrays(np.float64, (7, size), elements=st.floats(0.0, 1.0)))
    labels = tuple(f"label {k}" for k in range(size))
    decision = dl.Decision(costs, labels=labels)
    many = decision.decide_many(P, labels).tolist()
    for row, decided in zip(P.tolist(), many, strict=True):
        expected = [math.fsum(p * costs[k, j] for k, p in enumerate(row)) for j in range(size)]
        assert expected[labels.index(decided)] <= min(expected) * (1.0 + 1e-12) + 1e-300
        assert decision.decide(dict(zip(labels, row, strict=True))) == decided
    order = data.draw(st.permutations(range(size)))
    assert decision.decide_many(P[:, order], [labels[k] for k in order]).tolist() == many


@given(st.data())
def test_costs_are_counted_as_by_brute_force(data: Any) -> None:
    rows = data.draw(st.integers(1, 130))
    P = data.draw(arrays(np.float64, (rows, 2), elements=st.floats(0.0, 1.0)))
    y = data.draw(st.lists(st.sampled_from(["ok", "fraud"]), min_size=rows, max_size=rows))
    decision, single = dl.Decision(FRAUD), dl.Decision(FRAUD)
    decision.learn_many(P, y, ("ok", "fraud"))
    actual = expected = 0.0
    for (ok, fraud), label in zip(P.tolist(), y, strict=True):
        given = {"ok": ok, "fraud": fraud}
        decided = single.decide(given)
        actual += 0.0 if decided == label else FRAUD[label][decided]
        expected += 20.0 * fraud if decided == "ok" else ok
        single.learn(given, label)
    found = decision.achieved
    assert repr(found) == repr(single.achieved)
    assert found.cost == actual and math.isclose(found.expected_cost, expected, rel_tol=1e-12)
    assert found.examples == rows and found.positives == y.count("fraud")


def test_two_labels_have_a_threshold_on_the_label_that_is_costly_to_miss() -> None:
    decision = dl.Decision(FRAUD)
    assert decision.positive == "fraud" and decision.ready
    assert decision.threshold == 1.0 / 21.0
    for p in (0.04, 0.047, 0.048, 0.05, 0.5):
        assert decision.decide({"ok": 1.0 - p, "fraud": p}) == ("fraud" if p > 1.0 / 21.0 else "ok")
    assert dl.Decision(FRAUD, positive="ok").threshold == 20.0 / 21.0
    assert dl.Decision([[0, 1, 2], [1, 0, 1], [2, 1, 0]], labels=["a", "b", "c"]).threshold is None


@given(arrays(np.float64, (2, 2), elements=COST))
def test_the_threshold_says_what_is_decided(costs: np.ndarray) -> None:
    decision = dl.Decision(costs, labels=("ok", "fraud"), positive="fraud")
    threshold = decision.threshold
    if threshold is None:
        assert costs[1, 0] + costs[0, 1] <= costs[0, 0] + costs[1, 1] + 1e-9
        return
    for p in np.linspace(0.0, 1.0, 21).tolist():
        ok, fraud = ((1.0 - p) * costs[0, k] + p * costs[1, k] for k in range(2))
        if abs(ok - fraud) > 1e-9:
            assert decision.decide({"ok": 1.0 - p, "fraud": p}) == ("fraud" if p >= threshold else "ok")


def test_a_dict_and_an_array_are_the_same_costs() -> None:
    P = np.random.default_rng(1).dirichlet([1.0, 1.0], 50)
    one, other = dl.Decision(FRAUD), dl.Decision([[0.0, 20.0], [1.0, 0.0]], labels=("fraud", "ok"))
    assert one.decide_many(P, ("ok", "fraud")).tolist() == other.decide_many(P, ("ok", "fraud")).tolist()


def test_labels_that_the_learner_has_not_met_have_probability_zero() -> None:
    decision = dl.Decision(FRAUD)
    assert decision.decide({"ok": 1.0}) == "ok"
    assert decision.decide({}) in FRAUD


def test_what_was_decided_is_counted() -> None:
    decision = dl.Decision(FRAUD)
    decision.learn({"fraud": 0.9, "ok": 0.1}, "fraud", decided="ok")
    assert decision.achieved.cost == 20.0 and math.isclose(decision.achieved.expected_cost, 18.0)


def test_undefined_values_have_a_word() -> None:
    found = dl.Decision(FRAUD).achieved
    assert math.isnan(found.precision) and math.isnan(found.recall) and math.isnan(found.cost_per_example)
    due = ["precision is undefined: 'fraud' was never decided", "recall is undefined: 'fraud' never appeared"]
    assert found.note.split("; ") == due
    assert found.to_dict()["precision"] is None
    several = dl.Decision([[0, 1, 2], [1, 0, 1], [2, 1, 0]], labels=["a", "b", "c"])
    several.learn({"a": 0.5, "b": 0.5}, "c")
    assert several.achieved.note == "precision and recall are undefined: no positive label was given"
    with pytest.raises(ValueError, match=r"Decision.curve: positive must be a label for a curve, got None"):
        several.curve()


@pytest.mark.parametrize(
    ("costs", "labels", "message"),
    [
        ({"fraud": {"ok": 20.0}}, None, "every wrong decision, got none of deciding 'fraud' where 'ok' is true. Add"),
        ({"fraud": {"ok": -1.0}, "ok": {"fraud": 1.0}}, None, "'ok' where 'fraud' is true must be >= 0 and finite"),
        ({"fraud": {"ok": math.nan}, "ok": {"fraud": 1.0}}, None, "must be a number, got nan"),
        ({"fraud": {"ok": math.inf}, "ok": {"fraud": 1.0}}, None, "must be >= 0 and finite, got inf"),
        ({"fraud": {"ok": "5"}, "ok": {"fraud": 1.0}}, None, "must be a number, got '5'"),
        ({"fraud": 5.0}, None, "costs must be a dict from true labels to dicts"),
        ({}, None, "costs must have two labels or more"),
        (FRAUD, ("ok", "fraud"), "labels must be None if costs is a dict"),
        ([[0.0, 1.0], [1.0, 0.0]], None, "labels must name the rows and columns of costs, got None. Pass labels="),
        ([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0]], ("a", "b"), r"costs must have 2 rows and columns, .*, got \(2, 3\)"),
        ([[0.0, 1.0], [1.0, 0.0]], ("a", "a"), "labels must be different"),
        ([[0.0, -1.0], [1.0, 0.0]], ("a", "b"), "the cost of deciding 'b' where 'a' is true must be >= 0"),
        ([[0.0, math.nan], [1.0, 0.0]], ("a", "b"), "must be a number, got nan"),
        ([1.0, 2.0], ("a", "b"), "costs must be a dict or a square array of numbers"),
        ("costs", ("a", "b"), "costs must be a dict or a square array of numbers"),
        ([[0.0], [1.0, 2.0]], ("a", "b"), "costs must be a dict or a square array of numbers"),
    ],
)
def test_bad_costs(costs: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^Decision: .*{message}"):
        dl.Decision(costs, labels=labels)


def test_bad_input_changes_nothing() -> None:
    decision = dl.Decision(FRAUD)
    decision.learn({"ok": 0.5, "fraud": 0.5}, "ok")
    before = repr(decision.state())
    for wrong in (
        lambda: decision.learn({"ok": 0.5, "fraud": math.nan}, "ok"),
        lambda: decision.learn({"ok": 0.5, "fraud": 1.5}, "ok"),
        lambda: decision.learn({"ok": 0.5, "other": 0.5}, "ok"),
        lambda: decision.learn({"ok": 0.5, "fraud": 0.5}, "other"),
        lambda: decision.learn({"ok": 0.5, "fraud": 0.5}, ["ok"]),
        lambda: decision.learn({"ok": 0.5, "fraud": 0.5}, "ok", decided="other"),
        lambda: decision.learn([0.5, 0.5], "ok"),
        lambda: decision.learn_many([[0.5, 0.5]], ["ok", "ok"], ("ok", "fraud")),
        lambda: decision.learn_many([[0.5]], ["ok"], ("ok", "fraud")),
        lambda: decision.learn_many([["a", "b"]], ["ok"], ("ok", "fraud")),
        lambda: decision.decide_many([0.5, 0.5], ("ok", "fraud")),
    ):
        with pytest.raises(ValueError, match=r"^Decision: "):
            wrong()
    assert repr(decision.state()) == before
