"""The bound of the second-order Perceptron, with comparators fitted to whitened examples.

    D + sqrt((a + lambda_u) logdet) / gamma = D(v) + sqrt(v.A v) sqrt(logdet),    v = u / gamma,   A = a I + sum x x^T

With A = L L^T this is the Perceptron's bound for L^T v on the whitened rows L^-1 x, with logdet in
place of the sum of squared lengths. So comparators are fitted to the whitened rows as well as to
the plain rows. The bound itself is always computed from the plain rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg import solve_triangular

from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator, standing
from driftline.certify.comparators.fit import Path, measure
from driftline.certify.comparators.scale_search import best_scale
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.mapped import MOST, Mapped, mapped
from driftline.internals.compiled import Floats, Indices, Offsets, jit

ROUNDING = 1e-12
WIDEST = 4096
"""The largest number of features for which a matrix of features is made."""
MOST_PIVOTS = 1024
"""The largest number of rounds whose Gram matrix is factorised to follow its determinant."""
WORK = 2e9
"""The largest number of multiplications for following the determinant with more rounds."""


def second_order(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on updates."""
    a, updated = of_full_matrix(rule), evidence.updated
    logdet = logdet_of(evidence, updated, a)
    short = float(evidence.lengths().max()) <= 1.0 + ROUNDING
    for one in in_both(evidence, updated, a):
        margins, length = one.path.margins, one.path.longest()
        if length <= 0.0:
            continue
        energy = float(np.sum(margins[updated] ** 2))
        s, D = best_scale(margins, float(np.sqrt((a * length**2 + energy) * logdet)))
        if s > 0.0:
            lambda_u, gamma = energy / length**2, 1.0 / (s * length)
            found = made(bounds.SecondOrder, a=a, logdet=logdet, lambda_u=lambda_u, gamma=gamma, D=D)
            if found is not None:
                yield found, replace(one, scale=s)
        least = float(margins.min())
        if short and least > 0.0:
            found = made(bounds.SecondOrderSeparable, a=a, logdet=logdet, gamma=min(1.0, least / length))
            if found is not None:
                yield found, replace(one, scale=1.0 / least)


def of_full_matrix(rule: rules.Rule) -> float:
    """Return the parameter a; raise NoTheoremError if the matrix is diagonal."""
    assert isinstance(rule, rules.SecondOrderPerceptron)
    if rule.diagonal:
        raise NoTheoremError("the theorem is about the full matrix, not its diagonal (diagonal=True)")
    return rule.a


def in_both(evidence: Evidence, chosen: np.ndarray, a: float) -> Iterator[Comparator]:
    """Yield fixed comparators, fitted to the plain rows and to the rows whitened by the chosen
    rounds.
    """
    yield from standing(evidence)
    whitened = round_rows(evidence, chosen, a)
    if whitened is not None:
        rows, factor = whitened
        for one in standing(rows):
            yield Comparator(brought_back(evidence, factor, one.path), one.worth)


def round_rows(evidence: Evidence, chosen: np.ndarray, a: float) -> tuple[Mapped, Floats] | None:
    """Return the rows L^-1 x with L L^T = a I + sum of x x^T over the chosen rounds, and L; None
    if there are too many values.
    """
    if len(evidence) * evidence.width > MOST or evidence.width > WIDEST:
        return None
    X = evidence.dense()
    try:
        factor = np.linalg.cholesky(a * np.eye(evidence.width) + X[chosen].T @ X[chosen])
    except np.linalg.LinAlgError:
        return None
    rows = solve_triangular(factor, X.T, lower=True).T
    return mapped(evidence, rows, {2.0: np.linalg.norm(rows, axis=1)}), factor


def brought_back(evidence: Evidence, factor: Floats, path: Path) -> Path:
    """Convert a path of one vector for whitened rows to one for the plain rows."""
    v = solve_triangular(factor, path.vectors[0], lower=True, trans="T")
    margins = np.zeros(len(evidence))
    measure(evidence, 0, len(evidence), v, margins)
    return Path(path.cuts, v[None, :], margins)


