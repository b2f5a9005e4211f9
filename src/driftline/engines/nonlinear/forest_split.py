"""The split of a leaf of a Hoeffding tree.

A class k in the leaf has the weight n_k and, in each feature, the mean mu_k and the variance v_k.
A threshold c sends the weight n_k Phi((c - mu_k) / sqrt(v_k)) of class k to the left. With the
entropy H in bits of the weights on each side, the gain is

    G = H(n) - N_left / N H(left) - N_right / N H(right)

The best of ten thresholds between the least and the greatest value is the gain of the feature. If
G1 and G2 are the two greatest gains of features, the leaf is split where

    G1 - G2 > epsilon    or    epsilon < TAU,        epsilon = R sqrt(ln(1 / DELTA) / (2 N))

and R = log2(number of classes in the leaf). Otherwise the next test is due at the weight at which
epsilon falls to max(G1 - G2, TAU), but at least GRACE later, and at the latest when N has doubled.
"""

from __future__ import annotations

import math

import numpy as np

from driftline.engines.nonlinear.forest_state import (
    CLASS,
    COUNT,
    DEPTH,
    DUE,
    GRACE,
    HEAD,
    HIGH,
    LOW,
    MEAN,
    NEXT,
    NODES,
    NONE,
    PRIOR,
    RECORDS,
    SIZE,
    VARIANCE,
    Plan,
    Trees,
    Workspace,
    clear_leaf,
    draw_features,
)
from driftline.internals.compiled import Floats, inlined, jit

DELTA, TAU = 0.01, 0.05
DEEPEST = 20
"""Upper limit of the depth of a leaf."""
CANDIDATES = 10
"""Thresholds tried in each feature."""
LEAST_SIDE = 0.01
"""Least share of the weight on each side of a threshold."""
INHERITED = 0.2
"""Factor of the weights of a leaf that its children start with."""
LEAST_DEVIATION = 1e-12
FARTHEST, FINENESS = 6.0, 256.0
"""Phi is interpolated between multiples of 1 / FINENESS, and is 0 or 1 beyond FARTHEST."""
STEPS = int(2.0 * FARTHEST * FINENESS)
PHI = np.array([0.5 * math.erfc((FARTHEST - k / FINENESS) * math.sqrt(0.5)) for k in range(STEPS + 1)])
# rows of Workspace.parts: weights of classes, means, 1 / sqrt(v), and weights left of a threshold
N, MU, RECIPROCAL, LEFT = 0, 1, 2, 3


@inlined
def below(c: float, mean: float, reciprocal: float) -> float:
    """The share of a class at or below c; a ``reciprocal`` of 0 stands for no deviation."""
    if reciprocal == 0.0:
        return 1.0 if mean <= c else 0.0
    at = ((c - mean) * reciprocal + FARTHEST) * FINENESS
    if at <= 0.0:
        return 0.0
    if at >= STEPS:
        return 1.0
    k = int(at)
    return PHI[k] + (at - k) * (PHI[k + 1] - PHI[k])


@inlined
def x_log_x(x: float) -> float:
    """x log2 x, 0 at 0."""
    return x * math.log2(x) if x > 0.0 else 0.0


@jit
def place_feature(trees: Trees, h: int, leaf: int, i: int, parts: Floats) -> None:
    """Write means and 1 / sqrt(v) of feature number i of a leaf, by record."""
    k, record = 0, trees.leaf[h, leaf, HEAD]
    while record >= 0:
        deviation = math.sqrt(trees.moments[h, record, VARIANCE, i])
        parts[MU, k] = trees.moments[h, record, MEAN, i]
        parts[RECIPROCAL, k] = 1.0 / deviation if deviation > LEAST_DEVIATION else 0.0
        k, record = k + 1, trees.link[h, record, NEXT]


@jit
def gain_of(parts: Floats, classes: int, n: float, whole: float, low: float, high: float) -> tuple[float, float]:
    """The greatest gain of a feature and its threshold; ``whole`` is N H(n)."""
    gain = threshold = 0.0
    for s in range(1, CANDIDATES + 1):
        c = low + (high - low) * s / (CANDIDATES + 1)
        left = 0.0
        for k in range(classes):
            parts[LEFT, k] = parts[N, k] * below(c, parts[MU, k], parts[RECIPROCAL, k])
            left += parts[LEFT, k]
        if left < LEAST_SIDE * n or left > (1.0 - LEAST_SIDE) * n:
            continue
        apart = x_log_x(left) + x_log_x(n - left)
        for k in range(classes):
            apart -= x_log_x(parts[LEFT, k]) + x_log_x(parts[N, k] - parts[LEFT, k])
        found = (whole - apart) / n
        if found > gain:
            gain, threshold = found, c
    return gain, threshold


