"""A leaf of a Hoeffding tree: what it predicts and how it learns.

The counts predict class k with the share (n_k + prior_k) / N. Naive Bayes predicts it from

    l_k = ln n_k - 1/2 sum_i ln s_ki - 1/2 sum_i (x_i - mu_ki)^2 / s_ki,     s_ki = v_ki + FLOOR

over the m features of the leaf, with shares in proportion to exp(l_k / max(1, m / 4)). A leaf uses
the one of the two that was right more often. Mean and variance of a class follow the weight w:

    g = w / n_k,    mu' = mu + g (x - mu),    v' = (1 - g) (v + g (x - mu)^2)
"""

from __future__ import annotations

import math

from driftline.engines.nonlinear.forest_split import clear_record
from driftline.engines.nonlinear.forest_state import (
    BY_BAYES,
    BY_COUNTS,
    CLASS,
    CONSTANT,
    COUNT,
    HEAD,
    HIGH,
    LOW,
    MEAN,
    NEXT,
    NONE,
    PRECISION,
    PRIOR,
    RECORDS,
    SIZE,
    VARIANCE,
    WEIGHT,
    Counts,
    Plan,
    Trees,
    Workspace,
    clear_leaf,
    draw_features,
)
from driftline.internals.compiled import Floats, inlined, jit

FLOOR = 1e-4
"""Added to every variance of naive Bayes."""
LEAST_COUNT = 1.0
"""Naive Bayes ignores classes of at most this weight."""
UNLIKELY = -1e9
"""The log-likelihood of such a class."""


@inlined
def node_of(trees: Trees, h: int, Z: Floats, row: int) -> int:
    """The node of the leaf of tree h that a row reaches."""
    node = 0
    feature = trees.feature[h, 0]
    while feature >= 0:
        node = trees.child[h, node] + (0 if Z[row, feature] <= trees.threshold[h, node] else 1)
        feature = trees.feature[h, node]
    return node


@inlined
def assess(trees: Trees, h: int, leaf: int, Z: Floats, row: int, work: Workspace) -> tuple[int, float, int, int, float]:
    """Write classes, weights and log-likelihoods of the records of a leaf to the workspace.

    Return their number, the sum of the weights, the classes predicted by the counts and by naive
    Bayes, and the greatest log-likelihood.
    """
    size = trees.leaf[h, leaf, SIZE]
    records, total, most, highest = 0, 0.0, 0.0, 2.0 * UNLIKELY
    by_counts = by_bayes = NONE
    record = trees.leaf[h, leaf, HEAD]
    while record >= 0:
        k = trees.link[h, record, CLASS]
        count = trees.mass[h, record, COUNT]
        amount = count + trees.mass[h, record, PRIOR]
        log = UNLIKELY
        if count > LEAST_COUNT:
            squares = 0.0
            for i in range(size):
                delta = Z[row, trees.subset[h, leaf, i]] - trees.moments[h, record, MEAN, i]
                squares += delta * delta * trees.moments[h, record, PRECISION, i]
            log = trees.mass[h, record, CONSTANT] - 0.5 * squares
        work.classes[records] = k
        work.amounts[records] = amount
        work.logs[records] = log
        total += amount
        if amount > most:
            most, by_counts = amount, k
        if log > highest:
            highest, by_bayes = log, k
        records, record = records + 1, trees.link[h, record, NEXT]
    return records, total, by_counts, by_bayes, highest


@inlined
def uses_bayes(trees: Trees, h: int, leaf: int) -> bool:
    """Whether naive Bayes was right more often than the counts."""
    return trees.tally[h, leaf, BY_BAYES] > trees.tally[h, leaf, BY_COUNTS]


@jit
def renew(trees: Trees, h: int, record: int, size: int) -> None:
    """Compute the precisions and the constant of the log-likelihood of a record."""
    product = 1.0  # from 1e-4^24 to 26^24
    for i in range(size):
        spread = trees.moments[h, record, VARIANCE, i] + FLOOR
        trees.moments[h, record, PRECISION, i] = 1.0 / spread
        product *= spread
    trees.mass[h, record, CONSTANT] = math.log(trees.mass[h, record, COUNT]) - 0.5 * math.log(product)


@inlined
def record_of(trees: Trees, plan: Plan, h: int, leaf: int, k: int) -> int:
    """The record of class k in a leaf; a new one if there is none, NONE if no room is left."""
    record, last = trees.leaf[h, leaf, HEAD], NONE
    while record >= 0:
        if trees.link[h, record, CLASS] == k:
            return record
        last, record = record, trees.link[h, record, NEXT]
    made = trees.used[h, RECORDS]
    if made == plan.records:
        return NONE
    trees.used[h, RECORDS] += 1
    trees.link[h, made, CLASS] = k
    trees.link[h, made, NEXT] = NONE
    clear_record(trees, h, made, 0.0)
    if last == NONE:
        trees.leaf[h, leaf, HEAD] = made
    else:
        trees.link[h, last, NEXT] = made
    return made


@jit
def redraw(trees: Trees, expert: int, h: int, leaf: int, known: int, size: int, order: Counts) -> None:
    """Give a leaf new features; its counts become inherited weights."""
    record = trees.leaf[h, leaf, HEAD]
    while record >= 0:
        clear_record(trees, h, record, trees.mass[h, record, COUNT] + trees.mass[h, record, PRIOR])
        record = trees.link[h, record, NEXT]
    clear_leaf(trees, h, leaf)
    draw_features(trees, expert, h, leaf, known, size, order)


@inlined
def learn_record(trees: Trees, h: int, leaf: int, record: int, Z: Floats, row: int, w: float) -> None:
    """Learn a row of weight w > 0 in a record of its leaf."""
    count = trees.mass[h, record, COUNT] + w
    trees.mass[h, record, COUNT] = count
    g = w / count
    first = trees.tally[h, leaf, WEIGHT] == 0.0
    size = trees.leaf[h, leaf, SIZE]
    for i in range(size):
        x = Z[row, trees.subset[h, leaf, i]]
        delta = x - trees.moments[h, record, MEAN, i]
        trees.moments[h, record, MEAN, i] += g * delta
        trees.moments[h, record, VARIANCE, i] = (1.0 - g) * (trees.moments[h, record, VARIANCE, i] + g * delta * delta)
        if first or x < trees.spans[h, leaf, LOW, i]:
            trees.spans[h, leaf, LOW, i] = x
        if first or x > trees.spans[h, leaf, HIGH, i]:
            trees.spans[h, leaf, HIGH, i] = x
    renew(trees, h, record, size)
    trees.tally[h, leaf, WEIGHT] += w
