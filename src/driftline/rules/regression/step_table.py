"""The table of two-number rules that learn real targets: their list, and one compiled ``step``."""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.regression import pa1_regressor
from driftline.rules.rule import Rule

FIRST_CODE, LAST_CODE = 13, 29
"""The codes of rules that learn real targets."""
REGRESSION: tuple[type[Rule], ...] = (pa1_regressor.PA1Regressor,)
"""The two-number rules of regression, in display order."""


@inlined
def step(code: int, m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau) of the rule with this code."""
    return pa1_regressor.step(m, x_sq, w_sq, k, params)
