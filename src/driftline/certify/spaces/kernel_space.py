"""A run in the feature space of its kernel: comparators are functions f = sum_i a_i k(x_i, .) of
some examples, the landmarks.

If L L^T is the kernel matrix of the landmarks, such a function is a vector v with one coordinate
per landmark:

    f(x) = v.z(x),    z(x) = L^-1 (k(x_1, x), ..., k(x_m, x)),    |f| = |v|

The values and the norm of f are exact for any landmarks; better landmarks allow a better f. They
are chosen by a pivoted Cholesky factorisation, from the rounds with updates first. The length of
an example is sqrt(k(x, x)); |z(x)| may be smaller.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from driftline.certify.evidence import Evidence
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.kernel_values import KernelValues
from driftline.certify.spaces.mapped import MOST, Mapped, mapped
from driftline.internals.compiled import Floats
from driftline.rules.kernel.kernels import NONE, Kernel

CANDIDATES, CANDIDATES_ASKED = 2048, 512
"""Rounds from which landmarks are chosen; fewer if the kernel is a Python function."""
MOST_CHECKED = 4096
"""The largest number of rounds whose kernel matrix is checked."""
APART = 1e-8
"""The smallest pivot of a landmark, relative to the largest k(x, x)."""
ROUNDING = 1e-9


def in_kernel_space(kernel: Kernel, evidence: Evidence) -> Mapped:
    """Return the run in the feature space of this kernel."""
    values = KernelValues(kernel, evidence)
    if not values.same_on_every_round:
        raise NoTheoremError("the kernel must be the same on every round, but new features appeared during the run")
    squares = values.squares()
    landmarks, lower = _landmarks(values, evidence)
    if kernel.code == NONE:
        _check_positive(values, np.union1d(landmarks, np.flatnonzero(evidence.updated)))
    coordinates = np.zeros((len(evidence), len(landmarks)))
    if len(landmarks):
        coordinates = solve_triangular(lower, values.between(landmarks), lower=True, overwrite_b=True).T
    return mapped(evidence, coordinates, {2.0: np.sqrt(squares)})


def _landmarks(values: KernelValues, evidence: Evidence) -> tuple[np.ndarray, Floats]:
    """Return the rounds of the landmarks, and the Cholesky factor of their kernel matrix."""
    slow = values.kernel.code == NONE and not values.kernel.numbered
    candidates = _spread(evidence.updated, CANDIDATES_ASKED if slow else CANDIDATES)
    if not len(candidates):
        return candidates, np.zeros((0, 0))
    matrix = values.among(candidates)
    least = APART * float(np.diagonal(matrix).max())
    if least <= 0.0:
        return candidates[:0], np.zeros((0, 0))
    factor, order, rank, _ = dpstrf(matrix, tol=least, lower=1)
    size = min(int(rank), MOST // len(evidence))
    return candidates[order[:size] - 1], np.tril(factor[:size, :size])


def _spread(updated: np.ndarray, most: int) -> np.ndarray:
    """Return at most ``most`` rounds, spread evenly over the run: rounds with updates first, then
    others.
    """
    first, then = np.flatnonzero(updated), np.flatnonzero(~updated)
    return np.concatenate([_evenly(first, most), _evenly(then, most - min(most, len(first)))])


def _evenly(rounds: np.ndarray, most: int) -> np.ndarray:
    if len(rounds) <= most:
        return rounds
    return rounds[np.linspace(0, len(rounds) - 1, most).astype(np.intp)] if most > 0 else rounds[:0]


def _check_positive(values: KernelValues, rounds: np.ndarray) -> None:
    """Raise NoTheoremError unless the kernel is positive definite on the examples of theorem and
    comparator.
    """
    if len(rounds) > MOST_CHECKED:
        raise NoTheoremError(
            "the kernel must be positive definite on the examples with updates; for a function or a matrix this is "
            f"checked for at most {MOST_CHECKED:,} of them"
        )
    matrix = values.among(rounds)
    allowed = ROUNDING * float(np.diagonal(matrix).max(initial=0.0))
    if allowed == 0.0:
        return
    try:
        np.linalg.cholesky(matrix + allowed * np.eye(len(rounds)))
    except np.linalg.LinAlgError:
        raise NoTheoremError("the kernel must be positive definite, but is not on the examples of this run") from None
