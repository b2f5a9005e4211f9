"""Information gain of each feature about the label, or about some classes only."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from driftline.features.columns import BINS, check_bins, classes_of, shape_of, tables_of
from driftline.features.counted_gain import of_table
from driftline.internals.compiled import Floats
from driftline.internals.require import require

WHERE = "information_gain"
PAIRS = "pairs"


def information_gain(
    X: Any, y: Any, groups: Sequence[Sequence[Any]] | str | None = None, *, bins: int | None = BINS
) -> Floats:
    """Return the information gain of each feature about the label, in bits.

    The gain is H(Y) - H(Y | F): how far the value of feature F reduces the entropy of the label Y.
    It is the mutual information of the two, estimated by counting.

    Parameters
    ----------
    X : 2-d array, sparse matrix or frame
        The examples, one per row. Features may be numbers, bools or strings. A missing value (NaN
        or None) counts as a value by itself.
    y : sequence of labels
        The label of each example, of two or more classes.
    groups : sequence of groups or "pairs", optional
        Classes to tell apart. A group such as ``("3", "8")`` takes only the examples with one of
        these labels, and measures how well a feature distinguishes the labels. A member of a group
        may be a tuple of labels, which then count as one class: ``(("3", "7"), ("8", "9"))``
        measures 3 or 7 against 8 or 9. "pairs" makes a group of each pair of labels, in the order
        of ``itertools.combinations`` of the sorted labels. By default the gain is about all labels.
    bins : int or None, default=16
        Largest number of values of a numeric feature that are counted one by one. A feature with
        more distinct values is cut at its quantiles into this many intervals, >= 2. None counts
        every distinct value of every feature, which overrates features with many values.

    Returns
    -------
    array of shape (features,), or (groups, features)
        The gains, from 0 to log2 of the number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> information_gain(X, ["a", "a", "b", "c"]).tolist()
    [1.0, 0.5]
    >>> information_gain(X, ["a", "a", "b", "c"], groups=[("a", "b"), ("b", "c")]).round(3).tolist()
    [[0.918, 0.252], [0.0, 1.0]]
    """
    check_bins(WHERE, bins)
    X, rows, columns = shape_of(WHERE, X)
    labels, which = classes_of(WHERE, y, rows)
    merged = [[[k] for k in range(len(labels))] or [[]]] if groups is None else _groups(groups, labels)
    found = np.zeros((len(merged), columns))
    for column, counts in enumerate(tables_of(WHERE, X, which, len(labels), bins)):
        for k, group in enumerate(merged):
            found[k, column] = of_table(np.stack([counts[:, some].sum(axis=1) for some in group], axis=1))
    return found[0] if groups is None else found


def _groups(groups: Any, labels: list[Any]) -> list[list[list[int]]]:
    """Return the class numbers of each member of each group."""
    number = {label: k for k, label in enumerate(labels)}
    if isinstance(groups, str):
        require(groups == PAIRS, WHERE, 'groups must be a sequence of groups or "pairs"', groups)
        return [[[number[a]], [number[b]]] for a, b in combinations(labels[::-1], 2)]
    return [_group(group, number) for group in groups]


def _group(group: Any, number: dict[Any, int]) -> list[list[int]]:
    """Return the class numbers of each member of a group."""
    require(
        isinstance(group, tuple | list) and len(group) >= 2,
        WHERE,
        "a group must be a tuple of two or more labels",
        group,
    )
    members = [list(member) if isinstance(member, tuple | list) else [member] for member in group]
    every = [label for member in members for label in member]
    for label in every:
        require(label in number, WHERE, "a label in groups must occur in y", label)
    require(len(set(every)) == len(every) and all(members), WHERE, "the labels of a group must differ", group)
    return [[number[label] for label in member] for member in members]
