"""Bounds on runs of Winnow: the best target mu >= 0 with a gap on all updates, by linear
programming.

The bounds increase with U / kappa, where kappa = delta - (1 - 1/beta). In the variables
nu = mu / kappa and s = 1 / kappa, the objective and all conditions are linear:

    minimise  sum nu    s.t.  nu.x >= s where y = +1,    nu.x <= s / beta - 1 where y = -1,    nu >= 0,    s >= beta

The proofs concern updates only. So the target is fitted to the updates, and features that are 0 in
all of them do not count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack

from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.fit import Path
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers
from driftline.certify.refusal import UnmetError
from driftline.internals.compiled import Floats

ROUNDING = 1e-12
MOST = 50_000
"""The largest number of steps of the linear programme."""


@dataclass(frozen=True)
class Target:
    """A target mu, with mu.x >= 1 for y = +1 and mu.x <= 1 - delta for y = -1."""

    mu: Floats
    delta: float

    @property
    def size(self) -> float:
        """U, the sum of its weights. It is at least 1 because no feature exceeds 1."""
        return max(1.0, float(self.mu.sum()))

    @property
    def entropy(self) -> float:
        """H, the entropy of its normalised weights."""
        share = self.mu[self.mu > 0.0] / self.mu.sum()
        return max(0.0, -float(np.sum(share * np.log(share))))


def winnow(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound for features 0 and 1, if all features are, and the bound for features from 0
    to 1.
    """
    assert isinstance(rule, rules.Winnow)
    largest = float(evidence.values.max(initial=0.0))
    if largest > 1.0 + ROUNDING:
        raise UnmetError("features from 0 to 1", f"one of {largest:g}")
    updates = evidence.part(evidence.updated)
    n = int(np.unique(updates.indices[updates.values != 0.0]).size)
    target: Target | None
    if np.any(updates.y > 0.0):
        target = best_target(updates, rule.beta)
    else:  # a feature that never occurs is a target
        n, target = n + 1, Target(np.append(np.zeros(updates.width), 1.0), 1.0)
    if target is None:
        raise UnmetError(
            "mu >= 0 with mu.x >= 1 on positive rounds and mu.x <= 1 - delta on negative ones, "
            f"delta > 1 - 1/beta = {1.0 - 1.0 / rule.beta:.3g}",
            "no such mu for the updates",
        )
    scores = np.zeros(len(updates))  # not used: the bound depends on the gap
    one = Comparator(Path(np.array([0, len(updates)]), target.mu[None, :], scores), 0.0)
    theta, beta, U, delta = rule.theta, rule.beta, target.size, target.delta
    if theta >= 1.0 and np.isin(evidence.values, (0.0, 1.0)).all():
        yield bounds.WinnowBinary(n=n, theta=theta, delta=delta, U=U, beta=beta), one
    H = min(target.entropy, math.log(n))
    yield bounds.WinnowReal(n=n, theta=theta, delta=delta, U=U, beta=beta, H=H), one


def best_target(updates: Evidence, beta: float) -> Target | None:
    """Return the target with the smallest U / kappa, or None. Its gap is measured, not taken from
    the solver.
    """
    from scipy.optimize import linprog  # slow to import

    shape = len(updates), updates.width
    X = csr_matrix((updates.values, updates.indices, updates.indptr.astype(np.int64)), shape)
    yes, no = X[updates.y > 0.0], X[updates.y < 0.0]
    s = csr_matrix(np.concatenate([np.ones(yes.shape[0]), np.full(no.shape[0], -1.0 / beta)])[:, None])
    rows = hstack([vstack([-yes, no]), s]).tocsr()
    most = np.concatenate([np.zeros(yes.shape[0]), np.full(no.shape[0], -1.0)])
    prices = np.append(np.ones(updates.width), 0.0)
    limits = [(0.0, None)] * updates.width + [(beta, None)]
    solved = linprog(prices, A_ub=rows, b_ub=most, bounds=limits, method="highs", options={"maxiter": MOST})
    if solved.x is None:
        return None
    mu = np.maximum(solved.x[:-1], 0.0)
    least = float((yes @ mu).min())
    if least <= 0.0:
        return None
    mu /= least
    delta = min(1.0, 1.0 - float((no @ mu).max(initial=0.0)) - ROUNDING)
    return Target(mu, delta) if delta > 0.0 and beta * (1.0 - delta) < 1.0 else None
