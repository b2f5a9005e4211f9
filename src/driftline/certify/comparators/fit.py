"""Fit comparators with small loss and a short path, by dual coordinate ascent, piece by piece.

    min  sum_k share_k/2 |v_k|^2 + price sum_k |v_(k+1) - v_k| + C sum_t max(0, 1 - y_t v_k(t).x_t)

share_k is the share of all rounds in piece k. With one piece this is the linear support vector
machine. The distances are not squared, so few jumps are cheaper than many steps. In the fit, |d|
is replaced by d^2 / 2|d| with its last value in the denominator, and one v_k is fitted at a time.
Then the border of two pieces moves to its best round, which finds the round of a change. The
bounds hold for all vectors, so the fit need not be optimal.

Hsieh, Chang, Lin, Keerthi, Sundararajan. A dual coordinate descent method for large-scale linear
SVM. ICML 2008.
"""

from __future__ import annotations

import numpy as np

from driftline.certify.comparators.shuffle import SEED, shuffle
from driftline.certify.evidence import Evidence
from driftline.certify.spaces.mapped import Mapped
from driftline.internals.compiled import Floats, Indices, Offsets, jit, leaf

TURNS = 8
NEAR = 0.01
"""The smallest distance of two vectors in the fit, relative to the longer one; it keeps weights
finite.
"""


@jit
def ascend(
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    y: Floats,
    start: int,
    stop: int,
    C: float,
    sweeps: int,
    v: Floats,
) -> None:
    """Minimise 1/2 |v - old|^2 + C sum of hinge losses over the rows from start to stop, in place."""
    alpha = np.zeros(stop - start)
    order = np.arange(start, stop)
    seed = SEED
    for _ in range(sweeps):
        largest = 0.0
        seed = shuffle(order, seed)
        for row in order:
            x_sq = 0.0
            dot = 0.0
            for j in range(indptr[row], indptr[row + 1]):
                x_sq += values[j] * values[j]
                dot += v[indices[j]] * values[j]
            if x_sq == 0.0:
                continue
            old = alpha[row - start]
            new = min(C, max(0.0, old + (1.0 - y[row] * dot) / x_sq))
            if new != old:
                step = (new - old) * y[row]
                for j in range(indptr[row], indptr[row + 1]):
                    v[indices[j]] += step * values[j]
                alpha[row - start] = new
                largest = max(largest, abs(new - old))
        if largest <= 1e-3 * C:
            break


