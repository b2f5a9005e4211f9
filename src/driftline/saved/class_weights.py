"""Class weights in a model file: the option, and the counts of balanced weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode.class_weights import BALANCED, MEMORY
from driftline.encode.faults import shortened
from driftline.engines.array_checks import of_shape, within
from driftline.saved.fault import ModelError, UnfitError
from driftline.saved.plain import plain

COUNTS = "class_counts"
"""The array of the discounted number of examples of each class."""
ROUNDING = 1.0 + 1e-6  # factor by which a sum of counts may exceed the memory


def described(given: Any) -> Any:
    """Return class weights in JSON form; raise ModelError for a label that is not plain."""
    if not isinstance(given, dict):
        return given
    try:
        return [[plain(label), float(weight)] for label, weight in given.items()]
    except TypeError:
        raise ModelError(
            f"save: a label of class_weight must be a str, int, float or bool, got {shortened(list(given))}. "
            "Convert the labels"
        ) from None


def made(given: Any) -> Any:
    """Return the class weights that ``described`` converted; raise UnfitError if they are invalid."""
    if given == BALANCED:
        return given
    pairs = isinstance(given, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in given)
    if not pairs or any(isinstance(label, list | dict) or label is None for label, _ in given):
        raise UnfitError(f"class weights {shortened(given)}")
    weights = dict(given)
    if len(weights) < len(given) or not all(type(weight) is float for weight in weights.values()):
        raise UnfitError(f"class weights {shortened(given)}")
    return weights


def counts_of(arrays: dict[str, np.ndarray], labels: int) -> np.ndarray:
    """Return the checked counts of this number of labels."""
    try:
        counts = within(COUNTS, of_shape(arrays, COUNTS, "float64", (labels,)), 0.0, MEMORY * ROUNDING)
    except ValueError as error:
        raise UnfitError(str(error)) from None
    if counts.sum() > MEMORY * ROUNDING:
        raise UnfitError(f"{COUNTS} with the sum {counts.sum():g}")
    return counts
