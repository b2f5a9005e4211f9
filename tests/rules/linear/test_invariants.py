"""Properties stated in the papers hold after every round: margins, balls, symmetries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from tests.oracles.projections import norm
from tests.support.linear_cases import CASES, INF, WHEN, Case, cross, stream, weights_of

N = 3
Rounds = list[tuple[list[float], float, float]]
numbers = st.integers(-4000, 4000).map(lambda k: k / 1000.0)
examples = st.lists(numbers, min_size=N, max_size=N)
signs = st.sampled_from([-1.0, 1.0])
streams = st.lists(st.tuples(examples, signs, st.just(1.0)), min_size=1, max_size=25)
weighted = st.lists(st.tuples(examples, signs, st.sampled_from([0.0, 0.3, 1.0, 2.5])), min_size=1, max_size=25)
fixed = settings(derandomize=True, deadline=None, max_examples=40)

MARGIN_ONE = [
    *cross("pa", when=WHEN),
    *cross("pa1", {"C": INF}, when=WHEN),
    *cross("pa2", {"C": INF}, when=WHEN),
    *cross("shrunkpa", alpha=(0.0, 0.3, 4.0), when=WHEN),
    *cross("l2pa", beta=(0.7, 5.0), when=WHEN),
    *cross("l1pa", beta=(0.7, 5.0), when=WHEN),
    *cross("romma", when=WHEN),
]
POLICIES = ("skip", "relax", "best")
# case, the q of the norm, the radius
BALLS = [
    *((case, q, 0.8) for p, q in ((2.0, 2.0), (3.0, 1.5)) for case in cross("alma", {"alpha": 0.5, "B": 0.8, "p": p})),
    *((case, q, 1.0) for p, q in ((2.0, 2.0), (3.0, 1.5)) for case in cross("selftuningalma", {"alpha": 0.5, "p": p})),
    *((case, 2.0, 1.3) for case in cross("projectionperceptron", {"eta": 0.7, "radius": 1.3})),
    *((case, 2.0, 0.9) for case in cross("l2pa", {"beta": 0.9}, infeasible=POLICIES, when=WHEN)),
    *((case, 2.0, 0.9) for case in cross("l2pa", {"beta": 0.9, "sigma": 0.05}, when=WHEN)),
    *((case, 1.0, 0.9) for case in cross("l1pa", {"beta": 0.9}, infeasible=POLICIES, when=WHEN)),
]


class Round(NamedTuple):
    """One example (with its label's sign in it) and the weights around it."""

    a: np.ndarray
    before: np.ndarray
    after: np.ndarray
    updated: bool
    infeasible: bool


def walk(learner: dl.Learner, rounds: Rounds) -> Iterator[Round]:
    after = np.zeros(N)
    for x, y, weight in rounds:
        before, updates, infeasible = after, learner.updates, learner.infeasible
        learner.learn_one(np.array(x), y, weight)
        after = weights_of(learner, N)[1:]
        yield Round(y * np.array(x), before, after, learner.updates > updates, learner.infeasible > infeasible)


@pytest.mark.parametrize("case", MARGIN_ONE, ids=str)
@fixed
@given(streams)
def test_margin_is_one_after_an_uncapped_step(case: Case, rounds: Rounds) -> None:
    for r in walk(case.learner(bias=False), rounds):
        fires = r.a @ r.before <= 0.0 if case.parameters["when"] == "mistake" else r.a @ r.before < 1.0 - 1e-12
        if fires and r.a.any() and not (r.infeasible and case.name != "romma"):
            assert r.updated
        if r.updated:
            assert abs(r.a @ r.after - 1.0) <= 1e-11 * max(1.0, norm(r.a) * norm(r.after))


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@fixed
@given(streams)
def test_pa2_leaves_the_slack_that_its_step_is_worth(C: float, rounds: Rounds) -> None:
    for r in walk(dl.PA2(C, bias=False), rounds):
        if r.updated:
            tau = norm(r.after - r.before) / norm(r.a)
            assert 1.0 - r.a @ r.after == pytest.approx(tau / (2.0 * C), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("C", [0.05, 1.0])
@fixed
@given(streams)
def test_pa1_never_steps_further_than_c(C: float, rounds: Rounds) -> None:
    for r in walk(dl.PA1(C, bias=False), rounds):
        step = norm(r.after - r.before)
        assert step <= C * norm(r.a) * (1.0 + 1e-12)
        if r.updated:
            capped = step >= C * norm(r.a) * (1.0 - 1e-9)
            assert capped or r.a @ r.after == pytest.approx(1.0, abs=1e-11 * max(1.0, norm(r.a) * norm(r.after)))


@pytest.mark.parametrize(("case", "q", "radius"), BALLS, ids=str)
@fixed
@given(weighted)
def test_weights_never_leave_the_ball(case: Case, q: float, radius: float, rounds: Rounds) -> None:
    for r in walk(case.learner(bias=False), rounds):
        assert norm(r.after, q) <= radius * (1.0 + 1e-12)


@pytest.mark.parametrize(("case", "q", "radius"), BALLS, ids=str)
def test_weights_reach_the_ball(case: Case, q: float, radius: float) -> None:
    data = stream(5, rounds=200, n=N)
    rounds = [(list(x), float(y), 1.0) for x, y in zip(data.X, data.y, strict=True)]
    far = max(norm(r.after, q) for r in walk(case.learner(bias=False), rounds))
    assert far >= radius * (1.0 - 1e-9)


@pytest.mark.parametrize("p", [2.0, 3.0, 5.99])
@pytest.mark.parametrize("rho", [0.0, 1.0])
@fixed
@given(streams)
def test_norma_stays_within_x_over_lam(p: float, rho: float, rounds: Rounds) -> None:
    lam = 0.5
    longest = max(norm(np.array(x), p) for x, _, _ in rounds)
    for r in walk(dl.NORMA(0.9, lam, rho, p, bias=False), rounds):
        assert norm(r.after, p / (p - 1.0)) <= longest / lam * (1.0 + 1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("when", WHEN)
@fixed
@given(streams)
def test_shrunk_pa_has_a_bounded_norm(alpha: float, when: str, rounds: Rounds) -> None:
    shortest = INF
    for r in walk(dl.ShrunkPA(alpha, when=when, bias=False), rounds):
        if r.updated:
            shortest = min(shortest, norm(r.a))
            assert norm(r.after) <= (1.0 + alpha) / (shortest * math.sqrt(alpha * (2.0 + alpha))) * (1.0 + 1e-12)


@pytest.mark.parametrize("when", WHEN)
@fixed
@given(streams)
def test_romma_meets_both_constraints_with_the_shortest_vector(when: str, rounds: Rounds) -> None:
    for r in walk(dl.ROMMA(when=when, bias=False), rounds):
        if not r.updated:
            continue
        reach = norm(r.after) * max(norm(r.a), norm(r.before))
        assert r.a @ r.after >= 1.0 - 1e-9 * max(1.0, reach)
        if r.infeasible:
            np.testing.assert_allclose(r.after, r.a / (r.a @ r.a), rtol=1e-12)
            continue
        summary = norm(r.before) ** 2
        assert r.after @ r.before >= summary - 1e-9 * max(summary, reach)
        both = abs(r.after @ r.before - summary) <= 1e-6 * max(summary, reach)
        assert both or norm(r.after) == pytest.approx(1.0 / norm(r.a), rel=1e-9)


def test_romma_starts_again_where_its_constraints_contradict() -> None:
    learner = dl.ROMMA(bias=False)
    for x, y, infeasible in ((2.0, 1.0, 0), (1.0, 1.0, 0), (4.0, -1.0, 1), (-2.0, 1.0, 1), (-1.0, -1.0, 2)):
        learner.learn_one(np.array([x, 2.0 * x]), y)
        assert learner.infeasible == infeasible
    np.testing.assert_allclose(weights_of(learner, 2)[1:], [0.2, 0.4], rtol=1e-15)


@pytest.mark.parametrize("case", CASES, ids=str)
@settings(fixed, max_examples=10)
@given(weighted)
def test_a_negated_example_with_the_other_label_is_the_same(case: Case, rounds: Rounds) -> None:
    plain, mirrored = case.learner(bias=False), case.learner(bias=False)
    for x, y, weight in rounds:
        score = plain.learn_one(np.array(x), y, weight)
        assert mirrored.learn_one(-np.array(x), -y, weight) == -score
    np.testing.assert_array_equal(plain._engine.v, mirrored._engine.v)
    for counter in ("mistakes", "margin_errors", "updates", "infeasible"):
        assert getattr(plain, counter) == getattr(mirrored, counter)


@pytest.mark.parametrize("c", [0.25, 8.0])
@fixed
@given(streams)
def test_scaling_by_a_power_of_two_changes_no_bit(c: float, rounds: Rounds) -> None:
    pairs = (
        (dl.NORMA(0.5, 0.3, 1.0), dl.NORMA(0.5 * c, 0.3 / c, 1.0 * c)),
        (dl.ALMA(0.5, 2.0, 1.0), dl.ALMA(0.5 * c, 2.0 * c, 1.0 * c)),
    )
    for plain, scaled in pairs:
        for x, y, _ in rounds:
            assert scaled.learn_one(np.array(x), y) == c * plain.learn_one(np.array(x), y)
        assert (scaled.mistakes, scaled.updates) == (plain.mistakes, plain.updates)


@pytest.mark.parametrize("p", [2.0, 3.0, 5.99])
def test_scaling_changes_no_decision(p: float) -> None:
    data, c = stream(6), 3.7
    pairs = (
        (dl.NORMA(0.5, 0.3, 1.0, p), dl.NORMA(0.5 * c, 0.3 / c, 1.0 * c, p)),
        (dl.ALMA(0.5, 2.0, 1.0, p), dl.ALMA(0.5 * c, 2.0 * c, 1.0 * c, p)),
    )
    for plain, scaled in pairs:
        was, now = plain.test_then_train(data.X, data.y), scaled.test_then_train(data.X, data.y)
        np.testing.assert_array_equal(was.updated, now.updated)
        np.testing.assert_allclose(now.scores, c * was.scores, rtol=1e-9, atol=1e-12)
    # as the paper has it, with lam left alone, decisions change
    literal = dl.NORMA(0.5 * c, 0.3 if 0.5 * c * 0.3 < 1.0 else 0.1, 1.0 * c, p).test_then_train(data.X, data.y)
    was = dl.NORMA(0.5, 0.3, 1.0, p).test_then_train(data.X, data.y)
    assert (was.updated != literal.updated).mean() > 0.05