@jit
def try_split(trees: Trees, plan: Plan, h: int, node: int, known: int, size: int, work: Workspace) -> None:
    """Split the leaf at this node if the bound allows it; new leaves have ``size`` features."""
    leaf = trees.child[h, node]
    parts = work.parts
    records, present, n, whole = 0, 0, 0.0, 0.0
    record = trees.leaf[h, leaf, HEAD]
    while record >= 0:
        amount = trees.mass[h, record, COUNT]
        parts[N, records] = amount
        n += amount
        whole -= x_log_x(amount)
        present += 1 if amount > 0.0 else 0
        records, record = records + 1, trees.link[h, record, NEXT]
    whole += x_log_x(n)
    trees.tally[h, leaf, DUE] = n + max(n, GRACE)
    room = trees.used[h, NODES] + 2 <= plan.nodes and trees.leaf[h, leaf, DEPTH] + 1 < DEEPEST
    if present < 2 or not room or trees.used[h, RECORDS] + records > plan.records:
        return
    first = second = threshold = 0.0
    best = NONE
    for i in range(np.int64(trees.leaf[h, leaf, SIZE])):
        low, high = trees.spans[h, leaf, LOW, i], trees.spans[h, leaf, HIGH, i]
        if high > low:
            place_feature(trees, h, leaf, i, parts)
            gain, at = gain_of(parts, records, n, whole, low, high)
            if gain > first:
                first, second, threshold, best = gain, first, at, i
            elif gain > second:
                second = gain
    if best == NONE:
        return
    reach = math.log2(present) ** 2 * math.log(1.0 / DELTA) / 2.0  # epsilon^2 N
    gap = first - second
    if gap * gap * n > reach or TAU * TAU * n > reach:
        split(trees, plan, h, node, np.int64(best), threshold, known, size, work)
    else:
        gap = max(gap, TAU)
        trees.tally[h, leaf, DUE] = n + min(max(reach / (gap * gap) - n, GRACE), max(n, GRACE))


@jit
def split(
    trees: Trees, plan: Plan, h: int, node: int, i: int, threshold: float, known: int, size: int, work: Workspace
) -> None:
    """Split a leaf at a threshold of its feature number i.

    The left child takes over the leaf and its records, the right child gets new ones.
    """
    leaf, left = trees.child[h, node], trees.used[h, NODES]
    other = (left + 1) // 2
    depth = trees.leaf[h, leaf, DEPTH] + 1
    place_feature(trees, h, leaf, i, work.parts)
    trees.feature[h, node] = trees.subset[h, leaf, i]
    trees.threshold[h, node] = threshold
    trees.child[h, node] = left
    trees.used[h, NODES] = left + 2
    for side in range(2):
        trees.feature[h, left + side] = NONE
        trees.threshold[h, left + side] = 0.0
        trees.child[h, left + side] = leaf if side == 0 else other
    k, record, last = 0, trees.leaf[h, leaf, HEAD], NONE
    while record >= 0:
        made = trees.used[h, RECORDS]
        trees.used[h, RECORDS] += 1
        whole = INHERITED * (trees.mass[h, record, COUNT] + trees.mass[h, record, PRIOR])
        share = below(threshold, work.parts[MU, k], work.parts[RECIPROCAL, k])
        clear_record(trees, h, record, whole * share)
        clear_record(trees, h, made, whole * (1.0 - share))
        trees.link[h, made, CLASS] = trees.link[h, record, CLASS]
        trees.link[h, made, NEXT] = NONE
        if last == NONE:
            trees.leaf[h, other, HEAD] = made
        else:
            trees.link[h, last, NEXT] = made
        last = made
        k, record = k + 1, trees.link[h, record, NEXT]
    for side in range(2):
        child = trees.child[h, left + side]
        clear_leaf(trees, h, child)
        trees.leaf[h, child, DEPTH] = depth
        draw_features(trees, plan.expert, h, child, known, size, work.order)


@jit
def clear_record(trees: Trees, h: int, record: int, prior: float) -> None:
    """Forget what a record has learned; ``prior`` is its inherited weight."""
    trees.mass[h, record, COUNT] = 0.0
    trees.mass[h, record, PRIOR] = prior
    trees.moments[h, record, MEAN] = 0.0
    trees.moments[h, record, VARIANCE] = 0.0
