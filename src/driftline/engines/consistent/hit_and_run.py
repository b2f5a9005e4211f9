"""A random walk in {w : |w| <= 1, A w >= 0}: hit-and-run along given axes, and the axes that make a body round."""

from __future__ import annotations

from math import sqrt

import numpy as np

from driftline.internals.compiled import Floats, Indices, jit

LEAST = 1e-9  # of a variance that rounding has taken


@jit
def hit_and_run(A: Floats, axes: Floats, start: Floats, order: Indices, uniform: Floats, size: int) -> Floats:
    """So many points of the walk from an inner point: each move is along the next axis (row) in ``order``.

    A move goes to a uniform point of the chord; ``order`` and ``uniform`` have as many entries as there are moves.
    """
    d = start.size
    rows = A.shape[0]
    along = np.zeros((d, rows))  # how fast A w changes along each axis
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
        for r in range(rows):  # anew, so that rounding does not add up
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
    """The axes along which the samples spread alike: rows, the columns of Cholesky's L of their covariance.

    A coordinate that does not vary is one of which nothing is known: it has the deviation of a unit ball's.
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
            total = covariance[i, j]
            for k in range(j):
                total -= axes[k, i] * axes[k, j]
            axes[j, i] = total / axes[j, j]
        rest = variance
        for k in range(i):
            rest -= axes[k, i] * axes[k, i]
        axes[i, i] = sqrt(max(rest, LEAST * variance))
    return axes
