"""The game: compared with brute force, with its dual as a second programme, and its duality gap."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from driftline.features import game, information_gain, pair_gain


def worst(M: np.ndarray, u: np.ndarray, replies: int) -> float:
    """What u earns against the environment's best reply."""
    earned = u @ M
    return min(sum(earned[list(reply)]) for reply in combinations(range(M.shape[1]), replies))


def value_by_the_environment(M: np.ndarray, k: int, replies: int) -> float:
    """min_v max_u u.Mv as a linear programme over (v, z, s), by another method of the solver."""
    n, m = M.shape
    cost = np.r_[np.zeros(m), float(k), np.ones(n)]
    rows = np.hstack([M, -np.ones((n, 1)), -np.eye(n)])
    bounds = [(0.0, 1.0)] * m + [(None, None)] + [(0.0, None)] * n
    total = np.r_[np.ones(m), np.zeros(n + 1)][None, :]
    found = linprog(cost, rows, np.zeros(n), total, [float(replies)], bounds, method="highs-ipm")
    assert found.status == 0
    return float(found.fun)


def value_by_vertices(M: np.ndarray, k: int, replies: int) -> float:
    """max_u min_v with one constraint for each set of columns that the environment can choose."""
    n, m = M.shape
    sums = np.array([M[:, list(reply)].sum(axis=1) for reply in combinations(range(m), replies)])
    rows = np.hstack([-sums, np.ones((len(sums), 1))])
    total = np.r_[np.ones(n), 0.0][None, :]
    cost = np.r_[np.zeros(n), -1.0]
    bounds = [(0.0, 1.0)] * n + [(None, None)]
    return -float(linprog(cost, rows, np.zeros(len(sums)), total, [float(k)], bounds).fun)


@pytest.mark.parametrize("seed", range(30))
def test_the_value_is_that_of_two_other_programmes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 7, 2)
    k, replies = int(rng.integers(1, n + 1)), int(rng.integers(1, m + 1))
    M = rng.normal(size=(n, m)) * 10.0 ** rng.integers(-1, 2)
    solved = game(M, k, replies=replies)
    size = np.abs(M).max() * k * replies
    assert solved.value == pytest.approx(worst(M, solved.probabilities, replies), abs=1e-9 * size)
    assert solved.value == pytest.approx(value_by_the_environment(M, k, replies), abs=1e-6 * size)
    assert solved.value == pytest.approx(value_by_vertices(M, k, replies), abs=1e-6 * size)
    assert abs(solved.gap) <= 1e-6 * size
    best = max(sum((M @ solved.replies)[list(some)]) for some in combinations(range(n), k))
    assert best == pytest.approx(solved.value + solved.gap, abs=1e-9 * size)
    assert solved.probabilities.sum() == pytest.approx(k)
    assert solved.replies.sum() == pytest.approx(replies)
    assert len(set(solved.features.tolist())) == k


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_no_strategy_of_a_grid_earns_more(seed: int, k: int) -> None:
    M = np.random.default_rng(seed).random((3, 3))
    solved = game(M, k)
    steps = np.linspace(0.0, 1.0, 41)
    tried = [np.array([a, b, k - a - b]) for a in steps for b in steps if 0.0 <= k - a - b <= 1.0]
    best = max(worst(M, some, k) for some in tried)
    assert best <= solved.value + 1e-9
    assert best >= solved.value - 0.05  # the grid has gaps


def test_rock_paper_and_scissors() -> None:
    solved = game(np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]), 1)
    assert solved.probabilities == pytest.approx([1 / 3] * 3)
    assert solved.replies == pytest.approx([1 / 3] * 3)
    assert solved.value == pytest.approx(0.5)


def test_the_features_of_the_largest_probabilities_are_chosen() -> None:
    M = np.diag([3.0, 1.0, 2.0, 0.5]) + 1.0
    solved = game(M, 2)
    rounded = np.round(solved.probabilities, 9)
    assert solved.features.tolist() == np.argsort(-rounded, kind="stable")[:2].tolist()
    assert game(np.ones((4, 4)), 4).features.tolist() == [0, 1, 2, 3]


@given(st.floats(1e-250, 1e250))
def test_the_size_of_the_rewards_does_not_matter(size: float) -> None:
    M = np.random.default_rng(1).random((6, 6))
    plain, scaled = game(M, 2), game(M * size, 2)
    assert scaled.value == pytest.approx(plain.value * size, rel=1e-6)
    assert worst(M, scaled.probabilities, 2) == pytest.approx(plain.value, rel=1e-6)


@pytest.mark.parametrize("constant", [1e3, -1e6, 1e9])
def test_a_constant_in_all_rewards_changes_only_the_value(constant: float) -> None:
    rewards = np.array([[3.0, 1.0], [1.0, 2.0]])
    solved = game(rewards + constant, k=1)
    assert solved.probabilities == pytest.approx([1 / 3, 2 / 3])
    assert solved.value - constant == pytest.approx(5 / 3, abs=1e-6)
    assert abs(solved.gap) < 1e-6


def test_an_environment_that_chooses_the_classes_to_tell_apart() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    X = np.stack([y == 0, y == 0, y == 1, rng.random(600) < 0.5], axis=1)
    X[rng.random(X.shape) < 0.1] ^= True
    M = information_gain(X, y, "pairs").T
    solved = game(M, 2, replies=1)
    # the best two by gain are copies that cannot tell 1 from 2
    assert 2 in solved.features
    assert solved.value > game(M[:2], 2, replies=1).value + 0.1


def test_a_pair_of_copies_is_worth_no_more_than_one() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    X = np.stack([y, y, rng.integers(2, size=500)], axis=1)
    M = pair_gain(X, y)
    assert M[0, 1] == M[0, 0]
    assert game(M, 2).value == pytest.approx(4 * M[0, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: game(np.ones(3), 1), "game: rewards must be a table with a row for each feature, got shape (3,)"),
        (
            lambda: game(np.ones((0, 3)), 1),
            "game: rewards must be a table with a row for each feature, got shape (0, 3)",
        ),
        (lambda: game([[1.0, np.nan]], 1), "game: rewards must be finite, got nan in row 0, column 1"),
        (lambda: game([["a"]], 1), "game: an array must hold numbers, got dtype <U1"),
        (lambda: game(np.ones((3, 3)), 0), "game: k must be a whole number from 1 to 3, got 0"),
        (lambda: game(np.ones((3, 3)), 4), "game: k must be a whole number from 1 to 3, got 4"),
        (lambda: game(np.ones((3, 2)), 3), "game: k must be at most 2, the number of columns, got 3. Pass replies=1"),
        (lambda: game(np.ones((3, 2)), 3, replies=0), "game: replies must be a whole number from 1 to 2, got 0"),
    ],
)
def test_what_is_refused_says_why(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message), str(caught.value)
