"""The transformer that selects features: its support, its names, games, pipelines and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from driftline.features import agreement, game, information_gain, pair_gain
from driftline.sklearn import GainSelector, PA1Classifier


def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600]


def test_the_largest_gains_are_selected() -> None:
    X, y = digits()
    selector = GainSelector(k=7).fit(X, y)
    gains = information_gain(X, y)
    np.testing.assert_array_equal(selector.gains_, gains)
    chosen = np.sort(np.argsort(-gains, kind="stable")[:7])
    np.testing.assert_array_equal(selector.get_support(indices=True), chosen)
    np.testing.assert_array_equal(selector.transform(X), X[:, chosen])
    np.testing.assert_array_equal(selector.probabilities_, selector.get_support().astype(float))
    sparse = GainSelector(k=7).fit(csr_array(X), y)
    np.testing.assert_array_equal(sparse.get_support(), selector.get_support())
    assert issparse(sparse.transform(csr_array(X)))
    back = selector.inverse_transform(selector.transform(X))
    np.testing.assert_array_equal(back, np.where(selector.get_support(), X, 0.0))


@pytest.mark.parametrize(("by", "reward"), [("pairs", pair_gain), ("agreement", agreement)])
def test_games_are_played_among_the_candidates(by: Any, reward: Any) -> None:
    X, y = digits()
    X = X > 8.0
    selector = GainSelector(k=4, by=by, candidates=20).fit(X, y)
    among = np.argsort(-information_gain(X, y), kind="stable")[:20]
    solved = game(reward(X[:, among], y), 4)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(among[solved.features]))
    np.testing.assert_allclose(selector.probabilities_[among], solved.probabilities)
    assert selector.probabilities_.sum() == pytest.approx(4.0)
    few = GainSelector(k=4, by=by, candidates=1).fit(X, y)  # at least k take part
    np.testing.assert_array_equal(few.get_support(indices=True), np.sort(among[:4]))


def test_names_and_pipelines() -> None:
    X, y = digits()
    frame = pd.DataFrame(X, columns=[f"pixel {k}" for k in range(64)])
    selector = GainSelector(k=3).fit(frame, y)
    expected = frame.columns[selector.get_support()].tolist()
    assert selector.get_feature_names_out().tolist() == expected
    assert selector.set_output(transform="pandas").transform(frame).columns.tolist() == expected
    pipeline = make_pipeline(GainSelector(k=30), PA1Classifier())
    assert clone(pipeline).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.7


def test_all_features_are_selected_if_there_are_fewer() -> None:
    X, y = digits()
    for by in ("gain", "pairs"):
        assert GainSelector(k=99, by=by).fit(X, y).get_support().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "GainSelector: k must be a whole number >= 1, got 0"),
        ({"candidates": 0}, "GainSelector: candidates must be a whole number >= 1, got 0"),
        ({"by": "chance"}, "GainSelector: by must be 'gain' or 'pairs' or 'agreement', got 'chance'"),
        ({"bins": 1}, "information_gain: bins must be a whole number >= 2, got 1"),
    ],
)
def test_what_is_refused_says_why(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        GainSelector(**options).fit(*digits())
    assert str(caught.value) == message
    with pytest.raises(NotFittedError):
        GainSelector().get_support()
    with pytest.raises(ValueError, match="Unknown label type"):
        GainSelector().fit(np.eye(3), [0.5, 1.5, 2.25])
