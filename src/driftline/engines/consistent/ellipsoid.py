"""The ellipsoid learner's engine: the centre is v, J the matrix that maps the unit ball to the ellipsoid around it."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from driftline.engines.consistent.cutting import CuttingEngine
from driftline.engines.state import FIRST, INFEASIBLE, UPDATED
from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules import EllipsoidLearner

# clean data of margin gamma |x| leave a ball of about gamma: where an ellipsoid is flatter there is no such margin
FLAT = 1e-12


@jit
def length(x: Floats) -> float:
    """|x|."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    return sqrt(total)


@jit
def cut(J: Floats, v: Floats, constant: int, places: Indices, x: Floats, margin: float, y: float) -> bool:
    """Replace the ellipsoid by the least one around its part in which the example is right; False if there is none."""
    d = J.shape[0]
    e = np.zeros(d)
    for k in range(places.size):
        for j in range(d):
            e[j] -= y * x[k] * J[places[k], j]
    width = length(e)
    if not FLAT * length(x) < width < inf:
        return False
    a = max(0.0, -margin / width)
    if not a < 1.0 - 1e-12:
        return False
    shift = (1.0 + d * a) / (d + 1.0)
    if d == 1:
        squeeze, stretch = 0.0, 0.5 * (1.0 - a)
    else:
        s = 2.0 * shift / (1.0 + a)
        squeeze = 1.0 - sqrt(max(0.0, 1.0 - s))
        stretch = sqrt(d * d / (d * d - 1.0) * (1.0 - a * a))
    for j in range(d):
        e[j] /= width
    for i in range(d):
        g = 0.0
        for j in range(d):
            g += J[i, j] * e[j]
        for j in range(d):
            J[i, j] = stretch * (J[i, j] - squeeze * g * e[j])
        v[0 if i < constant else FIRST + i - constant] -= shift * g
    return True


class EllipsoidEngine(CuttingEngine):
    """An ellipsoid that grows by the features that come, and shrinks by every mistake."""

    def __init__(self, rule: EllipsoidLearner, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype, rule.most)
        self.restarts = rule.inconsistent == "restart"
        self.J = np.eye(self.constant)

    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Learn one example."""
        J = self.grown(int(places.max()) + 1)
        if cut(J, self.v, self.constant, places, x, margin, y):
            self.J = J
            return UPDATED
        if self.restarts:
            self.J = np.eye(self.constant)
            self.v[:] = 0.0
        return INFEASIBLE

    def grown(self, dimensions: int) -> Floats:
        """J in so many dimensions: a greater ball, or around the product of the ellipsoid and a ball."""
        d = self.J.shape[0]
        new = dimensions - d
        if new <= 0:
            return self.J
        J = np.eye(dimensions)
        if not np.array_equal(self.J, np.eye(d)):
            J[:d, :d] = sqrt(dimensions / d) * self.J
            J[d:, d:] *= sqrt(dimensions / new)
        return J

    def memory(self, dimensions: int) -> int:
        """How many bytes so many dimensions need."""
        return 8 * dimensions * dimensions

    def own(self) -> dict[str, np.ndarray]:
        """J."""
        return {"J": self.J}

    def own_again(self, arrays: dict[str, np.ndarray]) -> None:
        """J."""
        self.J = np.array(arrays["J"])

    def checked(self, own: dict[str, np.ndarray]) -> int:
        """J must be square."""
        J = own["J"]
        if J.dtype != np.float64 or J.ndim != 2 or J.shape[0] != J.shape[1]:
            raise ValueError(f"J of shape {J.shape} and {J.dtype} where a square of float64 is due")
        return J.shape[0]
