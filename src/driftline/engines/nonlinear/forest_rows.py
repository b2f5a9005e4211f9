"""The loops of a forest over the rows of a block.

Member t of the forest has the shares p_t(k) of the leaf that the row reaches, and votes with the
weight (1 - e_t)^4, where e_t is its running error:

    score(k) = sum_t (1 - e_t)^4 p_t(k) / sum_t (1 - e_t)^4
    e_t' = e_t + .01 ([t was wrong] - e_t)

Every tree learns a row with a weight drawn from a Poisson distribution of mean 6, multiplied by
the weight of the row. Trees do not depend on each other, so each of them walks through the whole block
before the next one, up to the row after which it is replaced.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.forest_state import MEMBERS, Counts, Plan, Trees, Workspace, plant
from driftline.engines.nonlinear.forest_tree import learn_tree
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.borrowed import borrowed


@inlined
def clear(scores: Floats, expert: int) -> None:
    """Set the scores of an expert to 0."""
    for row in range(scores.shape[0]):
        for k in range(scores.shape[2]):
            scores[row, expert, k] = 0.0


@inlined
def normalise(scores: Floats, expert: int) -> None:
    """Divide the votes by their sum; without votes all classes have the same share."""
    classes = scores.shape[2]
    for row in range(scores.shape[0]):
        sum_ = 0.0
        for k in range(classes):
            sum_ += scores[row, expert, k]
        for k in range(classes):
            scores[row, expert, k] = scores[row, expert, k] / sum_ if sum_ > 0.0 else 1.0 / classes


@inlined
def is_due(plan: Plan, member: int, learned: int) -> bool:
    """Whether the tree of a member is replaced after this many learned rows."""
    return plan.period > 0 and (learned + member * (plan.period // MEMBERS)) % plan.period == 0


@jit
def learn_rows(
    trees: Trees, plan: Plan, Z: Floats, known: Counts, y: Counts, w: Floats, work: Workspace, scores: Floats
) -> None:
    """Write the shares of every row, then learn it; rows of weight 0 change nothing."""
    trees, work, Z, known = borrowed(trees), borrowed(work), borrowed(Z), borrowed(known)
    y, w, scores = borrowed(y), borrowed(w), borrowed(scores)
    rows, before = Z.shape[0], trees.learned[0]
    clear(scores, plan.expert)
    for member in range(MEMBERS):
        start, learned = 0, before
        while start < rows:
            stop, after, due = start, learned, False
            while stop < rows and not due:
                if w[stop] > 0.0:
                    after += 1
                    due = is_due(plan, member, after)
                stop += 1
            voter = member * plan.trees + trees.active[member]
            for h in range(member * plan.trees, (member + 1) * plan.trees):
                if h != voter and after == learned:
                    continue
                learn_tree(trees, plan, h, h == voter, Z, known, y, w, np.int64(start), stop, learned, work, scores)
            if due:
                plant(trees, voter)
                trees.active[member] = 1 - trees.active[member]
            start, learned = stop, after
        trees.learned[0] = learned
    normalise(scores, plan.expert)
