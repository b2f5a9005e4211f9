"""The ellipsoid learner's engine: v holds the centre c, J maps the unit ball to the ellipsoid."""

from __future__ import annotations

import numpy as np

from driftline.engines.consistent.cutting import CuttingEngine
from driftline.engines.state import FIRST, INFEASIBLE, UPDATED
from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules import EllipsoidLearner
from driftline.rules.consistent.ellipsoid_learner import extended, update


@jit
def update_in(v: Floats, constant: int, J: Floats, places: Indices, x: Floats, m: float, y: float) -> bool:
    """Copy c out of v, ask the rule for its ``update``, and copy c back."""
    d = J.shape[0]
    last = FIRST + d - constant
    c = np.empty(d)
    c[:constant] = v[:constant]
    c[constant:] = v[FIRST:last]
    updated = update(c, J, places, x, m, y)
    v[:constant] = c[:constant]
    v[FIRST:last] = c[constant:]
    return updated


class EllipsoidEngine(CuttingEngine):
    """Stores c in v, and J, which is extended when an update has new features."""

    def __init__(self, rule: EllipsoidLearner, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype, rule.most)
        self.restarts = rule.inconsistent == "restart"
        self.J = np.eye(self.constant)

    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Train on one mistake."""
        J = extended(self.J, int(places.max()) + 1)
        if update_in(self.v, self.constant, J, places, x, margin, y):
            self.J = J
            return UPDATED
        if self.restarts:
            self.J = np.eye(self.constant)
            self.v[:] = 0.0
        return INFEASIBLE

    def memory(self, dimensions: int) -> int:
        """The bytes of J."""
        return 8 * dimensions * dimensions

    def region(self) -> dict[str, np.ndarray]:
        """J."""
        return {"J": self.J}

    def set_region(self, arrays: dict[str, np.ndarray]) -> None:
        """Copy J."""
        self.J = np.array(arrays["J"])

    def region_dimensions(self, arrays: dict[str, np.ndarray]) -> int:
        """J must be square."""
        J = arrays["J"]
        if J.dtype != np.float64 or J.ndim != 2 or J.shape[0] != J.shape[1]:
            raise ValueError(f"J of shape {J.shape} and {J.dtype}, expected a square matrix of float64")
        return J.shape[0]
