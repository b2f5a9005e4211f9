"""The contributions of features to the shares of a forest.

The shares of a member change along the path of the row. The shares of a node are those of all
weights in the leaves below it. A split contributes the change from a node to its child to the
feature of the split. Where a leaf predicts by naive Bayes, the change from the shares of its
counts is divided among its features in proportion to

    sum_k |t_ki - mean of t_ji over j|,    t_ki = -1/2 ln s_ki - 1/2 (x_i - mu_ki)^2 / s_ki

The shares of the roots are the constant. So all contributions add up to the shares of the forest.

Saabas. Interpreting random forests. blog.datadive.net (2014).
Differs from the source: the shares of naive Bayes, and the weights of the members.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.nonlinear.forest_state import (
    BY_BAYES,
    BY_COUNTS,
    CLASS,
    CONSTANT,
    COUNT,
    HEAD,
    MEAN,
    MEMBERS,
    NEXT,
    NODES,
    NONE,
    PRECISION,
    PRIOR,
    SIZE,
    Plan,
    Trees,
)
from driftline.engines.nonlinear.forest_tree import LEAST_COUNT, TEMPER, trust_of
from driftline.internals.compiled import Floats


def contributions(trees: Trees, plan: Plan, z: Floats, known: int, classes: int) -> Floats:
    """The contributions to the shares of one row: (classes, 1 + known), the constant first."""
    found, sum_ = np.zeros((classes, 1 + known)), 0.0
    for member in range(MEMBERS):
        h = member * plan.trees + int(trees.active[member])
        part = _of_tree(trees, h, z, known, classes)
        if part is not None:
            trust = trust_of(float(trees.errors[member]))
            found += trust * part
            sum_ += trust
    if sum_ > 0.0:
        return found / sum_
    found[:, 0] = 1.0 / classes
    return found


def _of_tree(trees: Trees, h: int, z: Floats, known: int, classes: int) -> Floats | None:
    """The contributions to the shares of one tree; None if its leaf has learned nothing."""
    weights = _weights(trees, h, classes)
    node = 0
    if not weights[0].sum() > 0.0:
        return None
    found = np.zeros((classes, 1 + known))
    shares = weights[0] / weights[0].sum()
    found[:, 0] = shares
    while (feature := trees.feature[h, node]) != NONE:
        node = trees.child[h, node] + (0 if z[feature] <= trees.threshold[h, node] else 1)
        if not weights[node].sum() > 0.0:
            return None
        before, shares = shares, weights[node] / weights[node].sum()
        found[:, 1 + feature] += shares - before
    leaf = int(trees.child[h, node])
    if trees.tally[h, leaf, BY_BAYES] > trees.tally[h, leaf, BY_COUNTS]:
        _add_bayes(trees, h, leaf, z, shares, found)
    return found


def _records(trees: Trees, h: int, leaf: int) -> list[int]:
    """The records of a leaf."""
    found, record = [], int(trees.leaf[h, leaf, HEAD])
    while record != NONE:
        found.append(record)
        record = int(trees.link[h, record, NEXT])
    return found


def _weights(trees: Trees, h: int, classes: int) -> Floats:
    """The weights of each class in the leaves below each node."""
    nodes = int(trees.used[h, NODES])
    weights = np.zeros((nodes, classes))
    for node in reversed(range(nodes)):  # children follow their parents
        child = int(trees.child[h, node])
        if trees.feature[h, node] != NONE:
            weights[node] = weights[child] + weights[child + 1]
        else:
            for record in _records(trees, h, child):
                amount = trees.mass[h, record, COUNT] + trees.mass[h, record, PRIOR]
                weights[node, trees.link[h, record, CLASS]] = amount
    return weights


def _add_bayes(trees: Trees, h: int, leaf: int, z: Floats, shares: Floats, found: Floats) -> None:
    """Add the change from the shares of the counts to those of naive Bayes."""
    records, size = np.array(_records(trees, h, leaf)), int(trees.leaf[h, leaf, SIZE])
    records = records[trees.mass[h, records, COUNT] > LEAST_COUNT]
    if records.size == 0:
        return
    subset = trees.subset[h, leaf, :size]
    mean, precision = (trees.moments[h, records, entry, :size] for entry in (MEAN, PRECISION))
    squares = precision * (z[subset] - mean) ** 2
    logs = (trees.mass[h, records, CONSTANT] - 0.5 * squares.sum(axis=1)) / max(1.0, size / TEMPER)
    likelihoods = np.exp(logs - logs.max())
    change = -shares
    change[trees.link[h, records, CLASS]] += likelihoods / likelihoods.sum()
    terms = 0.5 * np.log(precision) - 0.5 * squares
    sizes = np.abs(terms - terms.mean(axis=0)).sum(axis=0)
    if sizes.sum() > 0.0:
        found[:, 1 + subset] += np.outer(change, sizes / sizes.sum())
    else:
        found[:, 0] += change
