"""The vector with the largest margin on all rounds: the shortest w with y w.x >= s, by
least-distance programming.

    w ~ sum_t a_t y_t x_t,    a = argmin_(a >= 0)  |sum_t a_t y_t x_t|^2 + (s sum_t a_t - 1)^2

for any s > 0; w is 0 if no vector has a margin. Rounding is smallest if s is close to the margin,
so several values of s are tried.

Lawson, Hanson. Solving Least Squares Problems (1974), chapter 23.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.fit import Path, dots
from driftline.certify.evidence import Evidence

SIZES = (1.0, 0.1, 1e-2, 1e-4, 1e-6, 1e-8)
"""Values of s to try, in units of the longest row."""
FLAT = 1e-12
"""A residual up to this counts as no margin: for a small margin the residual is margin / s."""


def widest(rounds: Evidence) -> tuple[Comparator | None, float]:
    """Return a vector of length 1 and its margin, or None and 0 if no vector separates these
    rounds.
    """
    from scipy.optimize import nnls  # slow to import

    shape, longest = (len(rounds), rounds.width), float(rounds.lengths().max(initial=0.0))
    if longest == 0.0:
        return None, 0.0
    X = csr_matrix((rounds.values / longest, rounds.indices, rounds.indptr.astype(np.int64)), shape)
    signed = np.asarray(X.T.toarray()) * rounds.y
    best: Comparator | None = None
    margin = 0.0
    for size in SIZES:
        matrix = np.vstack([signed, np.full(len(rounds), size)])
        try:
            a, rest = nnls(matrix, np.append(np.zeros(rounds.width), 1.0), maxiter=100 + 30 * rounds.width)
        except RuntimeError:  # too many steps
            continue
        if rest <= FLAT:
            break
        w = signed @ a
        w /= np.linalg.norm(w)
        margins = np.zeros(len(rounds))
        dots(rounds.indptr, rounds.indices, rounds.values, rounds.y, 0, len(rounds), w, margins)
        if margins.min() > margin:
            margin = float(margins.min())
            best = Comparator(Path(np.array([0, len(rounds)]), w[None, :], margins), 0.0)
    return best, margin
