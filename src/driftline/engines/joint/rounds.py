"""Rounds of the strong bank: every expert scores a row and votes, and then all of them learn it.

The experts learn independently of the combination. So some rows at a time pass through the linear
heads, then through each family, then through the combination, with the same result as row by row.
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
from driftline.engines.joint.family_calls import EXPERTS, Families, join, learn_families, score_families
from driftline.engines.joint.linear_heads import Heads, learn_linear, score_linear
from driftline.engines.joint.readouts import begin, restart_from
from driftline.engines.multiclass.class_engine import judge, predicted, tally_classes
from driftline.engines.state import EVENT, LABEL, PREDICTED, SCORE, UPDATED, UPDATES, WEIGHT, WRONG, tally
from driftline.engines.tracker.state import MEMBERS, PROBABILITY, Views, Workspace
from driftline.internals.compiled import Floats, Indices, Offsets, inlined, jit
from driftline.rules.tracker.tracker import SPARSE_BANK, WIDE_BANK

AT_ONCE = 64  # rows that pass through one part of the bank at a time
Counts = npt.NDArray[np.int64]


class Buffers(NamedTuple):
    """Arrays for AT_ONCE rows, which are overwritten.

    They have the scores of the linear heads, completed by those of the families; the standardised
    rows; the weights; slots, features seen and experts of each row; the number of classes known
    before it, and its class. ``by_class`` has the scores of the classes in one round.
    """

    scores: Floats
    Z: Floats
    w: Floats
    by_class: Floats
    slots: Counts
    seen: Counts
    members: Counts
    known: Counts
    y: Counts


@inlined
def decide(families: Families, combination: Combination, buffers: Buffers, i: int, classes: int) -> None:
    """Combine the scores of row i of the buffers."""
    scores = buffers.scores[i]
    join(families, i, buffers.seen[i], buffers.members[i], classes, scores, combination.active)
    if combination.counts[LEARNED] == 0.0:
        scores[:] = 0.0
    settle(combination)
    combine(combination, scores, classes)


@inlined
def class_of(label: float, several: bool, turned: bool) -> int:
    """The class of a label: a sign, or with several classes its number in order of appearance."""
    if not several:
        return 1 if label > 0.0 else 0
    return ordered(int(label), turned)


@inlined
def ordered(k: int, turned: bool) -> int:
    """The class with number k in order of appearance, or the reverse; ``turned`` swaps 0 and 1."""
    return 1 - k if turned and k < 2 else k


@inlined
def vote_of(mass: Floats) -> float:
    """The share of +1 less the share of -1, from -1 to 1."""
    return min(1.0, max(-1.0, (mass[1] - mass[0]) / (mass[1] + mass[0])))


@inlined
def share_of_class(mass: Floats, c: int) -> float:
    """The share of class c less the share of all others, from -1 to 1."""
    return min(1.0, max(-1.0, 2.0 * mass[c] - 1.0))


@jit
def report_two(combination: Combination, trials: Floats, i: int) -> None:
    """Write score and event of a round of two labels; its probability too, if there is a row for it."""
    trials[SCORE, i] = vote_of(combination.mass)
    trials[EVENT, i] = UPDATED if trials[WEIGHT, i] > 0.0 else 0.0
    if len(trials) > PROBABILITY:
        trials[PROBABILITY, i] = combination.guesses[COMPONENTS, 1]


@jit
def report_classes(
    combination: Combination, classes: int, turned: bool, trials: Floats, i: int, tested: Floats, scores: Floats
) -> None:
    """Write score, event and prediction of a round of several classes.

    Their probabilities follow in further rows of ``trials``, if there are any; ``tested`` gets the
    score of each class, unless it is empty.
    """
    for k in range(classes):
        c = ordered(k, turned)
        scores[k] = share_of_class(combination.mass, c)
        if len(tested):
            tested[i, k] = scores[k]
        if len(trials) > PREDICTED + 1 + k:
            trials[PREDICTED + 1 + k, i] = combination.guesses[COMPONENTS, c]
    y = int(trials[LABEL, i])
    margin, wrong, rival = judge(scores, y, classes)
    trials[SCORE, i] = margin
    trials[PREDICTED, i] = predicted(y, wrong, rival)
    trials[EVENT, i] = (UPDATED if trials[WEIGHT, i] > 0.0 else 0.0) + (WRONG if wrong else 0.0)


@jit
def learn_rounds(
    state: Floats,
    own: Floats,
    views: Views,
    heads: Heads,
    workspace: Workspace,
    families: Families,
    combination: Combination,
    buffers: Buffers,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    several: bool,
    turned: bool,
    trials: Floats,
    tested: Floats,
    votes: Floats,
) -> None:
    """Test, then train on each row, with the labels and weights in ``trials``.

    Write the outcome of each round to ``trials``, the scores of all classes to ``tested``, and the
    class that each voter names (-1 for none) to ``votes``, unless they are empty.
    """
    size = trials.shape[1]
    for first in range(0, size, AT_ONCE):
        n = min(AT_ONCE, size - first)
        known = int(combination.counts[CLASSES])
        for i in range(n):
            buffers.known[i] = known
            buffers.y[i] = class_of(trials[LABEL, first + i], several, turned)
            buffers.w[i] = trials[WEIGHT, first + i]
            known = max(known, buffers.y[i] + 1)
        combination.counts[CLASSES] = known
        before = int(own[MEMBERS])
        y, w, Z = buffers.y[:n], buffers.w[:n], buffers.Z[:n]
        some = buffers.slots[:n], buffers.seen[:n], buffers.members[:n]
        learn_linear(
            own, views, heads, workspace, width, indptr, indices, values, first, y, w, several, buffers.known[:n],
            buffers.scores[:n], Z, *some,
        )  # fmt: skip
        learn_families(families, Z, *some, y, w)
        for i in range(n):
            classes, left = buffers.known[i], buffers.members[i]
            if w[i] > 0.0 and left < WIDE_BANK <= before:
                restart_from(combination.first, SPARSE_BANK, EXPERTS)
                before = left
            decide(families, combination, buffers, i, classes)
            if several:
                report_classes(combination, classes, turned, trials, first + i, tested, buffers.by_class)
            else:
                report_two(combination, trials, first + i)
            for j in range(votes.shape[1]):
                votes[first + i, j] = combination.votes[j]
            if w[i] > 0.0:
                if combination.counts[LEARNED] == 0.0:
                    begin(combination.first, EXPERTS, combination.active)
                after = max(classes, y[i] + 1)
                learn_combination(combination, buffers.scores[i], classes, after, y[i], w[i])
    if several:
        tally_classes(state, trials, size)
    else:
        for i in range(size):
            state[UPDATES] += trials[WEIGHT, i] > 0.0
        tally(state, trials, size)


@jit
def score_rounds(
    own: Floats,
    views: Views,
    heads: Heads,
    workspace: Workspace,
    families: Families,
    combination: Combination,
    buffers: Buffers,
    width: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    several: bool,
    turned: bool,
    scores: Floats,
    probabilities: Floats,
) -> None:
    """Write the scores that ``learn_rounds`` would find for each row, if it were learned next.

    There is one score with two labels, otherwise one for each class. ``probabilities`` gets the
    probability of +1 or of each class, unless it is empty.
    """
    size, known = len(scores), int(combination.counts[CLASSES])
    for first in range(0, size, AT_ONCE):
        n = min(AT_ONCE, size - first)
        some = buffers.slots[:n], buffers.seen[:n], buffers.members[:n]
        score_linear(
            own, views, heads, workspace, width, indptr, indices, values, first, known if several else 1,
            buffers.scores[:n], buffers.Z[:n], *some,
        )  # fmt: skip
        score_families(families, buffers.Z[:n], buffers.slots[:n], int(own[MEMBERS]))
        for i in range(n):
            decide(families, combination, buffers, i, known)
            if not several:
                scores[first + i, 0] = vote_of(combination.mass)
                if len(probabilities):
                    probabilities[first + i, 0] = combination.guesses[COMPONENTS, 1]
                continue
            for k in range(scores.shape[1]):
                c = ordered(k, turned)
                scores[first + i, k] = share_of_class(combination.mass, c)
                if len(probabilities):
                    probabilities[first + i, k] = combination.guesses[COMPONENTS, c]
