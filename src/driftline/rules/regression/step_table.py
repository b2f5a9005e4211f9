"""The table of two-number rules that learn real targets: their list, and one compiled ``step``."""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.regression import (
    gradient_descent,
    norma_regressor,
    pa1_regressor,
    pa2_regressor,
    pa_regressor,
)
from driftline.rules.rule import Rule

FIRST_CODE, LAST_CODE = 13, 17
"""The codes of rules that learn real targets."""
REGRESSION: tuple[type[Rule], ...] = (
    pa_regressor.PARegressor,
    pa1_regressor.PA1Regressor,
    pa2_regressor.PA2Regressor,
    norma_regressor.NORMARegressor,
    gradient_descent.GradientDescent,
)
"""The two-number rules of regression, in display order."""


@inlined
def step(code: int, m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau) of the rule with this code."""
    if code == pa_regressor.CODE:
        return pa_regressor.step(m, x_sq, w_sq, k, params)
    if code == pa2_regressor.CODE:
        return pa2_regressor.step(m, x_sq, w_sq, k, params)
    if code == norma_regressor.CODE:
        return norma_regressor.step(m, x_sq, w_sq, k, params)
    if code == gradient_descent.CODE:
        return gradient_descent.step(m, x_sq, w_sq, k, params)
    return pa1_regressor.step(m, x_sq, w_sq, k, params)
