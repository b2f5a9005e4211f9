"""The compiled updates of the kernel rules against numbers computed by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from driftline.rules.kernel import kernel_second_order, kernelized, multilinear_perceptron, projectron
from driftline.rules.kernel.forgetron import shrinkage
from driftline.rules.kernel.kernelized import EVICT, Plan, eviction, victim
from driftline.rules.kernel.product_expansion import ProductExpansion, add_phi, dot_phi, empty
from driftline.rules.kernel.support_vectors import (
    BIRTH,
    CLOCK,
    DAMAGE,
    FINE,
    FULL,
    HEAD,
    LIVE,
    MISTAKES,
    MORE_ROOM,
    NO_SLOT,
    REMOVED,
    ROOM,
    SQUARE,
    C,
    Expansion,
    empty_expansion,
    place,
)
from driftline.rules.linear.perceptron import Perceptron

FIRST_SPLITMIX = 0xE220A8397B1DCDAF
"""The first number of splitmix64 from the seed 0."""


def plan_of(evict: str, limit: int = 2, **given: Any) -> Plan:
    fields = {"bounded": True, "age": 0, "by_update": False, "eta": 0.1, "seed": np.uint64(0), "measures": False}
    return Plan(code=Perceptron.code, evict=EVICT.index(evict), limit=limit, tracks=True, **(fields | given))


def expansion_of(coefficients: list[float], squares: list[float], factor: bool = False) -> Expansion:
    """A full ring of one feature; x_i is the root of k(x_i, x_i), as with a linear kernel."""
    E = empty_expansion(len(coefficients), 1, factor)
    for slot, (c, x_sq) in enumerate(zip(coefficients, squares, strict=True)):
        place(E.ring, E.tiles, E.slots, slot, np.array([math.sqrt(x_sq)]), 1, c, x_sq)
    return E


def step(plan: Plan, E: Expansion, x: float, y: float, s: float, w: float, **given: Any) -> tuple[float, float]:
    """One update on the line with a linear kernel, where w is known; returns s and |w|^2."""
    E.k[:] = x * E.tiles[:, 0, :].reshape(-1)
    choice = {"weight": 1.0, "shrink": 1.0, "tau": 1.0, "r": NO_SLOT, "score": 0.0} | given
    numbers = [choice[name] for name in ("weight", "shrink", "tau", "r", "score")]
    weight, rest = numbers[0], numbers[1:]
    arrays = E.ring, E.tiles, E.slots, E.k, np.array([x])
    return kernelized.update(plan, *arrays, 1, s, w * w, 1e-100, y * w * x, x * x, weight, y, *rest)


def weight_of(E: Expansion, s: float) -> float:
    """w = s sum_i c_i x_i."""
    return s * float(E.slots[C] @ E.tiles[:, 0, :].reshape(-1))


# Kernelized -----------------------------------------------------------------------------------------
def test_an_update_shrinks_w_adds_the_example_and_removes_the_oldest() -> None:
    plan, E = plan_of("oldest"), empty_expansion(2, 1, False)
    s, w_sq = step(plan, E, 2.0, 1.0, 1.0, 0.0, tau=0.5)
    assert (s, w_sq, weight_of(E, s)) == (1.0, 1.0, 1.0)
    s, w_sq = step(plan, E, 1.0, -1.0, s, 1.0, shrink=0.5)
    assert (s, w_sq, weight_of(E, s)) == (0.5, 0.25, -0.5)
    assert E.slots[C, :2].tolist() == [0.5, -2.0]
    # w = -0.5 + 3 without 0.5 * 0.5 * 2
    s, w_sq = step(plan, E, 3.0, 1.0, s, -0.5, r=0, score=-1.0)
    assert (s, w_sq, weight_of(E, s)) == (0.5, 4.0, 2.0)
    assert [E.ring[place] for place in (HEAD, LIVE, REMOVED)] == [1.0, 2.0, 1.0]
    assert E.slots[C, :2].tolist() == [2.0, -2.0]


def test_a_sample_weight_multiplies_the_step() -> None:
    E = empty_expansion(2, 1, False)
    s, w_sq = step(plan_of("oldest"), E, 2.0, -1.0, 1.0, 0.0, tau=0.5, weight=3.0)
    assert (s, w_sq, weight_of(E, s)) == (1.0, 9.0, -3.0)


def test_a_shrink_of_zero_removes_every_support_vector() -> None:
    E = expansion_of([1.0, 1.0], [1.0, 4.0])
    s, w_sq = step(plan_of("oldest"), E, 2.0, 1.0, 0.25, 0.75, shrink=0.0, tau=0.5)
    assert (s, w_sq, weight_of(E, s), E.ring[LIVE]) == (1.0, 1.0, 1.0, 1.0)


def test_a_scale_that_becomes_too_small_is_multiplied_into_the_coefficients() -> None:
    E = expansion_of([4.0, 2.0], [1.0, 1.0])
    s, _ = step(plan_of("oldest"), E, 1.0, 1.0, 1e-90, 6e-90, shrink=1e-20, tau=0.0)
    assert s == 1.0
    np.testing.assert_allclose(E.slots[C, :2], [4e-110, 2e-110], rtol=1e-15)


@pytest.mark.parametrize(
    ("evict", "due"),
    [("oldest", 1), ("forgetron", 1), ("smallest", 2), ("random", FIRST_SPLITMIX % 3)],
)
def test_each_eviction_chooses_its_support_vector(evict: str, due: int) -> None:
    E = expansion_of([3.0, -1.0, 2.0], [1.0, 4.0, 0.25])
    E.ring[HEAD] = 1.0
    assert victim(plan_of(evict, 3), E.ring, E.slots) == due
    assert eviction(plan_of(evict, 3), E.ring, E.slots, 1.0, 1.0, 1.0) == (FINE, due)


def test_nothing_is_evicted_where_slots_are_free_or_can_be_added() -> None:
    E = expansion_of([3.0, -1.0], [1.0, 4.0])
    assert eviction(plan_of("oldest", 2), E.ring, E.slots, 1.0, 1.0, 0.0) == (FINE, NO_SLOT)
    assert eviction(plan_of("oldest", 3), E.ring, E.slots, 1.0, 1.0, 1.0) == (MORE_ROOM, NO_SLOT)
    assert eviction(plan_of("oldest", 2, bounded=False), E.ring, E.slots, 1.0, 1.0, 1.0) == (FULL, NO_SLOT)
    E.ring[LIVE] = 1.0
    assert eviction(plan_of("oldest", 2), E.ring, E.slots, 1.0, 1.0, 1.0) == (FINE, NO_SLOT)


@pytest.mark.parametrize(
    ("by_update", "weight", "tau", "due"),
    [(False, 1.0, 0.0, 0), (False, 0.0, 0.0, NO_SLOT), (True, 1.0, 0.0, NO_SLOT), (True, 1.0, 1.0, 0)],
)
def test_an_old_support_vector_goes_also_where_slots_are_free(
    by_update: bool, weight: float, tau: float, due: int
) -> None:
    E = expansion_of([1.0, 1.0], [1.0, 1.0])
    E.ring[LIVE], E.ring[CLOCK], E.slots[BIRTH, 0] = 1.0, 8.0, 4.0
    plan = plan_of("age", 9, age=5, by_update=by_update)
    assert eviction(plan, E.ring, E.slots, weight, 1.0, tau) == (FINE, due)
    assert eviction(plan._replace(age=6), E.ring, E.slots, weight, 1.0, tau) == (FINE, NO_SLOT)


# Forgetron ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("M", "Q", "a", "mu", "phi", "psi"),
    [
        (10.0, 0.0, 1.0, 0.5, 1.0, 2.0),  # Psi(phi) = 2 phi, the limit is 4.6875
        (2.0, 0.0, 1.0, 0.5, 0.46875, 0.9375),  # the limit is 0.9375
        (2.0, 0.9375, 1.0, 0.5, 0.0, 0.0),  # no damage is left
        (2.0, 0.0, 1.0, 0.0, math.sqrt(1.9375) - 1.0, 0.9375),  # Psi(phi) = phi^2 + 2 phi
        (2.0, 0.0, 1.0, 1.0, 0.75, 0.9375),  # Psi(phi) = 2 phi - phi^2, concave
    ],
)
def test_the_forgetron_shrinks_as_little_as_its_limit_allows(
    M: float, Q: float, a: float, mu: float, phi: float, psi: float
) -> None:
    assert shrinkage(M, Q, a, mu) == pytest.approx((phi, psi), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_the_forgetron_shrinks_w_with_the_new_example_before_the_oldest_goes(y: float) -> None:
    E = expansion_of([y], [0.25])
    E.ring[MISTAKES] = 1.0
    # the oldest, y 0.5, and the new, -y 1: mu = y w.x_r = 0.25 - 0.5; Psi(phi) = 1.5 phi^2 + 2 phi <= 15/16
    phi = (math.sqrt(1.0 + 1.5 * 0.9375) - 1.0) / 1.5
    s, w_sq = step(plan_of("forgetron", 1), E, 1.0, -y, 1.0, 0.5 * y, r=0, score=0.25 * y)
    assert s == pytest.approx(phi, rel=1e-14)
    assert w_sq == pytest.approx(phi**2, rel=1e-13)
    assert weight_of(E, s) == pytest.approx(-y * phi, rel=1e-14)
    assert E.ring[MISTAKES] == 2.0
    assert E.ring[DAMAGE] == pytest.approx(0.9375, rel=1e-14)


# Projectron -----------------------------------------------------------------------------------------
def projected(m: float, eta: float, limit: int = 2, **given: Any) -> tuple[Expansion, int, float, float]:
    """One support vector with k(x_1, x_1) = 1 and c = 1, and x with k(x, x) = 1 and k(x_1, x) = 0.6: delta = 0.8."""
    E = expansion_of([1.0, 0.0], [1.0, 0.0], factor=True)
    E.ring[LIVE], E.lower[0, 0], E.k[0] = 1.0, 1.0, 0.6
    arrays = E.ring, E.tiles, E.slots, E.lower, E.k, E.other, np.array([1.0])
    bounded, weight = given.get("bounded", True), given.get("weight", 1.0)
    status, tau, w_sq = projectron.update(eta, limit, bounded, *arrays, 1, 1.0, m, 1.0, weight, -1.0)
    return E, status, tau, w_sq


def test_a_mistake_close_to_the_span_is_projected() -> None:
    E, status, tau, w_sq = projected(-0.5, eta=0.9)
    assert (status, tau, E.ring[LIVE]) == (FINE, 1.0, 1.0)
    assert E.slots[C, 0] == pytest.approx(1.0 - 0.6)
    assert w_sq == pytest.approx(1.0 + 2.0 * -0.5 + 0.36)


def test_a_mistake_far_from_the_span_becomes_a_support_vector() -> None:
    E, status, tau, w_sq = projected(-0.5, eta=0.5)
    assert (status, tau, E.ring[LIVE]) == (FINE, 1.0, 2.0)
    assert E.slots[C, :2].tolist() == [1.0, -1.0]
    assert E.slots[SQUARE, 1] == 1.0
    np.testing.assert_allclose(E.lower, [[1.0, 0.0], [0.6, 0.8]], rtol=1e-15)
    assert w_sq == pytest.approx(1.0 + 2.0 * -0.5 + 1.0)


def test_a_full_budget_projects_every_mistake_and_no_budget_refuses() -> None:
    E, status, _, _ = projected(-0.5, eta=0.5, limit=1)
    assert status == FINE and E.slots[C, 0] == pytest.approx(0.4)
    E, status, tau, w_sq = projected(-0.5, eta=0.5, limit=1, bounded=False)
    assert (status, tau, w_sq, E.ring[LIVE]) == (FULL, 0.0, 1.0, 1.0)
    assert E.slots[C, :2].tolist() == [1.0, 0.0]


def test_a_margin_error_moves_the_coefficients_by_tau() -> None:
    E, status, tau, w_sq = projected(0.5, eta=2.0)
    assert status == FINE
    assert tau == pytest.approx(2.0 * (0.5 - 0.4) / 0.36)
    assert E.slots[C, 0] == pytest.approx(1.0 - tau * 0.6)
    assert w_sq == pytest.approx(1.0 + tau * (2.0 * 0.5 + tau * 0.36))
    E, _, tau, w_sq = projected(0.5, eta=1.0)  # loss = 0.5 < delta / eta
    assert (tau, w_sq, E.slots[C, 0]) == (0.0, 1.0, 1.0)
    E, _, tau, w_sq = projected(-0.5, eta=0.9, weight=0.0)
    assert (tau, w_sq, E.slots[C, 0]) == (0.0, 1.0, 1.0)


def test_the_projectron_needs_slots_only_for_a_mistake_with_a_full_ring() -> None:
    ring = expansion_of([1.0], [1.0]).ring
    assert projectron.needs_slots(ring, 2, -1.0, 1.0) and projectron.needs_slots(ring, 2, 0.0, 1.0)
    assert not projectron.needs_slots(ring, 1, -1.0, 1.0)
    assert not projectron.needs_slots(ring, 2, 0.5, 1.0)
    assert not projectron.needs_slots(ring, 2, -1.0, 0.0)
    ring[ROOM] = 2.0
    assert not projectron.needs_slots(ring, 3, -1.0, 1.0)


# KernelSecondOrder ----------------------------------------------------------------------------------
def test_the_second_order_update_solves_the_kernel_system() -> None:
    L, z, alpha = np.zeros(3), np.zeros(2), np.zeros(2)
    kernel_second_order.update(L, z, alpha, 0, np.zeros(0), 1.0, 1.0, 1.0)
    assert alpha[0] == pytest.approx(0.5)
    # x = 1 and x = 2, y = 1 and y = -1: alpha = ((2, 2), (2, 5))^-1 y
    kernel_second_order.update(L, z, alpha, 1, np.array([2.0]), 4.0, -1.0, 1.0)
    np.testing.assert_allclose(alpha, [7.0 / 6.0, -4.0 / 6.0], rtol=1e-14)
    np.testing.assert_allclose(L, [math.sqrt(2.0), math.sqrt(2.0), math.sqrt(3.0)], rtol=1e-14)
    np.testing.assert_allclose(z, [1.0 / math.sqrt(2.0), -2.0 / math.sqrt(3.0)], rtol=1e-14)


@pytest.mark.parametrize(
    ("y", "r", "x_sq", "weight", "due"),
    [
        (1.0, -0.5, 1.0, 1.0, True),
        (-1.0, 0.0, 1.0, 1.0, True),
        (1.0, 0.5, 1.0, 1.0, False),
        (1.0, -0.5, 1e-130, 1.0, False),
        (1.0, -0.5, 1.0, 0.0, False),
    ],
)
def test_only_a_mistake_is_a_second_order_update(y: float, r: float, x_sq: float, weight: float, due: bool) -> None:
    assert kernel_second_order.errs(y, r, x_sq, weight, 1e-120) is due


# MultilinearPerceptron ------------------------------------------------------------------------------
EXAMPLES = [(np.array([2.0, 3.0]), 1.0), (np.array([1.0, -1.0]), -1.0)]
"""Phi(x) is (1, 2, 3, 6) and (1, 1, -1, -1)."""
W = np.array([0.0, 1.0, 4.0, 7.0])
"""The sum of a Phi(x) over the examples."""


def test_the_multilinear_update_of_w_itself() -> None:
    w, w_3 = np.zeros(4), np.zeros(4)
    for x, a in EXAMPLES:
        multilinear_perceptron.update_weights(w, w_3, x, a)
    assert w.tolist() == W.tolist()
    assert w_3.tolist() == [0.0, 1.0, 64.0, 343.0]


def test_the_multilinear_update_of_the_expansions_is_that_of_w() -> None:
    w, w_2, w_3 = empty(merges=False), empty(), empty()
    for x, a in EXAMPLES:
        multilinear_perceptron.update_expansions(w, w_2, w_3, x, a)
        add_phi(w, x, a)

    def values(v: ProductExpansion) -> list[float]:
        """v.Phi(x) for x = (0, 0), (1, 0), (0, 1) and (1, 1)."""
        return [dot_phi(v, np.array(x)) for x in ([0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0])]

    for v, power in ((w, 1), (w_2, 2), (w_3, 3)):
        p = W**power
        assert values(v) == [p[0], p[0] + p[1], p[0] + p[2], p.sum()]
    assert [int(v.size[0]) for v in (w, w_2, w_3)] == [2, 3, 4]


def test_only_a_mistake_is_a_multilinear_update() -> None:
    assert multilinear_perceptron.errs(1.0, 0.0, 1.0) and multilinear_perceptron.errs(-1.0, 2.0, 0.5)
    assert not multilinear_perceptron.errs(1.0, 2.0, 1.0) and not multilinear_perceptron.errs(1.0, -2.0, 0.0)
