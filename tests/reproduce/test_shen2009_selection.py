"""The experiment of Shen and Dietterich: feature selection."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.features import game, pair_gain
from driftline.reproduce.shen2009 import feature_selection
from driftline.reproduce.shen2009.grids import POLICIES
from tests.support.shen2009 import digits
from tests.support.slow_gain import slow_gain


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
            expected = by_gain.order()[game(pair_gain(on[: t + 1][:, by_gain.order()], y[: t + 1]), 4).features]
            np.testing.assert_array_equal(by_game.best(4), expected)
    assert 0.0 < by_game.alike(4) <= 1.0
