"""``coef_`` and ``intercept_`` of linear estimators, which can be read and set."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.sklearn.estimator import SklearnEstimator, checked_fit

OTHER = "Set weights of another shape on a new estimator"


class LinearEstimator(SklearnEstimator):
    """An estimator with a weight for each column, and one or more scores.

    ``coef_`` and ``intercept_`` may be set. The learners take them over in the next call, so that
    both can be set before they are checked together.
    """

    _given_coef: Floats | None = None
    _given_intercept: Floats | None = None
    _sparse_coef: bool = False

    @property
    @whole_call
    def coef_(self) -> Any:
        """The weights of the columns; a read-only copy.

        A classifier has a row of weights for each score. They apply to rows after the scaling by
        ``scale``. Weights that are set are those of the next call: prediction uses them and
        ``partial_fit`` starts from them. They may also be set before the first call; a classifier
        then needs ``classes_`` as well, if this call predicts.
        """
        coef = self._coef()
        return csr_matrix(coef) if self._sparse_coef else _read_only(self._shown(coef))

    @coef_.setter
    @whole_call
    def coef_(self, coef: Any) -> None:
        sparse = issparse(coef)
        given = np.atleast_2d(self._checked("coef_", coef.toarray() if sparse else coef))
        require(given.ndim == 2, type(self).__name__, "coef_ must have a row for each score", given.shape)
        if self._is_learned():
            due = self._learned_coef().shape
            require(given.shape == due, type(self).__name__, f"coef_ must have shape {due}", given.shape, OTHER)
        self._given_coef, self._sparse_coef = given, sparse

    @property
    @whole_call
    def intercept_(self) -> Floats:
        """The intercept of each score, which comes from the constant feature; a read-only copy.

        It may be set like ``coef_``. Without a constant feature it is 0.
        """
        return _read_only(self._intercept())

    @intercept_.setter
    @whole_call
    def intercept_(self, intercept: Any) -> None:
        given = np.atleast_1d(self._checked("intercept_", intercept))
        require(given.ndim == 1, type(self).__name__, "intercept_ must have one number for each score", given.shape)
        if self._is_learned():
            due = self._learned_intercept().shape
            require(given.shape == due, type(self).__name__, f"intercept_ must have shape {due}", given.shape, OTHER)
        self._given_intercept = given

    @whole_call
    def sparsify(self) -> Self:
        """Show ``coef_`` as a sparse matrix; predictions and learning stay the same.

        Returns
        -------
        self
            The estimator.
        """
        checked_fit(self)
        self._sparse_coef = True
        return self

    @whole_call
    def densify(self) -> Self:
        """Show ``coef_`` as an array again.

        Returns
        -------
        self
            The estimator.
        """
        checked_fit(self)
        self._sparse_coef = False
        return self

    @abstractmethod
    def _is_learned(self) -> bool:
        """Whether there are learners; weights alone may be given."""

    @abstractmethod
    def _learned_coef(self) -> Floats:
        """The weights of the columns, with a row for each score."""

    @abstractmethod
    def _learned_intercept(self) -> Floats:
        """The intercept of each score."""

    def _shown(self, coef: Floats) -> Floats:
        """The weights in the shape of ``coef_``."""
        return coef

    # given weights ----------------------------------------------------------------------------
    def _coef(self) -> Floats:
        return self._learned_coef() if self._given_coef is None else self._given_coef

    def _intercept(self) -> Floats:
        if self._given_intercept is not None:
            return self._given_intercept
        if self._given_coef is not None and not self._is_learned():
            return np.zeros(len(self._given_coef))
        return self._learned_intercept()

    def _first_weights(
        self, size: int, columns: int, coef_name: str, coef: Any, intercept_name: str, intercept: Any
    ) -> tuple[Floats, Floats] | None:
        """The checked initial weights and intercepts of new learners; None if none are given."""
        if coef is None and intercept is None:
            return None
        where = type(self).__name__
        given = np.zeros((size, columns)) if coef is None else np.atleast_2d(self._checked(coef_name, coef))
        bias = np.zeros(size) if intercept is None else np.atleast_1d(self._checked(intercept_name, intercept))
        require(given.shape == (size, columns), where, f"{coef_name} must have shape {(size, columns)}", given.shape)
        require(bias.shape == (size,), where, f"{intercept_name} must have shape {(size,)}", bias.shape)
        return given, bias

    def _checked(self, name: str, weights: Any) -> Floats:
        """A copy of the weights; they must be finite numbers."""
        try:
            given = np.array(weights, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{type(self).__name__}: {name} must be an array of numbers, got {weights!r}") from None
        require(bool(np.isfinite(given).all()), type(self).__name__, f"{name} must be finite", weights)
        return given


def _read_only(weights: Floats) -> Floats:
    """A copy that raises an error if a user writes to it: the learners would not see the change."""
    weights = weights.copy()
    weights.flags.writeable = False
    return weights
