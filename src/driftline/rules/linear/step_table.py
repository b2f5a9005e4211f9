"""The table of two-number rules: their list, and one compiled ``step`` for all of them.

Engines call this ``step``, which selects the rule by its code. So each engine is compiled only
once for all rules.
"""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.linear import (
    alma,
    l1pa,
    l2pa,
    norma,
    pa,
    pa1,
    pa2,
    perceptron,
    pnorm_perceptron,
    projection_perceptron,
    romma,
    self_tuning_alma,
    shrunk_pa,
)
from driftline.rules.regression import step_table as regression
from driftline.rules.rule import Rule

LINEAR: tuple[type[Rule], ...] = (
    perceptron.Perceptron,
    pnorm_perceptron.PNormPerceptron,
    projection_perceptron.ProjectionPerceptron,
    norma.NORMA,
    alma.ALMA,
    self_tuning_alma.SelfTuningALMA,
    pa.PA,
    pa1.PA1,
    pa2.PA2,
    shrunk_pa.ShrunkPA,
    l2pa.L2PA,
    l1pa.L1PA,
    romma.ROMMA,
)
"""The two-number rules and L1PA, in display order."""


@inlined
def step(code: int, m: float, x_sq: float, w_sq: float, k: float, params: Params) -> tuple[float, float]:
    """Return (shrink, tau) of the rule with this code."""
    if code == pa1.CODE:
        return pa1.step(m, x_sq, w_sq, k, params)
    if code == pa.CODE:
        return pa.step(m, x_sq, w_sq, k, params)
    if code == pa2.CODE:
        return pa2.step(m, x_sq, w_sq, k, params)
    if code == l2pa.CODE:
        return l2pa.step(m, x_sq, w_sq, k, params)
    if code == shrunk_pa.CODE:
        return shrunk_pa.step(m, x_sq, w_sq, k, params)
    if code == norma.CODE:
        return norma.step(m, x_sq, w_sq, k, params)
    if code == alma.CODE:
        return alma.step(m, x_sq, w_sq, k, params)
    if code == self_tuning_alma.CODE:
        return self_tuning_alma.step(m, x_sq, w_sq, k, params)
    if code == romma.CODE:
        return romma.step(m, x_sq, w_sq, k, params)
    if code == projection_perceptron.CODE:
        return projection_perceptron.step(m, x_sq, w_sq, k, params)
    if regression.FIRST_CODE <= code <= regression.LAST_CODE:
        return regression.step(code, m, x_sq, w_sq, k, params)
    return perceptron.step(m, x_sq, w_sq, k, params)


@inlined
def infeasible(code: int, m: float, x_sq: float, w_sq: float, params: Params) -> bool:
    """Whether the rule would fire but no w meets its constraints."""
    if code == l2pa.CODE:
        return l2pa.infeasible(m, x_sq, params)
    if code == romma.CODE:
        return romma.infeasible(m, x_sq, w_sq, params)
    return False
