"""Regularised multiclass PA: oracles, a general solver, constraints, two classes, bounds, files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.multiclass.compact_classes import CompactClassesEngine
from driftline.engines.multiclass.scaled_classes import ScaledClassesEngine
from driftline.engines.state import NORM
from driftline.saved.fault import UnfitError
from driftline.saved.model import learner_from, state_of
from tests.oracles import multiclass as oracles
from tests.support.bitwise import assert_same, snapshot
from tests.support.class_rows import in_order, rows, separable, weights_of

WHEN = ("margin", "mistake")
SHRUNK = [("multiclassshrunkpa", {"alpha": alpha, "when": when}) for alpha in (0.0, 0.01, 0.5) for when in WHEN]
L2 = [("multiclassl2pa", {"beta": beta, "when": when}) for beta in (0.8, 3.0, math.inf) for when in WHEN]
L1 = [("multiclassl1pa", {"beta": beta, "when": when}) for beta in (1.5, 4.0, math.inf) for when in WHEN]
STUCK: list[tuple[str, dict[str, Any]]] = [
    (name, {"beta": beta, "when": when, "infeasible": policy, "kappa": 0.7})
    for name, beta in (("multiclassl2pa", 0.45), ("multiclassl1pa", 0.9))
    for policy, when in (("skip", "margin"), ("relax", "margin"), ("relax", "mistake"), ("best", "mistake"))
]
REMOVAL: list[tuple[str, dict[str, Any]]] = [
    ("multiclassshrunkpa", {"alpha": 0.1, "when": "mistake", "sigma": 0.05}),
    ("multiclassl2pa", {"beta": 2.0, "when": "margin", "sigma": 0.02}),
    ("multiclassl1pa", {"beta": 3.0, "when": "margin", "sigma": 0.02}),
]
every_rule = pytest.mark.parametrize(("name", "parameters"), SHRUNK + L2 + L1 + STUCK + REMOVAL)
every_name = pytest.mark.parametrize("name", ["multiclassshrunkpa", "multiclassl2pa", "multiclassl1pa"])


def size(name: str, W: np.ndarray) -> float:
    """The norm that the ball of this rule bounds."""
    return float(np.abs(W).sum() if name == "multiclassl1pa" else np.linalg.norm(W))


# the formulas ---------------------------------------------------------------------------------------------------------
@every_rule
@pytest.mark.parametrize(("seed", "bias", "kind"), [(0, True, "dense"), (1, False, "csr"), (2, True, "csr")])
def test_agrees_with_the_slow_version(name: str, parameters: Any, seed: int, bias: bool, kind: str) -> None:
    X, y, w = rows(seed, 250)
    if "infeasible" in parameters:
        X, bias = X / 2.0, False  # some rows are feasible, others are not
    learner = dl.REGISTRY[name](**parameters, bias=bias)
    margins = learner.learn_many(X if kind == "dense" else csr_matrix(X), y, w)
    slow = getattr(oracles, dl.REGISTRY[name].__name__)(X.shape[1] + 1, **parameters)
    codes = in_order(y)
    due = [slow.learn(np.append(float(bias), X[i]), codes[i], w[i]) for i in range(len(y))]
    np.testing.assert_allclose(margins, due, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(weights_of(learner, X.shape[1]), slow.W, rtol=1e-7, atol=1e-7)
    assert (learner.mistakes, learner.updates) == (slow.mistakes, slow.updates)
    assert learner.infeasible == slow.infeasible
    assert learner.infeasible > 0 or "infeasible" not in parameters
    assert 0 < learner.updates < len(y)


def solved(name: str, W: np.ndarray, A: np.ndarray, value: float) -> np.ndarray:
    """The optimisation problem of the paper by a general solver, from W = 0 on."""
    n = W.size
    if name == "multiclassl1pa":  # V = P - N with P, N >= 0
        signs = np.hstack([np.eye(n), -np.eye(n)])
        constraints: list[Any] = [
            LinearConstraint(A.ravel() @ signs, 1.0, np.inf),
            LinearConstraint(np.ones(2 * n), -np.inf, value),
        ]
        found = minimize(
            lambda v: 0.5 * np.sum((signs @ v - W.ravel()) ** 2),
            np.full(2 * n, 0.1),
            jac=lambda v: signs.T @ (signs @ v - W.ravel()),
            bounds=[(0.0, None)] * (2 * n),
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        return np.asarray(signs @ found.x).reshape(W.shape)
    alpha = value if name == "multiclassshrunkpa" else 0.0
    constraints = [LinearConstraint(A.ravel(), 1.0, np.inf)]
    if name == "multiclassl2pa":
        constraints.append(NonlinearConstraint(lambda v: v @ v, -np.inf, value**2, jac=lambda v: 2.0 * v))
    found = minimize(
        lambda v: 0.5 * np.sum((v - W.ravel()) ** 2) + 0.5 * alpha * np.sum(v**2),
        A.ravel() / np.sum(A * A),
        jac=lambda v: v - W.ravel() + alpha * v,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return np.asarray(found.x).reshape(W.shape)


@every_name
@pytest.mark.parametrize("seed", range(5))
def test_a_step_is_the_solution_of_a_general_solver(name: str, seed: int) -> None:
    X, y, _ = rows(seed, 40, n=4, classes=3)
    X = X + 0.1  # no row of zeros
    value = {"multiclassshrunkpa": 0.3, "multiclassl2pa": 1.5, "multiclassl1pa": 3.0}[name]
    learner: Any = dl.REGISTRY[name](value, when="margin", bias=False, labels=(0, 1, 2))
    y = y % 3
    checked = 0
    for x, label in zip(X, y, strict=True):
        before = weights_of(learner, 4)[:, 1:] if learner.n_seen else np.zeros((3, 4))
        s = before @ x
        rival = int(np.argmax(np.where(np.arange(3) == label, -np.inf, s)))
        updates = learner.updates
        learner.learn_one(x, int(label))
        if learner.updates == updates:
            continue
        A = np.zeros((3, 4))
        A[label], A[rival] = x, -x
        after = weights_of(learner, 4)[:, 1:]
        due = solved(name, before, A, value)
        np.testing.assert_allclose(after, due, atol=2e-4)
        # the solver is less exact: ours must not be farther away, nor break a constraint
        distance = [0.5 * np.sum((V - before) ** 2) for V in (after, due)]
        if name == "multiclassshrunkpa":
            distance = [d + 0.15 * np.sum(V**2) for d, V in zip(distance, (after, due), strict=True)]
        assert distance[0] <= distance[1] + 1e-6
        assert np.sum(A * after) == pytest.approx(1.0, abs=1e-9)
        checked += 1
    assert checked > 10


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(SHRUNK + L2 + L1),
    st.lists(
        st.tuples(st.lists(st.floats(-3.0, 3.0, width=16), min_size=3, max_size=3), st.integers(0, 3)),
        min_size=2,
        max_size=12,
    ),
)
def test_a_step_meets_its_constraints(case: tuple[str, dict[str, Any]], examples: Any) -> None:
    name, parameters = case
    learner: Any = dl.REGISTRY[name](**parameters, bias=False, labels=(0, 1, 2, 3))
    for x, label in examples:
        s = np.array([*learner.scores_one(np.array(x)).values()])
        rival = int(np.argmax(np.where(np.arange(4) == label, -np.inf, s)))
        updates = learner.updates
        learner.learn_one(np.array(x), label)
        W = weights_of(learner, 3)
        if learner.updates > updates:
            after = np.array([*learner.scores_one(np.array(x)).values()])
            assert after[label] - after[rival] == pytest.approx(1.0, abs=1e-6)
        assert size(name, W) <= parameters.get("beta", math.inf) * (1.0 + 1e-9)


def test_without_regularisation_it_is_multiclass_pa() -> None:
    X, y, w = rows(0)
    due = dl.MulticlassPA(variant="pa", update="max")
    margins = due.learn_many(X, y, w)
    for learner in (
        dl.MulticlassShrunkPA(0.0, when="margin"),
        dl.MulticlassL2PA(math.inf, when="margin"),
        dl.MulticlassL1PA(math.inf, when="margin"),
    ):
        np.testing.assert_allclose(learner.learn_many(X, y, w), margins, rtol=1e-9, atol=1e-9)
        assert (learner.mistakes, learner.updates) == (due.mistakes, due.updates)


@pytest.mark.parametrize("when", WHEN)
def test_two_classes_are_the_rules_of_two_labels(when: Any) -> None:
    """The difference of the two weight vectors is that of the binary rule.

    The two are opposite, so |W| is its length divided by the square root of 2, and |W|_1 its L1 norm.
    """
    X, y, _ = rows(0)
    y = np.where(y % 2 == 0, 0, 1)
    pairs = [
        (dl.MulticlassShrunkPA(0.1, when=when, labels=(0, 1)), dl.ShrunkPA(0.1, when=when)),
        (dl.MulticlassL2PA(1.5, when=when, labels=(0, 1)), dl.L2PA(1.5 * math.sqrt(2.0), when=when)),
        (dl.MulticlassL1PA(3.0, when=when, labels=(0, 1)), dl.L1PA(3.0, when=when)),
    ]
    for several, binary in pairs:
        margins = several.learn_many(X, y)
        due = np.where(y == 1, 1.0, -1.0) * binary.learn_many(X, y)
        np.testing.assert_allclose(margins, due, rtol=1e-8, atol=1e-8)
        assert several.updates == binary.updates > 50
        W = weights_of(several, X.shape[1])
        np.testing.assert_allclose(W[0], -W[1], atol=1e-12)


def test_a_long_run_keeps_the_tracked_norm() -> None:
    X, y, w = rows(3, 4000)
    learner = dl.MulticlassL2PA(1.2, when="margin")
    learner.learn_many(X, y, w)
    W = weights_of(learner, X.shape[1])
    assert learner.updates > 1500  # the norm is computed from the weights again on the way
    assert learner._engine.state[NORM] == pytest.approx(np.sum(W**2), rel=1e-9)
    assert np.linalg.norm(W) <= 1.2 * (1.0 + 1e-9)


def test_a_scale_that_underflows_is_multiplied_in() -> None:
    learner = dl.MulticlassShrunkPA(1e30, when="margin", labels=(0, 1, 2), bias=False)
    for k in range(40):
        learner.learn_one(np.eye(4)[k % 4], k % 3)
    assert learner.scores_one(np.eye(4)[39 % 4]) == pytest.approx({0: 0.5, 1: 0.0, 2: -0.5}, abs=1e-9)


# bounds ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("when", WHEN)
def test_l2_and_l1_keep_their_bounds(seed: int, when: Any) -> None:
    X, y, gamma = separable(seed, 150, 6, 4, 0.1)
    u = 1.0 / gamma  # the length of the weights with margin 1; their L1 norm is at most sqrt(24) times that
    l1 = math.sqrt(24.0) * u
    for learner, D in (
        (dl.MulticlassL2PA(u, when=when, bias=False), u),
        (dl.MulticlassL1PA(l1, when=when, bias=False), l1),
    ):
        for _ in range(5):
            learner.learn_many(X, y)
        assert 5 < learner.mistakes <= 2.0 * D**2


def test_wrong_labels_break_the_bound() -> None:
    X, y, gamma = separable(0, 400, 6, 4, 0.25)
    y = np.where(np.random.default_rng(0).random(400) < 0.3, (y + 1) % 4, y)
    learner = dl.MulticlassL2PA(1.0 / gamma, bias=False)
    learner.learn_many(X, y)
    assert learner.mistakes > 2.0 / gamma**2


# engines and files ----------------------------------------------------------------------------------------------------
def test_rules_that_read_all_weights_list_them() -> None:
    for learner in (dl.MulticlassL1PA(), dl.MulticlassL2PA(sigma=0.1), dl.MulticlassShrunkPA(sigma=0.1)):
        assert type(learner._engine) is CompactClassesEngine
    for learner in (dl.MulticlassL2PA(), dl.MulticlassShrunkPA()):
        assert type(learner._engine) is ScaledClassesEngine


@every_name
def test_an_infeasible_example_is_refused_and_changes_nothing(name: str) -> None:
    if name == "multiclassshrunkpa":
        return
    X, y, _ = rows(0, 100)
    learner, other = (dl.REGISTRY[name](2.0, infeasible="raise", bias=False) for _ in range(2))
    for one in (learner, other):
        one.learn_many(5.0 * X[:50] + 0.5, y[:50])
    short = np.full((1, 6), 1e-3)
    with pytest.raises(ValueError, match=r"must be feasible, got one on which no weights within beta = 2\.0 reach"):
        learner.learn_many(np.vstack([5.0 * X[50:60] + 0.5, short]), [*y[50:60], 99])
    assert_same(snapshot(learner), snapshot(other))
    with pytest.raises(ValueError, match="must be feasible"):
        learner.learn_one(short[0], 99)
    assert_same(snapshot(learner), snapshot(other))
    assert learner.labels == other.labels


@pytest.mark.parametrize(("name", "parameters"), REMOVAL)
def test_the_list_of_weights_is_checked(name: str, parameters: Any) -> None:
    X, y, _ = rows(0, 60)
    learner = dl.REGISTRY[name](**parameters)
    learner.learn_many(X, y)
    meta, arrays = state_of(learner)
    assert_same(snapshot(learner_from(meta, arrays)), snapshot(learner))
    listed = arrays["listed"]
    assert len(listed) == np.count_nonzero(arrays["W"])
    for bad in (
        listed[:-1],
        np.append(listed[:-1], listed[:1]),
        listed.astype(np.int64),
        np.append(listed, listed[:1]),
    ):
        with pytest.raises(UnfitError, match="a list of weights that does not match"):
            learner_from(meta, {**arrays, "listed": bad})


def test_l1_keeps_few_weights() -> None:
    X, y, _ = rows(0, 400, n=40)
    sparse, dense = dl.MulticlassL1PA(1.5), dl.MulticlassL2PA(1.5)
    for learner in (sparse, dense):
        learner.learn_many(X, y)
    assert np.count_nonzero(weights_of(sparse, 40)) < 0.5 * np.count_nonzero(weights_of(dense, 40))
