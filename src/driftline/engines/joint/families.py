"""The families of nonlinear experts in the strong bank, and their place among the experts.

A family takes part up to a number of features. After a row with more it has left for good.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.engines.nonlinear.forest import Forest
from driftline.engines.nonlinear.neighbours import Neighbours
from driftline.engines.nonlinear.paths import Paths
from driftline.engines.nonlinear.waves import Waves
from driftline.engines.tracker.state import MEMBERS, SLOTS
from driftline.internals.compiled import Floats, jit
from driftline.rules.tracker.tracker import FULL_BANK, WIDE_BANK

FAMILIES: dict[str, Any] = {"forest": Forest, "paths": Paths, "waves": Waves, "neighbours": Neighbours}
"""The families by their prefix in model files, in the order of their experts."""
LIMITS = {"forest": 128, "paths": Paths.limit, "waves": Waves.limit, "neighbours": Neighbours.limit}
"""The largest number of features."""
SHARES = ("forest", "neighbours")
"""The families that write class shares p, which become scores 2 p - 1."""
FIRST = dict(zip(FAMILIES, np.cumsum([FULL_BANK, *(one.experts for one in FAMILIES.values())]).tolist(), strict=False))
"""The first expert of each family."""
EXPERTS = FULL_BANK + sum(family.experts for family in FAMILIES.values())
"""The number of linear and nonlinear experts."""
ACTIVE_UP_TO = np.array(
    [0] * FULL_BANK + [LIMITS[word] for word, family in FAMILIES.items() for _ in range(family.experts)]
)
"""The largest number of features for each expert; 0 for a linear one."""
NAMES = [("std", name) for family in FAMILIES.values() for name in family.names]
"""View and rule of each nonlinear expert."""


def takes_part(word: str, own: Floats) -> bool:
    """Whether a family has not left."""
    return bool(own[MEMBERS] >= WIDE_BANK and own[SLOTS] <= LIMITS[word])


def rows_of(word: str, slots: np.ndarray, members: np.ndarray, w: Floats) -> int:
    """The number of rows before the one with which a family leaves.

    A row of weight 0 adds no slot. If it has too many features, the family takes no part in it, but
    stays.
    """
    leaves = (slots > LIMITS[word]) | ((members < WIDE_BANK) & (w > 0.0))
    return int(np.argmax(leaves)) if leaves.any() else len(slots)


@jit
def copy_scores(found: Floats, shares: bool, at: int, known: np.ndarray, scores: Floats) -> None:
    """Write the scores of a family for each row, from expert ``at`` on.

    ``scores[i]`` has a row for each class, or one row for class 1.
    """
    one = scores.shape[1] == 1
    for i in range(len(found)):
        for e in range(found.shape[1]):
            for c in range(1 if one else known[i]):
                s = found[i, e, 1 if one else c]
                scores[i, c, at + e] = 2.0 * s - 1.0 if shares else s
