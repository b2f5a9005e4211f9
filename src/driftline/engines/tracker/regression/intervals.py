"""Prediction intervals by adaptive conformal inference, on errors divided by the running error.

    score = |y - p| / rho,    interval = [p - h, p + h],   h = rho Q(1 - alpha_t)
    alpha_{t+1} = alpha_t + gain alpha (alpha - [score > Q(1 - alpha_t)])

Q is the quantile of the last 1,000 scores. It is infinite if they are too few for 1 - alpha_t.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.regression.state import ERROR, SCORED, Voting
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker_regressor import COVERAGES, GAIN, SCORES

LARGEST = 1e9  # upper limit of a score


@jit
def quantile(ordered: Floats, size: int, coverage: float) -> float:
    """The conformal quantile of ``size`` ordered scores; -1, an empty interval, if it has no rank."""
    rank = np.ceil((size + 1.0) * coverage)
    if rank < 1.0:
        return -1.0
    return ordered[int(rank) - 1] if rank <= size else np.inf


@jit
def keep_score(own: Floats, voting: Voting, error: float) -> None:
    """Update alpha_t of each coverage by the error of a round, then replace the oldest score."""
    score = LARGEST if error > 0.0 else 0.0
    if own[ERROR] > 0.0:
        score = min(LARGEST, error / own[ERROR])
    ordered, size = voting.ordered, int(min(own[SCORED], SCORES))
    for k in range(len(COVERAGES)):
        alpha = 1.0 - COVERAGES[k]
        outside = 1.0 if score > quantile(ordered, size, 1.0 - voting.levels[k]) else 0.0
        voting.levels[k] += GAIN * alpha * (alpha - outside)
    place = int(own[SCORED] % SCORES)
    at = size
    if size == SCORES:
        oldest = voting.scores[place]
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < oldest:
                low = middle + 1
            else:
                high = middle
        at = low
    while at > 0 and ordered[at - 1] > score:
        ordered[at] = ordered[at - 1]
        at -= 1
    while at + 1 < size and ordered[at + 1] < score:
        ordered[at] = ordered[at + 1]
        at += 1
    ordered[at] = score
    voting.scores[place] = score
    own[SCORED] += 1.0


def half_width(own: Floats, voting: Voting, coverage: float) -> float:
    """h for this coverage; alpha_t is interpolated between the coverages that are tracked."""
    alpha = float(np.interp(coverage, COVERAGES, voting.levels))
    found = quantile(voting.ordered, int(min(own[SCORED], SCORES)), 1.0 - alpha)
    return max(0.0, float(own[ERROR] * found)) if np.isfinite(found) else float("inf")
