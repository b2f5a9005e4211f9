"""The experiment of Shen and Dietterich: information gain, the game, and feature selection."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.reproduce.shen2009 import feature_selection, information_gain
from driftline.reproduce.shen2009.game import choose_features, strategy
from driftline.reproduce.shen2009.grids import POLICIES
from tests.support.shen2009 import digits


# information gain and the game ---------------------------------------------------------------------------------
def slow_gain(cells: list[int], labels: list[bool]) -> float:
    """H(Y) - H(Y | cell), counted example by example."""

    def entropy(some: list[bool]) -> float:
        shares = [sum(one == label for one in some) / len(some) for label in (True, False)]
        return -sum(share * math.log2(share) for share in shares if share > 0)

    rest = sum(
        cells.count(cell) / len(cells) * entropy([label for c, label in zip(cells, labels, strict=True) if c == cell])
        for cell in set(cells)
    )
    return entropy(labels) - rest


TABLES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
    )
)


@given(TABLES)
def test_gain_is_what_a_slow_count_finds(table: tuple[list[tuple[bool, bool, bool]], list[bool]]) -> None:
    on, labels = np.array(table[0]), table[1]
    y = np.where(labels, 1.0, -1.0)
    found = information_gain.of_features(
        on[y > 0].sum(axis=0), on[y < 0].sum(axis=0), float(sum(labels)), float((y < 0).sum())
    )
    pairs = information_gain.of_pairs(on, y)
    for i, j in product(range(3), repeat=2):
        cells = [2 * int(a) + int(b) for a, b in zip(on[:, i], on[:, j], strict=True)]
        assert pairs[i, j] == pytest.approx(slow_gain(cells, labels), abs=1e-12)
        assert pairs[i, j] >= max(found[i], found[j]) - 1e-12
    for i in range(3):
        assert found[i] == pytest.approx(slow_gain(on[:, i].astype(int).tolist(), labels), abs=1e-12)
        assert pairs[i, i] == pytest.approx(found[i], abs=1e-12)


def worst(M: np.ndarray, u: np.ndarray, k: int) -> float:
    """What u earns against the environment's best k features."""
    earned = u @ M
    return min(sum(earned[list(reply)]) for reply in combinations(range(len(M)), k))


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_game_is_solved_as_by_brute_force(seed: int, k: int) -> None:
    M = np.random.default_rng(seed).random((3, 3))
    u, value = strategy(M, k)
    assert ((u >= -1e-9) & (u <= 1 + 1e-9)).all()
    assert u.sum() == pytest.approx(k)
    assert worst(M, u, k) == pytest.approx(value)
    steps = np.linspace(0.0, 1.0, 41)
    tried = [np.array([a, b, k - a - b]) for a in steps for b in steps if 0.0 <= k - a - b <= 1.0]
    best = max(worst(M, some, k) for some in tried)
    assert best <= value + 1e-9
    assert best >= value - 0.05  # the table of what was tried has gaps


def test_the_game_of_rock_paper_and_scissors() -> None:
    u, value = strategy(np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]), 1)
    assert u == pytest.approx([1 / 3] * 3)
    assert value == pytest.approx(0.5)


def test_the_features_of_the_largest_share_are_chosen() -> None:
    M = np.diag([3.0, 1.0, 2.0, 0.5]) + 1.0
    u, _ = strategy(M, 2)
    assert set(choose_features(M, 2)) == set(np.argsort(-np.round(u, 9), kind="stable")[:2])
    assert choose_features(np.ones((4, 4)), 4).tolist() == [0, 1, 2, 3]


# selection -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("when", POLICIES)
def test_with_all_features_selection_is_pa(when: Any) -> None:
    data = digits()
    X, y, _ = data.stream(0, 0)
    wrong = feature_selection.mistakes(X, y, data.on(X), feature_selection.ByGain(64), [64], [when])[when, 64]
    trials = dl.PA(when=when, bias=False).test_then_train(X, y)
    np.testing.assert_array_equal(wrong, trials.mistaken)


class Fixed:
    """Selects the last features and remembers when it was asked."""

    def __init__(self) -> None:
        self.seen = 0
        self.asked: list[int] = []

    def observe(self, t: int, features: np.ndarray, y: float) -> None:
        self.seen = t + 1

    def best(self, k: int) -> np.ndarray:
        self.asked.append(self.seen)
        return np.arange(64 - k, 64)


def test_selection_is_made_before_each_update_and_nothing_else_is_used() -> None:
    data = digits()
    X, y, _ = data.stream(0, 0)
    fixed = Fixed()
    wrong = feature_selection.mistakes(X, y, data.on(X), fixed, [20], ["mistake"])["mistake", 20]
    part = np.where(np.arange(64) >= 44, X, 0.0)
    np.testing.assert_array_equal(wrong, dl.PA(when="mistake", bias=False).test_then_train(part, y).mistaken)
    assert fixed.asked == (np.flatnonzero(wrong) + 1).tolist()  # the example itself has been seen


def test_sparse_and_dense_rows_select_alike() -> None:
    from scipy.sparse import csr_array

    data = digits()
    X, y, _ = data.stream(0, 0)
    dense, sparse = (
        feature_selection.mistakes(some, y, data.on(some), feature_selection.ByGain(64), [4, 16], POLICIES)
        for some in (X, csr_array(X))
    )
    for lane, wrong in dense.items():
        np.testing.assert_array_equal(wrong, sparse[lane])


def test_gain_ranks_by_all_examples_so_far() -> None:
    rng = np.random.default_rng(1)
    on, y = rng.random((60, 6)) < 0.5, rng.choice([-1.0, 1.0], 60)
    selector, rare = feature_selection.ByGain(6), feature_selection.ByGain(6, every=20)
    kept: np.ndarray | None = None
    for t in range(60):
        selector.observe(t, np.flatnonzero(on[t]), y[t])
        rare.observe(t, np.flatnonzero(on[t]), y[t])
        labels = (y[: t + 1] > 0).tolist()
        gains = [slow_gain(on[: t + 1, k].astype(int).tolist(), labels) for k in range(6)]
        order = selector.best(6)
        ranked = np.array(gains)[order]
        assert (np.diff(ranked) <= 1e-12).all()
        if t + 1 < 20 or (t + 1) % 20 == 0:
            kept = order
        assert kept is not None
        np.testing.assert_array_equal(rare.best(6), kept)


def test_the_game_is_played_on_its_schedule() -> None:
    data = digits()
    X, y, _ = data.stream(0, 0)
    on = data.on(X)
    by_game, by_gain = feature_selection.ByGame(on, y, [4]), feature_selection.ByGain(64)
    for t in range(2 * feature_selection.EVERY):
        for selector in (by_game, by_gain):
            selector.observe(t, np.flatnonzero(on[t]), y[t])
        if t + 1 < feature_selection.EVERY:
            np.testing.assert_array_equal(by_game.best(4), by_gain.best(4))
        if (t + 1) % feature_selection.EVERY == 0:
            expected = by_gain.order()[
                choose_features(information_gain.of_pairs(on[: t + 1][:, by_gain.order()], y[: t + 1]), 4)
            ]
            np.testing.assert_array_equal(by_game.best(4), expected)
    assert 0.0 < by_game.alike(4) <= 1.0
