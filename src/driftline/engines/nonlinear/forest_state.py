"""The learned arrays of a forest, and the workspace of its loops.

A tree has nodes, leaves and records. A record has what a leaf has learned about one class. The
records of a leaf form a list, in the order in which the leaf met their classes. Arrays are indexed
by tree first. Only records and the features of a leaf have spare room.
"""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats, jit
from driftline.internals.numeric.splitmix import STEP, mixed

MOST_FEATURES = 128
"""Upper limit of the number of features."""
MEMBERS = 5
"""The number of trees that vote."""
GRACE = 50.0
"""Weight that a leaf learns before the first test of a split."""
SEED = np.uint64(20000)
HALF = np.uint64(32)

Counts = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]

# entries of Trees.used: nodes, records, and subsets of features drawn
NODES, RECORDS, DRAWN, USED = 0, 1, 2, 3
# entries of Trees.leaf: the number of features, the depth, and the first record
SIZE, DEPTH, HEAD, LEAF = 0, 1, 2, 3
# entries of Trees.tally: weight learned, weight at which a split is tested, and the weights that
# the counts and that naive Bayes predicted correctly
WEIGHT, DUE, BY_COUNTS, BY_BAYES, TALLY = 0, 1, 2, 3, 4
# entries of Trees.spans
LOW, HIGH, SPANS = 0, 1, 2
# entries of Trees.link
CLASS, NEXT, LINK = 0, 1, 2
# entries of Trees.mass: weight learned, weight inherited, and the constant of the log-likelihood
COUNT, PRIOR, CONSTANT, MASS = 0, 1, 2, 3
# entries of Trees.moments
MEAN, VARIANCE, PRECISION, MOMENTS = 0, 1, 2, 3
NONE = -1
"""No feature (``feature`` of a leaf), no record."""


class Trees(NamedTuple):
    """The trees of one forest.

    ``learned`` is the number of learned rows, ``active`` says for each member which of its trees
    votes, and ``errors`` are the running errors of the members. ``child`` is the left child of an
    inner node, which the right child follows, and the leaf number of a leaf. ``subset`` has the
    features of each leaf, ``spans`` the least and greatest value of each of them.
    """

    learned: Counts
    active: Counts
    errors: Floats
    used: Counts
    feature: Places
    threshold: Floats
    child: Places
    leaf: Places
    tally: Floats
    subset: Places
    spans: Floats
    link: Places
    mass: Floats
    moments: Floats


class Plan(NamedTuple):
    """The limits of one forest.

    ``trees`` is the number of trees of each member, ``nodes`` and ``records`` are the limits of
    one tree, and ``period`` is the number of rows after which a tree is replaced (0: never).
    """

    expert: int
    trees: int
    nodes: int
    records: int
    period: int


STATIC = Plan(0, 1, 255, 8192, 0)
REPLACED = Plan(1, 2, 127, 4096, 4000)
PLANS = (STATIC, REPLACED)


class Workspace(NamedTuple):
    """Arrays that the loops overwrite.

    ``classes``, ``amounts`` and ``logs`` describe the records of one leaf, ``x`` has the values of
    its features, ``parts`` the classes on both sides of a threshold. ``order`` is for the draw of
    features.
    """

    classes: Counts
    amounts: Floats
    logs: Floats
    parts: Floats
    x: Floats
    order: Counts


def leaf_features(features: int) -> int:
    """The number of features of a leaf: min(d, int(2 (sqrt d + 1))).

    >>> leaf_features(3), leaf_features(8), leaf_features(54), leaf_features(128)
    (3, 7, 16, 24)
    """
    return min(features, 2 + isqrt(4 * features))


