"""Learners of several classes: agreement with their oracles, bounds, and late classes."""

from __future__ import annotations

import json
import math
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import rules
from driftline.cli.main import main
from driftline.engines.multiclass.linear_one_vs_rest import LinearOneVsRestEngine
from driftline.engines.multiclass.one_vs_rest import OneVsRestEngine
from driftline.engines.state import FIRST, MISTAKES
from driftline.saved.fault import UnfitError
from driftline.saved.model import learner_from, state_of
from tests.oracles import multiclass as oracles
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.class_rows import LATE, in_order, rows, separable, weights_of
from tests.support.training import learn_until_separated

SEEDS = range(3)
every_seed = pytest.mark.parametrize("seed", SEEDS)
UPDATES = ("max", "uniform", "proportional")
PERCEPTRONS = [("multiclassperceptron", {"update": update}) for update in UPDATES]
PAS = [
    ("multiclasspa", {"C": C, "variant": variant, "update": update})
    for C, variant in ((1.0, "pa"), (0.05, "pa1"), (math.inf, "pa1"), (0.3, "pa2"))
    for update in ("max", "proportional")
]
every_rule = pytest.mark.parametrize(("name", "parameters"), PERCEPTRONS + PAS)
every_learner = pytest.mark.parametrize("name", ["onevsrest", "multiclassperceptron", "multiclasspa"])


