"""Hoeffding trees with means in their leaves, over standardised features.

A leaf counts targets in 16 bins of each feature that it tries. In the second forest there are two
trees for each vote: one votes and the other learns in the background. Every ``PERIOD`` rounds they
change places, and the one that has voted starts anew.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.tracker.regression.state import Forest
from driftline.internals.compiled import Floats, jit
from driftline.internals.numeric.splitmix import STEP, mixed

BINS, TRIED, DEPTH = 16, 12, 20
GRACE, SURE, TIE = 50.0, np.log(100.0), 0.05
PERIOD, ERROR_RATE = 2000, 0.01
REACH = 2.5  # the bins of the root are from -REACH to REACH
LEAST_PART = 0.01  # of the examples of a leaf, in a new leaf
INHERITED = 0.1  # part of the count of a new leaf
NARROWEST = 1e-9
VOTING = 5  # voting trees of a forest
TREES, NODES = (VOTING, 2 * VOTING), (255, 127)
"""The number of trees and the largest number of nodes of a tree, in each forest."""
# columns of nodes
FEATURE, LEFT, LEAF, NODE = 0, 1, 2, 3
# columns of leaves: count, mean and variance of the targets, the count since the last attempt to
# split, and the depth
N, MEAN, VARIANCE, SINCE, HEIGHT, LEAF_NUMBERS = 0, 1, 2, 3, 4, 5
# columns of trees: the number of nodes and of leaves, the mean squared error, whether the tree
# votes, and how many random numbers were drawn
GROWN, LEAVES, ERROR, VOTES, DRAWN, TREE_NUMBERS = 0, 1, 2, 3, 4, 5


def new_forest(kind: int) -> Forest:
    """The first or the second forest before the first round."""
    trees, nodes = TREES[kind], NODES[kind]
    leaves = (nodes + 1) // 2
    made = Forest(
        nodes=np.zeros((trees, nodes, NODE), np.int64),
        thresholds=np.zeros((trees, nodes)),
        tried=np.full((trees, leaves, TRIED), -1, np.int64),
        ranges=np.zeros((trees, leaves, TRIED, 2)),
        bins=np.zeros((trees, leaves, TRIED, BINS, 2)),
        leaves=np.zeros((trees, leaves, LEAF_NUMBERS)),
        trees=np.zeros((trees, TREE_NUMBERS)),
    )
    made.trees[:VOTING, VOTES] = 1.0
    return made


@jit
def tried_of(features: int) -> int:
    """The number of features that a leaf tries.

    >>> [tried_of(d) for d in (0, 1, 2, 3, 10, 20, 300)]
    [0, 1, 1, 2, 7, 10, 12]
    """
    some = min(7 * features // 10, int(2.0 * (np.sqrt(features) + 1.0)))
    return min(features, max(1, min(TRIED, some)))


@jit
def open_leaf(forest: Forest, tree: int, node: int, leaf: int, features: int) -> None:
    """Make a node a leaf without examples, which tries random features."""
    forest.nodes[tree, node, FEATURE] = -1
    forest.nodes[tree, node, LEFT] = 0
    forest.nodes[tree, node, LEAF] = leaf
    forest.leaves[tree, leaf] = 0.0
    forest.bins[tree, leaf] = 0.0
    tried = forest.tried[tree, leaf]
    tried[:] = -1
    size = tried_of(features)
    count = 0
    while count < size:
        forest.trees[tree, DRAWN] += 1.0
        position = np.uint64(tree + 1) << np.uint64(48) | np.uint64(forest.trees[tree, DRAWN])
        feature = np.int64(mixed(position * STEP) % np.uint64(features))
        fresh = True
        for i in range(count):
            fresh = fresh and tried[i] != feature
        if fresh:
            tried[count] = feature
            forest.ranges[tree, leaf, count, 0] = -REACH
            forest.ranges[tree, leaf, count, 1] = 2.0 * REACH / BINS
            count += 1


@jit
def plant(forest: Forest, tree: int, features: int) -> None:
    """Start a tree anew: one leaf. All its arrays are cleared."""
    forest.nodes[tree] = 0
    forest.thresholds[tree] = 0.0
    forest.tried[tree] = -1
    forest.ranges[tree] = 0.0
    forest.bins[tree] = 0.0
    forest.leaves[tree] = 0.0
    forest.trees[tree, GROWN] = 1.0
    forest.trees[tree, LEAVES] = 1.0
    forest.trees[tree, ERROR] = 0.0
    open_leaf(forest, tree, 0, 0, features)


@jit
def node_of(forest: Forest, tree: int, z: Floats) -> int:
    """The node of the leaf of z; place i + 1 of z is the feature of slot i."""
    node = 0
    while forest.nodes[tree, node, FEATURE] >= 0:
        right = z[forest.nodes[tree, node, FEATURE] + 1] > forest.thresholds[tree, node]
        node = forest.nodes[tree, node, LEFT] + (1 if right else 0)
    return node


@jit
def mean_of(forest: Forest, tree: int, z: Floats) -> float:
    """The prediction of a tree."""
    return forest.leaves[tree, forest.nodes[tree, node_of(forest, tree, z), LEAF], MEAN]


@jit
def score_forest(forest: Forest, z: Floats, variance: float) -> float:
    """The mean of the voting trees, weighted by the inverses of their errors."""
    total, weights = 0.0, 0.0
    for tree in range(len(forest.trees)):
        if forest.trees[tree, VOTES] != 0.0 and forest.trees[tree, GROWN] > 0.0:
            weight = 1.0 / (forest.trees[tree, ERROR] + 1e-6 * variance) if variance > 0.0 else 1.0
            total += weight * mean_of(forest, tree, z)
            weights += weight
    return total / weights if weights > 0.0 else 0.0


@jit
def bin_of(x: float, low: float, width: float) -> int:
    """The bin of a value; values beyond the first or last bin belong to it."""
    return int(min(BINS - 1.0, max(0.0, np.floor((x - low) / width))))


@jit
def best_split(forest: Forest, tree: int, leaf: int) -> tuple[int, int, float, float]:
    """The best split: index among the tried features, last bin on the left, gain, next best gain.

    A gain is the part of the variance that the split removes.
    """
    variance = forest.leaves[tree, leaf, VARIANCE]
    best, last, first_gain, second_gain = -1, 0, 0.0, 0.0
    for i in range(TRIED):
        if forest.tried[tree, leaf, i] < 0:
            break
        bins = forest.bins[tree, leaf, i]
        count, sums = 0.0, 0.0
        for b in range(BINS):
            count += bins[b, 0]
            sums += bins[b, 1]
        left, left_sum, gain, at = 0.0, 0.0, 0.0, 0
        for b in range(BINS - 1):
            left += bins[b, 0]
            left_sum += bins[b, 1]
            right = count - left
            if left < LEAST_PART * count or right < LEAST_PART * count or left <= 0.0 or right <= 0.0:
                continue
            apart = left_sum / left - (sums - left_sum) / right
            removed = left / count * (right / count) * apart * apart / variance
            if removed > gain:
                gain, at = removed, b
        if gain > first_gain:
            best, last, first_gain, second_gain = i, at, gain, first_gain
        elif gain > second_gain:
            second_gain = gain
    return best, last, first_gain, second_gain


@jit
def narrow(forest: Forest, tree: int, leaf: int, z: Floats, parent: int, right: bool) -> None:
    """Set the bins of a new leaf to the part of each feature that reaches it.

    Its path is that of z to ``parent``, and then to the right or left.
    """
    for i in range(TRIED):
        feature = forest.tried[tree, leaf, i]
        if feature < 0:
            break
        low, high, node = -REACH, REACH, 0
        while True:
            on, threshold = forest.nodes[tree, node, FEATURE], forest.thresholds[tree, node]
            up = right if node == parent else z[on + 1] > threshold
            if on == feature:
                low, high = (max(low, threshold), high) if up else (low, min(high, threshold))
            if node == parent:
                break
            node = forest.nodes[tree, node, LEFT] + (1 if up else 0)
        forest.ranges[tree, leaf, i, 0] = low
        forest.ranges[tree, leaf, i, 1] = max(NARROWEST, high - low) / BINS


@jit
def split(forest: Forest, tree: int, node: int, z: Floats, best: int, last: int, features: int) -> None:
    """Split a leaf: the left part takes over its number, the right part gets a new one."""
    leaf = int(forest.nodes[tree, node, LEAF])
    bins, child, other = forest.bins[tree, leaf, best], int(forest.trees[tree, GROWN]), int(forest.trees[tree, LEAVES])
    counts, sums = np.zeros(2), np.zeros(2)
    for b in range(BINS):
        side = 1 if b > last else 0
        counts[side] += bins[b, 0]
        sums[side] += bins[b, 1]
    low, width = forest.ranges[tree, leaf, best, 0], forest.ranges[tree, leaf, best, 1]
    feature, height = forest.tried[tree, leaf, best], forest.leaves[tree, leaf, HEIGHT]
    variance = forest.leaves[tree, leaf, VARIANCE]
    forest.trees[tree, GROWN] += 2.0
    forest.trees[tree, LEAVES] += 1.0
    for side in range(2):
        into = leaf if side == 0 else other
        open_leaf(forest, tree, child + side, into, features)
        numbers = forest.leaves[tree, into]
        numbers[N] = INHERITED * counts[side]
        numbers[MEAN] = sums[side] / counts[side]
        numbers[VARIANCE] = variance
        numbers[HEIGHT] = height + 1.0
    forest.nodes[tree, node, FEATURE] = feature
    forest.nodes[tree, node, LEFT] = child
    forest.thresholds[tree, node] = low + width * (last + 1)
    narrow(forest, tree, leaf, z, node, False)
    narrow(forest, tree, other, z, node, True)


@jit
def learn_tree(forest: Forest, tree: int, z: Floats, u: float, weight: float, features: int) -> None:
    """Add an example to its leaf, which may be split then."""
    node = node_of(forest, tree, z)
    leaf = forest.nodes[tree, node, LEAF]
    numbers = forest.leaves[tree, leaf]
    forest.trees[tree, ERROR] += ERROR_RATE * ((u - numbers[MEAN]) ** 2 - forest.trees[tree, ERROR])
    numbers[N] += weight
    part, move = weight / numbers[N], u - numbers[MEAN]
    numbers[MEAN] += part * move
    numbers[VARIANCE] = (1.0 - part) * (numbers[VARIANCE] + part * move * move)
    for i in range(TRIED):
        feature = forest.tried[tree, leaf, i]
        if feature < 0:
            break
        b = bin_of(z[feature + 1], forest.ranges[tree, leaf, i, 0], forest.ranges[tree, leaf, i, 1])
        forest.bins[tree, leaf, i, b, 0] += weight
        forest.bins[tree, leaf, i, b, 1] += weight * u
    numbers[SINCE] += weight
    room = forest.trees[tree, GROWN] + 2.0 <= forest.nodes.shape[1]
    if numbers[SINCE] < GRACE or not room or numbers[HEIGHT] >= DEPTH or not numbers[VARIANCE] > 0.0:
        return
    numbers[SINCE] = 0.0
    best, last, first_gain, second_gain = best_split(forest, tree, leaf)
    doubt = np.sqrt(SURE / (2.0 * numbers[N]))
    if best >= 0 and (second_gain < (1.0 - doubt) * first_gain or doubt < TIE):
        split(forest, tree, node, z, best, last, features)


@jit
def learn_forest(forest: Forest, z: Floats, u: float, weight: float, features: int, rounds: int) -> None:
    """Replace the trees whose time has come, then learn an example in all trees."""
    trees = len(forest.trees)
    if rounds == 0:
        for tree in range(trees):
            plant(forest, tree, features)
    elif trees > VOTING:
        for tree in range(VOTING):
            if (rounds + tree * PERIOD // VOTING) % PERIOD == 0:
                before = tree if forest.trees[tree, VOTES] != 0.0 else tree + VOTING
                after = tree + VOTING if before == tree else tree
                forest.trees[before, VOTES], forest.trees[after, VOTES] = 0.0, 1.0
                plant(forest, before, features)
    for tree in range(trees):
        learn_tree(forest, tree, z, u, weight, features)
