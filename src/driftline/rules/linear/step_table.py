"""Every rule's step behind one compiled door: engines call this table, so they are compiled once for all rules."""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.linear import (
    alma,
    l2pa,
    norma,
    pa,
    pa1,
    pa2,
    perceptron,
    projection_perceptron,
    romma,
    self_tuning_alma,
    shrunk_pa,
)


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
    return perceptron.step(m, x_sq, w_sq, k, params)


@inlined
def infeasible(code: int, m: float, x_sq: float, w_sq: float, params: Params) -> bool:
    """Whether the rule would fire but no w meets its constraints."""
    if code == l2pa.CODE:
        return l2pa.infeasible(m, x_sq, params)
    if code == romma.CODE:
        return romma.infeasible(m, x_sq, w_sq, params)
    return False
