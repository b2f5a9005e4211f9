"""The combination of the experts for any number of classes: read-outs, a mixture, and a vote.

    voters     the most frequent label, of all rounds and with a memory of 1,000; three read-outs;
               the experts. A voter names the class with its highest score.
    read-outs  softmax regressions on F_cj = tanh(s_cj / rms of s_j), with memory 1 and 0.999, and
               a mixture of them
    second     softmax regressions on three features of each class: 2 q - 1, where q is its share of
               the vote of all voters but the mixture, and ln(p + 0.001) / 3 of its probabilities
               p in the first two
    mixture    the four regressions and running shares of the labels, weighted by log loss
    vote       each voter gives its share G_i to its class; the class with the most is predicted

Sample weights change the experts and the shares only. An inactive expert has F = 0. With one score
per expert, that of class 1 against class 0, F_1j = -F_0j, and a score of 0 names class 1.

The shares are those of the light bank: three learning rates, three switching rates, prior 1/2 on
the read-outs and 1/2 on the other voters. If the vote errs, the shares of the right class are at
most 1/2. So the bound of the light bank holds for any number of classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.engines.calibration.mixture import ALPHA, LEAST, STAYS
from driftline.engines.joint.readouts import MEMORIES, Readout, guess, new_readout, step, widened
from driftline.engines.tracker.voting import EXPERTS, STACKERS, SWITCHING, prior
from driftline.engines.tracker.voting import LEAST as LEAST_SHARE
from driftline.internals.compiled import Floats, inlined
from driftline.internals.numeric.tanh import squash_all
from driftline.rules.tracker.tracker import ALPHAS, RATE, RATES, RMS_STAYS

# indices in ``counts``: rounds learned, scores that were not finite, classes known
LEARNED, GUARDED, CLASSES, COUNTS = 0, 1, 2, 3
SECOND = 3  # features of the second read-outs
MIXTURE = STACKERS + 2  # the voter of the mixture
LEADER = 1  # the place of the other combination's vote, in one that follows another
LEADER_PRIOR = 0.1
RATE_PLACES = len(STAYS)
COMPONENTS = 2 * len(MEMORIES) + RATE_PLACES
LATELY = 1  # the index in STAYS of the memory of the recent majority
SMOOTHING = 0.5  # rounds that each class has had before the first round
LOG_FLOOR, LOG_SCALE = 1e-3, 3.0
LEAST_SQUARE = 1e-18
BY_CLASS = ("F", "second", "guesses", "mass")  # arrays of a round with room for classes
UNSETTLED = 2  # in ``settled``: prior and sums are not known
PAIRS = len(RATES) * len(ALPHAS)


class Combination(NamedTuple):
    """The learned arrays of the combination, and those that every round overwrites.

    ``shares`` has a row for each pair of rates and a column for each voter, ``squares`` the mean
    square of the scores of each expert, ``errors`` the errors of each voter, ``labels`` the running
    count of each class (a row for each memory), ``weights`` those of the mixture. Overwritten are
    ``F`` (a row for each class), ``second`` (the features of the second read-outs), ``guesses`` (a
    row for each component of the mixture, then the mixture), ``votes`` (the class of each voter, -1
    for none), ``mass`` (the vote for each class), ``new_squares``, ``prior`` and ``sums`` (the prior
    and the present share of each voter), ``right`` (1 for a voter that named the right class, else 0),
    ``active`` (whether each expert takes part) and ``settled`` (the ``active`` of prior and sums).
    """

    counts: Floats
    shares: Floats
    squares: Floats
    errors: Floats
    labels: Floats
    weights: Floats
    first: Readout
    again: Readout
    F: Floats
    second: Floats
    guesses: Floats
    votes: Floats
    mass: Floats
    new_squares: Floats
    prior: Floats
    sums: Floats
    right: Floats
    active: np.ndarray
    settled: np.ndarray


def new_combination(experts: int, classes: int, pairs: int = PAIRS) -> Combination:
    """The combination before the first round, with room for classes and this many pairs of rates."""
    voters = EXPERTS + experts
    counts = np.zeros(COUNTS)
    counts[CLASSES] = 2.0
    return Combination(
        counts=counts,
        shares=np.zeros((pairs, voters)),
        squares=np.zeros(experts),
        errors=np.zeros(voters),
        labels=np.zeros((RATE_PLACES, classes)),
        weights=np.full(COMPONENTS, 1.0 / COMPONENTS),
        first=new_readout(experts, classes),
        again=new_readout(SECOND, classes),
        F=np.zeros((classes, experts)),
        second=np.zeros((classes, SECOND)),
        guesses=np.zeros((COMPONENTS + 1, classes)),
        votes=np.zeros(voters),
        mass=np.zeros(classes),
        new_squares=np.zeros(experts),
        prior=np.zeros(voters),
        sums=np.zeros(voters),
        right=np.zeros(voters),
        active=np.zeros(experts, np.uint8),
        settled=np.full(experts, UNSETTLED, np.uint8),
    )


def roomier(combination: Combination, classes: int) -> Combination:
    """The same combination with room for more classes."""
    experts, known = combination.squares.size, combination.mass.size
    made = new_combination(experts, classes, len(combination.shares))
    made.labels[:, :known] = combination.labels
    kept = (
        "counts",
        "shares",
        "squares",
        "errors",
        "weights",
        "votes",
        "new_squares",
        "prior",
        "sums",
        "right",
        "active",
        "settled",
    )
    return made._replace(
        first=widened(combination.first, experts, classes),
        again=widened(combination.again, SECOND, classes),
        **{name: getattr(combination, name).copy() for name in kept},
    )


@inlined
def count_active(active: np.ndarray) -> int:
    """The number of experts that take part."""
    count = 0
    for j in range(active.size):
        count += active[j]
    return count


@inlined
def settle(own: Combination, follows: bool = False) -> None:
    """Write the prior and the shares of the voters for the active experts.

    The prior is that of the light bank. If the combination ``follows`` another one, it is
    LEADER_PRIOR on the vote of that one, 0 on the most frequent label, and the same for every other
    voter. An expert that takes no part in this round gives its share to the others by their prior.
    Before the first round all shares are those of the prior.
    """
    same = True
    for j in range(own.active.size):
        same &= own.active[j] == own.settled[j]
    if same:
        return
    shares, members = own.shares, count_active(own.active)
    for j in range(own.active.size):
        own.settled[j] = own.active[j]
    for i in range(own.prior.size):
        taking = i < EXPERTS or own.active[i - EXPERTS] == 1
        share = prior(i, members)
        if follows:
            share = LEADER_PRIOR if i == LEADER else (1.0 - LEADER_PRIOR) / (members + EXPERTS - 2)
            share = 0.0 if i == 0 else share
        own.prior[i] = share if taking else 0.0
        own.sums[i] = 0.0
    for a in range(len(shares)):
        lost = 0.0
        for i in range(EXPERTS, own.prior.size):
            if own.active[i - EXPERTS] == 0:
                lost += shares[a, i]
        for i in range(own.prior.size):
            own.sums[i] += share_of(own, a, i, lost)


@inlined
def share_of(own: Combination, a: int, i: int, lost: float) -> float:
    """The share of voter i at pair a of rates, if inactive experts give away ``lost``."""
    if own.prior[i] == 0.0:
        return 0.0
    if own.counts[LEARNED] == 0.0:
        return own.prior[i] / len(own.shares)
    return own.shares[a, i] + lost * own.prior[i]


@inlined
def keep_shares(own: Combination) -> None:
    """Take over the shares of ``settle``: experts that took no part in this round leave for good."""
    for a in range(len(own.shares)):
        lost = 0.0
        for i in range(EXPERTS, own.prior.size):
            if own.active[i - EXPERTS] == 0:
                lost += own.shares[a, i]
        if lost > 0.0 or own.counts[LEARNED] == 0.0:
            for i in range(own.prior.size):
                own.shares[a, i] = share_of(own, a, i, lost)


@inlined
def highest(row: Floats, classes: int) -> int:
    """The first class with the largest number."""
    best = 0
    for c in range(1, classes):
        if row[c] > row[best]:
            best = c
    return best


@inlined
def squash(own: Combination, scores: Floats, classes: int) -> None:
    """Write F, the vote of each active expert, and the mean squares of scores after this round.

    A score that is not finite counts as 0. ``scores`` has a row for each class, or one row for class 1
    against class 0.
    """
    count = (1.0 - RMS_STAYS ** (own.counts[LEARNED] + 1.0)) / (1.0 - RMS_STAYS)
    heads, experts = min(len(scores), classes), own.squares.size
    one = len(scores) == 1
    F, means, votes = own.F, own.new_squares, own.votes
    for j in range(experts):
        means[j] = 0.0
        own.right[j] = 0.0  # the class with the highest score
    for c in range(heads):
        for j in range(experts):
            s = scores[c, j] if own.active[j] != 0 and abs(scores[c, j]) < np.inf else 0.0
            F[c, j] = s
            means[j] += s * s
    for c in range(1, heads):
        for j in range(experts):
            own.right[j] = c if F[c, j] > F[int(own.right[j]), j] else own.right[j]
    for j in range(experts):
        votes[EXPERTS + j] = (1.0 if F[0, j] >= 0.0 else 0.0) if one and classes > 1 else own.right[j]
    for j in range(experts):
        if own.active[j] == 0:
            votes[EXPERTS + j] = -1.0
    inverse = own.right  # of the root of the mean square
    for j in range(experts):
        square = own.squares[j] + (means[j] / heads - own.squares[j]) / count
        means[j] = square
        inverse[j] = 1.0 / np.sqrt(square) if square > LEAST_SQUARE else 0.0
    for c in range(heads):
        for j in range(experts):
            F[c, j] *= inverse[j]
        squash_all(F[c], experts)
    for c in range(heads, classes):
        for j in range(experts):
            F[c, j] = 0.0
    if one and classes > 1:
        for j in range(experts):
            F[1, j] = F[0, j]
            F[0, j] = -F[0, j]


@inlined
def combine(own: Combination, scores: Floats, classes: int, leader: int = -1) -> None:
    """Write votes, guesses and the vote for each class, after ``settle``.

    ``leader`` is the vote of the other combination, if this one follows one; otherwise -1. It has the
    place of the most frequent label lately. That of all rounds does not vote then.
    """
    squash(own, scores, classes)
    experts, memories = own.squares.size, len(MEMORIES)
    for j in range(RATE_PLACES):
        total = 0.0
        for c in range(classes):
            total += own.labels[j, c] + SMOOTHING
        for c in range(classes):
            own.guesses[2 * memories + j, c] = (own.labels[j, c] + SMOOTHING) / total
    own.votes[0] = -1.0 if leader >= 0 else highest(own.labels[0], classes)
    own.votes[LEADER] = leader if leader >= 0 else highest(own.labels[LATELY], classes)
    for k in range(memories):
        guess(own.first, k, experts, own.F, classes, own.guesses[k])
        own.votes[STACKERS + k] = highest(own.guesses[k], classes)
    own.votes[MIXTURE] = -1.0
    weigh_votes(own, classes)
    rest = 0.0
    for c in range(classes):
        rest += own.mass[c]
    for c in range(classes):
        own.second[c, 0] = 2.0 * own.mass[c] / rest - 1.0 if rest > 0.0 else 0.0
        own.second[c, 1] = np.log(own.guesses[0, c] + LOG_FLOOR) / LOG_SCALE
        own.second[c, 2] = np.log(own.guesses[1, c] + LOG_FLOOR) / LOG_SCALE
    for k in range(memories):
        guess(own.again, k, SECOND, own.second, classes, own.guesses[memories + k])
    mixed, total = own.guesses[COMPONENTS], 0.0
    for c in range(classes):
        p = 0.0
        for k in range(COMPONENTS):
            p += own.weights[k] * own.guesses[k, c]
        mixed[c] = p
        total += p
    for c in range(classes):
        mixed[c] /= total
    own.votes[MIXTURE] = highest(mixed, classes)
    weigh_votes(own, classes)


@inlined
def weigh_votes(own: Combination, classes: int) -> None:
    """Write the shares of the voters of each class to ``mass``."""
    for c in range(classes):
        own.mass[c] = 0.0
    for i in range(own.votes.size):
        if own.votes[i] >= 0.0:
            own.mass[int(own.votes[i])] += own.sums[i]


@inlined
def learn_combination(own: Combination, scores: Floats, known: int, classes: int, y: int, weight: float) -> None:
    """Learn class y after ``combine`` of ``known`` classes; ``classes`` includes y."""
    keep_shares(own)
    share_out(own, float(y), weight)
    learn_others(own, scores, known, classes, y)


@inlined
def learn_others(own: Combination, scores: Floats, known: int, classes: int, y: int) -> None:
    """Learn class y in everything but the shares.

    A round with a new class teaches the running counts only.
    """
    experts, memories, learned = own.squares.size, len(MEMORIES), own.counts[LEARNED]
    for j in range(experts):
        if own.active[j]:
            own.squares[j] = own.new_squares[j]
    guarded = 0
    for c in range(min(len(scores), known)):
        for j in range(experts):
            guarded += own.active[j] != 0 and not abs(scores[c, j]) < np.inf
    own.counts[GUARDED] += guarded
    label = float(y)
    for i in range(own.votes.size):
        if i < EXPERTS or own.active[i - EXPERTS]:
            own.errors[i] += own.votes[i] != label
    if y < known and known > 1:
        total = 0.0
        for k in range(COMPONENTS):
            own.weights[k] *= max(LEAST, own.guesses[k, y])
            total += own.weights[k]
        for k in range(COMPONENTS):
            own.weights[k] = (1.0 - ALPHA) * own.weights[k] / total + ALPHA / COMPONENTS
        for k in range(memories):
            step(own.first, k, experts, own.F, known, y, own.guesses[k], learned)
            step(own.again, k, SECOND, own.second, known, y, own.guesses[memories + k], learned)
    for j in range(RATE_PLACES):
        for c in range(classes):
            own.labels[j, c] *= STAYS[j]
        own.labels[j, y] += 1.0
    own.counts[LEARNED] += 1.0


@inlined
def share_out(own: Combination, label: float, weight: float) -> None:
    """Update the shares: reduce wrong voters, then share at each switching rate.

    The reduction depends on the learning rate. The shares of one learning rate are then scaled so
    that their sum is what it would be at RATE. If all voters are wrong, their shares stay as they
    are.
    """
    shares, right, sums, voters = own.shares, own.right, own.sums, own.votes.size
    for i in range(voters):
        right[i] = 1.0 if own.votes[i] == label else 0.0
    total, usual = 0.0, np.exp(-RATE * weight)
    for e in range(len(RATES)):
        first = SWITCHING * e
        good, bad = 0.0, 0.0
        for i in range(voters):
            share = (shares[first, i] + shares[first + 1, i]) + shares[first + 2, i]
            good += share * right[i]
            bad += share * (1.0 - right[i])
        if good == 0.0:  # nobody named the label; factor and due may underflow
            total += bad
            continue
        factor = np.exp(-RATES[e] * weight)
        due = good + usual * bad
        scale = due / (good + factor * bad)
        total += due
        for a in range(first, first + SWITCHING):
            for i in range(voters):
                shares[a, i] *= scale * (factor + (1.0 - factor) * right[i])
    inverse = 1.0 / total
    for i in range(voters):
        sums[i] = 0.0
    for a in range(0, len(shares), SWITCHING):
        first, second, third = 0.0, 0.0, 0.0  # three sums at a time: each addition waits for the one before
        for i in range(voters):
            first += shares[a, i]
            second += shares[a + 1, i]
            third += shares[a + 2, i]
        move_shares(own, a, first * inverse, inverse)
        move_shares(own, a + 1, second * inverse, inverse)
        move_shares(own, a + 2, third * inverse, inverse)


@inlined
def move_shares(own: Combination, a: int, rate: float, inverse: float) -> None:
    """Share at the switching rate of pair a, whose shares have the sum ``rate`` after the division by the total."""
    shares, prior, sums = own.shares[a], own.prior, own.sums
    rate = max(rate, LEAST_SHARE)
    alpha = ALPHAS[a % SWITCHING] if ALPHAS[a % SWITCHING] > 0.0 else 1.0 / (own.counts[LEARNED] + 2.0)
    stays, given = (1.0 - alpha) * inverse, alpha * rate
    for i in range(shares.size):
        shares[i] = stays * shares[i] + given * prior[i]
    for i in range(shares.size):
        sums[i] += shares[i]