def shapes_of(plan: Plan, size: int, records: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the arrays of ``Trees`` with ``size`` features a leaf and ``records`` a tree."""
    trees, leaves = MEMBERS * plan.trees, (plan.nodes + 1) // 2
    return {
        "learned": (1,),
        "active": (MEMBERS,),
        "errors": (MEMBERS,),
        "used": (trees, USED),
        "feature": (trees, plan.nodes),
        "threshold": (trees, plan.nodes),
        "child": (trees, plan.nodes),
        "leaf": (trees, leaves, LEAF),
        "tally": (trees, leaves, TALLY),
        "subset": (trees, leaves, size),
        "spans": (trees, leaves, SPANS, size),
        "link": (trees, records, LINK),
        "mass": (trees, records, MASS),
        "moments": (trees, records, MOMENTS, size),
    }


DTYPES = {
    "learned": "int64",
    "active": "int64",
    "used": "int64",
    "feature": "int32",
    "child": "int32",
    "leaf": "int32",
    "subset": "int32",
    "link": "int32",
}
"""The dtypes of the arrays of ``Trees`` that are not float64."""


def new_trees(plan: Plan) -> Trees:
    """The trees before the first row: roots without features."""
    trees = Trees(**{name: np.zeros(shape, DTYPES.get(name)) for name, shape in shapes_of(plan, 0, 0).items()})
    trees.errors[:] = 0.5
    for tree in range(MEMBERS * plan.trees):
        plant(trees, tree)
    return trees


def new_workspace(features: int, classes: int) -> Workspace:
    """A workspace for rows of these features and classes."""
    return Workspace(
        classes=np.zeros(classes, np.int64),
        amounts=np.zeros(classes),
        logs=np.zeros(classes),
        parts=np.zeros((4, classes)),
        x=np.zeros(features),
        order=np.zeros(features, np.int64),
    )


def resized(trees: Trees, plan: Plan, size: int, records: int) -> Trees:
    """The trees with arrays for ``size`` features a leaf and ``records`` records a tree."""
    made = {}
    for name, shape in shapes_of(plan, size, records).items():
        array = getattr(trees, name)
        if array.shape != shape:
            new = np.zeros(shape, array.dtype)
            part = tuple(slice(min(a, b)) for a, b in zip(array.shape, shape, strict=True))
            new[part] = array[part]
            array = new
        made[name] = array
    return Trees(**made)


@jit
def plant(trees: Trees, h: int) -> None:
    """Make tree h a single root without features."""
    trees.used[h, NODES] = 1
    trees.used[h, RECORDS] = 0
    trees.feature[h, 0] = NONE
    trees.threshold[h, 0] = 0.0
    trees.child[h, 0] = 0
    clear_leaf(trees, h, 0)
    trees.leaf[h, 0, SIZE] = 0
    trees.leaf[h, 0, DEPTH] = 0
    trees.leaf[h, 0, HEAD] = NONE


@jit
def clear_leaf(trees: Trees, h: int, leaf: int) -> None:
    """Forget the weights of a leaf."""
    trees.tally[h, leaf, WEIGHT] = 0.0
    trees.tally[h, leaf, DUE] = GRACE
    trees.tally[h, leaf, BY_COUNTS] = 0.0
    trees.tally[h, leaf, BY_BAYES] = 0.0


@jit
def generator(expert: int, h: int, kind: int) -> np.uint64:
    """The random generator of tree h: kind 0 for the weights of rows, 1 for features."""
    return mixed(SEED + np.uint64((expert * 64 + h) * 2 + kind + 1) * STEP)


@jit
def draw_features(trees: Trees, expert: int, h: int, leaf: int, known: int, size: int, order: Counts) -> None:
    """Draw ``size`` of the first ``known`` features for a leaf, without replacement."""
    for i in range(known):
        order[i] = i
    bits = generator(expert, h, 1) + np.uint64(trees.used[h, DRAWN] * MOST_FEATURES) * STEP
    for i in range(size):
        bits += STEP
        k = i + np.int64(((mixed(bits) >> HALF) * np.uint64(known - i)) >> HALF)
        chosen = order[k]
        order[k] = order[i]
        trees.subset[h, leaf, i] = chosen
    trees.leaf[h, leaf, SIZE] = size
    trees.used[h, DRAWN] += 1
