"""What the second-order regressors share: least squares with a matrix P of variances.

    P <- P / forgetting                                    ``recursive_least_squares``
    h = P x,  v = x.h,  noise = r / c
    w <- w + (y - w.x) / (v + noise) h,    P <- P - h h^T / (v + noise)
    P <- P + drift x x^T / |x|^2                           ``arow_regressor``

c is the sample weight. P = U D U^T is kept in factors (``internals.numeric.triangular``). With
``diagonal=True`` the diagonal of P is kept.
"""

from __future__ import annotations

from typing import ClassVar

from driftline.rules.second_order.second_order_rule import SecondOrder


class SecondOrderRegression(SecondOrder):
    """A second-order rule that learns real targets; its ``params`` are prior, r, forgetting, drift."""

    regresses: ClassVar[bool] = True
    engine: ClassVar[str] = "regression.least_squares:engine_of"
    place: ClassVar[int] = -1
