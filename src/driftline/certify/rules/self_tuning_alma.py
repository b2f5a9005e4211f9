"""Bounds on runs of Gentile's ALMA: the largest margin found on the examples, scaled to length 1.

Rounds without an update change nothing, not even the learning rate. So "every round" of the
theorem is every round with an update.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from driftline import bounds, rules
from driftline.certify.comparators.candidates import separating
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import NoTheoremError
from driftline.certify.spaces.mapped import Mapped


def self_tuning(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on updates."""
    assert isinstance(rule, rules.SelfTuningALMA)
    if rule.B not in (None, math.sqrt(8.0) / rule.alpha) or rule.C not in (None, math.sqrt(2.0)):
        raise NoTheoremError("the theorem needs B = sqrt(8) / alpha and C = sqrt(2)")
    p = rule.norm
    rows = _of_length_one(evidence.part(evidence.updated), p)
    for one in separating(rows):
        if one.moves:
            return
        length, least = one.path.longest(p / (p - 1.0)), float(one.path.margins.min(initial=np.inf))
        if length > 0.0 and 0.0 < least < np.inf:
            bound = made(bounds.SelfTuningALMAUpdates, gamma=min(1.0, least / length), alpha=rule.alpha, p=p)
            if bound is not None:
                yield bound, replace(one, scale=1.0 / length, among=np.cumsum(evidence.updated))


def _of_length_one(evidence: Evidence, p: float) -> Evidence:
    """Return the rows divided by |x|_p."""
    lengths = evidence.lengths(p)
    values = evidence.values / np.repeat(lengths, np.diff(evidence.indptr).astype(np.intp))
    if isinstance(evidence, Mapped):
        return replace(evidence, values=values, norms={p: np.ones(len(evidence))})
    return replace(evidence, values=values)
