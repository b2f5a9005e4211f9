"""The tube of a regressor in the state of its engine, and in model files."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import of_shape, within, without
from driftline.engines.state import TUBE, TUBE_GROWS, TUBE_SHRINKS
from driftline.internals.compiled import Floats
from driftline.rules import Rule
from driftline.rules.regression.residual_rule import Residual

LARGEST = float(np.finfo(np.float64).max)


def set_tube(state: Floats, rule: Rule) -> None:
    """Write the first tube of the rule to the state of a new engine, if it is a regressor."""
    if isinstance(rule, Residual):
        state[TUBE] = rule.tube
        state[TUBE_GROWS], state[TUBE_SHRINKS] = rule.tube_steps


def adapts(state: Floats) -> bool:
    """Whether the tube changes."""
    return bool(state[TUBE_GROWS] or state[TUBE_SHRINKS])


def saved_tube(state: Floats) -> dict[str, np.ndarray]:
    """The tube for a model file, if it changes."""
    return {"tube": state[TUBE : TUBE + 1]} if adapts(state) else {}


def restored_tube(state: Floats, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Restore the tube, if it changes; return the other arrays. ValueError if it is invalid."""
    if not adapts(state):
        return arrays
    state[TUBE] = within("tube", of_shape(arrays, "tube", "float64", (1,)), 0.0, LARGEST).item()
    return without(arrays, "tube")
