"""Weights of rows and of classes: their checks, and the weight of each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.require import at_least, require
from driftline.learners.learner import LARGEST_WEIGHT

NUMBERS = "biuf"


def check_class_weight(where: str, weight: Any) -> None:
    """Raise ValueError unless it is None, "balanced" or a dict of weights >= 0."""
    known = weight is None or isinstance(weight, dict) or (isinstance(weight, str) and weight == "balanced")
    require(known, where, "class_weight must be None, a dict or 'balanced'", weight)
    for label, value in weight.items() if isinstance(weight, dict) else ():
        at_least(where, f"class_weight of {label!r}", value, 0.0)


def check_weighted_classes(where: str, weight: Any, classes: np.ndarray, *, complete: bool) -> None:
    """Raise ValueError if a weighted class is unknown, unless every known class has a weight.

    This is scikit-learn's rule. It allows weights for more classes than a part of the rows has. If
    the classes are not complete, only a string among numbers or a number among strings is unknown.
    """
    if not isinstance(weight, dict):
        return
    known = classes.tolist()
    text = isinstance(known[0], str)
    unknown = [label for label in weight if (label not in known if complete else isinstance(label, str) != text)]
    if unknown and any(label not in weight for label in known):
        raise ValueError(
            f"{where}: class_weight must have weights of the classes {shortened(known)} only, "
            f"got a weight of {unknown[0]!r}. Correct the class, or give every class a weight"
        )


def weights_of_classes(weight: Any, classes: np.ndarray, y: np.ndarray) -> Floats | None:
    """The weight of each class, and last that of the rest; None if all are 1.

    A class without rows has weight 1 if the weights are "balanced".
    """
    if weight is None:
        return None
    if isinstance(weight, dict):
        return np.array([float(weight.get(label, 1.0)) for label in classes.tolist()] + [1.0])
    counts = np.bincount(np.searchsorted(classes, y), minlength=len(classes))
    each = len(y) / (np.count_nonzero(counts) * np.maximum(counts, 1.0))
    return np.append(np.where(counts > 0, each, 1.0), 1.0)


def sample_weights(where: str, weights: Any, rows: int) -> Floats:
    """The checked weights: one for each row, >= 0."""
    each = np.asarray(weights)
    if each.dtype.kind not in NUMBERS or each.shape != (rows,):
        raise ValueError(
            f"{where}: sample_weight must be an array of {rows} numbers, got {shortened(weights)}. "
            "Leave it out for weights of 1"
        )
    wrong = ~((each >= 0.0) & (each <= LARGEST_WEIGHT))
    if wrong.any():
        raise ValueError(
            f"{where}: row {np.argmax(wrong)}, a sample weight must be >= 0 and at most {LARGEST_WEIGHT:g}, "
            f"got {each[wrong][0]}. Rescale the weights, or drop the row"
        )
    return each.astype(np.float64)


def check_heaviest(where: str, heaviest: float) -> None:
    """Raise ValueError if a weight is larger than a learner accepts."""
    require(heaviest <= LARGEST_WEIGHT, where, f"a weight must be at most {LARGEST_WEIGHT:g}", heaviest)
