"""Save and restore engines inside an engine: a prefix for each separates their arrays."""

from __future__ import annotations

import numpy as np

from driftline.engines.engine import Engine, of_shape
from driftline.engines.state import INFEASIBLES, SEEN

COUNTED = slice(SEEN, INFEASIBLES + 1)  # the counters of a state
MOST = 2.0**53  # upper limit of a counter


def arrays_of(word: str, part: Engine) -> dict[str, np.ndarray]:
    """All learned arrays of a part, with the prefix ``word``."""
    return {f"{word} {name}": array for name, array in part.arrays().items()}


def saved_of(word: str, part: Engine, features: int) -> dict[str, np.ndarray]:
    """The saved arrays of a part and its counters, with the prefix ``word``."""
    saved = part.saved(features)
    assert "counters" not in saved, f"{type(part).__name__}: the name is that of the part's own counters"
    own = {f"{word} {name}": array for name, array in saved.items()}
    return {f"{word} counters": part.state[COUNTED], **own}


def restore(word: str, part: Engine, features: int, arrays: dict[str, np.ndarray]) -> None:
    """Restore a part from the arrays of ``saved_of`` and remove them from ``arrays``.

    ValueError unless the counters are integers.
    """
    start = f"{word} "
    own = {name.removeprefix(start): arrays.pop(name) for name in list(arrays) if name.startswith(start)}
    counters = of_shape(own, "counters", "float64", part.state[COUNTED].shape)
    if not ((counters >= 0.0) & (counters <= MOST) & (counters == np.floor(counters))).all():
        raise ValueError(f"counters {counters.tolist()}")
    del own["counters"]
    part.restore(features, own)
    part.state[COUNTED] = counters
