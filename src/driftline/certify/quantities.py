"""Quantities of a data set that bounds depend on: lengths, margins, hinge losses, paths and
eigenvalues.
"""

from __future__ import annotations

import numpy as np

from driftline.certify.comparators.candidates import moving, separating, standing
from driftline.certify.comparators.scale_search import Shortfall
from driftline.certify.evidence import Evidence

EIGEN = 4096
"""The largest number of rows of a Gram matrix, of examples or features, whose eigenvalues are
computed.
"""


def quantities(evidence: Evidence) -> dict[str, tuple[float, str]]:
    """Return the value and the meaning of each quantity; the margin is 0 if no separating vector
    was found.
    """
    if not len(evidence):
        raise ValueError("quantities: a stream must have examples, got none. Check the files")
    R, largest = float(evidence.lengths().max()), float(np.abs(evidence.values).max(initial=0.0))
    found = {
        "examples": (float(len(evidence)), "rounds"),
        "features": (float(np.unique(evidence.indices).size), "that occur, with the constant one"),
        "R": (R, "the longest example, max |x|_2"),
        "X_inf": (largest, "the largest value, max |x_i|"),
        "gamma": (_margin(evidence), "the largest margin found of a u with |u|_2 = 1 on every example; 0: none"),
    }
    best = min((_perceptron(one.path.margins, one.path.longest(), R) for one in standing(evidence)), default=None)
    if best is not None:
        bound, D, gamma = best
        found["gamma_hinge"] = (gamma, "the margin at which the fixed u of the smallest Perceptron bound is taken")
        found["D"] = (D, "its sum of max(0, 1 - y u.x / gamma) over all examples")
        found["bound"] = (bound, "that bound: R^2 / gamma^2 and D together")
    paths = [(one.path.moved(), float(np.maximum(0.0, 1.0 - one.path.margins).sum()), one) for one in moving(evidence)]
    if paths:
        (D1, D2), K, one = min(paths, key=lambda path: path[1] + path[0][0])
        found["D1"] = (D1, f"length of a path of {one.path.segments} pieces, sum |u_t - u_(t+1)|_2")
        found["D2"] = (D2, "the sum of squares of its steps")
        found["B"] = (one.path.longest(), "its longest vector, max |u_t|_2")
        found["K"] = (K, "its sum of max(0, 1 - y u_t.x_t) at mu = 1")
    if min(len(evidence), evidence.width) <= EIGEN:
        found["logdet"] = (_logdet(evidence), "sum of ln(1 + lambda_i), the eigenvalues of the examples' Gram matrix")
    return found


def _margin(evidence: Evidence) -> float:
    """Return the largest margin found over all examples."""
    best = 0.0
    for one in separating(evidence):
        if one.moves:
            break
        length = one.path.longest()
        best = max(best, float(one.path.margins.min()) / length if length > 0.0 else 0.0)
    return best


def _perceptron(margins: np.ndarray, length: float, R: float) -> tuple[float, float, float]:
    """Return the minimum over all scales of (R / gamma)^2 + 2 D, with D and gamma."""
    if length == 0.0:
        return np.inf, 0.0, 0.0
    lacking = Shortfall(margins)
    s = np.geomspace(1e-3, 1e6, 901) / (R * length)
    D = s * lacking(1.0 / s)
    values = (R * s * length) ** 2 + 2.0 * D
    k = int(np.argmin(values))
    return float(values[k]), float(D[k]), 1.0 / float(s[k] * length)


def _logdet(evidence: Evidence) -> float:
    """Return ln det(I + X X^T), computed from the smaller of X X^T and X^T X."""
    X = evidence.sparse()
    small = (X @ X.T if X.shape[0] <= X.shape[1] else X.T @ X).toarray()
    return float(np.linalg.slogdet(np.eye(len(small)) + small)[1])
