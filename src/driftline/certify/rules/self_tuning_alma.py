"""Gentile's ALMA: the largest margin found on examples of length 1, as which it takes all of them.

Rounds without an update change nothing, not even its rate: it is as if they had not been. So the theorem's "every
round" is every one that updated.
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
    """Bounds on its updates."""
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
    """The rows divided by |x|_p."""
    lengths = evidence.lengths(p)
    values = evidence.values / np.repeat(lengths, np.diff(evidence.indptr).astype(np.intp))
    if isinstance(evidence, Mapped):
        return replace(evidence, values=values, norms={p: np.ones(len(evidence))})
    return replace(evidence, values=values)
