"""The version space's engine: the centre c in v, the half-spaces of all mistakes, the samples."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import within
from driftline.engines.consistent.cutting import CuttingEngine
from driftline.engines.state import INFEASIBLE, UPDATED, UPDATES
from driftline.internals.compiled import Floats, Indices
from driftline.rules import VersionSpace
from driftline.rules.consistent.version_space import half_space, update

LONGEST = 2.0
"""A limit of the numbers of cuts and samples, which have a norm of at most 1, but for rounding."""


class VersionSpaceEngine(CuttingEngine):
    """Stores c in v, the rows of A in ``cuts``, and the samples of V."""

    def __init__(self, rule: VersionSpace, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype, rule.most)
        self.rule = rule
        self.restart()

    def restart(self) -> None:
        """Start from the whole ball."""
        self.cuts = np.zeros((0, self.constant))
        self.samples = np.zeros((0, self.constant))

    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Train on one mistake."""
        d = max(self.cuts.shape[1], int(places.max()) + 1)
        a = half_space(d, places, x, y)
        found = update(self.cuts, self.samples, a, self.rule.size(d), self.rule.seed, int(self.state[UPDATES]))
        if found is None:
            if self.rule.inconsistent == "restart":
                self.restart()
                self.v[:] = 0.0
            return INFEASIBLE
        at = self.place_of(d)
        self.cuts, self.samples, c = found
        self.v[at] = c
        return UPDATED

    def memory(self, dimensions: int) -> int:
        """The bytes of the samples."""
        return 8 * dimensions * self.rule.size(dimensions)

    def region(self) -> dict[str, np.ndarray]:
        """The cuts and the samples."""
        return {"cuts": self.cuts, "samples": self.samples}

    def set_region(self, arrays: dict[str, np.ndarray]) -> None:
        """Copy the cuts and the samples."""
        self.cuts, self.samples = np.array(arrays["cuts"]), np.array(arrays["samples"])

    def region_dimensions(self, arrays: dict[str, np.ndarray]) -> int:
        """Both must have the same dimensions."""
        cuts, samples = arrays["cuts"], arrays["samples"]
        for name, array in arrays.items():
            if array.dtype != np.float64 or array.ndim != 2:
                raise ValueError(f"{name} of shape {array.shape} and {array.dtype}, expected rows of float64")
            within(name, array, -LONGEST, LONGEST)
        d = cuts.shape[1]
        size = self.rule.size(d) if len(cuts) else 0
        if samples.shape != (size, d):
            raise ValueError(f"samples of shape {samples.shape}, expected {(size, d)}")
        return d
