"""Every second-order rule's gain behind one compiled door."""

from __future__ import annotations

from driftline.internals.compiled import Params, inlined
from driftline.rules.second_order import arow, scw, second_order_perceptron


@inlined
def gain(place: int, m: float, v: float, weight: float, params: Params) -> tuple[float, float]:
    """Return (tau, noise) of the rule with this place; tau = 0 where it leaves everything as it is."""
    if place == arow.PLACE:
        return arow.gain(m, v, weight, params)
    if place == scw.PLACE:
        return scw.gain(m, v, weight, params)
    return second_order_perceptron.gain(m, v, weight, params)
