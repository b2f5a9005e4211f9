"""``coef_`` and ``intercept_`` of linear classifiers, which can be read and set."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.sklearn.classifier import SklearnClassifier, checked_fit
from driftline.sklearn.one_vs_rest import ClassLearners


class LinearClassifier(SklearnClassifier):
    """A classifier with a weight for each column.

    ``coef_`` and ``intercept_`` may be set. The learners take them over in the next call, so that
    both can be set before they are checked together.
    """

    _given_coef: Floats | None = None
    _given_intercept: Floats | None = None
    _sparse_coef: bool = False

    @property
    @whole_call
    def coef_(self) -> Any:
        """The weights of the columns, with a row for each score; a read-only copy.

        They apply to rows after the scaling by ``scale``. Weights that are set are those of the
        next call: prediction uses them and ``partial_fit`` starts from them. They may also be set
        before the first call, together with ``classes_`` if it predicts.
        """
        coef = self._coef()
        return csr_matrix(coef) if self._sparse_coef else _read_only(coef)

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
            The classifier.
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
            The classifier.
        """
        checked_fit(self)
        self._sparse_coef = False
        return self

    # given weights ----------------------------------------------------------------------------
    def __sklearn_is_fitted__(self) -> bool:
        return self._is_learned() or (self._given_coef is not None and hasattr(self, "classes_"))

    def _is_learned(self) -> bool:
        return hasattr(self, "_class_learners")

    def _known(self) -> ClassLearners | None:
        """The learners, with the weights that were set; None if the classifier is not fitted."""
        if self._given_coef is None and self._given_intercept is None:
            return super()._known()
        if self._is_learned():
            class_learners = deepcopy(self._class_learners)
            self._give(class_learners, self._coef(), self._intercept())
        elif self._given_coef is not None and hasattr(self, "classes_"):
            given = np.asarray(self.classes_)
            class_learners = self._new_class_learners(given)
            same = np.array_equal(class_learners.classes, given)
            require(same, type(self).__name__, "classes_ must be sorted, without repetitions", given.tolist())
            self._start(class_learners, self._given_coef.shape[1])
            self.classes_ = class_learners.classes
        else:
            return None
        self._class_learners = class_learners
        self._given_coef = self._given_intercept = None
        return class_learners

    def _start(self, class_learners: ClassLearners, columns: int) -> None:
        """Give the weights that were set to new learners."""
        self._give_first(class_learners, columns, "coef_", self._given_coef, "intercept_", self._given_intercept)

    def _give_first(
        self,
        class_learners: ClassLearners,
        columns: int,
        coef_name: str,
        coef: Any,
        intercept_name: str,
        intercept: Any,
    ) -> None:
        """Give initial weights to new learners, unless there are none."""
        if coef is None and intercept is None:
            return
        where = type(self).__name__
        size = self._scores(class_learners)
        given = np.zeros((size, columns)) if coef is None else np.atleast_2d(self._checked(coef_name, coef))
        bias = np.zeros(size) if intercept is None else np.atleast_1d(self._checked(intercept_name, intercept))
        require(given.shape == (size, columns), where, f"{coef_name} must have shape {(size, columns)}", given.shape)
        require(bias.shape == (size,), where, f"{intercept_name} must have shape {(size,)}", bias.shape)
        self._give(class_learners, given, bias)

    def _keep(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners; weights that were set before are now learned or discarded."""
        super()._keep(class_learners, passes, t)
        self._given_coef = self._given_intercept = None

    def _reset(self, class_learners: ClassLearners, passes: int, t: int) -> None:
        """Store the learners of ``fit``; ``coef_`` is an array again."""
        super()._reset(class_learners, passes, t)
        self._sparse_coef = False

    def _checked(self, name: str, weights: Any) -> Floats:
        """A copy of the weights; they must be finite numbers."""
        try:
            given = np.array(weights, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{type(self).__name__}: {name} must be an array of numbers, got {weights!r}") from None
        require(bool(np.isfinite(given).all()), type(self).__name__, f"{name} must be finite", weights)
        return given

    # weights ----------------------------------------------------------------------------------
    def _coef(self) -> Floats:
        return self._learned_coef() if self._given_coef is None else self._given_coef

    def _intercept(self) -> Floats:
        if self._given_intercept is not None:
            return self._given_intercept
        if self._given_coef is not None and not self._is_learned():
            return np.zeros(len(self._given_coef))
        return self._learned_intercept()

    def _scores(self, class_learners: ClassLearners) -> int:
        """The number of scores."""
        return len(class_learners.learners)

    def _give(self, class_learners: ClassLearners, coef: Floats, intercept: Floats) -> None:
        """Set the weights of the learners."""
        for class_learner, row, constant in zip(class_learners.learners, coef, intercept, strict=True):
            class_learner.set_weights(row, float(constant))

    def _learned_coef(self) -> Floats:
        checked_fit(self)
        return np.stack([class_learner.weights()[0] for class_learner in self._class_learners.learners])

    def _learned_intercept(self) -> Floats:
        checked_fit(self)
        return np.array([class_learner.weights()[1] for class_learner in self._class_learners.learners])


OTHER = "Set weights of another shape on a new classifier"


def _read_only(weights: Floats) -> Floats:
    """A copy that raises an error if a user writes to it: the learners would not see the change."""
    weights = weights.copy()
    weights.flags.writeable = False
    return weights
