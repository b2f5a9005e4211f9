"""The lazily scaled update agrees with w <- shrink w + tau c y x, written out for all weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftline import rules
from driftline.rules.linear import two_numbers
from driftline.rules.linear.step_table import step
from driftline.rules.rule import Rule

SMALLEST = 1e-3
RULES: list[Rule] = [
    rules.PA1(C=0.3),
    rules.NORMA(alpha=0.5, lam=0.4),
    rules.ShrunkPA(alpha=2.0, when="margin"),
    rules.ALMA(alpha=1.0, B=0.5),
    rules.ProjectionPerceptron(eta=50.0, radius=1e-3),
    rules.L2PA(beta=2.0, when="margin"),
    rules.ROMMA(when="margin"),
]


def params_of(rule: Rule) -> tuple[float, ...]:
    return (*rule.params(), 0.0, 0.0, 0.0, 0.0)[:4]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: type(rule).__name__)
def test_the_lazy_update_is_the_update_of_all_weights(rule: Rule) -> None:
    rng = np.random.default_rng(5)
    u = rng.normal(size=6)
    params = params_of(rule)
    w, v = np.zeros(6), np.zeros(6)
    scale, w_sq, k, rescaled = 1.0, 0.0, 0.0, 0
    for _ in range(200):
        x = rng.normal(size=6)
        y, c = float(np.sign(u @ x)), float(rng.choice([0.0, 0.5, 1.0]))
        m, x_sq = y * float(w @ x), float(x @ x)
        if c > 0.0:  # the rule written out
            shrink, tau = step(rule.code, m, x_sq, float(w @ w), k, params)
            w = shrink * w + tau * c * y * x
            if tau != 0.0 and rule.tracks_norm:
                w *= min(1.0, rule.ball / np.linalg.norm(w))
        m = y * scale * float(v @ x)
        shrink, tau, factor, scale, w_sq, rescale = two_numbers.answer(
            rule.code, params, y, c, m, x_sq, w_sq, k, scale, SMALLEST
        )
        v *= rescale
        if tau != 0.0:
            k += 1.0
            v += factor * x
            if rule.tracks_norm:
                w_sq = two_numbers.longer(w_sq, m, x_sq, shrink, tau * c)
                assert math.isclose(w_sq, scale * scale * float(v @ v), rel_tol=1e-6, abs_tol=1e-12)
                scale, w_sq, again = two_numbers.into_ball(scale, w_sq, rule.ball, SMALLEST)
                v *= again
                rescaled += again != 1.0
        rescaled += rescale != 1.0
        assert SMALLEST <= scale <= 1.0 / SMALLEST
        assert np.abs(scale * v - w).max() <= 1e-6 * max(1e-3, np.abs(w).max())
    assert k > 0.0
    assert rescaled > 0 or isinstance(rule, rules.PA1 | rules.L2PA | rules.ROMMA | rules.ALMA)


def test_a_sample_weight_of_zero_changes_nothing() -> None:
    rule = rules.NORMA(alpha=0.5, lam=0.4)
    got = two_numbers.answer(rule.code, params_of(rule), 1.0, 0.0, -1.0, 1.0, 4.0, 3.0, 0.5, SMALLEST)
    assert got == (1.0, 0.0, 0.0, 0.5, 4.0, 1.0)


def test_an_example_of_length_zero_shrinks_and_does_not_move() -> None:
    rule = rules.NORMA(alpha=0.5, lam=0.4)
    shrink, tau, factor, scale, w_sq, rescale = two_numbers.answer(
        rule.code, params_of(rule), 1.0, 1.0, 0.0, 0.0, 4.0, 3.0, 0.5, SMALLEST
    )
    assert (shrink, tau, factor, scale, rescale) == (0.8, 0.0, 0.0, 0.4, 1.0)
    assert math.isclose(w_sq, 0.64 * 4.0)


@pytest.mark.parametrize(("w_sq", "peak", "since", "due"), [(1.0, 1.0, 512.0, 512.0), (0.9e-3, 1.0, 1.0, 512.0)])
def test_the_norm_is_computed_again_when_due_or_cancelled(w_sq: float, peak: float, since: float, due: float) -> None:
    assert two_numbers.stale(w_sq, peak, since, due)
    assert not two_numbers.stale(peak, peak, due - 1.0, due)


@pytest.mark.parametrize("length", [0.5, 3.0])
def test_weights_that_are_not_scaled_move_and_stay_in_the_ball(length: float) -> None:
    w, a = np.array([1.0, 0.0, -1.0]), np.array([0.0, 2.0, 1.0])
    expected = 0.5 * w + 0.25 * a
    expected *= min(1.0, length / float(np.linalg.norm(expected)))
    two_numbers.move(w, a, 0.5, 0.25, length)
    assert np.allclose(w, expected, rtol=1e-15)
