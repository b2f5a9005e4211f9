"""Version space: predict by the centre of mass of all consistent weights, found by sampling.

    V = {w : |w| <= 1,  A w >= 0},    predict sgn(c.x),  c = mean of V
    on a mistake, y c.x <= 0:  a = y x / |x| becomes a new row of A

Every mistake removes at least about a third of V (Gruenbaum). With the exact centre,
y u.x >= gamma, |u| = 1 and |x| <= R allow at most
d ln(1 + R / gamma) / -ln(1 - 1/e) = 2.18 d ln(1 + R / gamma) updates. This is Halving without a
grid. Here c is the mean of ``samples`` points (default 10 d + 50) of a random walk in V. That
makes it a heuristic: the figure above is an expectation, not a bound.

Gilad-Bachrach, Navot, Tishby. Bayes and Tukey meet at the center point. COLT (2004);
hit-and-run: Smith. Operations Research 32 (1984); Lovasz, Vempala. Hit-and-run from a corner.
SIAM J. Computing 35 (2006).
Differs from the paper: a move of the walk goes to a uniform point of the chord along a random
column of L, where L L' is the covariance of the last samples, so that V is round along these
axes. There are 2 d moves between two samples. After a mistake the walk starts at a sample that
predicts the example correctly, or else at a point that a linear programme finds. One walk adapts
the axes to the new V (three after a linear programme), and one more gives the samples. The
random numbers depend only on ``seed`` and on the number of updates. d counts the constant
feature, and the features up to the last one that was not zero in an update. An example is
infeasible if V would be empty, as far as the linear programme can tell. With "ignore" it is
skipped; with "restart" the next mistake starts again from the whole ball. A sample weight has no
effect, except that an example of weight 0 is only scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from driftline.internals.compiled import Floats, Indices, jit
from driftline.internals.require import one_of, whole
from driftline.rules.consistent.ellipsoid_learner import INCONSISTENT, Inconsistent
from driftline.rules.rule import Rule, above

LARGEST_SEED = 2**63 - 1
MOVES = 2
"""Moves between two samples, for each dimension."""
DEEP = 1e-10
"""The least distance of a starting point from the border of every half-space."""
LEAST = 1e-9
"""The part of a variance that rounding cannot remove."""


@jit
def hit_and_run(A: Floats, axes: Floats, start: Floats, order: Indices, uniform: Floats, size: int) -> Floats:
    """Return ``size`` points of a walk in V = {w : |w| <= 1, A w >= 0} from an inner point.

    Move t goes along the axis (row) ``order[t]``, to the part ``uniform[t]`` of the chord of V.
    """
    d = start.size
    rows = A.shape[0]
    along = np.zeros((d, rows))  # the change of A w along each axis
    length_sq = np.zeros(d)
    for k in range(d):
        for i in range(d):
            length_sq[k] += axes[k, i] * axes[k, i]
        for r in range(rows):
            for i in range(d):
                along[k, r] += A[r, i] * axes[k, i]
    samples = np.zeros((size, d))
    w = start.copy()
    slack = np.zeros(rows)
    moves = order.size // size
    for n in range(size):
        for r in range(rows):  # recomputed, so that rounding errors do not add up
            slack[r] = 0.0
            for i in range(d):
                slack[r] += A[r, i] * w[i]
        for t in range(n * moves, (n + 1) * moves):
            k = order[t]
            w_sq = 0.0
            dot = 0.0
            for i in range(d):
                w_sq += w[i] * w[i]
                dot += w[i] * axes[k, i]
            half = sqrt(max(0.0, dot * dot - length_sq[k] * (w_sq - 1.0)))
            low = (-dot - half) / length_sq[k]
            high = (half - dot) / length_sq[k]
            for r in range(rows):
                if along[k, r] > 0.0:
                    low = max(low, -slack[r] / along[k, r])
                elif along[k, r] < 0.0:
                    high = min(high, -slack[r] / along[k, r])
            if low < high:
                step = low + uniform[t] * (high - low)
                for i in range(d):
                    w[i] += step * axes[k, i]
                for r in range(rows):
                    slack[r] += step * along[k, r]
        samples[n] = w
    return samples


@jit
def round_axes(samples: Floats) -> Floats:
    """Return L', where L L' is the covariance of the samples: row k is column k of L.

    Along these axes the samples have equal variance. A coordinate that does not vary is unknown:
    it gets the variance that it has in the unit ball.
    """
    size, d = samples.shape
    mean = np.zeros(d)
    for n in range(size):
        for i in range(d):
            mean[i] += samples[n, i] / size
    covariance = np.zeros((d, d))
    for n in range(size):
        for i in range(d):
            for j in range(i + 1):
                covariance[i, j] += (samples[n, i] - mean[i]) * (samples[n, j] - mean[j]) / size
    axes = np.zeros((d, d))
    for i in range(d):
        variance = covariance[i, i] if covariance[i, i] > 0.0 else 1.0 / (d + 2.0)
        for j in range(i):
            rest = covariance[i, j]
            for k in range(j):
                rest -= axes[k, i] * axes[k, j]
            axes[j, i] = rest / axes[j, j]
        rest = variance
        for k in range(i):
            rest -= axes[k, i] * axes[k, i]
        axes[i, i] = sqrt(max(rest, LEAST * variance))
    return axes


def half_space(d: int, places: Indices, x: Floats, y: float) -> Floats:
    """Return a = y x / |x| for the example that is ``x`` at the coordinates ``places``, else 0."""
    a = np.zeros(d)
    a[places] = y * x / np.abs(x).max()
    a /= np.sqrt(np.sum(a * a))
    return a


def update(A: Floats, samples: Floats, a: Floats, size: int, seed: int, k: int) -> tuple[Floats, Floats, Floats] | None:
    """Add the half-space a.w >= 0; return the new A, ``size`` new samples of V and their mean c.

    None if V would be empty. ``k`` is the number of updates so far.
    """
    d = a.size
    A = np.vstack([widened(A, d), a])
    samples = widened(samples, d)
    right = samples[np.sum(samples * a, axis=1) > 0.0]
    walks = 2
    if len(right):
        start = right[0]
    elif len(A) == 1:
        start = 0.5 * a
    else:
        inner = inner_point(A)
        if inner is None:
            return None
        start, walks = inner, 4
    axes = round_axes(right if len(right) > 2 * d else samples) if len(samples) else np.eye(d)
    random = np.random.Generator(np.random.Philox(key=np.array([seed, k], np.uint64)))
    for _ in range(walks):
        moves = MOVES * d * size
        order = random.integers(0, d, moves, np.uint32)
        samples = hit_and_run(A, axes, start, order, random.random(moves), size)
        start, axes = samples[-1], round_axes(samples)
    return A, samples, samples.mean(axis=0)


def widened(rows: Floats, d: int) -> Floats:
    """Return the rows in d dimensions, 0 in the new ones."""
    wide = np.zeros((len(rows), d))
    wide[:, : rows.shape[1]] = rows
    return wide


def inner_point(A: Floats) -> Floats | None:
    """Return a point of V with large A w, found by a linear programme; None if V seems empty."""
    from scipy.optimize import linprog  # slow to import, and rarely needed

    d = A.shape[1]
    goal = np.zeros(d + 1)
    goal[d] = -1.0
    least = np.hstack([-A, np.ones((len(A), 1))])
    bounds = [(-1.0, 1.0)] * d + [(0.0, 1.0)]
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(goal, least, np.zeros(len(A)), bounds=bounds, method="highs", options=exact)
    if found.x is None:
        return None
    w = found.x[:d]
    length = float(np.sqrt(np.sum(w * w)))
    if length == 0.0:
        return None
    w *= 0.5 / length
    return w if float((A @ w).min()) > DEEP else None


@dataclass(frozen=True)
class VersionSpace(Rule):
    """For clean labels and few dimensions: fewer but slower updates than the ellipsoid learner.

    Parameters
    ----------
    samples
        The number of points whose mean is the centre, >= 2; None is 10 d + 50.
    seed
        The seed of the random walk, from 0 to 2^63 - 1.
    inconsistent
        What to do on an infeasible example: ``"ignore"`` it, or ``"restart"`` from the unit ball.
    most
        The largest number of dimensions, >= 1. An update of more dimensions is refused.
    """

    samples: int | None = None
    seed: int = 0
    inconsistent: Inconsistent = "ignore"
    most: int = 200
    engine: ClassVar[str] = "consistent.version_space:VersionSpaceEngine"
    paper: ClassVar[str] = "Gilad-Bachrach et al. 2004"
    single: ClassVar[bool] = False
    bounds: ClassVar[tuple[str, ...]] = ("versionspace",)

    def check(self) -> None:
        """samples >= 2, a seed of 63 bits, a known policy, most >= 1."""
        if self.samples is not None:
            whole("VersionSpace", "samples", self.samples, 2)
        whole("VersionSpace", "seed", self.seed, 0, LARGEST_SEED)
        one_of("VersionSpace", "inconsistent", self.inconsistent, INCONSISTENT)
        whole("VersionSpace", "most", self.most, 1)

    @property
    def passive(self) -> float:
        """Just above 0."""
        return above(0.0)

    @property
    def refuses(self) -> bool:
        """Examples of more than ``most`` dimensions."""
        return True

    def size(self, d: int) -> int:
        """The number of samples in d dimensions."""
        return 10 * d + 50 if self.samples is None else self.samples
