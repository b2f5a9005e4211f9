"""Driftline learners as scikit-learn regressors that learn in the order of the rows."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from driftline.encode import Targets
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.sklearn.estimator import checked_fit
from driftline.sklearn.linear_learner import LinearLearner
from driftline.sklearn.linear_weights import LinearEstimator
from driftline.sklearn.online_estimator import _OnlineEstimator


@dataclass(repr=False, eq=False)
class _OnlineRegressor(_OnlineEstimator, RegressorMixin, LinearEstimator):  # type: ignore[misc]
    """Base class of the online regressors of ``driftline.sklearn``: one linear learner."""

    # learning ----------------------------------------------------------------------------------
    @whole_call
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of X in ``max_iter`` passes, after a reset.

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
        self._check()
        with self._columns_kept():
            X, y, weights = self._used_in_fit(*self._rows(X, y, True), sample_weight)
            learner = self._new_learner()
            for rows, targets, each in self._in_passes(X, y, weights, self.max_iter):
                learner.learn(rows, targets, each)
        self._keep(learner, self.max_iter, 1 + self.max_iter * len(y))
        self._sparse_coef = False
        return self

    @whole_call
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more rows, in order unless ``shuffle`` is set.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The target of each row: finite numbers.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, which multiply the steps of the rule. This is not the same as
            learning a row several times. A row of weight 0 is left out.

        Returns
        -------
        self
            The regressor.
        """
        self._check()
        before = self._known()
        with self._columns_kept():
            X, y = self._rows(X, y, not hasattr(self, "n_features_in_"))
            X, y, weights = self._used(X, y, sample_weight)
            if not len(y):
                where = type(self).__name__
                require(before is not None, where, "the first block must have rows of weight > 0", sample_weight)
                return self
            learner = self._started(X.shape[1]) if before is None else before
            learner.learn(*next(self._in_passes(X, y, weights, 1)))
        self._keep(learner, 1, getattr(self, "t_", 1) + len(y))
        return self

    def _rows(self, X: Any, y: Any, reset: bool) -> tuple[Any, np.ndarray]:
        """X as a dense array or CSR matrix of float64, and y as float64."""
        X, y = super()._rows(X, y, reset)
        return X, Targets(type(self).__name__).sign_many(y)

    def _new_learner(self) -> LinearLearner:
        """A new learner."""
        return LinearLearner(self.learner(**self._learner_parameters()))

    def _keep(self, learner: LinearLearner, passes: int, t: int) -> None:
        """Store the learner after ``passes`` passes; t is the next round, counted from 1.

        Weights that were set before are now learned or discarded.
        """
        self._linear_learner = learner
        self._given_coef = self._given_intercept = None
        self.n_iter_ = passes
        self.t_ = t

    # prediction --------------------------------------------------------------------------------
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
        learner = self._known()
        assert learner is not None
        return learner.score(X)

    # weights -----------------------------------------------------------------------------------
    def __sklearn_is_fitted__(self) -> bool:
        return self._is_learned() or self._given_coef is not None

    def _is_learned(self) -> bool:
        return hasattr(self, "_linear_learner")

    def _known(self) -> LinearLearner | None:
        """The learner, with the weights that were set; None if the regressor is not fitted."""
        if self._given_coef is None and (self._given_intercept is None or not self._is_learned()):
            return getattr(self, "_linear_learner", None)
        if self._is_learned():
            learner = deepcopy(self._linear_learner)
            learner.set_weights(self._coef()[0], float(self._intercept()[0]))
        else:
            learner = self._started(self._coef().shape[1])
        self._linear_learner = learner
        self._given_coef = self._given_intercept = None
        return learner

    def _started(self, columns: int) -> LinearLearner:
        """A new learner with the weights that were set."""
        learner = self._new_learner()
        given = self._first_weights(1, columns, "coef_", self._given_coef, "intercept_", self._given_intercept)
        if given is not None:
            coef, intercept = given
            learner.set_weights(coef[0], float(intercept[0]))
        return learner

    def _learned_coef(self) -> Floats:
        checked_fit(self)
        return self._linear_learner.weights()[0][None, :]

    def _learned_intercept(self) -> Floats:
        checked_fit(self)
        return np.array([self._linear_learner.weights()[1]])

    def _shown(self, coef: Floats) -> Floats:
        """The weights in the shape of ``coef_``: one for each column."""
        weights: Floats = coef[0]
        return weights
