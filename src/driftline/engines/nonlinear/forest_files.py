"""The arrays of a forest in model files: what is written, and the checks of what is read."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import MOST, Arrays, finite, of_shape, within
from driftline.engines.nonlinear.forest_split import DEEPEST
from driftline.engines.nonlinear.forest_state import (
    CLASS,
    DEPTH,
    DTYPES,
    HEAD,
    HIGH,
    LEAF,
    LINK,
    LOW,
    MEAN,
    MEMBERS,
    NEXT,
    NODES,
    NONE,
    PRIOR,
    RECORDS,
    SIZE,
    SPANS,
    TALLY,
    USED,
    VARIANCE,
    WEIGHT,
    Plan,
    Trees,
    leaf_features,
    resized,
    shapes_of,
)
from driftline.engines.nonlinear.forest_tree import renew

WIDEST = 6.0
"""Upper limit of the size of a mean, threshold or end of a span: values are at most 5."""
HEAVIEST = 1e100
"""Upper limit of a weight."""
STORED_MASS, STORED_MOMENTS = PRIOR + 1, VARIANCE + 1
"""The entries of ``mass`` and ``moments`` in a file. The others follow from them."""


def saved(trees: Trees) -> Arrays:
    """The arrays of a forest without spare room; entries that are not in use are 0."""
    nodes, records, _ = trees.used.max(axis=0)
    leaves = (nodes + 1) // 2
    used_nodes = np.arange(nodes) < trees.used[:, NODES, None]
    used_leaves = np.arange(leaves) < (trees.used[:, NODES, None] + 1) // 2
    used_records = np.arange(records) < trees.used[:, RECORDS, None]
    leaf = trees.leaf[:, :leaves] * used_leaves[..., None]
    size = int(leaf[..., SIZE].max())
    used_features = (np.arange(size) < leaf[..., SIZE, None]) & used_leaves[..., None]
    tally = trees.tally[:, :leaves]
    ranged = used_features & (tally[..., WEIGHT, None] > 0.0)
    return {
        **{name: getattr(trees, name).copy() for name in ("learned", "active", "errors", "used")},
        **{name: getattr(trees, name)[:, :nodes] * used_nodes for name in ("feature", "threshold", "child")},
        "leaf": leaf,
        "tally": tally * used_leaves[..., None],
        "subset": trees.subset[:, :leaves, :size] * used_features,
        "spans": trees.spans[:, :leaves, :, :size] * ranged[:, :, None],
        "link": trees.link[:, :records] * used_records[..., None],
        "mass": trees.mass[:, :records, :STORED_MASS] * used_records[..., None],
        "moments": trees.moments[:, :records, :STORED_MOMENTS, :size] * used_records[..., None, None],
    }


def restored(plan: Plan, features: int, classes: int, arrays: Arrays) -> Trees:
    """The trees from arrays of a file; ValueError if no forest can have them."""
    trees = MEMBERS * plan.trees
    used = within("used", of_shape(arrays, "used", "int64", (trees, USED)), 0, MOST)
    if (
        (used[:, NODES] % 2 == 0).any()
        or (used[:, NODES] > plan.nodes).any()
        or (used[:, RECORDS] > plan.records).any()
    ):
        raise ValueError("numbers of nodes or records that no tree can have")
    nodes, records = int(used[:, NODES].max()), int(used[:, RECORDS].max())
    leaves = (nodes + 1) // 2
    leaf = of_shape(arrays, "leaf", "int32", (trees, leaves, LEAF))
    size = int(within("sizes of leaves", leaf[..., SIZE], 0, leaf_features(features)).max())
    shapes = {
        "learned": (1,),
        "active": (MEMBERS,),
        "errors": (MEMBERS,),
        **dict.fromkeys(("feature", "threshold", "child"), (trees, nodes)),
        "tally": (trees, leaves, TALLY),
        "subset": (trees, leaves, size),
        "spans": (trees, leaves, SPANS, size),
        "link": (trees, records, LINK),
        "mass": (trees, records, STORED_MASS),
        "moments": (trees, records, STORED_MOMENTS, size),
    }
    found = {name: finite(name, of_shape(arrays, name, DTYPES.get(name, "float64"), shapes[name])) for name in shapes}
    found.update(used=used, leaf=leaf)
    _check_numbers(plan, features, classes, found)
    for h in range(trees):
        _check_tree(h, found)
        _check_records(h, found)
    made = Trees(**{name: np.zeros(shape, DTYPES.get(name)) for name, shape in shapes_of(plan, size, records).items()})
    for name, array in found.items():
        getattr(made, name)[tuple(slice(n) for n in array.shape)] = array
    renew(made)
    return made


def roomy(trees: Trees, plan: Plan, features: int, classes: int) -> Trees:
    """The trees with room for these features and classes."""
    most = min((plan.nodes + 1) // 2 * classes, plan.records)
    size, records = max(trees.subset.shape[2], leaf_features(features)), max(trees.link.shape[1], most)
    return resized(trees, plan, size, records)


def _check_numbers(plan: Plan, features: int, classes: int, found: Arrays) -> None:
    """Raise unless all numbers are in their ranges."""
    within("learned", found["learned"], 0, MOST)
    within("active", found["active"], 0, plan.trees - 1)
    within("errors", found["errors"], 0.0, 1.0)
    within("features of nodes", found["feature"], NONE, features - 1)
    within("features of leaves", found["subset"], 0, max(features - 1, 0))
    within("classes", found["link"][..., CLASS], 0, max(classes - 1, 0))
    within("depths", found["leaf"][..., DEPTH], 0, DEEPEST - 1)
    within("weights of leaves", found["tally"], 0.0, HEAVIEST)
    within("weights of classes", found["mass"], 0.0, HEAVIEST)
    within("thresholds", found["threshold"], -WIDEST, WIDEST)
    within("spans", found["spans"], -WIDEST, WIDEST)
    within("means", found["moments"][..., MEAN, :], -WIDEST, WIDEST)
    within("variances", found["moments"][..., VARIANCE, :], 0.0, WIDEST * WIDEST)
    if (found["spans"][..., LOW, :] > found["spans"][..., HIGH, :]).any():
        raise ValueError("spans that end before they start")


def _check_tree(h: int, found: Arrays) -> None:
    """Raise unless the nodes of tree h form a tree, and the features of each leaf differ."""
    nodes = int(found["used"][h, NODES])
    feature, child = found["feature"][h, :nodes], found["child"][h, :nodes].astype(np.int64)
    inner = np.flatnonzero(feature != NONE)
    left = child[inner]
    parted = np.sort(np.concatenate([left, left + 1]))
    if not np.array_equal(parted, np.arange(1, nodes)) or (left <= inner).any():
        raise ValueError("nodes that are no tree")
    ends = feature == NONE
    if not np.array_equal(np.sort(child[ends]), np.arange((nodes + 1) // 2)):
        raise ValueError("leaves that do not belong to one node each")
    depth = np.zeros(nodes, np.int64)
    for node in inner:
        depth[child[node] : child[node] + 2] = depth[node] + 1
    leaf = found["leaf"][h]
    if not np.array_equal(leaf[child[ends], DEPTH], depth[ends]):
        raise ValueError("depths that are not those of the tree")
    for number in child[ends]:
        subset = found["subset"][h, number, : leaf[number, SIZE]]
        if np.unique(subset).size < subset.size:
            raise ValueError("a leaf with the same feature twice")


def _check_records(h: int, found: Arrays) -> None:
    """Raise unless each record of tree h is in one leaf, and the classes of each leaf differ."""
    records, leaves = int(found["used"][h, RECORDS]), (int(found["used"][h, NODES]) + 1) // 2
    head, following = (
        found["leaf"][h, :leaves, HEAD].astype(np.int64),
        found["link"][h, :records, NEXT].astype(np.int64),
    )
    led = np.sort(np.concatenate([head[head != NONE], following[following != NONE]]))
    if not np.array_equal(led, np.arange(records)) or ((following != NONE) & (following <= np.arange(records))).any():
        raise ValueError("records that do not belong to one leaf each")
    owner = np.full(records, NONE, np.int64)
    owner[head[head != NONE]] = np.flatnonzero(head != NONE)
    for record in np.flatnonzero(following != NONE):
        owner[following[record]] = owner[record]
    pairs = np.stack([owner, found["link"][h, :records, CLASS]])
    if np.unique(pairs, axis=1).shape[1] < records:
        raise ValueError("a leaf with the same class twice")
