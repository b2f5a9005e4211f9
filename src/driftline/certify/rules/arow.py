"""The bound of AROW, with comparators fitted to plain and to whitened examples.

    D + sqrt((r + lambda_u) Q) / gamma - U = D(v) + sqrt(v.A v) sqrt(Q) - U,    v = u / gamma,   A = r I + sum x x^T

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
"""Q is increased by this share, because margins are rounded."""


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
    """Return Q after each round: the sum over updates of (v + r m (2 - m)) / (v + r)."""
    v, m = r * spreads(evidence, evidence.updated, r), evidence.margins
    sums: Floats = np.cumsum(np.where(evidence.updated, (v + r * m * (2.0 - m)) / (v + r), 0.0))
    return np.maximum(0.0, sums) * (1.0 + ROUNDING)
