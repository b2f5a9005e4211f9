"""Bounds on runs of ShrunkPA: against fixed targets, with or without feature removal, and against
paths.
"""

from __future__ import annotations

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.separated import separated
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import NoTheoremError
from driftline.internals.compiled import Floats


def shrunk(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on mistakes."""
    assert isinstance(rule, rules.ShrunkPA)
    alpha, sigma = rule.alpha, rule.sigma
    if rule.when != "mistake":
        raise NoTheoremError("the theorem needs updates on mistakes only (when='mistake')")
    if alpha >= 1.0:
        raise NoTheoremError("the theorem needs alpha < 1, so that the gain of an update is positive")
    beta = 0.0 if sigma > 0.0 else longest(evidence, alpha)
    for R, one in separated(evidence, moving=sigma == 0.0):
        D, V = one.scale * one.path.longest(), one.scale * one.path.moved()[0]
        if sigma > 0.0:
            found = made(bounds.ShrunkPAMistakes, R=R, D=D, alpha=alpha, beta=beta, sigma=sigma)
        else:
            found = made(bounds.ShrunkPAPath, R=R, D=D, alpha=alpha, beta=beta, V=V)
        if found is not None:
            yield found, one


def longest(evidence: Evidence, alpha: float) -> float:
    """Return max |w_t|.

    After an update |w|^2 is (|w|^2 + ((1 + alpha)^2 - m^2) / |x|^2) / (1 + alpha)^2.
    """
    fired = evidence.updated
    m, squares = evidence.margins[fired], evidence.lengths()[fired] ** 2
    gains: Floats = ((1.0 + alpha) ** 2 - m**2) / squares
    norm = most = 0.0
    for gain in gains.tolist():
        norm = (norm + gain) / (1.0 + alpha) ** 2
        most = max(most, norm)
    return float(np.sqrt(most))
