"""Feature selection by information gain or by a game, as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from driftline.features import agreement, game, information_gain, pair_gain
from driftline.internals.require import one_of, whole
from driftline.sklearn.estimator import FINITE, validate_data

GAIN = "gain"
REWARDS = {"pairs": pair_gain, "agreement": agreement}


@dataclass(repr=False, eq=False)
class GainSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select features by information gain, or by a game over pairs of features.

    Parameters
    ----------
    k : int, default=10
        Number of features to select, >= 1. All are selected if there are fewer.
    by : {"gain", "pairs", "agreement"}, default="gain"
        "gain" selects the features with the largest information gain. "pairs" and "agreement" play
        the game of Shen and Dietterich against an environment that also chooses k features. The
        reward is the information gain of a pair of features, or the probability that predictions
        from the two features agree.
    bins : int or None, default=16
        Largest number of values of a feature that are counted one by one; see
        ``driftline.features.information_gain``.
    candidates : int, default=256
        Number of features with the largest information gain that take part in a game, >= 1. At
        least k take part. The memory of a game grows with the square of this number.

    Attributes
    ----------
    gains_ : array of shape (n_features_in_,)
        The information gain of each feature in bits.
    probabilities_ : array of shape (n_features_in_,)
        The probability with which the game chooses each feature; 0 or 1 for "gain".
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the features, if ``fit`` got a frame with names.

    Examples
    --------
    >>> X, y = [[0, 1, 5], [1, 1, 2], [0, 0, 5], [1, 0, 2]], [0, 1, 0, 1]
    >>> GainSelector(k=2).fit(X, y).get_support().tolist()
    [True, False, True]
    """

    k: int = 10
    by: Literal["gain", "pairs", "agreement"] = "gain"
    bins: int | None = 16
    candidates: int = 256

    def fit(self, X: Any, y: Any) -> Self:
        """Select features.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, features)
            The rows. NaN counts as a value by itself.
        y : array of shape (rows,)
            Their classes.

        Returns
        -------
        self
            The transformer.
        """
        where = type(self).__name__
        whole(where, "k", self.k, 1)
        whole(where, "candidates", self.candidates, 1)
        one_of(where, "by", self.by, (GAIN, *REWARDS))
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=None, **{FINITE: "allow-nan"})
        check_classification_targets(y)
        gains = information_gain(X, y, bins=self.bins)
        ranked = np.argsort(-gains, kind="stable")
        k = min(self.k, len(gains))
        probabilities = np.zeros(len(gains))
        if self.by == GAIN or k == len(gains):
            chosen = ranked[:k]
            probabilities[chosen] = 1.0
        else:
            among = ranked[: max(k, self.candidates)]
            solved = game(REWARDS[self.by](X[:, among], y, bins=self.bins), k)
            chosen = among[solved.features]
            probabilities[among] = solved.probabilities
        self.gains_, self.probabilities_ = gains, probabilities
        self._support = np.zeros(len(gains), bool)
        self._support[chosen] = True
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self._support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
