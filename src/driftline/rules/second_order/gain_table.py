"""The gain and the diagonal update of every second-order rule.

Engines call these functions, so that they are compiled once for all rules.
"""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.second_order import arow, scw, second_order_perceptron, second_order_rule


@inlined
def gain(place: int, m: float, v: float, weight: float, params: Params) -> tuple[float, float]:
    """Return (tau, noise) of the rule with this code; tau = 0 means no update."""
    if place == arow.PLACE:
        return arow.gain(m, v, weight, params)
    if place == scw.PLACE:
        return scw.gain(m, v, weight, params)
    return second_order_perceptron.gain(m, v, weight, params)


@inlined
def diagonal_update(
    place: int,
    w: float,
    p: float,
    x: float,
    prior: float,
    v: float,
    tau: float,
    noise: float,
    y: float,
    weight: float,
) -> tuple[float, float]:
    """Return weight and variance of one feature after an update by the rule with this code."""
    if place == second_order_perceptron.PLACE:
        return second_order_perceptron.diagonal_update(w, p, x, prior, weight * y)
    return second_order_rule.diagonal_update(w, p, x, prior, v, tau * y, noise)
