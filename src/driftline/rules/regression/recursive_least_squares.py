"""Recursive least squares: ridge regression on all examples so far, of which old ones count less.

    w = argmin_v sum_s forgetting^(t - s) c_s (y_s - v.x_s)^2 + forgetting^t a |v|^2

    P <- P / forgetting,   P = I / a at the start
    h = P x,  v = x.h,   w <- w + (y - w.x) / (v + 1 / c) h,   P <- P - h h^T / (v + 1 / c)

c is the sample weight. The rule remembers about 1 / (1 - forgetting) examples.
Haykin. Adaptive filter theory. Prentice Hall (2002), chapter 9. Without forgetting it is the ridge
regression forecaster: Vovk. Competitive on-line statistics. International Statistical Review 69
(2001); Cesa-Bianchi, Lugosi. Prediction, Learning, and Games (2006), section 11.7.
Differs from the paper: the entries of D in P = U D U^T never exceed 1 / a, so the regulariser is not
forgotten in directions that are not observed. In the paper P grows without limit there. Without
forgetting the rules are the same. With ``diagonal=True``, only the features of the example are
forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from driftline.internals.compiled import Floats, inlined
from driftline.internals.require import number, require
from driftline.rules.regression.second_order_regression import SecondOrderRegression
from driftline.rules.second_order.second_order_rule import moderate


@inlined
def forget(D: Floats, end: int, prior: float, forgetting: float) -> None:
    """P <- P / forgetting, where D is below the prior."""
    for k in range(end):
        if D[k] != 0.0:
            D[k] = min(prior, D[k] / forgetting)


@inlined
def forget_one(p: float, x: float, prior: float, forgetting: float) -> float:
    """Return p_i / forgetting, at most the prior; p_i if x_i = 0. For the diagonal of P."""
    return p if x == 0.0 or p == 0.0 else min(prior, p / forgetting)


@dataclass(frozen=True)
class RecursiveLeastSquares(SecondOrderRegression):
    """``forgetting`` > 0.5 and <= 1; ``a`` from 1e-60 to 1e100, the weight of |w|^2.

    See ``SecondOrder`` for ``diagonal`` and ``most``.
    """

    forgetting: float = 0.99
    a: float = 1.0
    diagonal: bool = False
    most: int = 4096
    bounds: ClassVar[tuple[str, ...]] = ("least-squares",)
    paper: ClassVar[str] = "Haykin 2002; Vovk 2001"

    def check(self) -> None:
        """0.5 < forgetting <= 1, a from 1e-60 to 1e100."""
        where = "RecursiveLeastSquares"
        inside = 0.5 < number(where, "forgetting", self.forgetting) <= 1.0
        require(inside, where, "forgetting must be > 0.5 and <= 1", self.forgetting)
        moderate(where, "a", self.a)
        super().check()

    def params(self) -> tuple[float, ...]:
        """The initial diagonal of P, the noise of an example, forgetting, drift."""
        return 1.0 / float(self.a), 1.0, float(self.forgetting), 0.0
