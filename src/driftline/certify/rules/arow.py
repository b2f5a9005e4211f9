"""The bound of AROW, with comparators fitted to plain and to whitened examples.

    D + sqrt((r + lambda_u) Q) / gamma - U = D(v) + sqrt(v.A v) sqrt(Q) - U,    v = u / gamma,   A = r I + sum x x^T

Q is at least s.A^-1 s with s = sum y x, which is what the proof needs. For a small r the margins and v
have large rounding errors, so the last value of Q is computed from s and A by a QR factorisation.
For wide matrices, the printed logdet + U takes the place of Q.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.scale_search import best_scale
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import NoTheoremError
from driftline.certify.rules.second_order_perceptron import WORK, in_both, logdets, spreads
from driftline.internals.compiled import Floats

ROUNDING = 1e-9
"""Q is increased by this share, because it is rounded."""
BLOCK = 4096
"""The number of rows that are factorised at once."""
CLOSE = 1e-9
"""The largest difference of the two formulas for Q, as a share of Q."""


def arow(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on mistakes, against fixed comparators."""
    assert isinstance(rule, rules.AROW)
    if rule.diagonal:
        raise NoTheoremError("the theorem is about the full matrix, not its diagonal (diagonal=True)")
    updated = evidence.updated
    others = np.cumsum(updated & (evidence.margins > 0.0))
    exact = len(evidence) * float(evidence.width) ** 2 <= WORK
    energies = energy_sums(rule.r, evidence) if exact else logdets(evidence, updated, rule.r) + others
    root = float(np.sqrt(energies[-1]))
    for one in in_both(evidence, updated, rule.r):
        margins, length = one.path.margins, one.path.longest()
        if length <= 0.0:
            continue
        seen = np.cumsum(np.where(updated, margins**2, 0.0))
        s, D = best_scale(margins, float(np.sqrt(rule.r * length**2 + seen[-1])) * root)
        if s <= 0.0:
            continue
        inputs = {"lambda_u": float(seen[-1]) / length**2, "gamma": 1.0 / (s * length), "D": D, "U": int(others[-1])}
        growth: dict[str, Floats] = {"lambda_u": seen / length**2, "U": others.astype(np.float64)}
        if exact:
            found = made(bounds.AROWTightest, r=rule.r, Q=float(energies[-1]), **inputs)
            growth["Q"] = energies
        else:
            found = made(bounds.AROWMistakes, r=rule.r, logdet=float(energies[-1] - others[-1]), **inputs)
            growth["logdet"] = energies - others
        if found is not None:
            yield found, replace(one, scale=s, growth=growth, trivial=float(len(evidence) - others[-1]))


def energy_sums(r: float, evidence: Evidence) -> Floats:
    """Return Q after each round: the sum over updates of (v + r m (2 - m)) / (v + r).

    If rounding errors make this sum wrong, every entry is the last Q, which is the largest.
    """
    last = energy(r, evidence)
    with np.errstate(all="ignore"):
        v, m = r * np.maximum(0.0, spreads(evidence, evidence.updated, r)), evidence.margins
        sums = np.cumsum(np.where(evidence.updated, (v + r * m * (2.0 - m)) / (v + r), 0.0))
        exact = bool(abs(sums[-1] - last) <= CLOSE * last)
    energies = np.maximum(0.0, sums) if exact else np.full(len(evidence), last)
    energies[-1] = last
    return energies * (1.0 + ROUNDING)


def energy(r: float, evidence: Evidence) -> float:
    """Return s.A^-1 s with A = r I + sum x x^T and s = sum y x over the updates.

    It is the squared length of the projection of y, continued by zeros, on the columns of the rows
    and of sqrt(r) I. A QR factorisation of these columns and y has it in its last column.
    """
    updates, width = evidence.part(evidence.updated), evidence.width
    rows = updates.sparse()
    factor: Floats = np.zeros((width, width + 1))
    np.fill_diagonal(factor, np.sqrt(r))
    for start in range(0, len(updates), BLOCK):
        block = slice(start, start + BLOCK)
        columns = np.column_stack([rows[block].toarray(), updates.y[block]])
        factor = np.asarray(np.linalg.qr(np.vstack([factor, columns]), mode="r"))
    return float(np.sum(factor[:width, width] ** 2))
