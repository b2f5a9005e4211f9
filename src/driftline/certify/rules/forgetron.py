"""The bound of the Forgetron, 2 |g|^2 + 4 hinge(g), at the best scale that its budget allows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from driftline import bounds, rules
from driftline.bounds.kernel.forgetron import LEAST
from driftline.certify.comparators.candidates import standing
from driftline.certify.comparators.scale_search import Shortfall
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import NoTheoremError, UnmetError


def forgetron(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield bounds on mistakes."""
    assert isinstance(rule, rules.Kernelized) and rule.budget is not None
    if float(evidence.lengths().max()) > 1.0 + 1e-9:
        raise NoTheoremError("the Forgetron's theorem needs k(x, x) <= 1")
    B = rule.budget
    if B < LEAST:
        raise UnmetError(f"a budget of {LEAST} or more", B)
    most = float(np.sqrt((B + 1.0) / np.log(B + 1.0))) / 4.0
    for one in standing(evidence):  # for k(x, x) = 1 and C = 1 the fit minimises the bound, 4 (|g|^2 / 2 + hinge)
        length = one.path.longest()
        if length <= 0.0:
            continue
        s = np.geomspace(1e-4, 1.0, 801) * most * (1.0 - 1e-12) / length
        hinges = s * Shortfall(one.path.margins)(1.0 / s)
        k = int(np.argmin(2.0 * (s * length) ** 2 + 4.0 * hinges))
        hinge = float(np.maximum(0.0, 1.0 - s[k] * one.path.margins).sum())
        found = made(bounds.ForgetronMistakes, B=B, length=float(s[k]) * length, hinge=hinge)
        if found is not None:
            yield found, replace(one, scale=float(s[k]))
