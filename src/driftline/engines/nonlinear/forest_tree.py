"""A Hoeffding tree: what a leaf predicts and how it learns.

The counts predict class k with the share (n_k + prior_k) / N. Naive Bayes predicts it from

    l_k = ln n_k - 1/2 sum_i ln s_ki - 1/2 sum_i (x_i - mu_ki)^2 / s_ki,     s_ki = v_ki + FLOOR

over the m features of the leaf, with shares in proportion to exp(l_k / max(1, m / 4)). A leaf uses
the one of the two that was right more often. Mean and variance of a class follow the weight w:

    n' = n + w,    g = w / n',    mu' = mu + g (x - mu),    v' = (1 - g) (v + g (x - mu)^2)

``learn_tree`` has no small functions for these steps: passing an array to one costs more than the
step.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.engines.nonlinear.forest_split import clear_record, try_split
from driftline.engines.nonlinear.forest_state import (
    BY_BAYES,
    BY_COUNTS,
    CLASS,
    CONSTANT,
    COUNT,
    DUE,
    HEAD,
    HIGH,
    LOW,
    MEAN,
    NEXT,
    NODES,
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
    generator,
)
from driftline.internals.compiled import Floats, inlined, jit
from driftline.internals.numeric.splitmix import STEP, mixed

FLOOR = 1e-3
"""Added to every variance of naive Bayes."""
LEAST_COUNT = 1.0
"""Naive Bayes ignores classes of at most this weight."""
UNLIKELY = -1e9
"""The log-likelihood of such a class."""
TEMPER = 4.0
"""Number of features from which on naive Bayes is tempered."""
MEMORY = 0.01
"""Weight of a row in the running error of a member."""
LEAST_TRUST = 1e-3
"""Least accuracy that the weight of a vote is computed from."""
MOST_WEIGHT = 1e6
"""Greater weights of rows count as this."""
MEAN_COPIES = 6.0
BITS = 12
SHIFT = np.uint64(64 - BITS)


def _copies() -> np.ndarray:
    """The Poisson distribution: its quantile for each value of ``BITS`` random bits."""
    cdf = np.cumsum([math.exp(-MEAN_COPIES) * MEAN_COPIES**k / math.factorial(k) for k in range(40)])
    return np.searchsorted(cdf, (np.arange(1 << BITS) + 0.5) / (1 << BITS)).astype(np.uint8)


COPIES = _copies()


@inlined
def leaf_size(known: int) -> int:
    """``leaf_features`` in compiled code."""
    return min(known, int(2.0 * (math.sqrt(known) + 1.0)))


@inlined
def trust_of(error: float) -> float:
    """The weight of the vote of a member."""
    right = max(LEAST_TRUST, 1.0 - error)
    return (right * right) * (right * right)


@inlined
def constant_of(count: float, product: float) -> float:
    """The constant of a log-likelihood; ``product`` is that of s_ki over i, 1e-72 to 1e35."""
    return 0.5 * math.log(count * count / product)


@jit
def new_record(trees: Trees, plan: Plan, h: int, leaf: int, last: int, k: int) -> int:
    """Append a record of class k to a leaf; NONE if no room is left."""
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


@jit
def renew(trees: Trees) -> None:
    """Compute all precisions and constants of log-likelihoods, with the bits of ``learn_tree``."""
    for h in range(trees.used.shape[0]):
        for leaf in range((trees.used[h, NODES] + 1) // 2):
            record = trees.leaf[h, leaf, HEAD]
            while record >= 0:
                if trees.mass[h, record, COUNT] > 0.0:
                    product = 1.0
                    for i in range(trees.leaf[h, leaf, SIZE]):
                        spread = trees.moments[h, record, VARIANCE, i] + FLOOR
                        trees.moments[h, record, PRECISION, i] = 1.0 / spread
                        product *= spread
                    trees.mass[h, record, CONSTANT] = constant_of(trees.mass[h, record, COUNT], product)
                record = trees.link[h, record, NEXT]


@jit
def learn_tree(
    trees: Trees,
    plan: Plan,
    h: int,
    votes: bool,
    Z: Floats,
    known: Counts,
    y: Counts,
    w: Floats,
    start: int,
    stop: int,
    learned: int,
    work: Workspace,
    scores: Floats,
) -> None:
    """Add the votes of tree h to the scores of the rows ``start`` to ``stop``, and learn each row.

    ``learned`` is the number of rows learned before. A tree that does not vote only learns.
    """
    feature, threshold, child = trees.feature[h], trees.threshold[h], trees.child[h]
    leaves, tally, subset, spans = trees.leaf[h], trees.tally[h], trees.subset[h], trees.spans[h]
    link, mass, moments = trees.link[h], trees.mass[h], trees.moments[h]
    classes, amounts, logs, x = work.classes, work.amounts, work.logs, work.x
    expert, member = plan.expert, h // plan.trees
    bits, error = generator(expert, h, 0) + np.uint64(learned) * STEP, trees.errors[member]
    for row in range(start, stop):
        if w[row] == 0.0 and not votes:
            continue
        # the leaf
        node = 0
        while feature[node] >= 0:
            node = child[node] + (0 if Z[row, feature[node]] <= threshold[node] else 1)
        leaf = child[node]
        size = leaves[leaf, SIZE]
        for i in range(size):
            x[i] = Z[row, subset[leaf, i]]
        # the predictions of its counts and of naive Bayes
        total, most, highest = 0.0, 0.0, 2.0 * UNLIKELY
        by_counts = by_bayes = own = last = NONE
        records, record = 0, leaves[leaf, HEAD]
        while record >= 0:
            k, count = link[record, CLASS], mass[record, COUNT]
            amount, log = count + mass[record, PRIOR], UNLIKELY
            if count > LEAST_COUNT:
                squares = 0.0
                for i in range(size):
                    delta = x[i] - moments[record, MEAN, i]
                    squares += delta * delta * moments[record, PRECISION, i]
                log = mass[record, CONSTANT] - 0.5 * squares
            classes[records], amounts[records], logs[records] = k, amount, log
            total += amount
            if amount > most:
                most, by_counts = amount, k
            if log > highest:
                highest, by_bayes = log, k
            if k == y[row]:
                own = record
            last = record
            records, record = records + 1, link[record, NEXT]
        # the vote
        bayes = tally[leaf, BY_BAYES] > tally[leaf, BY_COUNTS]
        if votes and total > 0.0:
            trust = trust_of(error)
            if bayes:
                temper, total = 1.0 / max(1.0, size / TEMPER), 0.0
                for j in range(records):
                    amounts[j] = math.exp((logs[j] - highest) * temper)
                    total += amounts[j]
            for j in range(records):
                scores[row, expert, classes[j]] += trust * (amounts[j] / total)
        if w[row] == 0.0:
            continue
        if votes and by_counts != NONE:
            error += MEMORY * ((1.0 if (by_bayes if bayes else by_counts) != y[row] else 0.0) - error)
        # learn
        bits += STEP
        copies = COPIES[mixed(bits) >> SHIFT]
        if copies == 0:
            continue
        wide = leaf_size(known[row])
        if size < wide:
            redraw(trees, expert, h, leaf, known[row], wide, work.order)
            size = wide
            for i in range(size):
                x[i] = Z[row, subset[leaf, i]]
        if own == NONE:
            own = new_record(trees, plan, h, leaf, last, y[row])
            if own == NONE:
                continue
        weight = min(w[row], MOST_WEIGHT) * copies
        if by_counts == y[row]:
            tally[leaf, BY_COUNTS] += weight
        if by_bayes == y[row]:
            tally[leaf, BY_BAYES] += weight
        if tally[leaf, WEIGHT] == 0.0:
            for i in range(size):
                spans[leaf, LOW, i] = spans[leaf, HIGH, i] = x[i]
        count = mass[own, COUNT] + weight
        g, product = weight / count, 1.0
        rest = 1.0 - g
        for i in range(size):
            delta = x[i] - moments[own, MEAN, i]
            moments[own, MEAN, i] += g * delta
            variance = rest * (moments[own, VARIANCE, i] + g * delta * delta)
            moments[own, VARIANCE, i] = variance
            moments[own, PRECISION, i] = 1.0 / (variance + FLOOR)
            spans[leaf, LOW, i] = min(spans[leaf, LOW, i], x[i])
            spans[leaf, HIGH, i] = max(spans[leaf, HIGH, i], x[i])
        for i in range(size):
            product *= moments[own, VARIANCE, i] + FLOOR
        mass[own, COUNT] = count
        mass[own, CONSTANT] = constant_of(count, product)
        tally[leaf, WEIGHT] += weight
        if tally[leaf, WEIGHT] >= tally[leaf, DUE]:
            try_split(trees, plan, h, node, known[row], wide, work)
    if votes:
        trees.errors[member] = error