# the formulas ---------------------------------------------------------------------------------------------------------
@every_rule
@every_seed
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_agrees_with_the_slow_version(name: str, parameters: Any, seed: int, bias: bool, kind: str) -> None:
    X, y, w = rows(seed)
    learner = dl.REGISTRY[name](**parameters, bias=bias)
    margins = learner.learn_many(X if kind == "dense" else csr_matrix(X), y, w)
    slow = getattr(oracles, dl.REGISTRY[name].__name__)(X.shape[1] + 1, **parameters)
    codes = in_order(y)
    due = [slow.learn(np.append(float(bias), X[i]), codes[i], w[i]) for i in range(len(y))]
    np.testing.assert_allclose(margins, due, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(weights_of(learner, X.shape[1]), slow.W, rtol=1e-9, atol=1e-9)
    assert (learner.mistakes, learner.label_errors, learner.updates) == (slow.mistakes, slow.mistakes, slow.updates)
    assert 0 < learner.updates < len(y)
    scores = np.column_stack([np.full(len(X), float(bias)), X]) @ slow.W.T
    np.testing.assert_allclose(learner.scores_many(X), scores, rtol=1e-9, atol=1e-9)
    assert learner.labels == tuple(dict.fromkeys(y.tolist()))


@every_rule
def test_the_weights_of_all_classes_sum_to_0(name: str, parameters: Any) -> None:
    X, y, w = rows(1)
    learner = dl.REGISTRY[name](**parameters)
    learner.learn_many(X, y, w)
    W = weights_of(learner, X.shape[1])
    np.testing.assert_allclose(W.sum(axis=0), 0.0, atol=1e-12 * np.abs(W).max())


@every_rule
def test_an_update_leaves_classes_that_score_low_alone(name: str, parameters: Any) -> None:
    X, y, _ = rows(2)
    learner = dl.REGISTRY[name](**parameters, labels=tuple(range(6)))
    gap = 1.0 if name == "multiclasspa" else 0.0
    moved = 0
    for x, label in zip(X, y, strict=True):
        s, before = np.array([*learner.scores_one(x).values()]), weights_of(learner, X.shape[1])
        learner.learn_one(x, label)
        changed = (weights_of(learner, X.shape[1])[:, : before.shape[1]] != before).any(axis=1)
        low = s < s[label] - gap
        assert not changed[low].any()
        if parameters["update"] == "max":
            assert changed.sum() in (0, 2)
        moved += changed.sum() > 2
    assert (moved > 20) == (parameters["update"] != "max")


@pytest.mark.parametrize("update", ["max", "proportional"])
def test_a_pa_step_meets_its_constraint_exactly(update: Any) -> None:
    X, y, _ = rows(0)
    learner = dl.MulticlassPA(variant="pa", update=update, labels=tuple(range(6)))
    fired = 0
    for x, label in zip(X, y, strict=True):
        s = np.array([*learner.scores_one(x).values()])
        loss = np.maximum(0.0, 1.0 - (s[label] - s)) * (np.arange(6) != label)
        learner.learn_one(x, label)
        if loss.any():
            a = np.eye(6)[np.argmax(loss)] if update == "max" else loss / loss.sum()
            after = np.array([*learner.scores_one(x).values()])
            assert after[label] - a @ after == pytest.approx(1.0, abs=1e-9)
            fired += 1
    assert fired > 100


def test_two_classes_are_the_rules_of_two_labels() -> None:
    """One weight vector less the other is that of the binary rule, twice that of the Perceptron."""
    X, y, w = rows(0)
    y = np.where(y % 2 == 0, 0, 1)
    pairs = [(dl.MulticlassPerceptron(update), dl.Perceptron(), 2.0) for update in UPDATES]
    for update in ("max", "proportional"):
        pairs.append((dl.MulticlassPA(variant="pa", update=update), dl.PA(), 1.0))
        pairs.append((dl.MulticlassPA(0.05, update=update), dl.PA1(0.1), 1.0))
        pairs.append((dl.MulticlassPA(0.05, "pa2", update), dl.PA2(0.1), 1.0))
    for several, binary, factor in pairs:
        several = dl.REGISTRY[type(several).__name__.lower()](**vars(several.rule), labels=(0, 1))
        margins = several.learn_many(X, y, w)
        due = factor * np.where(y == 1, 1.0, -1.0) * binary.learn_many(X, y, w)
        np.testing.assert_allclose(margins, due, rtol=1e-9, atol=1e-9)
        assert several.label_errors <= binary.mistakes and several.updates == binary.updates


# bounds ---------------------------------------------------------------------------------------------------------------
@every_seed
@pytest.mark.parametrize("update", UPDATES)
def test_the_perceptron_keeps_its_bound(update: Any, seed: int) -> None:
    X, y, gamma = separable(seed, 150, 6, 4, 0.1)
    learner = dl.MulticlassPerceptron(update, bias=False, labels=tuple(range(4)))
    learn_until_separated(learner, X, y, passes=1000)
    assert 10 < learner.mistakes <= learner.updates <= 2.0 / gamma**2


@every_seed
@pytest.mark.parametrize("update", ["max", "proportional"])
def test_pa_keeps_its_bound(update: Any, seed: int) -> None:
    """With u of margin gamma, u / gamma has margin 1: sum l^2 / n <= 1 / gamma^2, and a mistake of "max" has l >= 1."""
    X, y, gamma = separable(seed, 150, 6, 4, 0.1)
    learner = dl.MulticlassPA(variant="pa", update=update, bias=False, labels=tuple(range(4)))
    total = 0.0
    for _ in range(5):
        for x, label in zip(X, y, strict=True):
            s = np.array([*learner.scores_one(x).values()])
            loss = np.maximum(0.0, 1.0 - (s[label] - s)) * (np.arange(4) != label)
            if loss.any():
                a = np.eye(4)[np.argmax(loss)] if update == "max" else loss / loss.sum()
                total += (a @ loss) ** 2 / (1.0 + a @ a)
            learner.learn_one(x, label)
    assert 5.0 < total <= 1.0 / gamma**2
    if update == "max":
        assert 5 < learner.mistakes <= 2.0 / gamma**2


def test_wrong_labels_break_the_bounds() -> None:
    X, y, gamma = separable(0, 400, 6, 4, 0.25)
    y = np.where(np.random.default_rng(0).random(400) < 0.3, (y + 1) % 4, y)
    for learner in (dl.MulticlassPerceptron(bias=False), dl.MulticlassPA(variant="pa", update="max", bias=False)):
        learner.learn_many(X, y)
        assert learner.mistakes > 2.0 / gamma**2


# one against the rest -------------------------------------------------------------------------------------------------
BASES = [
    "pa1(C=0.3)",
    "perceptron",
    "norma(lam=0.05)",
    "romma",
    "selftuningalma",
    "l2pa(beta=2.0)",
    "l1pa(beta=2.0)",
    "shrunkpa(sigma=0.01)",
    "pnormperceptron(p=3.0)",
    "scw(diagonal=True)",
    "kernelized(pa1, rbf, 20)",
    "averaged(perceptron)",
    "balancedwinnow",
]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_each_class_is_a_learner_of_its_own(base: str, declared: bool, kind: str) -> None:
    """Bit for bit: fed with +1 for its class and -1 else, from the first example of its class on, or from the start."""
    X, y, w = rows(0, 150)
    given = X if kind == "dense" else csr_matrix(X)
    options = {"labels": tuple(range(6))} if declared else {}
    learner = dl.OneVsRest(base, **options)
    learner.learn_many(given, y, w)
    assert set(learner.labels) == set(range(6))
    for k, label in enumerate(learner.labels):
        start = 0 if declared else int(np.argmax(y == label))
        rule = learner.rule.learner
        alone = type_of(base)(**{one.name: getattr(rule, one.name) for one in fields(rule)}, labels=(-1, 1))
        alone.learn_many(given[start:], np.where(y == label, 1, -1)[start:], w[start:])
        assert learner.scores_many(given)[:, k].tolist() == alone.score_many(given).tolist()
        assert learner._engine.members[k].state[MISTAKES] == alone.mistakes
        assert learner.weights()[label] == alone.weights()


def type_of(base: str) -> type[dl.Learner]:
    return dl.REGISTRY[base.partition("(")[0]]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("base", ["pa1(C=0.3)", "norma(lam=0.3)", "alma(B=2.0)"])
def test_the_compiled_loop_is_the_loop_over_engines(base: str, dtype: Any) -> None:
    X, y, w = rows(1)
    fast, slow = dl.OneVsRest(base, dtype=dtype), dl.OneVsRest(base, dtype=dtype)
    assert type(fast._engine) is LinearOneVsRestEngine
    slow._engine = OneVsRestEngine(slow.rule, 1.0, np.dtype(dtype))
    for one in (fast, slow):
        one.learn_many([{"a": 1.0}, {"b": 2.0}, {"a": 1.0, "c": 0.5}], ["u", "v", "v"])
    assert (
        fast.scores_many([{"a": 1.0}, {"new": 1.0}]).tolist() == slow.scores_many([{"a": 1.0}, {"new": 1.0}]).tolist()
    )
    fast, slow = dl.OneVsRest(base, dtype=dtype), dl.OneVsRest(base, dtype=dtype)
    slow._engine = OneVsRestEngine(slow.rule, 1.0, np.dtype(dtype))
    results = [one.test_then_train(X, y, w) for one in (fast, slow)]
    for name in ("y", "scores", "mistaken", "wrong", "updated", "infeasible", "asked"):
        assert getattr(results[0], name).tolist() == getattr(results[1], name).tolist()
    assert_same(snapshot(fast), snapshot(slow))
    assert state_of(fast)[0] == state_of(slow)[0]


def test_what_needs_an_engine_for_each_class_has_them() -> None:
    for base in ("l1pa", "pnormperceptron", "arow", "kernelized(pa1, rbf)", "committee", "l2pa(infeasible='raise')"):
        assert type(dl.OneVsRest(base)._engine) is OneVsRestEngine


def test_a_base_is_given_in_three_ways() -> None:
    due = rules.OneVsRest(rules.PA1(0.5))
    for given in ("pa1(C=0.5)", "PA1(0.5)", rules.PA1(0.5), dl.PA1(0.5)):
        assert dl.OneVsRest(given).rule == due
    assert dl.OneVsRest().rule == rules.OneVsRest()
    learner = dl.OneVsRest(dl.PA1(scale="unit", bias=False))
    assert (learner.options["scale"], learner.options["bias"]) == ("unit", False)
    assert dl.OneVsRest("multilinearperceptron").options["bias"] is False


def test_a_class_that_appears_late_has_seen_nothing() -> None:
    learner = dl.OneVsRest("perceptron", bias=False)
    learner.learn_many([{"a": 1.0}, {"b": 1.0}] * 5, ["u", "v"] * 5)
    before = learner.weights()
    assert learner.learn_one({"c": 1.0}, "w") == 0.0  # the others do not know c either
    assert learner.weights()["w"] == {"c": 1.0}
    assert {label: learner.weights()[label] for label in before} == {
        label: {**weights, "c": -1.0} for label, weights in before.items()
    }


def test_a_new_class_is_a_mistake_even_where_all_others_score_below_0() -> None:
    learner = dl.OneVsRest("perceptron", labels=("u", "v", "w"), bias=False)
    learner.learn_many(np.eye(3), ["u", "v", "w"])
    assert learner.scores_one(np.ones(3)) == {"u": -1.0, "v": -1.0, "w": -1.0}
    mistakes = learner.mistakes
    assert learner.learn_one(np.ones(3), "new") == 0.0 and learner.mistakes == mistakes + 1
    assert learner.learn_one(np.ones(3), "new") == 4.0 and learner.mistakes == mistakes + 1


def test_labels_that_are_asked_for_by_no_class_are_not_asked_for() -> None:
    X, y, _ = rows(0)
    learner = dl.OneVsRest("labelefficient(pa1, 0.05)")
    run = dl.run(learner, (X, y))
    asked = [member.asked for member in learner._engine.members]
    assert max(asked) < run.asked < run.examples


# labels and counts ----------------------------------------------------------------------------------------------------
@every_learner
def test_a_mistake_is_a_label_that_differs(name: str) -> None:
    X, y, _ = rows(0)
    learner = dl.REGISTRY[name]()
    wrong = []
    for x, label in zip(X, y.tolist(), strict=True):
        wrong.append(learner.predict_one(x) != label)
        margin = learner.learn_one(x, label)
        assert margin <= 0.0 if wrong[-1] else margin >= 0.0
    run = dl.run(dl.REGISTRY[name](), (X, y), rows=77)
    assert run.mistakes == run.label_errors == learner.mistakes == learner.label_errors == sum(wrong) > 50
    assert run.error == sum(wrong) / len(y)
    assert run.curve["label_errors"].tolist() == [0.0, *np.cumsum(wrong).tolist()]
    assert run.margin_errors == learner.margin_errors
    assert wrong[0] and wrong[int(np.argmax(y == LATE))]
    compared = dl.compare({"a": dl.REGISTRY[name](), "b": dl.OneVsRest("perceptron")}, (X, y))
    assert compared["a"].mistakes == run.mistakes


@every_learner
def test_ties_go_to_the_earlier_class(name: str) -> None:
    learner = dl.REGISTRY[name](labels=("c", "a", "b"))
    assert learner.labels == ("c", "a", "b")
    assert learner.scores_one({"x": 1.0}) == {"c": 0.0, "a": 0.0, "b": 0.0}
    assert learner.predict_one({"x": 1.0}) == "c"
    assert learner.predict_many([{"x": 1.0}]).tolist() == ["c"]
    assert learner.learn_one({"x": 1.0}, "c", 0.0) == 0.0 and learner.mistakes == 0
    assert learner.learn_one({"x": 1.0}, "b", 0.0) == 0.0 and learner.mistakes == 1
    learner.learn_one({"x": 1.0}, "d")
    assert learner.labels == ("c", "a", "b", "d")


@every_learner
def test_before_anything_is_known(name: str) -> None:
    learner = dl.REGISTRY[name]()
    assert learner.scores_one({"x": 1.0}) == {} and learner.predict_one({"x": 1.0}) is None
    assert learner.predict_proba_one({"x": 1.0}) == {} and learner.labels == ()
    assert learner.scores_many(np.ones((3, 2))).shape == (3, 0)
    assert learner.weights() == {} and learner.largest(3) == []
    with refused(learner, "predict_many must know the labels, got no example yet"):
        learner.predict_many(np.ones((3, 2)))
    assert learner.learn_one({"x": 1.0}, "only") == 0.0
    assert learner.predict_one({"y": 1.0}) == "only" and learner.predict_proba_one({"x": 1.0}) == {"only": 1.0}
    assert learner.mistakes == 1
    learner.learn_one({"x": 1.0}, "only")
    assert learner.mistakes == 1


@every_learner
def test_any_values_are_labels(name: str) -> None:
    X, y, _ = rows(0, 60)
    due = dl.REGISTRY[name]().learn_many(X, y).tolist()
    text = [f"class {label}" for label in y]
    kinds: list[Any] = [
        text,
        np.array(text),
        np.array(text, object),
        [(label, "x") for label in y.tolist()],
        y.astype(float),
        y.astype("u1"),
        list(y),
        [bytes([label]) for label in y],
    ]
    for labels in kinds:
        learner = dl.REGISTRY[name]()
        assert learner.learn_many(X, labels).tolist() == due
        plain = list(labels)
        assert set(learner.labels) == set(plain)
        assert set(learner.predict_many(X).tolist()) <= set(plain)
        assert learner.predict_one(X[0]) == learner.predict_many(X).tolist()[0]
    mixed = dl.REGISTRY[name]()
    mixed.learn_many(X[:4], ["a", 1, 2.5, ("b",)])
    assert mixed.labels == ("a", 1, 2.5, ("b",))


@pytest.mark.parametrize("seed", range(2))
@every_learner
def test_probabilities(name: str, seed: int) -> None:
    X, y, _ = rows(seed)
    learner = dl.REGISTRY[name]()
    learner.learn_many(X, y)
    for x in X[:50]:
        shares, scores = learner.predict_proba_one(x), learner.scores_one(x)
        assert sum(shares.values()) == pytest.approx(1.0, abs=1e-12)
        assert set(shares) == set(scores)
        assert next(iter(shares)) == max(shares, key=shares.__getitem__)
    right = sum(next(iter(learner.predict_proba_one(x))) == learner.predict_one(x) for x in X[:50])
    assert right >= 40  # the most likely label is mostly the one with the highest score


def test_probabilities_of_long_examples_and_near_ties() -> None:
    learner = dl.MulticlassPerceptron(labels=(0, 1, 2), bias=False)
    learner.learn_one([1e5, 0.0], 2)
    shares = learner.predict_proba_one([1e5, 0.0])
    assert next(iter(shares)) == 2 and sum(shares.values()) == pytest.approx(1.0, abs=1e-12)
    learner.learn_one([0.0, 1e-9], 1)
    tiny = learner.predict_proba_one([0.0, 1e-9])
    assert sum(tiny.values()) == pytest.approx(1.0, abs=1e-12) and min(tiny.values()) > 0.0


def test_probabilities_of_two_labels() -> None:
    X, y, _ = rows(0)
    learner = dl.PA1(labels=("no", "yes"))
    assert learner.predict_proba_one(X[0]) == {"yes": 0.5, "no": 0.5}
    learner.learn_many(X, np.where(y % 2 == 0, "no", "yes"))
    found = [learner.predict_proba_one(x) for x in X[:50]]
    assert all(sum(shares.values()) == 1.0 for shares in found)
    assert dl.PA1().predict_proba_one({"a": 1.0}) == {}


@pytest.mark.parametrize("make", [dl.FixedShare, dl.WeightedMajority, dl.AdaHedge, dl.Halving])
def test_probabilities_of_experts_are_their_shares_before_the_first_label(make: Any) -> None:
    learner = make(labels=(0, 1))
    Z = np.where(np.random.default_rng(0).random((40, 5)) < 0.5, 1.0, -1.0)
    for z in Z[:10]:
        shares = learner.predict_proba_one(z)
        assert shares[1] == pytest.approx((z > 0.0).mean(), abs=1e-12)
    committee = dl.Committee(["pa1", "norma"], labels=(0, 1))
    assert committee.predict_proba_one(Z[0])[1] == pytest.approx((1.0 + committee.score_one(Z[0])) / 2.0)


# keeping and refusing -------------------------------------------------------------------------------------------------
@every_learner
@pytest.mark.parametrize("scale", [None, "standard", dl.RandomFourier(8)])
def test_a_refused_block_forgets_its_new_classes(name: str, scale: Any) -> None:
    X, y, _ = rows(0, 60)
    learner = dl.REGISTRY[name](scale=scale)
    learner.learn_many(X, y % 2)
    bad = X.copy()
    bad[-1, 0] = np.nan
    with refused(learner, "must be finite"):
        learner.learn_many(bad, y)
    with refused(learner, "a label must be a value, got nan"):
        learner.learn_many(X, np.where(np.arange(60) == 59, np.nan, y + 0.5))
    with refused(learner, "a label must be a single value"):
        learner.learn_one(X[0], ["new"])
    with refused(learner, "must have the same length"):
        learner.learn_many(X, [7, 8, 9])
    assert len(learner.labels) == 2 == learner._engine.classes


def test_what_one_class_refuses_nobody_learns() -> None:
    learner = dl.OneVsRest("l2pa(beta=1.0, when='margin', infeasible='raise')", bias=False)
    learner.learn_many([[2.0, 0.0], [0.0, 2.0]], ["a", "b"])
    long, short = [2.0, 1.0], [0.1, 0.0]  # no weights within beta = 1 give the short one margin 1
    words = "must be feasible, got one on which no weights within beta = 1.0 reach margin 1. Raise beta"
    with refused(learner, f"row 1 {words}"):
        learner.learn_many([long, short], ["c", "d"])
    with refused(learner, f"x {words}"):
        learner.learn_one(short, "c")
    assert learner.labels == ("a", "b")


def test_a_committee_for_each_class_that_has_overflowed() -> None:
    learner = dl.OneVsRest(dl.Committee(["pa", "perceptron"]), bias=False)
    learner.learn_many([[1.0, 1.0], [-1.0, 1.0], [2.0, 0.5]], ["a", "b", "c"])
    learner._engine.members[1].members[0].v[FIRST:] = np.nan
    for call in (
        lambda: learner.learn_many([[1.0, 0.7], [1.0, 1.0]], ["a", "d"]),
        lambda: learner.learn_one([1.0, 0.7], "a"),
    ):
        with refused(learner, "must have a finite score from every learner"):
            call()
    for score in (learner.score_many, learner.scores_many):
        with refused(learner, "a score must be finite, got weights that have overflowed"):
            score([[1.0, 0.7]])
    for score in (learner.score_one, learner.scores_one):
        with refused(learner, "a score must be finite, got weights that have overflowed"):
            score([1.0, 0.7])


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("part", [0, 1])
def test_an_interruption_between_classes(moment: str, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = rows(0, 60)
    learner, twin = dl.OneVsRest("l1pa"), dl.OneVsRest("l1pa")
    for one in (learner, twin):
        one.learn_many(X, y % 2)
    engine = learner._engine.members[part]
    original, calls = engine.learn, []

    def interrupted(rows: Any, trials: Any) -> int:
        calls.append(trials.shape)
        if len(calls) > 1:
            return original(rows, trials)
        if moment == "after":
            original(rows, trials)
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(X, y)
    monkeypatch.undo()
    twin.learn_many(X, y)
    assert_same(snapshot(learner), snapshot(twin))
    assert learner.n_seen == 120


@every_learner
def test_many_classes_and_features_that_grow(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    examples = [{f"f{int(k)}": 1.0 for k in rng.integers(0, 5 + i, 4)} for i in range(300)]
    labels = [f"c{int(rng.integers(0, 2 + i // 10))}" for i in range(300)]
    one, many = dl.REGISTRY[name](), dl.REGISTRY[name]()
    for start in range(0, 300, 50):
        part = slice(start, start + 50)
        margins = [one.learn_one(x, y) for x, y in zip(examples[part], labels[part], strict=True)]
        assert many.learn_many(examples[part], labels[part]).tolist() == margins
        many.save(tmp_path / "m.dl")
        many = dl.load(tmp_path / "m.dl")
        assert_same(snapshot(one), snapshot(many))
    assert len(one.labels) > 20 and one.n_features > 100
    assert one.scores_one({"never": 1.0}) == one.scores_one({})


@pytest.mark.parametrize("learner", [dl.OneVsRest("pa1"), dl.OneVsRest("l1pa"), dl.MulticlassPA()], ids=str)
def test_files_that_no_learner_can_have_written(learner: Any) -> None:
    X, y, _ = rows(0, 60)
    learner.learn_many(X, y)
    meta, arrays = state_of(learner)
    big = "W" if "W" in arrays else "1 v"
    broken: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"labels": meta["labels"][:-1]}, {}),
        ({"labels": [*meta["labels"], "more"]}, {}),
        ({"labels": [*meta["labels"][:-1], meta["labels"][0]]}, {}),
        ({"features": meta["features"] + 1}, {}),
        ({}, {big: arrays[big][:-1]}),
        ({}, {big: arrays[big].astype("f4")}),
        ({}, {big: np.zeros(())}),
        ({}, {big: np.ones_like(arrays[big])}),
        ({}, {"state": arrays["state"] + 1.0}),
        ({}, {"more": np.zeros(3)}),
    ]
    if big != "W":
        broken += [({}, {"1 counters": arrays["1 counters"] + 0.5}), ({}, {"1 counters": -arrays["1 counters"] - 1.0})]
        broken += [({}, {"9 counters": arrays["1 counters"]})]
    for wrong, others in broken:
        with pytest.raises(UnfitError):
            learner_from({**meta, **wrong}, {**arrays, **others})
    for name in arrays:
        with pytest.raises(UnfitError):
            learner_from(meta, {key: array for key, array in arrays.items() if key != name})
    assert_same(snapshot(learner_from(meta, arrays)), snapshot(learner))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dl.MulticlassPerceptron("min"), "MulticlassPerceptron: update must be 'max' or 'uniform' or"),
        (lambda: dl.MulticlassPA(0.0), "MulticlassPA: C must be > 0, got 0.0"),
        (lambda: dl.MulticlassPA(math.nan), "MulticlassPA: C must be a number, got nan"),
        (lambda: dl.MulticlassPA(variant="pa3"), "MulticlassPA: variant must be 'pa' or 'pa1' or 'pa2', got 'pa3'"),
        (lambda: dl.MulticlassPA(update="uniform"), "MulticlassPA: update must be 'max' or 'proportional', got"),
        (lambda: dl.MulticlassPA(dtype="float32"), "MulticlassPA: dtype must be 'float64', got 'float32'"),
        (lambda: dl.OneVsRest("arow", dtype="float32"), "OneVsRest: dtype must be 'float64', got 'float32'"),
        (lambda: dl.OneVsRest("multilinearperceptron", bias=True), "OneVsRest: bias must be False"),
        (lambda: dl.OneVsRest("fixedshare"), "OneVsRest: learner must not be of experts"),
        (lambda: dl.OneVsRest(dl.MulticlassPA()), "OneVsRest: a learner must have two labels, got MulticlassPA("),
        (lambda: dl.OneVsRest("onevsrest"), "OneVsRest: a learner must have two labels, got OneVsRest("),
        (lambda: dl.Committee(["multiclasspa"]), "Committee: a learner must have two labels, got MulticlassPA("),
        (lambda: dl.LabelEfficient(dl.OneVsRest()), "LabelEfficient: a learner must have two labels, got"),
        (lambda: dl.OneVsRest("committee((multiclasspa,))"), "OneVsRest: a learner must be a name with parameters"),
        (lambda: rules.LabelEfficient(rules.MulticlassPA()), "LabelEfficient: learner must be a rule of two labels"),
        (lambda: rules.Committee((rules.MulticlassPA(),)), "Committee: learners must be of two labels, got"),
        (lambda: rules.OneVsRest(rules.OneVsRest()), "OneVsRest: learner must be a rule of two labels, got"),
        (lambda: dl.OneVsRest(labels=("a",)), "OneVsRest: labels must be two or more different values, got ('a',). Le"),
        (lambda: dl.OneVsRest(labels=("a", "b", "a")), "OneVsRest: labels must be two or more different values, got"),
        (lambda: dl.OneVsRest(labels="ab"), "OneVsRest: labels must be two or more different values, got 'ab'"),
        (lambda: dl.OneVsRest(labels=("a", None, "b")), "OneVsRest: a label must be a value, got None"),
        (lambda: dl.MulticlassPA().largest(0), "MulticlassPA.largest: k must be a whole number >= 1, got 0"),
        (lambda: dl.MulticlassPA().tune(X=1.0), "MulticlassPA.tune: the rule must have a theorem"),
        (
            lambda: dl.run(dl.OneVsRest(), [], certify=True),
            "run: certify must be False for a learner of several classes",
        ),
        (
            lambda: dl.select(dl.OneVsRest(), (np.eye(3), [1, 2, 3]), assume="iid"),
            "select: learner must have two labels, got OneVsRest(",
        ),
        (
            lambda: dl.PA1().learn_many(np.eye(3), [1, 2, 3]),
            "PA1: row 2, a label must be 2 or 1, got 3. Correct it, declare another",
        ),
    ],
)
def test_what_is_refused_says_why(make: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value).startswith(message), str(caught.value)


