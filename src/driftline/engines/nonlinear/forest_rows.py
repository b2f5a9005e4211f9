"""The loops of a forest over the rows of a block.

Member t of the forest has the shares p_t(k) of the leaf that the row reaches, and votes with the
weight (1 - e_t)^4, where e_t is its running error:

    score(k) = sum_t (1 - e_t)^4 p_t(k) / sum_t (1 - e_t)^4,    e_t' = .99 e_t + .01 [t was wrong]

Every tree learns a row with a weight drawn from a Poisson distribution of mean 6, multiplied by the
weight of the row.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.engines.nonlinear.forest_leaf import (
    assess,
    learn_record,
    node_of,
    record_of,
    redraw,
    uses_bayes,
)
from driftline.engines.nonlinear.forest_split import try_split
from driftline.engines.nonlinear.forest_state import (
    BY_BAYES,
    BY_COUNTS,
    DUE,
    MEMBERS,
    NONE,
    SIZE,
    WEIGHT,
    Counts,
    Plan,
    Trees,
    Workspace,
    plant,
    random_bits,
)
from driftline.internals.compiled import Floats, inlined, jit

MEAN_COPIES = 6.0
BITS = 12
SHIFT = np.uint64(64 - BITS)
MEMORY = 0.01
"""Weight of a row in the running error of a member."""
LEAST_TRUST = 1e-3
TEMPER = 4.0
MOST_WEIGHT = 1e6
"""Greater weights of rows count as this."""


def _copies() -> np.ndarray:
    """The Poisson distribution: the weight of a tree for each value of ``BITS`` random bits."""
    cdf = np.cumsum([math.exp(-MEAN_COPIES) * MEAN_COPIES**k / math.factorial(k) for k in range(40)])
    return np.searchsorted(cdf, (np.arange(1 << BITS) + 0.5) / (1 << BITS)).astype(np.uint8)


COPIES = _copies()


@jit
def leaf_size(known: int) -> int:
    """``leaf_features`` in compiled code."""
    return min(known, int(2.0 * (math.sqrt(known) + 1.0)))


@inlined
def add_shares(
    trees: Trees, h: int, leaf: int, records: int, total: float, highest: float, trust: float, work: Workspace,
    scores: Floats, row: int, expert: int,
) -> None:  # fmt: skip
    """Add the shares of a leaf, multiplied by ``trust``, to the scores of a row."""
    if uses_bayes(trees, h, leaf):
        temper = 1.0 / max(1.0, trees.leaf[h, leaf, SIZE] / TEMPER)
        total = 0.0
        for k in range(records):
            work.amounts[k] = math.exp((work.logs[k] - highest) * temper)
            total += work.amounts[k]
    for k in range(records):
        scores[row, expert, work.classes[k]] += trust * (work.amounts[k] / total)


@inlined
def consult(trees: Trees, plan: Plan, Z: Floats, row: int, every: bool, work: Workspace, scores: Floats) -> None:
    """Write the shares of a forest for one row; ``every``: assess also trees that do not vote."""
    classes, expert = scores.shape[2], plan.expert
    for k in range(classes):
        scores[row, expert, k] = 0.0
    sum_ = 0.0
    for h in range(MEMBERS * plan.trees):
        member = h // plan.trees
        votes = h - member * plan.trees == trees.active[member]
        if votes or every:
            node = node_of(trees, h, Z, row)
            leaf = trees.child[h, node]
            records, total, by_counts, by_bayes, highest = assess(trees, h, leaf, Z, row, work)
            work.node[h], work.by_counts[h], work.by_bayes[h] = node, by_counts, by_bayes
            if votes and total > 0.0:
                trust = max(LEAST_TRUST, 1.0 - trees.errors[member])
                trust = trust * trust * trust * trust
                add_shares(trees, h, leaf, records, total, highest, trust, work, scores, row, expert)
                sum_ += trust
    for k in range(classes):
        scores[row, expert, k] = scores[row, expert, k] / sum_ if sum_ > 0.0 else 1.0 / classes


@jit
def score_rows(trees: Trees, plan: Plan, Z: Floats, work: Workspace, scores: Floats) -> None:
    """Write the shares of every row; no tree changes."""
    for row in range(Z.shape[0]):
        consult(trees, plan, Z, row, False, work, scores)


@inlined
def learn_tree(
    trees: Trees, plan: Plan, h: int, Z: Floats, row: int, known: int, size: int, k: int, w: float, work: Workspace
) -> None:
    """Learn a row of class k with weight w > 0 in tree h, after ``consult``."""
    node = work.node[h]
    leaf = trees.child[h, node]
    if trees.leaf[h, leaf, SIZE] < size:
        redraw(trees, plan.expert, h, leaf, known, size, work.order)
    record = record_of(trees, plan, h, leaf, k)
    if record == NONE:
        return
    if work.by_counts[h] == k:
        trees.tally[h, leaf, BY_COUNTS] += w
    if work.by_bayes[h] == k:
        trees.tally[h, leaf, BY_BAYES] += w
    learn_record(trees, h, leaf, record, Z, row, w)
    if trees.tally[h, leaf, WEIGHT] >= trees.tally[h, leaf, DUE]:
        try_split(trees, plan, h, node, known, size, work)


@inlined
def count_errors(trees: Trees, plan: Plan, k: int, work: Workspace) -> None:
    """Move the running error of each member that has learned something."""
    for member in range(MEMBERS):
        h = member * plan.trees + trees.active[member]
        if work.by_counts[h] != NONE:
            bayes = uses_bayes(trees, h, trees.child[h, work.node[h]])
            wrong = 1.0 if (work.by_bayes[h] if bayes else work.by_counts[h]) != k else 0.0
            trees.errors[member] += MEMORY * (wrong - trees.errors[member])


@inlined
def replace_trees(trees: Trees, plan: Plan) -> None:
    """Let the background tree of a member take over when it is due, and start a new one."""
    for member in range(MEMBERS):
        if (trees.learned[0] + member * (plan.period // MEMBERS)) % plan.period == 0:
            plant(trees, member * plan.trees + trees.active[member])
            trees.active[member] = 1 - trees.active[member]


@jit
def learn_rows(
    trees: Trees, plan: Plan, Z: Floats, known: Counts, y: Counts, w: Floats, work: Workspace, scores: Floats
) -> None:
    """Write the shares of every row, then learn it."""
    for row in range(Z.shape[0]):
        if w[row] == 0.0:
            consult(trees, plan, Z, row, False, work, scores)
            continue
        consult(trees, plan, Z, row, True, work, scores)
        count_errors(trees, plan, y[row], work)
        weight, size = min(w[row], MOST_WEIGHT), leaf_size(known[row])
        for h in range(MEMBERS * plan.trees):
            copies = COPIES[random_bits(plan.expert, h, 0, trees.learned[0]) >> SHIFT]
            if copies > 0:
                learn_tree(trees, plan, h, Z, row, known[row], size, y[row], weight * copies, work)
        trees.learned[0] += 1
        if plan.period > 0:
            replace_trees(trees, plan)
