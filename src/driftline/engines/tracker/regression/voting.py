"""The weighted mean of the voters, their shares, and the stackers."""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.regression.linear_experts import set_prior, train_squares
from driftline.engines.tracker.regression.state import (
    ERROR,
    ERRORS,
    EXPERTS,
    HIGH,
    LOW,
    STACKERS,
    Scratch,
    Voting,
)
from driftline.engines.tracker.state import GUARDED, ROUNDS
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import ALPHAS
from driftline.rules.tracker.tracker_regressor import (
    ERROR_STAYS,
    LARGEST_LOSS,
    RATE,
    STACK_CLIP,
    STACK_FORGETTING,
    STACK_PRIOR,
)

LEAST = 1e-200  # lower limit of the weight of a switching rate
YOUNG = 10.0  # errors of the first rounds are not clipped
OUTLIER = 10.0


@jit
def prior(voter: int, experts: int) -> float:
    """The prior share of a voter: half is on the stackers, half on the experts."""
    return 0.5 / STACKERS if voter < STACKERS else 0.5 / experts


@jit
def set_prior_shares(shares: Floats, experts: int) -> None:
    """Set the shares before the first round."""
    for a in range(len(shares)):
        for i in range(STACKERS + EXPERTS):
            shares[a, i] = prior(i, experts) / len(shares) if i < STACKERS + experts else 0.0


@jit
def begin(voting: Voting, experts: int) -> None:
    """Set shares and stackers before the first round."""
    set_prior_shares(voting.shares, experts)
    for k in range(STACKERS):
        set_prior(voting.spread[k], EXPERTS, STACK_PRIOR[k], STACK_PRIOR[k])


@jit
def redistribute_shares(before: Floats, shares: Floats, experts: int) -> None:
    """Distribute the shares of the removed experts to the remaining voters by their prior."""
    for a in range(len(shares)):
        lost = 0.0
        for i in range(STACKERS + experts, STACKERS + EXPERTS):
            lost += before[a, i]
            shares[a, i] = 0.0
        for i in range(STACKERS + experts):
            shares[a, i] = before[a, i] + lost * prior(i, experts)


@jit
def remove_experts(voting: Voting, experts: int) -> None:
    """Keep the first ``experts`` experts."""
    redistribute_shares(voting.shares, voting.shares, experts)
    for j in range(experts, EXPERTS):
        voting.squares[STACKERS + j] = 0.0
        for k in range(STACKERS):
            voting.stack[k, j] = 0.0
    for k in range(STACKERS):
        for place in range(experts * (experts + 1) // 2, voting.spread.shape[1]):
            voting.spread[k, place] = 0.0


@jit
def moved(own: Floats, prediction: float) -> float:
    """A prediction, moved into the range of the targets, extended by its length on both sides."""
    reach = own[HIGH] - own[LOW]
    if not np.isfinite(prediction):
        return 0.0
    return min(own[HIGH] + reach, max(own[LOW] - reach, prediction))


@jit
def combine(own: Floats, voting: Voting, shares: Floats, scratch: Scratch, experts: int) -> float:
    """The weighted mean of the voters on the scores in the workspace, which alone changes."""
    votes, F = scratch.votes, scratch.features
    base, total = 0.0, 0.0
    for j in range(experts):
        i = STACKERS + j
        votes[i] = moved(own, scratch.scores[j])
        share = 0.0
        for a in range(len(shares)):
            share += shares[a, i]
        base += share * votes[i]
        total += share
    mean = base
    base = base / total if total > 0.0 else 0.0
    for j in range(experts):
        apart = (votes[STACKERS + j] - base) / own[ERROR] if own[ERROR] > 0.0 else 0.0
        F[j] = min(STACK_CLIP, max(-STACK_CLIP, apart))
    F[EXPERTS] = base
    for k in range(STACKERS):
        stacked = 0.0
        for j in range(experts):
            stacked += voting.stack[k, j] * F[j]
        scratch.stacked[k] = stacked
        votes[k] = moved(own, base + own[ERROR] * stacked)
        for a in range(len(shares)):
            mean += shares[a, k] * votes[k]
    return moved(own, mean)


@jit
def reweigh(own: Floats, shares: Floats, votes: Floats, experts: int, u: float, weight: float) -> None:
    """Update the shares after a round: reduce them by loss, then share at each switching rate."""
    voters = STACKERS + experts
    least = np.inf
    for i in range(voters):
        least = min(least, abs(u - votes[i]) / own[ERROR])
    least = min(least, LARGEST_LOSS)
    total = 0.0
    for i in range(voters):
        loss = min(LARGEST_LOSS, abs(u - votes[i]) / own[ERROR]) - least
        factor = np.exp(-RATE * weight * loss)
        for a in range(len(shares)):
            shares[a, i] *= factor
            total += shares[a, i]
    for a in range(len(shares)):
        rate = 0.0
        for i in range(voters):
            shares[a, i] /= total
            rate += shares[a, i]
        rate = max(rate, LEAST)
        alpha = ALPHAS[a] if ALPHAS[a] > 0.0 else 1.0 / (own[ROUNDS] + 2.0)
        for i in range(voters):
            shares[a, i] = (1.0 - alpha) * shares[a, i] + alpha * rate * prior(i, experts)


@jit
def train_stackers(own: Floats, voting: Voting, scratch: Scratch, experts: int, u: float, weight: float) -> None:
    """One step of least squares on F for each stacker."""
    F = scratch.features
    apart = min(STACK_CLIP, max(-STACK_CLIP, (u - F[EXPERTS]) / own[ERROR]))
    for k in range(STACKERS):
        residual, most = apart - scratch.stacked[k], STACK_PRIOR[k] * experts
        w, P = voting.stack[k], voting.spread[k]
        if not train_squares(w, P, F, experts, 1.0, residual, 1.0 / weight, STACK_FORGETTING, 0.0, most, scratch.h):
            set_prior(P, experts, STACK_PRIOR[k], STACK_PRIOR[k])


@jit
def keep_error(own: Floats, error: float) -> None:
    """Update the running error; an outlier counts as 10 running errors."""
    own[ERRORS] = ERROR_STAYS * own[ERRORS] + 1.0
    if own[ERRORS] > YOUNG:
        error = min(error, OUTLIER * own[ERROR])
    own[ERROR] += (error - own[ERROR]) / own[ERRORS]


@jit
def learn_votes(
    own: Floats, voting: Voting, scratch: Scratch, experts: int, mean: float, u: float, weight: float
) -> None:
    """Learn a round in the workspace: squared errors, stackers, the running error and shares."""
    for j in range(experts):
        own[GUARDED] += not np.isfinite(scratch.scores[j])
    for i in range(STACKERS + experts):
        voting.squares[i] += (u - scratch.votes[i]) ** 2
    if own[ERROR] > 0.0:
        train_stackers(own, voting, scratch, experts, u, weight)
    keep_error(own, abs(u - mean))
    if own[ERROR] > 0.0:
        reweigh(own, voting.shares, scratch.votes, experts, u, weight)
