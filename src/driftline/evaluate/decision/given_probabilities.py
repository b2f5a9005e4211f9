"""Checks of the probabilities and labels that a user passes to a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.require import require

WHERE = "Decision"
ROUNDING = 1e-9  # by which a probability may exceed 1


def row_of(probabilities: Any) -> tuple[Floats, tuple[Any, ...]]:
    """A dict from labels to probabilities as a matrix of one row, and its labels."""
    known = isinstance(probabilities, Mapping)
    require(known, WHERE, "probabilities must be a dict from labels to probabilities", shortened(probabilities))
    return block_of([list(probabilities.values())], tuple(probabilities))


def block_of(probabilities: Any, labels: Sequence[Any]) -> tuple[Floats, tuple[Any, ...]]:
    """The probabilities as a matrix with a column for each label, and the labels."""
    columns = tuple(labels)
    try:
        rows = np.asarray(probabilities, np.float64)
    except (TypeError, ValueError):
        rows = np.zeros(())
    if rows.ndim != 2 or rows.shape[1] != len(columns):
        raise ValueError(
            f"{WHERE}: probabilities must have a row for each example and a column for each of the "
            f"{len(columns)} labels, got {shortened(probabilities)}"
        )
    wrong = ~((rows >= 0.0) & (rows <= 1.0 + ROUNDING))
    if wrong.any():
        row = int(np.argmax(wrong.any(axis=1)))
        value = rows[wrong][0]
        raise ValueError(f"{WHERE}: row {row}, a probability must be from 0 to 1, got {value}")
    return rows, columns


def checked(name: str, labels: Any, rows: int) -> list[Any]:
    """The labels as a list; raise ValueError unless there is one for each row."""
    found = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    require(len(found) == rows, WHERE, f"{name} must have {rows} labels, one for each row", len(found))
    return found


def codes_of(name: str, labels: list[Any], index: Mapping[Any, int]) -> np.ndarray:
    """The position of each label among those of the costs."""
    try:
        return np.array([index[label] for label in labels], np.intp)
    except (KeyError, TypeError):
        unknown = next(label for label in labels if not _is_key(label, index))
        raise ValueError(
            f"{WHERE}: {name} must be one of the labels of costs, {', '.join(map(repr, index))}, got {unknown!r}. "
            "Add the costs of this label"
        ) from None


def _is_key(label: Any, index: Mapping[Any, int]) -> bool:
    try:
        return label in index
    except TypeError:
        return False
