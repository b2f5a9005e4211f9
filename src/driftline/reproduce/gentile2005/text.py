"""The posts as a task of two classes: sport against vehicles, in an order drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.sources import NEWS, missing

NAME = "20 Newsgroups"


def at_hand(setting: Setting) -> bool:
    """Whether the posts can be had."""
    return setting.sources.has(NEWS) or setting.sources.fetch


def posts(setting: Setting, rng: np.random.Generator) -> tuple[Any, Floats]:
    """Words as 0 or 1, and +1 for sport."""
    found = setting.sources.newsgroups()
    if found is None:
        raise missing(NAME)
    order = rng.permutation(len(found.y))
    return csr_matrix(found.X)[order], np.where(np.char.startswith(found.y, "rec.sport"), 1.0, -1.0)[order]
