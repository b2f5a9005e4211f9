"""The parameters that the online classifiers and regressors share."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from numbers import Integral
from typing import Any, ClassVar, Literal

from driftline.internals.require import require
from driftline.learners import Learner
from driftline.learners.options import Scale
from driftline.sklearn.estimator import SklearnEstimator

NOT_OF_THE_LEARNER = ("class_weight", "max_iter", "shuffle", "random_state")


@dataclass(repr=False, eq=False)
class _OnlineEstimator(SklearnEstimator):
    """Base class of the online estimators of ``driftline.sklearn``.

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
    max_iter : int, default=1
        Number of passes of ``fit`` over the rows, >= 1.
    shuffle : bool, default=False
        Whether each pass, also that of ``partial_fit``, takes the rows in random order.
    random_state : int, RandomState or None, default=None
        Seed or generator of that order.
    """

    learner: ClassVar[type[Learner]]
    """The class of the learner. The fields of a subclass are its parameters."""

    _: KW_ONLY
    bias: bool = True
    scale: Scale = None
    dtype: Literal["float64", "float32"] = "float64"
    max_iter: int = 1
    shuffle: bool = False
    random_state: Any = None

    def _learner_parameters(self) -> dict[str, Any]:
        """The parameters that are passed to the learner."""
        names = [field.name for field in fields(self) if field.name not in NOT_OF_THE_LEARNER]
        return {name: getattr(self, name) for name in names}

    def _check(self) -> None:
        """Raise ValueError unless every parameter is valid; the learner checks its parameters."""
        super()._check()
        whole = isinstance(self.max_iter, Integral) and not isinstance(self.max_iter, bool)
        require(
            whole and self.max_iter >= 1, type(self).__name__, "max_iter must be a whole number >= 1", self.max_iter
        )
