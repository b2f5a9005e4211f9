"""Check the plain values of a saved learner before they are used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from driftline.encode.encoder import WIDEST
from driftline.encode.faults import shortened
from driftline.encode.kept_names import MOST_NAMES
from driftline.engines.state import INFEASIBLES, LABEL_ERRORS, MARGIN_ERRORS, MISTAKES, SEEN, UPDATES
from driftline.saved.fault import UnfitError

TYPES: dict[str, tuple[type, ...]] = {
    "learner": (str,),
    "parameters": (dict,),
    "options": (dict,),
    "labels": (list,),
    "labels_declared": (bool,),
    "vocabulary": (str,),
    "features": (int,),
    "scaled": (int, type(None)),
    "counters": (dict,),
    "versions": (dict,),
}
OPTIONAL: dict[str, tuple[type, ...]] = {"recipe": (dict,), "kept_names": (int,)}
"""Keys that a file may lack."""
OPTIONS = ("bias", "scale", "hashing", "dtype")
CLASS_WEIGHT = "class_weight"
"""An option that a file has only if it is not None."""
COUNTERS = {
    "n_seen": SEEN,
    "mistakes": MISTAKES,
    "label_errors": LABEL_ERRORS,
    "margin_errors": MARGIN_ERRORS,
    "updates": UPDATES,
    "infeasible": INFEASIBLES,
}
"""Counter name to its position in the state of an engine."""
UNDECIDED, NAMES, COLUMNS, HASHED = "undecided", "names", "columns", "hashed"
NAMED = {UNDECIDED: None, NAMES: True, COLUMNS: False, HASHED: None}
"""Kind of vocabulary to ``Encoder.named``."""
MOST = 1 << 52  # upper bound of every counter: a float can still count on exactly


def check(meta: Any) -> None:
    """Raise UnfitError if a key is missing, or a value has the wrong type or range."""
    if not isinstance(meta, dict):
        raise UnfitError(f"content {shortened(meta)}")
    given = TYPES | {name: types for name, types in OPTIONAL.items() if name in meta}
    check_keys("content", meta, given)
    for name, types in given.items():
        if type(meta[name]) not in types:
            raise UnfitError(f"{name} {shortened(meta[name])}")
    check_keys("options", meta["options"], OPTIONS + (CLASS_WEIGHT,) * (CLASS_WEIGHT in meta["options"]))
    check_keys("counters", meta["counters"], COUNTERS)
    for name, value in meta["counters"].items():
        _check_whole(name, value, MOST)
    _check_whole("scaled", meta["scaled"] or 0, MOST)
    _check_whole("features", meta["features"], 0 if meta["vocabulary"] == UNDECIDED else WIDEST)
    _check_whole("kept_names", meta.get("kept_names", 0), MOST_NAMES)
    if "kept_names" in meta and meta["vocabulary"] != HASHED:
        raise UnfitError(f"names of hashed features with vocabulary {shortened(meta['vocabulary'])}")
    if meta["vocabulary"] not in NAMED:
        raise UnfitError(f"vocabulary {shortened(meta['vocabulary'])}")


def check_keys(what: str, found: dict[str, Any], expected: Iterable[str]) -> None:
    """Raise UnfitError unless the keys are exactly the expected ones."""
    if found.keys() != set(expected):
        raise UnfitError(f"{what} {shortened(sorted(found))} where {shortened(sorted(expected))} were expected")


def _check_whole(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 0 <= value <= most:
        raise UnfitError(f"{name} {shortened(value)} where a whole number up to {most} was expected")