@leaf
def dot_of(x: Floats, v: Floats) -> float:
    """x.v."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * v[j]
    return total


@leaf
def add_to(v: Floats, step: float, x: Floats) -> None:
    """v += step x."""
    for j in range(x.size):
        v[j] += step * x[j]


@jit
def ascend_dense(X: Floats, y: Floats, start: int, stop: int, C: float, sweeps: int, v: Floats) -> None:
    """``ascend`` for dense rows, in the same order of operations."""
    alpha = np.zeros(stop - start)
    order = np.arange(start, stop)
    squares = np.array([dot_of(X[row], X[row]) for row in range(start, stop)])
    seed = SEED
    for _ in range(sweeps):
        largest = 0.0
        seed = shuffle(order, seed)
        for row in order:
            x_sq = squares[row - start]
            if x_sq == 0.0:
                continue
            old = alpha[row - start]
            new = min(C, max(0.0, old + (1.0 - y[row] * dot_of(X[row], v)) / x_sq))
            if new != old:
                add_to(v, (new - old) * y[row], X[row])
                alpha[row - start] = new
                largest = max(largest, abs(new - old))
        if largest <= 1e-3 * C:
            break


def climb(evidence: Evidence, start: int, stop: int, C: float, sweeps: int, v: Floats) -> None:
    """Run ``ascend`` on the rounds from start to stop."""
    if isinstance(evidence, Mapped):
        ascend_dense(evidence.dense(), evidence.y, start, stop, C, sweeps, v)
    else:
        rows = evidence.indptr, evidence.indices, evidence.values, evidence.y
        ascend(*rows, start, stop, C, sweeps, v)


@jit
def way_of(v: Floats, w: Floats) -> float:
    """Return the distance from v to w, or NEAR times the longer of them if that is larger."""
    between = first = second = 0.0
    for i in range(v.size):
        between += (v[i] - w[i]) ** 2
        first += v[i] * v[i]
        second += w[i] * w[i]
    return float(max(np.sqrt(between), NEAR * np.sqrt(max(first, second))))


@jit
def dots(
    indptr: Offsets, indices: Indices, values: Floats, y: Floats, start: int, stop: int, v: Floats, m: Floats
) -> None:
    """Write the margins of the rows from start to stop."""
    for row in range(start, stop):
        dot = 0.0
        for j in range(indptr[row], indptr[row + 1]):
            dot += v[indices[j]] * values[j]
        m[row] = y[row] * dot


def measure(evidence: Evidence, start: int, stop: int, v: Floats, m: Floats) -> None:
    """Run ``dots`` on the rounds from start to stop."""
    if isinstance(evidence, Mapped):
        m[start:stop] = evidence.y[start:stop] * (evidence.dense()[start:stop] @ v)
    else:
        dots(evidence.indptr, evidence.indices, evidence.values, evidence.y, start, stop, v, m)


class Path:
    """A comparator for every round: vector k from round ``cuts[k]`` to ``cuts[k + 1]``.

    A smooth path is at vector k in the middle of piece k, and moves linearly to the middle of the
    next piece.
    """

    def __init__(self, cuts: np.ndarray, vectors: Floats, margins: Floats, smooth: bool = False) -> None:
        self.cuts = cuts
        self.vectors = vectors
        self.margins = margins
        """y_t v_t.x_t of every round."""
        self.smooth = smooth

    @property
    def segments(self) -> int:
        """The number of vectors."""
        return len(self.vectors)

    def longest(self, q: float = 2.0) -> float:
        """max |v_t|_q."""
        return float(np.max(_norms(self.vectors, q), initial=0.0))

    def moved(self, q: float = 2.0) -> tuple[float, float]:
        """The sums of |v_(t+1) - v_t|_q and of its square."""
        steps = _norms(np.diff(self.vectors, axis=0), q)
        rounds = np.diff(middles(self.cuts)) if self.smooth else np.ones(len(steps))
        return float(steps.sum()), float(np.sum(steps**2 / rounds))

    def moved_by(self, rounds: np.ndarray, q: float = 2.0) -> tuple[Floats, Floats]:
        """``moved`` up to each of these rounds."""
        steps = _norms(np.diff(self.vectors, axis=0), q)
        if self.smooth:
            knots = middles(self.cuts)
            share = np.clip((rounds[:, None] - knots[:-1]) / np.diff(knots), 0.0, 1.0)
            return share @ steps, share @ (steps**2 / np.diff(knots))
        done = (rounds[:, None] >= self.cuts[1:-1]).astype(np.float64)
        return done @ steps, done @ steps**2


def middles(cuts: np.ndarray) -> np.ndarray:
    """Return the middle round of every piece."""
    between: np.ndarray = (cuts[:-1] + cuts[1:]) // 2
    return between


def smoothed(evidence: Evidence, path: Path) -> Path:
    """Return the smooth path through the same vectors."""
    knots = middles(path.cuts)
    here, there = np.zeros(len(evidence)), np.zeros(len(evidence))
    for k in range(path.segments - 1):
        start, stop = int(knots[k]), int(knots[k + 1])
        measure(evidence, start, stop, path.vectors[k], here)
        measure(evidence, start, stop, path.vectors[k + 1], there)
    measure(evidence, 0, int(knots[0]), path.vectors[0], here)
    measure(evidence, int(knots[-1]), len(evidence), path.vectors[-1], here)
    gone = np.interp(np.arange(len(evidence)), knots, np.arange(float(path.segments))) % 1.0
    return Path(path.cuts, path.vectors, (1.0 - gone) * here + gone * there, smooth=True)


def _norms(rows: Floats, q: float) -> Floats:
    if q == np.inf:
        highest: Floats = np.abs(rows).max(axis=1, initial=0.0)
        return highest
    size = np.abs(rows).max(initial=0.0)
    if size == 0.0:
        return np.zeros(len(rows))
    lengths: Floats = size * np.sum((np.abs(rows) / size) ** q, axis=1) ** (1.0 / q)
    return lengths


def path_of(evidence: Evidence, segments: int, C: float, sweeps: int, price: float = 0.0) -> Path:
    """Fit a path of the given number of pieces, which have equal lengths at first."""
    n = len(evidence)
    cuts = np.linspace(0, n, segments + 1).astype(np.intp)
    vectors = np.zeros((segments, evidence.width))
    turns = 1 if segments == 1 else TURNS
    for turn in range(turns):
        for k in range(segments) if turn % 2 == 0 else range(segments - 1, -1, -1):
            start, stop = int(cuts[k]), int(cuts[k + 1])
            centre, weight = _pull(vectors, k, (stop - start) / n, price, turn == 0)
            climb(evidence, start, stop, C / weight, sweeps, centre)
            vectors[k] = centre
        if 0 < turn < turns - 1:
            for k in range(segments - 1):
                cuts[k + 1] = _border(evidence, int(cuts[k]), int(cuts[k + 2]), vectors[k], vectors[k + 1])
    margins = np.zeros(n)
    for k in range(segments):
        measure(evidence, int(cuts[k]), int(cuts[k + 1]), vectors[k], margins)
    return Path(cuts, vectors, margins)


def _border(evidence: Evidence, start: int, stop: int, v: Floats, w: Floats) -> int:
    """Return the best round for the change from v to w; each keeps at least one round."""
    first, second = np.zeros(stop), np.zeros(stop)
    measure(evidence, start, stop, v, first)
    measure(evidence, start, stop, w, second)
    lost = np.cumsum(np.maximum(0.0, 1.0 - first) - np.maximum(0.0, 1.0 - second), dtype=np.float64)
    return start + 1 + int(np.argmin(lost[start : stop - 1]))


def _pull(vectors: Floats, k: int, share: float, price: float, begins: bool) -> tuple[Floats, float]:
    """Return the centre and the weight of the quadratic penalty on vector k, from the origin and
    its neighbours.

    In the first turn only the previous neighbour is fitted.
    """
    centre, weight = np.zeros(vectors.shape[1]), share
    for other in (k - 1,) if begins else (k - 1, k + 1):
        if 0 <= other < len(vectors) and price > 0.0:
            way = way_of(vectors[k], vectors[other])
            if way > 0.0:
                centre += price / way * vectors[other]
                weight += price / way
    return centre / weight, weight
