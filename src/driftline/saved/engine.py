"""What an engine has learned, as arrays, and back into an engine of the same rule.

Compiled loops do not check bounds: whatever they take for a position is checked here.
"""

from __future__ import annotations

import numpy as np

from driftline.engines import CompactEngine, Engine
from driftline.engines.compact import SUPPORT
from driftline.engines.state import DUE, FIRST, SCALE, SEEN, SINCE
from driftline.saved.fault import UnfitError

LEARNED = slice(SCALE, SEEN)  # of the state; then come the counters, and what follows from the parameters


def to_arrays(engine: Engine, features: int) -> dict[str, np.ndarray]:
    """All that was learned about so many features. The arrays may be the engine's own."""
    arrays = {"state": engine.state[LEARNED], "v": engine.v[: FIRST + features]}
    if isinstance(engine, CompactEngine):
        listed = engine.support[0]
        used = np.flatnonzero(listed)
        end = max(int(engine.state[SUPPORT]), int(used[-1]) + 1 if used.size else 0)
        arrays["support"] = listed[:end]
    return arrays


def restore(engine: Engine, features: int, arrays: dict[str, np.ndarray]) -> None:
    """Make a new engine be as the one that the arrays are of; UnfitError if they cannot be of any."""
    state = of_shape(arrays, "state", "float64", (SEEN,))
    v = of_shape(arrays, "v", str(engine.v.dtype), (FIRST + features,))
    if np.nan_to_num(v[1:FIRST], nan=0.0).any():  # NaN once the scale has overflowed
        raise UnfitError("weights between the bias feature and the first")
    if not all(0.0 <= state[place] < np.inf for place in (SINCE, DUE)):
        raise UnfitError(f"state {state.tolist()}")
    engine.reserve(features)
    engine.v[: v.size] = v
    engine.state[LEARNED] = state
    if isinstance(engine, CompactEngine):
        _restore_support(engine, v, arrays["support"])


def of_shape(arrays: dict[str, np.ndarray], name: str, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """The array of this name, which must be of this dtype and shape."""
    array = arrays.get(name)
    if array is None:
        raise UnfitError(f"no array {name}")
    if array.dtype != dtype or array.shape != shape:
        raise UnfitError(f"{name} of shape {array.shape} and {array.dtype} where shape {shape} and {dtype} are due")
    return array


def _restore_support(engine: CompactEngine, v: np.ndarray, support: np.ndarray) -> None:
    """The list of weights that are not zero: its start must be just these, behind it is what was once listed."""
    nonzero = np.flatnonzero(v)
    size = nonzero.size
    fit = support.ndim == 1 and support.dtype == np.uint32 and size <= support.size <= v.size
    fit = fit and np.array_equal(np.sort(support[:size]), nonzero) and bool((support < v.size).all())
    if not fit or engine.state[SUPPORT] != size or engine.state[SCALE] != 1.0:
        raise UnfitError("a list of weights that does not fit them")
    engine.support[0, : support.size] = support
    engine.support[1, support[:size]] = np.arange(1, size + 1)
