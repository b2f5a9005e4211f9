"""Compiled loops of random Fourier features: counter-based frequencies and vectorised cosines.

The frequency of feature k in wave j depends only on the seed, k and j. Angles are in turns
(multiples of 2 pi), so only their fractional part counts and large angles lose no accuracy. The
cosine is a short series. The compiler vectorises both over four or eight waves.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.internals.compiled import Floats, Indices, Offsets, fused, inlined, jit
from driftline.internals.numeric.splitmix import STEP, mixed

TURN = 2.0 * math.pi
PHASES = np.uint64(1 << 40)  # used in place of a feature index for the phases; no feature has it
# coefficients of sin(2 pi s) / s in powers of s^2, for |s| <= 1/4
S0, S1, S2, S3, S4, S5, S6, S7, S8 = ((-1) ** k * TURN ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(9))
S9 = -(TURN**19) / math.factorial(19)


@inlined
def uniform(seed: np.uint64, k: np.uint64, j: np.uint64) -> float:
    """A number in [0, 1) for each seed, k and j."""
    bits = mixed(mixed(mixed(seed + STEP) + (k + np.uint64(1)) * STEP) + (j + np.uint64(1)) * STEP)
    return float(bits >> np.uint64(11)) * 2.0**-53


@jit
def frequencies(seed: np.uint64, k: np.uint64, size: float, out: Floats) -> None:
    """Write the component of feature k in each w_j, in turns: normal numbers times ``size``.

    The Box-Muller transform makes two normal numbers from two uniform ones.
    """
    for j in range(0, out.size, 2):
        length = size * math.sqrt(-2.0 * math.log(1.0 - uniform(seed, k, np.uint64(j))))
        angle = TURN * uniform(seed, k, np.uint64(j + 1))
        out[j] = length * math.cos(angle)
        if j + 1 < out.size:
            out[j + 1] = length * math.sin(angle)


@jit
def fill(seed: np.uint64, first: int, size: float, table: Floats) -> None:
    """Write the frequencies of the features from ``first`` on, one row each."""
    for k in range(first, table.shape[0]):
        frequencies(seed, np.uint64(k), size, table[k])


@jit
def start(seed: np.uint64, phases: Floats) -> None:
    """Write each phase b_j, in turns."""
    for j in range(phases.size):
        phases[j] = uniform(seed, PHASES, np.uint64(j))


@fused
def turned(turns: Floats, x: float, row: Floats) -> None:
    """turns += x row."""
    for j in range(turns.size):
        turns[j] += x * row[j]


@fused
def waves(turns: Floats, height: float) -> None:
    """height cos(2 pi turns) in place, as sin(2 pi s) with |s| <= 1/4, by its series."""
    for j in range(turns.size):
        s = 0.25 - abs(turns[j] - np.floor(turns[j] + 0.5))
        q = s * s
        high = S5 + q * (S6 + q * (S7 + q * (S8 + q * S9)))
        turns[j] = height * (s * (S0 + q * (S1 + q * (S2 + q * (S3 + q * (S4 + q * high))))))


@jit
def map_sparse(
    seed: np.uint64,
    size: float,
    features: int,
    table: Floats,
    phases: Floats,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    out: Floats,
) -> None:
    """Write the waves of each row. Frequencies of features outside the table are computed again.

    Unknown features are added last, in any position of the row. They may all have the index
    ``features``; then they count as the features ``features``, ``features`` + 1, and so on.
    """
    height = math.sqrt(2.0 / phases.size)
    drawn = np.empty(phases.size)
    for i in range(out.shape[0]):
        out[i] = phases
        unknown = False
        for j in range(indptr[i], indptr[i + 1]):
            k = indices[j]
            if k >= features:
                unknown = True
            elif k < table.shape[0]:
                turned(out[i], values[j], table[k])
            else:
                frequencies(seed, np.uint64(k), size, drawn)
                turned(out[i], values[j], drawn)
        if unknown:
            behind = np.uint64(0)
            for j in range(indptr[i], indptr[i + 1]):
                k = indices[j]
                if k >= features:
                    frequencies(seed, np.uint64(k) + behind, size, drawn)
                    turned(out[i], values[j], drawn)
                    behind += np.uint64(k == features)
        waves(out[i], height)


@jit
def map_dense(seed: np.uint64, size: float, table: Floats, phases: Floats, X: Floats, out: Floats) -> None:
    """Write the waves of each row."""
    height = math.sqrt(2.0 / phases.size)
    drawn = np.empty(phases.size)
    for i in range(out.shape[0]):
        out[i] = phases
        for k in range(X.shape[1]):
            if X[i, k] == 0.0:
                continue
            if k < table.shape[0]:
                turned(out[i], X[i, k], table[k])
            else:
                frequencies(seed, np.uint64(k), size, drawn)
                turned(out[i], X[i, k], drawn)
        waves(out[i], height)
