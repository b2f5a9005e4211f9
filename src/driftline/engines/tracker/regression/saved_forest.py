"""The arrays of a forest in model files, and the checks of such arrays."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, counters, finite, of_shape, within
from driftline.engines.tracker.regression.state import Forest
from driftline.engines.tracker.regression.trees import (
    BINS,
    DEPTH,
    DRAWN,
    ERROR,
    FEATURE,
    GROWN,
    HEIGHT,
    LEAF,
    LEAF_NUMBERS,
    LEAVES,
    LEFT,
    NARROWEST,
    NODE,
    REACH,
    SINCE,
    TREE_NUMBERS,
    TRIED,
    VARIANCE,
    VOTES,
    VOTING,
    N,
)


def trimmed_forest(forest: Forest) -> Forest:
    """The forest without nodes and leaves that no tree has."""
    nodes = int(forest.trees[:, GROWN].max(initial=0.0))
    leaves = int(forest.trees[:, LEAVES].max(initial=0.0))
    return Forest(
        nodes=forest.nodes[:, :nodes],
        thresholds=forest.thresholds[:, :nodes],
        tried=forest.tried[:, :leaves],
        ranges=forest.ranges[:, :leaves],
        bins=forest.bins[:, :leaves],
        leaves=forest.leaves[:, :leaves],
        trees=forest.trees,
    )


def checked_forest(made: Forest, prefix: str, arrays: Arrays, slots: int, rounds: int) -> Forest:
    """Fill a new forest from a model file; ValueError if no forest can have these arrays.

    Every node leads to a later node or to a leaf, so that a search ends.
    """
    size = len(made.trees)
    trees = finite(prefix, of_shape(arrays, f"{prefix}_trees", "float64", (size, TREE_NUMBERS)))
    counters(prefix, trees[:, [GROWN, LEAVES, DRAWN]])
    grown, leaves = trees[:, GROWN].astype(int), trees[:, LEAVES].astype(int)
    votes = np.zeros(VOTING) if size == 0 else trees[:, VOTES].reshape(-1, VOTING).sum(axis=0)
    voting = np.isin(trees[:, VOTES], (0.0, 1.0)).all() and (size == 0 or (votes == 1.0).all())
    fit = (grown <= made.nodes.shape[1]).all() and ((grown + 1) // 2 == leaves).all()
    odd = (grown % 2 == 1).all() if rounds > 0 else not grown.any()
    if not (fit and odd and voting) or (trees[:, ERROR] < 0.0).any():
        raise ValueError(f"{prefix} trees {trees.tolist()}")
    nodes_used, leaves_used = int(grown.max(initial=0)), int(leaves.max(initial=0))
    shapes = {
        "nodes": ("int64", (size, nodes_used, NODE)),
        "thresholds": ("float64", (size, nodes_used)),
        "tried": ("int64", (size, leaves_used, TRIED)),
        "ranges": ("float64", (size, leaves_used, TRIED, 2)),
        "bins": ("float64", (size, leaves_used, TRIED, BINS, 2)),
        "leaves": ("float64", (size, leaves_used, LEAF_NUMBERS)),
    }
    for name, (dtype, shape) in shapes.items():
        found = finite(f"{prefix}_{name}", of_shape(arrays, f"{prefix}_{name}", dtype, shape))
        getattr(made, name)[tuple(map(slice, shape))] = found
    made.trees[:] = trees
    for tree in range(size):
        _check_nodes(prefix, made.nodes[tree, : grown[tree]], int(leaves[tree]), slots)
    _check_leaves(prefix, made, slots)
    return made


def _check_nodes(prefix: str, nodes: np.ndarray, leaves: int, slots: int) -> None:
    """Check the nodes of a tree."""
    within(f"{prefix}_nodes", nodes[:, FEATURE], -1, slots - 1)
    inner = nodes[:, FEATURE] >= 0
    children, at = nodes[inner, LEFT], np.flatnonzero(inner)
    if (children <= at).any() or (children + 1 >= len(nodes)).any():
        raise ValueError(f"{prefix} nodes that lead to no later node")
    if not np.array_equal(np.sort(nodes[~inner, LEAF]), np.arange(leaves)):
        raise ValueError(f"{prefix} nodes whose leaves are not those of the tree")


def _check_leaves(prefix: str, forest: Forest, slots: int) -> None:
    """Check the numbers of all leaves."""
    within(f"{prefix}_tried", forest.tried, -1, slots - 1)
    used = forest.tried >= 0
    within(f"{prefix}_ranges", forest.ranges[used][:, 0], -REACH, REACH)
    within(f"{prefix}_ranges", forest.ranges[used][:, 1], NARROWEST / BINS, 2.0 * REACH)
    numbers = forest.leaves[..., [N, VARIANCE, SINCE]]
    if (numbers < 0.0).any() or (forest.bins[..., 0] < 0.0).any():
        raise ValueError(f"{prefix} counts or variances below 0")
    within(f"{prefix}_leaves", counters(f"{prefix}_leaves", forest.leaves[..., HEIGHT]), 0.0, DEPTH)
