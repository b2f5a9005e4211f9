"""Second-order learners of real targets: weights, and a matrix P of their uncertainty."""

from __future__ import annotations

from typing import Unpack

from driftline import rules
from driftline.learners.options import Options
from driftline.learners.second_order import SecondOrder


class RecursiveLeastSquares(SecondOrder):
    """Ridge regression on all examples so far, of which old ones count less.

    Use it for up to a few thousand features, which may be correlated. The update and its paper are
    in ``driftline.rules.regression.recursive_least_squares``.

    Parameters
    ----------
    forgetting : float, default=0.99
        The weight of an example falls by this factor with each later example, > 0.5 and <= 1. The
        learner remembers about 1 / (1 - forgetting) examples; 1 never forgets.
    a : float, default=1.0
        Regularisation, from 1e-60 to 1e100: the weight of |w|^2.
    diagonal : bool, default=False
        Whether to keep only the diagonal of the matrix between features. Time and memory per
        example are then those of a linear learner. Use it for sparse examples of many features.
    most : int, default=4096
        Largest number of features without ``diagonal``, >= 1. More are refused with a ValueError.
    **options
        ``bias``, ``scale`` and ``hashing``, as in ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = RecursiveLeastSquares(forgetting=1.0, a=1.0, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, 3.0)
    >>> learner.predict_one({"a": 1.0})
    1.5
    """

    def __init__(
        self,
        forgetting: float = 0.99,
        a: float = 1.0,
        *,
        diagonal: bool = False,
        most: int = 4096,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.RecursiveLeastSquares(forgetting, a, diagonal, most), **options)


class AROWRegressor(SecondOrder):
    """Least squares with uncertain weights: a Kalman filter for a target that drifts.

    It is the usual first choice among the regressors. Set ``scale="standard"`` if the features
    have different units. The update and its paper are in
    ``driftline.rules.regression.arow_regressor``.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation, from 1e-60 to 1e100. The larger it is, the less one example counts.
    drift : float, default=0.003
        The variance that each example adds to the weights in its direction, from 0 to 1e6. The
        larger it is, the faster old examples are forgotten; 0 never forgets.
    diagonal : bool, default=False
        Whether to keep only the diagonal of the matrix between features. Time and memory per
        example are then those of a linear learner. Use it for sparse examples of many features.
    most : int, default=4096
        Largest number of features without ``diagonal``, >= 1. More are refused with a ValueError.
    **options
        ``bias``, ``scale`` and ``hashing``, as in ``driftline.Learner``. Weights are float64.

    Examples
    --------
    >>> learner = AROWRegressor(r=0.5, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, 3.0)
    >>> learner.predict_one({"a": 1.0})
    2.0
    """

    def __init__(
        self,
        r: float = 1.0,
        drift: float = 0.003,
        *,
        diagonal: bool = False,
        most: int = 4096,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.AROWRegressor(r, drift, diagonal, most), **options)
