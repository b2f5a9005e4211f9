"""The version space's engine: the mistakes as half-spaces, samples between them, and their mean, the centre v."""

from __future__ import annotations

import numpy as np

from driftline.engines.consistent.cutting import CuttingEngine
from driftline.engines.consistent.hit_and_run import hit_and_run, round_axes
from driftline.engines.state import INFEASIBLE, UPDATED, UPDATES
from driftline.internals.compiled import Floats, Indices
from driftline.rules import VersionSpace

MOVES = 2  # between samples, for each dimension
DEEP = 1e-10  # an inner point must be so far from every half-space's border


class VersionSpaceEngine(CuttingEngine):
    """The mistakes y x / |x|, and samples of the weights that have them all right."""

    def __init__(self, rule: VersionSpace, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype, rule.most)
        self.restarts = rule.inconsistent == "restart"
        self.size = rule.samples
        self.seed = rule.seed
        self.start_anew()

    def start_anew(self) -> None:
        """The whole ball."""
        self.cuts = np.zeros((0, self.constant))
        self.samples = np.zeros((0, self.constant))

    def cut(self, places: Indices, x: Floats, margin: float, y: float) -> float:
        """Learn one example: walk in what it leaves over."""
        d = max(self.cuts.shape[1], int(places.max()) + 1)
        cut = np.zeros(d)
        cut[places] = y * x / np.abs(x).max()
        cut /= np.sqrt(np.sum(cut * cut))
        cuts = np.vstack([widened(self.cuts, d), cut])
        samples = widened(self.samples, d)
        right = samples[np.sum(samples * cut, axis=1) > 0.0]
        walks = 2
        if len(right):
            start = right[0]
        elif len(cuts) == 1:
            start = 0.5 * cut
        else:
            inner = inner_point(cuts)
            if inner is None:
                if self.restarts:
                    self.start_anew()
                    self.v[:] = 0.0
                return INFEASIBLE
            start, walks = inner, 4
        axes = round_axes(right if len(right) > 2 * d else samples) if len(samples) else np.eye(d)
        size = 10 * d + 50 if self.size is None else self.size
        key = np.array([self.seed, self.state[UPDATES]], np.uint64)
        random = np.random.Generator(np.random.Philox(key=key))
        for _ in range(walks):
            moves = MOVES * d * size
            order = random.integers(0, d, moves, np.uint32)
            samples = hit_and_run(cuts, axes, start, order, random.random(moves), size)
            start, axes = samples[-1], round_axes(samples)
        self.cuts, self.samples = cuts, samples
        self.v[self.place_of(d)] = samples.mean(axis=0)
        return UPDATED

    def memory(self, dimensions: int) -> int:
        """How many bytes the samples of so many dimensions need."""
        return 8 * dimensions * (10 * dimensions + 50 if self.size is None else self.size)

    def own(self) -> dict[str, np.ndarray]:
        """The cuts and the samples."""
        return {"cuts": self.cuts, "samples": self.samples}

    def own_again(self, arrays: dict[str, np.ndarray]) -> None:
        """The cuts and the samples."""
        self.cuts, self.samples = np.array(arrays["cuts"]), np.array(arrays["samples"])

    def checked(self, own: dict[str, np.ndarray]) -> int:
        """Both must have the same dimensions."""
        cuts, samples = own["cuts"], own["samples"]
        for name, array in own.items():
            if array.dtype != np.float64 or array.ndim != 2:
                raise ValueError(f"{name} of shape {array.shape} and {array.dtype} where rows of float64 are due")
        d = cuts.shape[1]
        size = 0 if len(cuts) == 0 else 10 * d + 50 if self.size is None else self.size
        if samples.shape != (size, d):
            raise ValueError(f"samples of shape {samples.shape} where {(size, d)} is due")
        return d


def widened(rows: Floats, dimensions: int) -> Floats:
    """The rows in so many dimensions, 0 in the new ones."""
    wide = np.zeros((len(rows), dimensions))
    wide[:, : rows.shape[1]] = rows
    return wide


def inner_point(cuts: Floats) -> Floats | None:
    """A point of the ball as far inside all half-spaces as a linear programme finds one, or None."""
    from scipy.optimize import linprog  # which takes long to import, and is seldom needed

    d = cuts.shape[1]
    goal = np.zeros(d + 1)
    goal[d] = -1.0
    least = np.hstack([-cuts, np.ones((len(cuts), 1))])
    bounds = [(-1.0, 1.0)] * d + [(0.0, 1.0)]
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(goal, least, np.zeros(len(cuts)), bounds=bounds, method="highs", options=exact)
    if found.x is None:
        return None
    w = found.x[:d]
    length = float(np.sqrt(np.sum(w * w)))
    if length == 0.0:
        return None
    w *= 0.5 / length
    return w if float((cuts @ w).min()) > DEEP else None
