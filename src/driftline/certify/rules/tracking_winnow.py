"""Bounds on runs of TrackingWinnow: the best targets mu_k >= 0, one for each piece of the
updates, by linear programming.

The bound increases with the sum of the first target, its rises and its falls, all divided by
kappa. In the variables nu = mu / kappa and s = 1 / kappa these are linear, as for Winnow. The
factor beta / (1 - sigma) takes the place of beta:

    minimise    price sum nu_1 + ln(1 / floor) rises + ln(W) falls
    s.t.        nu_k.x >= s where y = +1,    nu_k.x <= s (1 - sigma) / beta - 1 where y = -1

The proof concerns updates only, so the targets are fitted to the updates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, eye_array, hstack, vstack

from driftline import bounds, rules
from driftline.certify.comparators.candidates import Comparator
from driftline.certify.comparators.fit import Path
from driftline.certify.evidence import Evidence
from driftline.certify.offers import Offers, made
from driftline.certify.refusal import UnmetError
from driftline.certify.rules.winnow import MOST, ROUNDING
from driftline.internals.compiled import Floats

PIECES = (1, 2, 4, 8, 16)
"""Numbers of targets to try, with at least four updates each."""
MOST_NUMBERS = 20_000
"""The largest number of weights in all targets of a path."""


@dataclass(frozen=True)
class Prices:
    """Prices of a weight of the first target, and of its rise and fall by 1."""

    first: float
    rise: float
    fall: float


def tracking_winnow(rule: rules.Rule, evidence: Evidence) -> Offers:
    """Yield the bound for one target, and for paths of several targets."""
    assert isinstance(rule, rules.TrackingWinnow)
    largest = float(evidence.values.max(initial=0.0))
    if largest > 1.0 + ROUNDING:
        raise UnmetError("features from 0 to 1", f"one of {largest:g}")
    updates = evidence.part(evidence.updated)
    X = csr_matrix((updates.values, updates.indices, updates.indptr.astype(np.int64)), (len(updates), updates.width))
    present = np.unique(updates.indices[updates.values != 0.0])
    N = float(X.sum(axis=1).max()) if len(updates) else 1.0
    sigma = rule.floor * N / rule.theta
    if sigma >= 1.0:
        raise UnmetError("floor |x|_1 < theta", f"floor |x|_1 = {rule.floor * N:g} and theta = {rule.theta:g}")
    beta = rule.beta / (1.0 - sigma)
    least = float(updates.values[updates.values > 0.0].min(initial=1.0))
    n = max(1, present.size)
    common = {"n": n, "N": N, "beta": rule.beta, "theta": rule.theta, "floor": rule.floor, "least": least}
    W = max(1.0, rule.theta * max(rule.beta, rule.beta**least / least))
    start = math.log(max(math.e, n * W))
    prices = Prices(start, math.log(1.0 / rule.floor), math.log(W))
    found = False
    for pieces in PIECES:
        if pieces > 1 and (4 * pieces > len(updates) or pieces * present.size > MOST_NUMBERS):
            break
        cuts = np.linspace(0, len(updates), pieces + 1).astype(np.intp)
        targets = best_targets(X[:, present], updates.y, cuts, beta, prices)
        if targets is None:
            continue
        mu, delta = targets
        moved = np.diff(mu, axis=0)
        up, down = float(moved[moved > 0.0].sum()), float(-moved[moved < 0.0].sum())
        U = float(mu[-1].sum())
        share = mu[-1][mu[-1] > 0.0] / U if U > 0.0 else np.zeros(0)
        H = min(max(0.0, -float(np.sum(share * np.log(share)))), math.log(n))
        bound = made(bounds.TrackingWinnowUpdates, **common, delta=delta, U=U, H=H, up=min(up, U + down), down=down)
        if bound is not None:
            found = True
            vectors = np.zeros((pieces, updates.width))
            vectors[:, present] = mu
            yield bound, Comparator(Path(cuts, vectors, np.zeros(len(updates))), 0.0)
    if not found:
        raise UnmetError(
            "mu_t >= 0 with mu_t.x >= 1 on positive rounds and mu_t.x <= 1 - delta on negative ones, "
            f"delta > 1 - (1 - floor |x|_1 / theta) / beta = {1.0 - 1.0 / beta:.3g}",
            "no such mu_t for the updates",
        )


def best_targets(
    X: csr_matrix, y: Floats, cuts: np.ndarray, beta: float, prices: Prices
) -> tuple[Floats, float] | None:
    """Return the target of each piece and their common gap, or None. The gap is measured, not
    taken from the solver.

    Parameters
    ----------
    X, y
        The rows and labels of the updates.
    cuts
        Piece k has the updates from ``cuts[k]`` to ``cuts[k + 1]``.
    beta
        The factor, divided by 1 - sigma.
    prices
        The cost of the targets.
    """
    from scipy.optimize import linprog  # slow to import

    pieces, width = len(cuts) - 1, X.shape[1]
    # columns: nu_1, then the rises and the falls before each other piece, then s
    step, blocks = eye_array(width, format="csr"), []
    for k in range(pieces):
        at = X[cuts[k] : cuts[k + 1]]
        none = csr_matrix(at.shape)
        blocks.append(hstack([at, *[at if j <= k else none for j in range(1, pieces)]]))
    sums = vstack(blocks).tocsr()
    signs = np.where(y > 0.0, -1.0, 1.0)
    rest = sums[:, width:]
    s = csr_matrix(np.where(y > 0.0, 1.0, -1.0 / beta)[:, None])
    rows = hstack([sums.multiply(signs[:, None]), -rest.multiply(signs[:, None]), s])
    most = np.where(y > 0.0, 0.0, -1.0)
    steps = (pieces - 1) * width
    # no weight falls below 0
    for k in range(1, pieces):
        chosen = hstack([step if j <= k else csr_matrix((width, width)) for j in range(1, pieces)])
        rows = vstack([rows, hstack([-step, -chosen, chosen, csr_matrix((width, 1))])])
    most = np.concatenate([most, np.zeros(steps)])
    cost = np.concatenate([np.full(width, prices.first), np.full(steps, prices.rise), np.full(steps, prices.fall), [0]])
    limits = [(0.0, None)] * (width + 2 * steps) + [(beta, None)]
    solved = linprog(cost, A_ub=rows.tocsr(), b_ub=most, bounds=limits, method="highs", options={"maxiter": MOST})
    if solved.x is None:
        return None
    moved = (solved.x[width : width + steps] - solved.x[width + steps : width + 2 * steps]).reshape(pieces - 1, width)
    mu = np.maximum(np.vstack([solved.x[:width], solved.x[:width] + np.cumsum(moved, axis=0)]), 0.0)
    answers = np.concatenate([X[cuts[k] : cuts[k + 1]] @ mu[k] for k in range(pieces)])
    least = float(answers[y > 0.0].min(initial=np.inf))
    if least <= 0.0:
        return None
    scale = least if least < np.inf else 1.0
    delta = min(1.0, 1.0 - float(answers[y < 0.0].max(initial=0.0)) / scale - ROUNDING)
    return (mu / scale, delta) if delta > 0.0 and beta * (1.0 - delta) < 1.0 else None
