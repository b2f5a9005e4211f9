"""Save and restore engines inside an engine: a prefix for each separates their arrays."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import Arrays, counters, of_shape, without
from driftline.engines.engine import Engine
from driftline.engines.state import INFEASIBLES, SEEN

COUNTED = slice(SEEN, INFEASIBLES + 1)  # the counters of a state


def arrays_of(word: str, part: Engine) -> dict[str, np.ndarray]:
    """All learned arrays of a part, with the prefix ``word``."""
    return {f"{word} {name}": array for name, array in part.arrays().items()}


def saved_of(word: str, part: Engine, features: int) -> dict[str, np.ndarray]:
    """The saved arrays of a part and its counters, with the prefix ``word``."""
    saved = part.saved(features)
    assert "counters" not in saved, f"{type(part).__name__}: the name is that of the part's own counters"
    own = {f"{word} {name}": array for name, array in saved.items()}
    return {f"{word} counters": part.state[COUNTED], **own}


def split(arrays: Arrays) -> tuple[Arrays, dict[str, Arrays]]:
    """Return the arrays without a prefix, and for each prefix its arrays, by name without it."""
    own: Arrays = {}
    parts: dict[str, Arrays] = {}
    for name, array in arrays.items():
        word, space, inner = name.partition(" ")
        (parts.setdefault(word, {}) if space else own)[inner if space else name] = array
    return own, parts


def restore(part: Engine, features: int, arrays: Arrays) -> None:
    """Restore a part from the arrays of ``saved_of``, by name without the prefix."""
    tallies = counters("counters", of_shape(arrays, "counters", "float64", part.state[COUNTED].shape))
    part.restore(features, without(arrays, "counters"))
    part.state[COUNTED] = tallies