# the command line -----------------------------------------------------------------------------------------------------
def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    X, y, _ = rows(0, 120)
    names = np.array(["apple", "banana", "cherry", "date", "elder", "fig"])
    lines = [",".join([*map(repr, row), names[label]]) for row, label in zip(X.tolist(), y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,e,f,y\n" + "\n".join(lines) + "\n")
    start = ["a.csv", "--target", "y"]
    fruit = "fig,elder,date,cherry,banana,apple"
    made = ["--learner", "onevsrest", "--base", "pa1(C=0.5)", "--labels", fruit]
    assert main(["run", *start, *made, "--save", "m.dl", "--report", "r.html"]) == 0
    learner = dl.OneVsRest("pa1(C=0.5)", labels=tuple(fruit.split(",")))
    run = dl.run(learner, dl.streams.read("a.csv", target="y"))
    out = capsys.readouterr().out
    assert f" {run.mistakes} " in out and "labels fig, elder, date, cherry, banana and apple" in out
    assert "fig: " in Path("r.html").read_text() and "cherry" in Path("r.html").read_text()
    assert main(["predict", "m.dl", *start]) == 0
    header, *found = capsys.readouterr().out.splitlines()
    assert header == "line,label,score"
    examples = [dict(zip("abcdef", row, strict=True)) for row in X.tolist()]
    scores = learner.scores_many(examples)
    assert [line.split(",")[1] for line in found] == learner.predict_many(examples).tolist()
    assert [float(line.split(",")[2]) for line in found] == scores.max(axis=1).tolist()
    assert main(["inspect", "m.dl", "--json", "--top", "2"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["labels"] == fruit.split(",") and facts["counters"]["mistakes"] == run.mistakes
    assert facts["weights"] == [[name, value] for name, value in learner.largest(2)]
    learners = "multiclasspa:variant=pa,multiclassperceptron:update=uniform,onevsrest:base=perceptron"
    assert main(["compare", *start, "--learners", learners, "--json", "--report", "c.html"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert runs[0]["mistakes"] == dl.run(dl.MulticlassPA(variant="pa"), (X, y)).mistakes
    assert main(["run", *start, "--learner", "multiclasspa", "--certify"]) == 2
    assert "several classes" in capsys.readouterr().err
    assert main(["run", *start, "--learner", "pa1", "--labels", fruit]) == 2
    assert "--labels must be NEGATIVE,POSITIVE" in capsys.readouterr().err


# how well it does -----------------------------------------------------------------------------------------------------
LEARNERS = {"one against the rest": lambda: dl.OneVsRest(dl.PA1()), "PA": dl.MulticlassPA}


def rival() -> Any:
    """scikit-learn's PA-I for several classes, one pass in the order of the rows."""
    linear = pytest.importorskip("sklearn.linear_model")
    return linear.SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, shuffle=False)


def errors(X: np.ndarray, y: np.ndarray, T: np.ndarray, t: np.ndarray) -> dict[str, float]:
    """The share of wrong labels after one pass, of each learner and of scikit-learn's."""
    found = {"rival": float(np.mean(rival().partial_fit(X, y, np.unique(y)).predict(T) != t))}
    for name, make in LEARNERS.items():
        learner = make()
        learner.learn_many(X, y)
        found[name] = float(np.mean(learner.predict_many(T) != t))
    return found


def test_digits_are_told_apart_as_well_as_by_scikit_learn() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    X, y = datasets.load_digits(return_X_y=True)
    X = X / 16.0
    found = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:1200], order[1200:]
        found.append(errors(X[train], y[train], X[test], y[test]))
    mean = {name: np.mean([one[name] for one in found]) for name in found[0]}
    assert mean["one against the rest"] <= mean["rival"] < 0.1
    assert mean["PA"] <= 0.95 * mean["rival"]
    tracked = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        learner = dl.OneVsRest("tracker")
        learner.learn_many(X[order[:1200]], y[order[:1200]])
        tracked.append(np.mean(learner.predict_many(X[order[1200:]]) != y[order[1200:]]))
    assert np.mean(tracked) <= 0.8 * mean["rival"]


def test_usps_is_told_apart_as_well_as_by_scikit_learn() -> None:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        pytest.skip("DRIFTLINE_DATA names no folder of data sets")
    h5py = pytest.importorskip("h5py")
    with h5py.File(Path(folder) / "usps" / "usps.h5") as file:
        X, T = (np.asarray(file[f"{part}/data"], float) for part in ("train", "test"))
        y, t = (np.asarray(file[f"{part}/target"]) for part in ("train", "test"))
    found = errors(X, y, T, t)
    assert found["one against the rest"] <= found["rival"] and found["PA"] <= 0.95 * found["rival"] < 0.12
    tracker = dl.OneVsRest("tracker")
    tracker.learn_many(X, y)
    assert np.mean(tracker.predict_many(T) != t) <= 0.95 * found["rival"]
    wrong = np.zeros(3, int)  # test, then train, 20 rows at a time
    classifier, learners = rival(), [make() for make in LEARNERS.values()]
    for start in range(0, len(y), 20):
        rows, labels = X[start : start + 20], y[start : start + 20]
        if start:
            shown = [classifier.predict(rows), *(learner.predict_many(rows) for learner in learners)]
            wrong += [int(np.sum(one != labels)) for one in shown]
        classifier.partial_fit(rows, labels, np.arange(10))
        for learner in learners:
            learner.learn_many(rows, labels)
    assert wrong[1] <= wrong[0] and wrong[2] <= 0.95 * wrong[0]
