"""Tables of rewards for pairs of features: information gain of the pair, and agreement.

    pair_gain    M_ij = H(Y) - H(Y | X_i, X_j)
    agreement    M_ij = mean over examples x of sum_c P(c | x_i) P(c | x_j)

The agreement is the probability that two players name the same class if one draws it from
P(. | x_i) and the other from P(. | x_j), independently. P(c | x_i) is the share of class c among
the examples with the same value of feature i.

Shen, Dietterich (2009), section 4. The game is described there by agreement, and the information
gain of the pair is proposed as one possible reward.
Differs from the paper: the paper gives no formula for either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.features.columns import BINS, cells_of, check_bins, classes_of, shape_of
from driftline.features.counted_gain import of_pairs_on_and_off, of_table
from driftline.internals.compiled import Floats

ROWS = 4096
"""Number of examples that are counted at once."""


def pair_gain(X: Any, y: Any, *, bins: int | None = BINS) -> Floats:
    """Return the information gain of each pair of features about the label, in bits.

    Parameters
    ----------
    X : 2-d array, sparse matrix or frame
        The examples, as in ``information_gain``. The result grows with the square of the number of
        features, so select a few hundred features first.
    y : sequence of labels
        The label of each example.
    bins : int or None, default=16
        As in ``information_gain``. A pair has up to the square of this many cells; use 2 or 4 for
        few examples.

    Returns
    -------
    array of shape (features, features)
        The gain of each pair. It is symmetric, and its diagonal is that of ``information_gain``.

    Examples
    --------
    >>> import numpy as np
    >>> pair_gain(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    cells, counts, which, classes = _table("pair_gain", X, y, bins)
    if not classes or (counts <= 2).all():
        return _of_two_cells(cells, which, classes)
    n = len(counts)
    found = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            width = int(counts[i] * counts[j])
            joint = (cells[i] * counts[j] + cells[j]) * classes + which
            table = np.bincount(joint, minlength=width * classes).reshape(width, classes)
            found[i, j] = found[j, i] = of_table(table.astype(np.float64))
    return found


def agreement(X: Any, y: Any, *, bins: int | None = BINS) -> Floats:
    """Return for each pair of features the probability that their predictions agree.

    Each of the two players draws a class from the shares of the classes among the examples with
    the same value of its feature.

    Parameters
    ----------
    X : 2-d array, sparse matrix or frame
        The examples, as in ``pair_gain``.
    y : sequence of labels
        The label of each example.
    bins : int or None, default=16
        As in ``information_gain``.

    Returns
    -------
    array of shape (features, features)
        The probabilities, a symmetric table.

    Examples
    --------
    >>> import numpy as np
    >>> agreement(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).tolist()
    [[1.0, 0.5], [0.5, 0.5]]
    """
    cells, counts, which, classes = _table("agreement", X, y, bins)
    found = np.zeros((len(counts), len(counts)))
    shares = []
    for column, count in zip(cells, counts.tolist(), strict=True):
        table = np.bincount(column * classes + which, minlength=count * classes).reshape(count, classes)
        shares.append(table / np.maximum(1.0, table.sum(axis=1, keepdims=True)))
    for start in range(0, len(which), ROWS):
        part = cells[:, start : start + ROWS]
        for k in range(classes):
            drawn = np.stack([share[column, k] for share, column in zip(shares, part, strict=True)])
            found += drawn @ drawn.T
    return found / max(1, len(which))


def _table(where: str, X: Any, y: Any, bins: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return the cells (features, examples), their numbers, and the class numbers of the examples."""
    check_bins(where, bins)
    X, rows, columns = shape_of(where, X)
    labels, which = classes_of(where, y, rows)
    cells, counts = np.empty((columns, rows), np.intp), np.zeros(columns, np.intp)
    for k, (column, count) in enumerate(cells_of(where, X, bins)):
        cells[k], counts[k] = column, count
    return cells, counts, which, len(labels)


def _of_two_cells(cells: np.ndarray, which: np.ndarray, classes: int) -> Floats:
    """Return the gains of pairs of features with two cells at most, by one product per class."""
    if not classes:
        return np.zeros((len(cells), len(cells)))
    together, on, size = [], [], []
    for k in range(classes):
        table = (cells[:, which == k] == 0).astype(np.float64)
        together.append(table @ table.T)
        on.append(table.sum(axis=1))
        size.append(float(table.shape[1]))
    return of_pairs_on_and_off(together, on, size)
