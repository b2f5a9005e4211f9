"""Check the saved state of an ``InputMonitor``; each check raises ValueError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftline.drift.input_monitor import ARRAYS, CHOOSING, SAMPLING
from driftline.drift.input_windows import KINDS
from driftline.drift.window import SIZE, check_window

KEYS = {"parameters", "n_seen", "names"}
LARGEST_INDEX = 1 << 32

Checked = tuple[int, dict[Any, int] | None, dict[str, np.ndarray]]


def checked_state(parameters: dict[str, Any], meta: Any, arrays: Mapping[str, np.ndarray]) -> Checked:
    """The number of examples, the names and copies of the arrays of a state."""
    _require(isinstance(meta, dict) and meta.keys() == KEYS and arrays.keys() == set(ARRAYS), "all its parts")
    _require(meta["parameters"] == parameters, f"the parameters {parameters}")
    n_seen = meta["n_seen"]
    _require(type(n_seen) is int and 0 <= n_seen < 1 << 53, "a whole number of examples")
    found = {name: np.array(array) for name, array in arrays.items()}
    for name, array in found.items():
        _require(array.dtype == (np.int64 if name in ("counts", "chosen", "sizes") else np.float64), "its types")
    chosen, counts = found["chosen"], found["counts"]
    size = len(chosen)
    _require(chosen.ndim == counts.ndim == 1 and size <= parameters["features"], "at most as many features as allowed")
    rising = bool((np.diff(chosen) > 0).all()) and bool(((chosen >= 0) & (chosen < LARGEST_INDEX)).all())
    _require(rising, "features in order")
    _require(bool(((counts >= 0) & (counts <= n_seen)).all()), "counts of its examples")
    _require(n_seen < CHOOSING or not len(counts), "no counts after the choice")
    _require(n_seen >= CHOOSING or not size, "no features before the choice")
    _check_sample(found, n_seen, size)
    windows = found["windows"]
    _require(windows.shape == (KINDS * size, SIZE), "three windows for each feature")
    _require(n_seen > CHOOSING + SAMPLING or not windows.any(), "empty windows during the sample")
    for one in windows:
        check_window(one, parameters["every"])
        _require(one[0] <= max(0, n_seen - CHOOSING - SAMPLING), "windows of its examples")
    _require(bool((windows[::KINDS, 0] == max(0, n_seen - CHOOSING - SAMPLING)).all()), "all examples in its windows")
    return n_seen, _checked_names(meta["names"], chosen, n_seen), found


def _check_sample(found: dict[str, np.ndarray], n_seen: int, size: int) -> None:
    sample, sizes, cuts = found["sample"], found["sizes"], found["cuts"]
    there = 0 if n_seen >= CHOOSING + SAMPLING else size
    _require(sample.shape == (there, SAMPLING) and sizes.shape == (there,), "a sample of each feature")
    _require(bool(((sizes >= 0) & (sizes <= max(0, n_seen - CHOOSING))).all()), "values of its examples")
    _require(not np.isnan(sample).any(), "numbers in its sample")
    _require(cuts.shape == (size, 3), "three cuts for each feature")
    unknown = np.isnan(cuts)
    _require(bool((unknown.all(axis=1) | ~unknown.any(axis=1)).all()), "all cuts of a feature, or none")
    known = cuts[~unknown.any(axis=1)]
    _require(bool((known[:, 1] <= known[:, 2]).all()), "cuts in order")


def _checked_names(names: Any, chosen: np.ndarray, n_seen: int) -> dict[Any, int] | None:
    if names is None:
        return None
    pairs = isinstance(names, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in names)
    _require(pairs and all(isinstance(name, str | int | float) and type(k) is int for name, k in names), "names")
    found: dict[Any, int] = dict(names)
    expected = chosen.tolist() if n_seen >= CHOOSING else list(range(len(names)))
    _require(sorted(found.values()) == expected and len(found) == len(names), "a name for each feature")
    return found


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"InputMonitor: a state must have {what}, got another one")
