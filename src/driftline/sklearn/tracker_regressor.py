"""The TrackerRegressor as a scikit-learn regressor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from driftline import learners
from driftline.encode import Targets
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.sklearn.estimator import SklearnEstimator, checked_fit


@dataclass(repr=False, eq=False)
class TrackerRegressor(RegressorMixin, SklearnEstimator):  # type: ignore[misc]
    """Nothing to tune, under any drift: a weighted mean of some thirty regressors.

    NaN is a missing value. A value that is absent from a sparse row is also missing if its column
    had values in most rows; otherwise it is 0. Rows are learned in their order, once. A sample
    weight multiplies the loss of its row. The learner is ``driftline.TrackerRegressor``.
    """

    takes_missing: ClassVar[bool] = True
    shuffle = False

    @whole_call
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of X in order, after a reset.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The target of each row: finite numbers.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, as in ``partial_fit``.

        Returns
        -------
        self
            The regressor.
        """
        with self._columns_kept():
            X, y, weights = self._used_in_fit(*self._rows(X, y, True), sample_weight)
            learner = learners.TrackerRegressor()
            learner.learn_many(X, y, weights)
        self._keep(learner, 1 + len(y))
        return self

    @whole_call
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more rows in order.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The target of each row: finite numbers.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, which multiply their losses. A row of weight 0 is left out.

        Returns
        -------
        self
            The regressor.
        """
        before = getattr(self, "_learner", None)
        with self._columns_kept():
            X, y, weights = self._used(*self._rows(X, y, not hasattr(self, "n_features_in_")), sample_weight)
            if not len(y):
                where = type(self).__name__
                require(before is not None, where, "the first block must have rows of weight > 0", sample_weight)
                return self
            learner = learners.TrackerRegressor() if before is None else before
            learner.learn_many(X, y, weights)
        self._keep(learner, getattr(self, "t_", 1) + len(y))
        return self

    def _rows(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        """X as a dense array or CSR matrix of float64, and y as float64."""
        X, y = super()._rows(X, y, reset)
        return X, Targets(type(self).__name__).sign_many(y)

    def _keep(self, learner: learners.TrackerRegressor, t: int) -> None:
        """Store the learner; t is the next round, counted from 1."""
        self._learner, self.n_iter_, self.t_ = learner, 1, t

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner")

    @whole_call
    def predict(self, X: Any) -> Floats:
        """Predict the target of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The predictions.
        """
        X = checked_fit(self, X)
        return self._learner.score_many(X)

    @whole_call
    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """An interval for the target of each row; see ``driftline.TrackerRegressor``.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        coverage : float, default=0.9
            The share of targets that the intervals contain, from 0.5 to 0.99.

        Returns
        -------
        numpy.ndarray of shape (rows, 2)
            Both ends of each interval.
        """
        X = checked_fit(self, X)
        return self._learner.predict_interval_many(X, coverage)
