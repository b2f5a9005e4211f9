"""Driftline learners as scikit-learn classifiers that learn in the order of the rows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.learners import Learner
from driftline.learners.options import Scale
from driftline.sklearn.class_learner import ClassLearner
from driftline.sklearn.former_names import former_name
from driftline.sklearn.linear_weights import LinearClassifier


@dataclass(repr=False, eq=False)
class _OnlineClassifier(LinearClassifier):
    """Base class of the online classifiers of ``driftline.sklearn``.

    Parameters
    ----------
    bias : bool, default=True
        Whether a constant feature is added.
    scale : {"unit", "standard"}, RandomFourier or None, default=None
        None uses rows as they are, as the papers do. "unit" scales each to length 1. "standard"
        divides by the running standard deviation, and centres dense rows. ``RandomFourier(n,
        gamma)`` replaces a row by n random features; the weights are then theirs.
    dtype : {"float64", "float32"}, default="float64"
        Type of the weights.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by which the steps on their rows are multiplied. "balanced", for
        ``fit``, is inverse to their numbers of rows. Weights are divided by the largest of them
        and 1, so that no step is longer than that of the rule. Of more than two classes, each is
        weighted in its own learner only. A weight of an unknown class is an error, unless every
        known class has a weight.
    max_iter : int, default=1
        Number of passes of ``fit`` over the rows, >= 1.
    shuffle : bool, default=False
        Whether each pass, also that of ``partial_fit``, takes the rows in random order.
    random_state : int, RandomState or None, default=None
        Seed or generator of that order.
    """

    learner: ClassVar[type[Learner]]
    """The class of the learner. The fields of a subclass are its parameters."""

    poor_score: ClassVar[bool] = False
    """Whether the default parameters do badly on overlapping classes of long, unscaled rows."""

    _: KW_ONLY
    bias: bool = True
    scale: Scale = None
    dtype: Literal["float64", "float32"] = "float64"
    class_weight: dict[Any, float] | Literal["balanced"] | None = None
    max_iter: int = 1
    shuffle: bool = False
    random_state: Any = None

    @whole_call
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rows of X in ``max_iter`` passes, after a reset.

        Parameters
        ----------
        X : array or sparse matrix of shape (rows, columns)
            The rows.
        y : array of shape (rows,)
            The class of each row.
        sample_weight : array of shape (rows,) or None, default=None
            Weights of the rows, as in ``partial_fit``. A class of ``y`` is known even if all its
            rows have weight 0.

        Returns
        -------
        self
            The classifier.
        """
        self._check()
        with self._columns_kept():
            class_learners, X, y, weights = self._fit_rows(X, y, sample_weight)
            random, starts = self._random(), np.zeros(len(class_learners.classes), np.intp)
            for _ in range(self.max_iter):
                if self.shuffle:
                    order = random.permutation(len(y))
                    each = weights if weights is None else weights[order]
                    self._learn(class_learners, X[order], y[order], each, starts)
                else:
                    self._learn(class_learners, X, y, weights, starts)
        self._reset(class_learners, self.max_iter, 1 + self.max_iter * len(y))
        return self

    def _class_weights(self, classes: np.ndarray, y: np.ndarray) -> Floats | None:
        """The weight of each class, and last that of the rest, divided by the largest.

        None if all are 1.
        """
        each = super()._class_weights(classes, y)
        return each if each is None else each / each.max()

    def _new_learner(self) -> ClassLearner:
        """A new learner of one class against the rest."""
        shared = {field.name for field in fields(_OnlineClassifier)}
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in shared}
        return ClassLearner(self.learner(**own, bias=self.bias, scale=self.scale, dtype=self.dtype, labels=(-1.0, 1.0)))

    def _check(self) -> None:
        """Raise ValueError unless every parameter is valid; the learner checks its parameters."""
        super()._check()
        whole = isinstance(self.max_iter, Integral) and not isinstance(self.max_iter, bool)
        require(
            whole and self.max_iter >= 1, type(self).__name__, "max_iter must be a whole number >= 1", self.max_iter
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.poor_score
        return tags


def __getattr__(name: str) -> Any:
    """The former name of the base class."""
    return former_name(__name__, name, "OnlineClassifier", _OnlineClassifier)
