"""Votes when labels come late: experts are judged by what they said when they were asked.

The combination of ``combination.py`` judges every expert by its score at the moment when the label
has come. If labels are late, that prefers experts with a short memory, which are useless for rows
whose labels come much later. So a second combination, which starts with the first late label, is
judged by the scores as cast: those of the moment when the row was predicted. It has the shares of a
wide grid of learning rates eta and switching rates alpha, each with a weight h of its own:

    G_i = G_i exp(-eta [V_i wrong]) / sum,  then  G_i = (1 - alpha) G_i + alpha pi_i
    h   = h exp(-0.02 [the vote of G as cast was wrong]),  then 0.99 h / sum + 0.01 / (number of G)

A share that follows the last labels closely is out of date when it is used: the label of the row that
is predicted comes d labels later. So the prediction uses a mean A of the shares over about a quarter of
the delay. A label that comes after d others, which came since its row was predicted, changes it by

    A_i = A_i + min(1, 4 / (d + 1)) (sum of h G_i - A_i)

An expert gives its class more of its share if it is sure. Its lead is half of the difference between the
highest F_c and the next (|F| for two labels; F as in ``combination.py``). In the prediction and in the
vote of each G, it gives (1 + lead) / 2 of its share to its class. The read-outs and the first combination
give all of theirs. What is left is divided equally among the classes. The losses use V, without the lead.

The vote of the first combination, as cast, is a voter of the second one, with the prior pi = 0.1. The
most frequent labels do not vote there. All other voters have the same prior, because read-outs that
learn late are often worse than experts. The prediction is that of the second combination, and before
the first late label that of the first one.

The probabilities are those of the combination with fewer errors lately, as cast:

    e_k = 0.9998 e_k + [its vote as cast was wrong],  k = 0: first, 1: second combination

where e_0 = 20 and e_1 = 0 before the first late label.

A record of a predicted row has what is needed to judge it later: the number of classes, of linear
experts and of features then, both votes, the votes of the second combination's read-outs and of each
G, the scores of all experts, and the number of labels learned. A label that comes without a record is
judged by the scores of that moment, with d = 0.

Joulani, György, Szepesvári. Online learning under delayed feedback. ICML 2013.
Differs from the paper: losses are used in the order in which labels come, without a bound. The mean of
the shares is ours.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.joint.combination import (
    COMPONENTS,
    LEARNED,
    UNSETTLED,
    Combination,
    combine,
    highest,
    keep_shares,
    learn_combination,
    learn_others,
    settle,
)
from driftline.engines.joint.families import ACTIVE_UP_TO, EXPERTS
from driftline.engines.joint.readouts import begin, restart_from
from driftline.engines.joint.rounds import Buffers
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.engines.tracker.voting import STACKERS
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import SPARSE_BANK, WIDE_BANK

ERRORS_STAY, HEAD_START = 0.9998, 20.0
LATE_RATES = (1.0, 0.3, 0.1, 0.03, 0.01)
LATE_ALPHAS = (0.0, -1.0, 1e-4, 1e-3, 1e-2)  # -1 stands for 1 / (t + 1)
GRID = len(LATE_RATES) * len(LATE_ALPHAS)
GRID_RATE, GRID_SHARE = 0.02, 1e-2
WINDOWS = 4.0  # the delay is this many times as long as the memory of the mean share
LEAST_WEIGHT = 1e-200
# the places of a record; the number of labels learned is the last one
CLASSES, MEMBERS, SEEN, FRESH, CAST, READOUTS, VOTES = 0, 1, 2, 3, 4, 5, 8
SCORES = VOTES + GRID


def record_size(heads: int) -> int:
    """The length of a record."""
    return SCORES + heads * EXPERTS + 1


@jit
def activate(own: Combination, members: int, seen: int, follows: bool) -> None:
    """Set which experts take part in a row, and their shares; ``follows`` is as for ``settle``."""
    for j in range(EXPERTS):
        most = ACTIVE_UP_TO[j]
        own.active[j] = (seen <= most and members >= WIDE_BANK) if most > 0 else j < members
    settle(own, follows)


@jit
def vote_late(
    fresh: Combination,
    cast: Combination,
    errors: Floats,
    average: Floats,
    buffers: Buffers,
    size: int,
    before: int,
    mass: Floats,
    guesses: Floats,
    votes: Floats,
    records: Floats,
) -> None:
    """``vote_rounds`` with two combinations.

    ``average`` has the mean share of each voter of ``cast``. A row of positive weight is learned; its
    record is in ``records`` if it was predicted earlier. The record of a row of weight 0 is written to
    ``records``, unless that is empty.
    """
    surety = np.ones(cast.votes.size)
    for i in range(size):
        classes, members, seen = buffers.known[i], buffers.members[i], buffers.seen[i]
        scores, learns = buffers.scores[i], buffers.w[i] > 0.0
        if learns and members < WIDE_BANK <= before:
            restart_from(fresh.first, SPARSE_BANK, EXPERTS)
            restart_from(cast.first, SPARSE_BANK, EXPERTS)
            before = members
        activate(fresh, members, seen, False)
        combine(fresh, scores, classes)
        activate(cast, members, seen, True)
        combine(cast, scores, classes, highest(fresh.mass, classes))
        measure_surety(cast, classes, surety)
        if cast.counts[LEARNED] > 0.0:
            weigh_surely(cast, average, surety, classes)
        voting = cast if cast.counts[LEARNED] > 0.0 else fresh
        guessing = voting if errors[1] < errors[0] else fresh
        for c in range(classes):
            mass[i, c] = voting.mass[c]
            guesses[i, c] = guessing.guesses[COMPONENTS, c]
        if classes == 2:
            guesses[i, 0] = 1.0 - guesses[i, 1]  # the same bits as for two labels
        for j in range(votes.shape[1]):
            votes[i, j] = fresh.votes[j]
        if not learns:
            if len(records):
                write_record(records[i], fresh, cast, surety, classes, members, seen, scores)
            continue
        y, w = buffers.y[i], buffers.w[i]
        if fresh.counts[LEARNED] == 0.0:
            begin(fresh.first, EXPERTS, fresh.active)
        learn_combination(fresh, scores, classes, max(classes, y + 1), y, w)
        if len(records):
            learn_record(cast, errors, average, records[i], classes, y, w)
        else:
            errors[0] = ERRORS_STAY * errors[0] + (highest(fresh.mass, classes) != y)
            errors[1] = ERRORS_STAY * errors[1] + (highest(cast.mass, classes) != y)
            record = np.zeros(SCORES)
            write_grid_votes(cast, surety, classes, record)
            learn_cast(cast, average, scores, record, classes, classes, y, w, 0.0)


@jit
def measure_surety(cast: Combination, classes: int, surety: Floats) -> None:
    """Write the part of its share that each expert gives to its class, from 1/2 to 1."""
    for j in range(EXPERTS):
        vote, lead = int(cast.votes[OTHERS + j]), 2.0
        if vote >= 0:
            for c in range(classes):
                if c != vote:
                    lead = min(lead, cast.F[vote, j] - cast.F[c, j])
        surety[OTHERS + j] = 0.5 + 0.25 * max(0.0, lead)


@jit
def weigh_surely(cast: Combination, average: Floats, surety: Floats, classes: int) -> None:
    """Write the mean shares of the voters of each class to ``mass``; the rest is divided equally."""
    mass, rest = cast.mass, 1.0
    for c in range(classes):
        mass[c] = 0.0
    for i in range(cast.votes.size):
        if cast.votes[i] >= 0.0 and cast.prior[i] > 0.0:
            given = average[i] * surety[i]
            mass[int(cast.votes[i])] += given
            rest -= given
    for c in range(classes):
        mass[c] += max(0.0, rest) / classes


@jit
def write_grid_votes(cast: Combination, surety: Floats, classes: int, record: Floats) -> None:
    """Write the class that each pair of rates votes for."""
    mass = np.zeros(classes)
    for k in range(GRID):
        mass[:] = 0.0
        for i in range(cast.votes.size):
            if cast.votes[i] >= 0.0 and cast.prior[i] > 0.0:
                share = cast.shares[k, i] if cast.counts[LEARNED] > 0.0 else cast.prior[i]
                mass[int(cast.votes[i])] += share * surety[i]
        record[VOTES + k] = highest(mass, classes)


@jit
def write_record(
    record: Floats,
    fresh: Combination,
    cast: Combination,
    surety: Floats,
    classes: int,
    members: int,
    seen: int,
    scores: Floats,
) -> None:
    """Write what is needed to judge the experts on a row later."""
    record[CLASSES], record[MEMBERS], record[SEEN] = classes, members, seen
    record[FRESH], record[CAST] = highest(fresh.mass, classes), highest(cast.mass, classes)
    for k in range(OTHERS - STACKERS):
        record[READOUTS + k] = cast.votes[STACKERS + k]
    write_grid_votes(cast, surety, classes, record)
    record[record.size - 1] = cast.counts[LEARNED]
    for c in range(1 if len(scores) == 1 else classes):
        for j in range(EXPERTS):
            record[SCORES + c * EXPERTS + j] = scores[c, j]


@jit
def learn_record(
    cast: Combination, errors: Floats, average: Floats, record: Floats, classes: int, y: int, w: float
) -> None:
    """Learn class y of a row that was predicted earlier; ``classes`` are known now."""
    known, members, seen = int(record[CLASSES]), int(record[MEMBERS]), int(record[SEEN])
    heads = (record.size - SCORES) // EXPERTS
    scores = record[SCORES : SCORES + heads * EXPERTS].reshape(heads, EXPERTS)
    activate(cast, members, seen, True)
    combine(cast, scores, known, int(record[FRESH]))
    for k in range(OTHERS - STACKERS):
        cast.votes[STACKERS + k] = record[READOUTS + k]
    errors[0] = ERRORS_STAY * errors[0] + (record[FRESH] != y)
    errors[1] = ERRORS_STAY * errors[1] + (record[CAST] != y)
    since = max(0.0, cast.counts[LEARNED] - record[record.size - 1])
    learn_cast(cast, average, scores, record, known, classes, y, w, since)


@jit
def learn_cast(
    cast: Combination,
    average: Floats,
    scores: Floats,
    record: Floats,
    known: int,
    classes: int,
    y: int,
    w: float,
    since: float,
) -> None:
    """Learn class y in the combination that is judged as cast, after ``combine``.

    ``since`` is the number of labels that came after the row was predicted.
    """
    if cast.counts[LEARNED] == 0.0:
        begin(cast.first, EXPERTS, cast.active)
    keep_shares(cast)
    share_grid(cast, record, float(y), w)
    follow_shares(cast, average, min(1.0, WINDOWS / (since + 1.0)))
    learn_others(cast, scores, known, max(classes, y + 1), y)


@jit
def share_grid(cast: Combination, record: Floats, label: float, weight: float) -> None:
    """Update the shares of each pair of rates, and the weights of the pairs.

    The shares of a pair sum to its weight.
    """
    shares, t, total = cast.shares, cast.counts[LEARNED], 0.0
    for k in range(GRID):
        rate, alpha = LATE_RATES[k // len(LATE_ALPHAS)], LATE_ALPHAS[k % len(LATE_ALPHAS)]
        alpha = alpha if alpha >= 0.0 else 1.0 / (t + 2.0)
        factor, before, good = np.exp(-rate * weight), 0.0, 0.0
        for i in range(cast.votes.size):
            before += shares[k, i]
            good += shares[k, i] if cast.votes[i] == label else 0.0
        if good == 0.0:  # nobody named the label; factor may underflow
            factor = 1.0
        after = 0.0
        for i in range(cast.votes.size):
            shares[k, i] *= factor if cast.votes[i] != label else 1.0
            after += shares[k, i]
        if record[VOTES + k] != label:
            before *= np.exp(-GRID_RATE * weight)
        for i in range(cast.votes.size):
            shares[k, i] = before * ((1.0 - alpha) * shares[k, i] / after + alpha * cast.prior[i])
        total += before
    for k in range(GRID):
        weight_k = 0.0
        for i in range(cast.votes.size):
            weight_k += shares[k, i]
        scale = (1.0 - GRID_SHARE) / total + GRID_SHARE / (GRID * max(weight_k, LEAST_WEIGHT))
        for i in range(cast.votes.size):
            shares[k, i] *= scale
    cast.settled[0] = UNSETTLED


@jit
def follow_shares(cast: Combination, average: Floats, rate: float) -> None:
    """Move the mean share of each voter towards its share."""
    sums = cast.sums  # written again before it is read
    for i in range(sums.size):
        sums[i] = 0.0
    for k in range(GRID):
        for i in range(sums.size):
            sums[i] += cast.shares[k, i]
    for i in range(sums.size):
        average[i] += rate * (sums[i] - average[i])
