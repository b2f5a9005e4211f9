"""Thin a curve without losing its peaks.

The points are cut into equal groups. Each group keeps its lowest and its highest point, so that no
peak disappears. The first and the last point of the curve stay.

>>> import numpy as np
>>> y = np.zeros(1000)
>>> y[437] = 9.0
>>> chosen = thinned(y, 20)
>>> len(chosen) <= 20, 437 in chosen
(True, True)
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from driftline.internals.compiled import Floats


def thinned(y: Floats, most: int) -> npt.NDArray[np.intp]:
    """Return the indices of at most ``most`` >= 4 points that keep the peaks of the curve."""
    if len(y) <= most:
        return np.arange(len(y))
    edges = np.linspace(0, len(y), (most - 2) // 2 + 1).astype(np.intp)
    groups = [(int(low), y[low:high]) for low, high in pairwise(edges)]
    peaks = [low + int(pick(some)) for low, some in groups for pick in (np.argmin, np.argmax)]
    return np.unique([0, *peaks, len(y) - 1])