def logdet_of(evidence: Evidence, chosen: np.ndarray, a: float) -> float:
    """Return an upper limit of the sum of ln(1 + lambda_i / a) over the eigenvalues of the chosen
    rounds' Gram matrix.

    The limit is exact if all coordinates of the space are kept. Otherwise K = Z Z^T + S, and the
    sum is at most that of Z Z^T plus ln(1 + S_ii / a) for each round.
    """
    part = evidence.part(chosen)
    return _logdet(part, a) + float(_own(part, a).sum())


def logdets(evidence: Evidence, chosen: np.ndarray, a: float) -> Floats:
    """Return ``logdet_of`` after every round, or an upper limit of it if that would take too long.

    If a row is added to a matrix, its determinant is multiplied by the square of the new pivot of
    the Cholesky factor, which is 1 + x.A^-1 x and at most 1 + |x|^2 / a.
    """
    part, size = evidence.part(chosen), int(np.count_nonzero(chosen))
    if size <= MOST_PIVOTS:
        X = part.dense() if isinstance(part, Mapped) else part.sparse()
        gram = X @ X.T
        gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
        try:
            gains = 2.0 * np.log(np.diagonal(np.linalg.cholesky(np.eye(size) + gram / a)))
        except np.linalg.LinAlgError:  # rounding errors, because a is far smaller than the squares of the rows
            return _pivots_at_most(evidence, chosen, a)
    elif size * float(part.width) ** 2 <= WORK:
        gains = np.log1p(spreads(part, np.ones(size, bool), a))
    else:
        most: Floats = np.minimum(_pivots_at_most(evidence, chosen, a), logdet_of(evidence, chosen, a))
        return most
    grown = np.zeros(len(evidence))
    grown[chosen] = gains + _own(part, a)
    return np.cumsum(grown)


def _pivots_at_most(evidence: Evidence, chosen: np.ndarray, a: float) -> Floats:
    """Return the sum of ln(1 + |x|^2 / a) over the chosen rounds after every round."""
    return np.cumsum(np.where(chosen, np.log1p(evidence.lengths() ** 2 / a), 0.0))


def spreads(evidence: Evidence, updated: np.ndarray, a: float) -> Floats:
    """Return x.A^-1 x of every round, where A = a I + sum of x x^T over the updates before it."""
    rows, q = evidence.sparse(), np.zeros(len(evidence))
    indptr, indices = rows.indptr.astype(np.uint64), rows.indices.astype(np.uint32)
    spread_along(indptr, indices, rows.data, updated, np.eye(evidence.width) / a, q)
    return q


@jit
def spread_along(indptr: Offsets, indices: Indices, values: Floats, updated: np.ndarray, P: Floats, q: Floats) -> None:
    """Write x.P x of every row to q; after an update P becomes P - h h^T / (1 + x.h), h = P x."""
    h = np.zeros(len(P))
    for row in range(q.size):
        start, stop = indptr[row], indptr[row + 1]
        for j in range(start, stop):
            for k in range(start, stop):
                q[row] += values[j] * values[k] * P[indices[j], indices[k]]
        if updated[row]:
            h[:] = 0.0
            for j in range(start, stop):
                for i in range(h.size):
                    h[i] += P[indices[j], i] * values[j]
            for i in range(h.size):
                for k in range(h.size):
                    P[i, k] -= h[i] * h[k] / (1.0 + q[row])


def _logdet(part: Evidence, a: float) -> float:
    if isinstance(part, Mapped):
        X = part.dense()
        small = X @ X.T if X.shape[0] <= X.shape[1] else X.T @ X
    else:
        rows = part.sparse()
        small = (rows @ rows.T if rows.shape[0] <= rows.shape[1] else rows.T @ rows).toarray()
    return float(np.linalg.slogdet(np.eye(len(small)) + small / a)[1])


def _own(part: Evidence, a: float) -> Floats:
    """Return ln(1 + S_tt / a) of every round; S_tt is its squared length minus that of its
    coordinates.
    """
    if not isinstance(part, Mapped):
        return np.zeros(len(part))
    left: Floats = np.log1p(np.maximum(0.0, part.lengths() ** 2 - np.sum(part.dense() ** 2, axis=1)) / a)
    return left
