"""The linear experts of a view: five columns (three PA-I, two NLMS), and least squares.

A place of a view has five numbers, the weights of the columns. The lower triangle of the matrix P
of least squares is stored row by row, so that a new feature appends a row.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.experts import downdate, times
from driftline.engines.tracker.regression.state import LINE
from driftline.internals.compiled import Floats, Indices, jit
from driftline.rules.tracker.tracker import MOST_VARIANCE
from driftline.rules.tracker.tracker_regressor import CONSTANT_VARIANCE, CORRECTED, LARGEST_STEPS

FIVE = np.uint64(LINE)
I1, I2, I3, I4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@jit
def predicted(w: Floats, z: Floats, size: int) -> float:
    """w.z, summed in order: places of value 0 at the end change no bit."""
    total = 0.0
    for p in range(np.uint64(size)):
        total += w[p] * z[p]
    return total


@jit
def score_columns(lines: Floats, sparse: bool, places: Indices, z: Floats, size: int, scores: Floats, at: int) -> float:
    """Write the predictions of the five columns on z from ``at`` on; return |z|^2.

    ``z[p]`` is the value at place p, or at ``places[p]`` if z is sparse.
    """
    a0, a1, a2, a3, a4, square = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for p in range(np.uint64(size)):
        v, k = z[p], (np.uint64(places[p]) if sparse else p) * FIVE
        a0 += lines[k] * v
        a1 += lines[k + I1] * v
        a2 += lines[k + I2] * v
        a3 += lines[k + I3] * v
        a4 += lines[k + I4] * v
        square += v * v
    scores[at], scores[at + 1], scores[at + 2], scores[at + 3], scores[at + 4] = a0, a1, a2, a3, a4
    return square


@jit
def step_of(column: int, u: float, score: float, square: float, deviation: float, weight: float) -> float:
    """The step of a column: a part of the residual, at most some deviations of the targets."""
    residual = u - score
    step = min(1.0, CORRECTED[column] * weight) * abs(residual) / square
    if deviation > 0.0:
        step = min(step, LARGEST_STEPS[column] * deviation * weight)
    return step if residual > 0.0 else -step


@jit
def train_columns(
    lines: Floats,
    sparse: bool,
    places: Indices,
    z: Floats,
    size: int,
    square: float,
    u: float,
    deviation: float,
    weight: float,
    scores: Floats,
    at: int,
) -> None:
    """Update the five columns of a view with z and the target u; ``square`` is |z|^2."""
    t0 = step_of(0, u, scores[at], square, deviation, weight)
    t1 = step_of(1, u, scores[at + 1], square, deviation, weight)
    t2 = step_of(2, u, scores[at + 2], square, deviation, weight)
    t3 = step_of(3, u, scores[at + 3], square, deviation, weight)
    t4 = step_of(4, u, scores[at + 4], square, deviation, weight)
    for p in range(np.uint64(size)):
        v, k = z[p], (np.uint64(places[p]) if sparse else p) * FIVE
        lines[k] += t0 * v
        lines[k + I1] += t1 * v
        lines[k + I2] += t2 * v
        lines[k + I3] += t3 * v
        lines[k + I4] += t4 * v


@jit
def widen(P: Floats, z: Floats, size: int, factor: float) -> None:
    """P += factor z z^T."""
    k = np.uint64(0)
    for i in range(np.uint64(size)):
        fz = factor * z[i]
        for j in range(i + I1):
            P[k + j] += fz * z[j]
        k += i + I1


@jit
def set_prior(P: Floats, size: int, constant: float, other: float) -> None:
    """P is diagonal, with one variance for the constant and one for all features."""
    k = np.uint64(0)
    for i in range(np.uint64(size)):
        for j in range(i):
            P[k + j] = 0.0
        P[k + i] = constant if i == np.uint64(0) else other
        k += i + I1


@jit
def train_squares(
    w: Floats,
    P: Floats,
    z: Floats,
    size: int,
    square: float,
    residual: float,
    noise: float,
    forgetting: float,
    drift: float,
    most: float,
    h: Floats,
) -> bool:
    """One step of least squares; ``most`` limits the trace of P.

    Return False, and leave w alone, if P is no longer positive definite.
    """
    v = times(P, z, size, h) / forgetting
    if not v >= 0.0:
        return False
    b = 1.0 / (v + noise)
    step = residual * b / forgetting
    for i in range(np.uint64(size)):
        w[i] += step * h[i]
    trace = downdate(P, h, b / forgetting, 1.0 / forgetting, size)
    if drift > 0.0:
        widen(P, z, size, drift / square)
        trace += drift
    if trace > most:
        shrink = most / trace
        for k in range(np.uint64(size * (size + 1) // 2)):
            P[k] *= shrink
    return True


@jit
def train_regression(
    w: Floats,
    P: Floats,
    z: Floats,
    size: int,
    square: float,
    residual: float,
    weight: float,
    forgetting: float,
    drift: float,
    h: Floats,
) -> None:
    """``train_squares`` of an expert; P starts anew if rounding has made it indefinite."""
    most = MOST_VARIANCE * size
    if not train_squares(w, P, z, size, square, residual, 1.0 / weight, forgetting, drift, most, h):
        set_prior(P, size, CONSTANT_VARIANCE, 1.0)
