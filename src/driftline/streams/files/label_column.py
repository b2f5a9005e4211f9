"""The labels of a block as one array of ints, floats or strings.

Floats hold whole numbers exactly only up to 2^53. Larger labels are read again from their text, so
that two different whole numbers stay two labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from driftline.internals.compiled import Floats, Offsets
from driftline.streams.files.scan.cells import Cells, Numbers

LARGEST_WHOLE = 2.0**53
WHOLE = re.compile(r"\s*([+-]?[0-9]+)(\.0*)?\s*")


def label_array(rows: Offsets, cells: Cells, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of ``count`` rows, and a mask of the rows that have a valid label."""
    if isinstance(cells, Numbers):
        labels = np.full(count, np.nan)
        labels[rows] = cells.values
        given = np.isfinite(labels)
        if has_large(labels):
            cell_of = np.zeros(count, np.uint64)
            cell_of[rows] = np.arange(len(rows))
            labels = exact_labels(labels, lambda row: cells.text(int(cell_of[row])))
        return labels, given
    codes = np.full(count, -1)
    codes[rows] = cells.codes
    return np.array([*cells.distinct, ""], np.str_)[codes], codes >= 0


def has_large(labels: np.ndarray) -> bool:
    """Return whether some labels are too large for a float to tell them from their neighbours."""
    with np.errstate(invalid="ignore"):  # NaN is a missing label
        return bool((np.abs(labels) >= LARGEST_WHOLE).any())


def exact_labels(labels: Floats, text: Callable[[int], str]) -> np.ndarray:
    """Return labels that were rounded to floats as exact numbers; ``text`` returns that of a row."""
    exact: list[int | float] = labels.tolist()
    for row in np.flatnonzero(np.isfinite(labels) & (np.abs(labels) >= LARGEST_WHOLE)).tolist():
        found = WHOLE.fullmatch(text(row))
        if found:
            exact[row] = int(found[1])
    return exact_array(exact)


def exact_array(labels: Sequence[int | float]) -> np.ndarray:
    """Return numbers as int64, uint64 or float64, whichever holds all exactly; else as objects."""
    whole = [int(label) if abs(label) < 2**63 and label == int(label) else label for label in labels]
    if all(type(label) is int for label in whole):
        for kind in (np.int64, np.uint64):
            limits = np.iinfo(kind)
            if all(limits.min <= label <= limits.max for label in whole):
                return np.array(whole, kind)
    if not any(type(label) is int and abs(label) >= LARGEST_WHOLE for label in labels):
        return np.array(labels, np.float64)
    array = np.empty(len(whole), object)
    array[:] = whole
    return array


def whole_if_all_are(labels: np.ndarray) -> np.ndarray:
    """Return labels as ints if all are whole numbers, else unchanged.

    Exact labels become a plainer array if the rows that needed the wider one were dropped. None is
    a missing label.
    """
    if labels.dtype.kind in "uO":
        listed = labels.tolist()
        return labels if None in listed else exact_array(listed)
    if labels.dtype.kind == "f" and (np.abs(labels) < LARGEST_WHOLE).all() and (labels == np.trunc(labels)).all():
        return labels.astype(np.int64)
    return labels


def with_none(labels: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return labels as objects, with None in the rows that have no label."""
    found = np.empty(len(labels), object)
    found[given] = whole_if_all_are(labels[given])
    return found
