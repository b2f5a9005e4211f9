"""The compiled updates and scores of both Winnows against numbers computed by hand."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from numba.extending import is_jitted

from driftline.internals.weight_layout import FIRST
from driftline.rules.multiplicative import balanced_winnow, winnow

INDICES = np.array([0, 2], np.uint32)


@pytest.mark.parametrize("module", [winnow, balanced_winnow])
def test_the_rule_file_holds_the_compiled_update_and_score(module: ModuleType) -> None:
    for function in (module.score, module.is_mistake, module.update):
        assert is_jitted(function) and function.__doc__
        assert function.py_func.__module__ == module.__name__


def test_winnow_divides_the_weights_on_a_false_positive() -> None:
    """w = (1, 1, 1, 1), beta = 4, x = (bias 1, 1, -, 1/2), y = -1: w <- (1/4, 1/4, 1, 1/2)."""
    log_w, x = np.zeros(FIRST + 3), np.array([1.0, 0.5])
    assert winnow.score(log_w, INDICES, x, 1.0, 2.0) == pytest.approx(0.5 / 4.5, rel=1e-15)
    winnow.update(log_w, INDICES, x, 1.0, -1.0, 1.0, math.log(4.0))
    assert np.exp(log_w[[0, FIRST, FIRST + 1, FIRST + 2]]) == pytest.approx([0.25, 0.25, 1.0, 0.5], rel=1e-15)
    assert not log_w[1:FIRST].any()
    assert winnow.score(log_w, INDICES, x, 1.0, 2.0) == pytest.approx(-1.25 / 2.75, rel=1e-15)


def test_winnow_multiplies_the_weights_on_a_false_negative() -> None:
    """A sample weight of 2 squares the factor: 4^(2 x_i) for x = (1, 1/2), without a bias."""
    log_w, x = np.zeros(FIRST + 3), np.array([1.0, 0.5])
    winnow.update(log_w, INDICES, x, 0.0, 1.0, 2.0, math.log(4.0))
    assert np.exp(log_w[[0, FIRST, FIRST + 1, FIRST + 2]]) == pytest.approx([1.0, 16.0, 1.0, 4.0], rel=1e-15)
    assert winnow.score(log_w, INDICES, x, 0.0, 2.0) == pytest.approx((18.0 - 2.0) / (18.0 + 2.0), rel=1e-15)


@pytest.mark.parametrize(
    "score, y, mistake", [(0.5, 1.0, False), (0.5, -1.0, True), (0.0, 1.0, False), (0.0, -1.0, True)]
)
def test_a_score_of_zero_predicts_the_label_1(score: float, y: float, mistake: bool) -> None:
    assert winnow.is_mistake(score, y) == mistake


def test_balanced_winnow_adds_the_example_to_z() -> None:
    """eta = ln 2 and z = x = (1, -2): sinh(eta z) = (3/4, -15/8), and the score is asinh(4.5)."""
    z, x, eta = np.zeros(FIRST + 3), np.array([1.0, -2.0]), math.log(2.0)
    assert balanced_winnow.score(z, INDICES, x, 0.0, eta) == 0.0
    balanced_winnow.update(z, INDICES, x, 0.0, 1.0, 1.0)
    assert z[[0, FIRST, FIRST + 1, FIRST + 2]].tolist() == [0.0, 1.0, 0.0, -2.0]
    assert balanced_winnow.score(z, INDICES, x, 0.0, eta) == pytest.approx(math.asinh(4.5), rel=1e-15)
    balanced_winnow.update(z, INDICES, x, 1.0, -1.0, 0.5)
    assert z[[0, FIRST, FIRST + 1, FIRST + 2]].tolist() == [-0.5, 0.5, 0.0, -1.0]
    assert not z[1:FIRST].any()


@pytest.mark.parametrize(
    "score, y, mistake", [(0.5, 1.0, False), (-0.5, 1.0, True), (0.0, 1.0, True), (0.0, -1.0, True)]
)
def test_balanced_winnow_counts_a_tie_as_a_mistake(score: float, y: float, mistake: bool) -> None:
    assert balanced_winnow.is_mistake(score, y) == mistake
