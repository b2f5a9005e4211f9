"""The vote: stackers that combine the scores of the experts, and the shares of all voters.

The voters are the constants +1 and -1, the three stackers, and then the remaining experts.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.experts import train_arow
from driftline.engines.tracker.state import GUARDED, MEMBERS, ROUNDS, VOTERS, H, Voting, Workspace
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import (
    ALPHAS,
    RATE,
    RATES,
    RMS_STAYS,
    STACK_GAMMA,
    STACK_R,
    STACK_RATE,
    STACK_TRACE,
)

SWITCHING = len(ALPHAS)
PLUS, MINUS, STACKERS, EXPERTS = 0, 1, 2, 5
LEAST = 1e-200  # lower limit of the weight of a pair of rates


@jit
def prior(voter: int, members: int) -> float:
    """The prior share of a voter: half is on the three stackers, half on constants and experts."""
    return 1.0 / 6.0 if STACKERS <= voter < EXPERTS else 0.5 / (members + 2.0)


@jit
def set_prior_shares(shares: Floats, members: int) -> None:
    """Set the shares of ``members`` experts before the first round."""
    for a in range(len(shares)):
        for i in range(VOTERS):
            shares[a, i] = prior(i, members) / len(shares) if i < EXPERTS + members else 0.0


@jit
def begin(voting: Voting, members: int) -> None:
    """Set shares and stackers for ``members`` experts before the first round."""
    set_prior_shares(voting.shares, members)
    place = 0
    for j in range(voting.squares.size):
        share = 1.0 / members if j < members else 0.0
        for k in range(3):
            voting.stack[k, j] = share
        for _ in range(j):
            voting.spread[place] = 0.0
            place += 1
        voting.spread[place] = share
        place += 1


@jit
def redistribute_shares(before: Floats, shares: Floats, members: int) -> None:
    """Distribute the shares of the removed experts to the remaining voters by their prior.

    The first ``members`` experts remain.
    """
    for a in range(len(shares)):
        lost = 0.0
        for i in range(EXPERTS + members, VOTERS):
            lost += before[a, i]
            shares[a, i] = 0.0
        for i in range(EXPERTS + members):
            shares[a, i] = before[a, i] + lost * prior(i, members)


@jit
def remove_experts(voting: Voting, members: int) -> None:
    """Keep the first ``members`` experts; an expert that changes its rule keeps its weight."""
    redistribute_shares(voting.shares, voting.shares, members)
    for j in range(members, voting.squares.size):
        voting.squares[j] = 0.0
        voting.errors[EXPERTS + j] = 0.0
        for k in range(3):
            voting.stack[k, j] = 0.0
    for k in range(members * (members + 1) // 2, voting.spread.size):
        voting.spread[k] = 0.0


@jit
def vote(own: Floats, voting: Voting, shares: Floats, workspace: Workspace, members: int) -> float:
    """The vote, in [-1, 1], on the scores in the workspace; changes only the workspace."""
    t = own[ROUNDS]
    count = (1.0 - RMS_STAYS ** (t + 1.0)) / (1.0 - RMS_STAYS)
    F, V, stacked = workspace.features, workspace.votes, workspace.stacked
    c0, c1, c2 = 0.0, 0.0, 0.0
    for j in range(members):
        s = workspace.scores[j]
        if not np.isfinite(s):
            s = 0.0
        square = voting.squares[j] + (s * s - voting.squares[j]) / count
        workspace.squares[j] = square
        ratio = s / np.sqrt(square) if square > 1e-18 else 0.0
        workspace.ratios[j] = ratio
        F[j] = np.tanh(ratio)
        V[EXPERTS + j] = 1.0 if s >= 0.0 else -1.0
        c0 += voting.stack[0, j] * F[j]
        c1 += voting.stack[1, j] * V[EXPERTS + j]
        c2 += voting.stack[2, j] * F[j]
    stacked[0], stacked[1], stacked[2] = c0, c1, c2
    V[PLUS], V[MINUS] = 1.0, -1.0
    for k in range(3):
        V[STACKERS + k] = 1.0 if stacked[k] >= 0.0 else -1.0
    total = 0.0
    for a in range(len(shares)):
        for i in range(EXPERTS + members):
            total += shares[a, i] * V[i]
    return min(1.0, max(-1.0, total))


@jit
def reweigh(own: Floats, shares: Floats, votes: Floats, voters: int, members: int, y: float, weight: float) -> None:
    """Update the shares after a round: reduce wrong voters, then share at each switching rate.

    The reduction depends on the learning rate. The shares of one learning rate are then scaled so
    that their sum is what it would be at RATE.
    """
    total = 0.0
    several = len(shares) > SWITCHING
    for e in range(len(shares) // SWITCHING):
        right, wrong = 0.0, 0.0
        rows = range(SWITCHING * e, SWITCHING * (e + 1))
        for a in rows:
            for i in range(voters):
                if votes[i] != y:
                    wrong += shares[a, i]
                else:
                    right += shares[a, i]
        factor = np.exp(-(RATES[e] if several else RATE) * weight)
        due = right + np.exp(-RATE * weight) * wrong
        scale = due / (right + factor * wrong)
        total += due
        for a in rows:
            for i in range(voters):
                shares[a, i] *= scale * factor if votes[i] != y else scale
    for a in range(len(shares)):
        rate = 0.0
        for i in range(voters):
            shares[a, i] /= total
            rate += shares[a, i]
        rate = max(rate, LEAST)
        alpha = ALPHAS[a % SWITCHING] if ALPHAS[a % SWITCHING] > 0.0 else 1.0 / (own[ROUNDS] + 2.0)
        for i in range(voters):
            shares[a, i] = (1.0 - alpha) * shares[a, i] + alpha * rate * prior(i, members)


@jit
def train_stacker(
    stack: Floats, k: int, features: Floats, offset: int, members: int, m: float, y: float, w: float
) -> None:
    """A step of a first-order stacker with margin m."""
    if m < 1.0:
        square = 1e-12
        for j in range(members):
            square += features[offset + j] ** 2
        tau = y * min(1.0, STACK_RATE * w) * min(1.0, 1.0 - m) / square
        for j in range(members):
            stack[k, j] += tau * features[offset + j]


@jit
def learn_votes(own: Floats, voting: Voting, workspace: Workspace, y: float, weight: float) -> None:
    """Learn from a round in the workspace: mean squares of scores, errors, shares and stackers."""
    members = int(own[MEMBERS])
    for j in range(members):
        voting.squares[j] = workspace.squares[j]
        own[GUARDED] += not np.isfinite(workspace.scores[j])
    for i in range(EXPERTS + members):
        voting.errors[i] += workspace.votes[i] != y
    reweigh(own, voting.shares, workspace.votes, EXPERTS + members, members, y, weight)
    stacked = workspace.stacked
    train_stacker(voting.stack, 0, workspace.features, 0, members, y * stacked[0], y, weight)
    train_stacker(voting.stack, 1, workspace.votes, EXPERTS, members, y * stacked[1], y, weight)
    train_arow(
        voting.stack[2],
        voting.spread,
        workspace.features,
        members,
        stacked[2],
        y,
        STACK_R / weight,
        STACK_GAMMA,
        STACK_TRACE,
        workspace.rows[H],
    )
