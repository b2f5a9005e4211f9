"""Rounds of the strong bank, part by part, for some rows at a time.

The experts learn independently of the combination. So the rows pass through the linear heads, then
through each family, then through the combination, with the same result as row by row. Scoring is
learning with weight 0: a row of weight 0 changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.engines.joint.combination import (
    CLASSES,
    COMPONENTS,
    LEARNED,
    Combination,
    combine,
    learn_combination,
    settle,
)
from driftline.engines.joint.families import ACTIVE_UP_TO, EXPERTS
from driftline.engines.joint.readouts import begin, restart_from
from driftline.engines.multiclass.class_engine import judge, predicted, tally_classes
from driftline.engines.state import EVENT, LABEL, PREDICTED, SCORE, UPDATED, UPDATES, WEIGHT, WRONG, tally
from driftline.engines.tracker.state import PROBABILITY
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.borrowed import borrowed
from driftline.rules.tracker.tracker import SPARSE_BANK, WIDE_BANK

Counts = npt.NDArray[np.int64]


class Buffers(NamedTuple):
    """Arrays for some rows, which are overwritten.

    For each row: the scores of all experts, with a row for each head; the standardised features; the
    weight; the number of slots, of features seen, of linear experts, and of classes known before
    it; and its class.
    """

    scores: Floats
    Z: Floats
    w: Floats
    slots: Counts
    seen: Counts
    members: Counts
    known: Counts
    y: Counts


@inlined
def ordered(k: int, turned: bool) -> int:
    """The class with number k in order of appearance, or the reverse; ``turned`` swaps 0 and 1."""
    return 1 - k if turned and k < 2 else k


@jit
def read_trials(combination: Combination, buffers: Buffers, trials: Floats, several: bool, turned: bool) -> None:
    """Write weight, class and number of known classes of each round to the buffers."""
    known = int(combination.counts[CLASSES])
    for i in range(trials.shape[1]):
        label = trials[LABEL, i]
        buffers.known[i] = known
        buffers.w[i] = trials[WEIGHT, i]
        buffers.y[i] = ordered(int(label), turned) if several else int(label > 0.0)
        known = max(known, buffers.y[i] + 1)
    combination.counts[CLASSES] = known


@jit
def vote_rounds(
    combination: Combination, buffers: Buffers, size: int, before: int, mass: Floats, guesses: Floats, votes: Floats
) -> None:
    """Combine the scores of ``size`` rows, and learn each row of positive weight.

    Write the vote and the probability of each class, and unless ``votes`` is empty, the class that
    each voter names (-1 for none). ``before`` is the number of linear experts before the rows.
    """
    combination, buffers = borrowed(combination), borrowed(buffers)
    mass, guesses, votes = borrowed(mass), borrowed(guesses), borrowed(votes)
    for i in range(size):
        classes, members, seen = buffers.known[i], buffers.members[i], buffers.seen[i]
        scores, learns = buffers.scores[i], buffers.w[i] > 0.0
        if learns and members < WIDE_BANK <= before:
            restart_from(combination.first, SPARSE_BANK, EXPERTS)
            before = members
        for j in range(EXPERTS):
            most = ACTIVE_UP_TO[j]
            combination.active[j] = (seen <= most and members >= WIDE_BANK) if most > 0 else j < members
        if combination.counts[LEARNED] == 0.0:
            scores[:] = 0.0
        settle(combination)
        combine(combination, scores, classes)
        for c in range(classes):
            mass[i, c] = combination.mass[c]
            guesses[i, c] = combination.guesses[COMPONENTS, c]
        if classes == 2:
            guesses[i, 0] = 1.0 - guesses[i, 1]  # the same bits as for two labels
        for j in range(votes.shape[1]):
            votes[i, j] = combination.votes[j]
        if learns:
            if combination.counts[LEARNED] == 0.0:
                begin(combination.first, EXPERTS, combination.active)
            learn_combination(combination, scores, classes, max(classes, buffers.y[i] + 1), buffers.y[i], buffers.w[i])


@inlined
def vote_of(mass: Floats) -> float:
    """The share of +1 less the share of -1, from -1 to 1."""
    return min(1.0, max(-1.0, (mass[1] - mass[0]) / (mass[1] + mass[0])))


@inlined
def share_of_class(mass: Floats, c: int) -> float:
    """The share of class c less the share of all others, from -1 to 1."""
    return min(1.0, max(-1.0, 2.0 * mass[c] - 1.0))


@jit
def report_two(state: Floats, mass: Floats, guesses: Floats, trials: Floats) -> None:
    """Write scores and events of rounds with two labels, and count them.

    The probability of +1 follows in a further row of ``trials``, if there is one.
    """
    for i in range(trials.shape[1]):
        learns = trials[WEIGHT, i] > 0.0
        trials[SCORE, i] = vote_of(mass[i])
        trials[EVENT, i] = UPDATED if learns else 0.0
        state[UPDATES] += learns
        if len(trials) > PROBABILITY:
            trials[PROBABILITY, i] = guesses[i, 1]
    tally(state, trials, trials.shape[1])


@jit
def report_classes(
    state: Floats, known: Counts, turned: bool, mass: Floats, guesses: Floats, trials: Floats, tested: Floats
) -> None:
    """Write scores, events and predictions of rounds with several classes, and count them.

    The probabilities of the classes follow in further rows of ``trials``, if there are any.
    ``tested`` gets the score of each class, unless it is empty.
    """
    scores = np.zeros(mass.shape[1])
    for i in range(trials.shape[1]):
        for k in range(known[i]):
            c = ordered(k, turned)
            scores[k] = share_of_class(mass[i], c)
            if len(tested):
                tested[i, k] = scores[k]
            if len(trials) > PREDICTED + 1 + k:
                trials[PREDICTED + 1 + k, i] = guesses[i, c]
        y = int(trials[LABEL, i])
        margin, wrong, rival = judge(scores, y, known[i])
        trials[SCORE, i] = margin
        trials[PREDICTED, i] = predicted(y, wrong, rival)
        trials[EVENT, i] = (UPDATED if trials[WEIGHT, i] > 0.0 else 0.0) + (WRONG if wrong else 0.0)
    tally_classes(state, trials, trials.shape[1])


@jit
def score_two(mass: Floats, guesses: Floats, scores: Floats, probabilities: Floats) -> None:
    """Write the vote of each row and, unless the array is empty, the probability of +1."""
    for i in range(len(mass)):
        scores[i, 0] = vote_of(mass[i])
        if len(probabilities):
            probabilities[i, 0] = guesses[i, 1]


@jit
def score_classes(turned: bool, mass: Floats, guesses: Floats, scores: Floats, probabilities: Floats) -> None:
    """Write the score and, unless the array is empty, the probability of each class, for each row."""
    for i in range(len(mass)):
        for k in range(scores.shape[1]):
            c = ordered(k, turned)
            scores[i, k] = share_of_class(mass[i], c)
            if len(probabilities):
                probabilities[i, k] = guesses[i, c]
