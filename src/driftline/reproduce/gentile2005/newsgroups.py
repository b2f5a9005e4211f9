"""20 Newsgroups as a binary task: sport against vehicles, in random order."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.sources import NEWS, missing_data_error

NAME = "20 Newsgroups"


def available(setting: Setting) -> bool:
    """Return whether the posts are available."""
    return setting.sources.has(NEWS) or setting.sources.fetch


def posts(setting: Setting, rng: np.random.Generator) -> tuple[Any, Floats]:
    """Return the posts as 0/1 word vectors, and labels with +1 for sport."""
    found = setting.sources.newsgroups()
    if found is None:
        raise missing_data_error(NAME)
    order = rng.permutation(len(found.y))
    return csr_matrix(found.X)[order], np.where(np.char.startswith(found.y, "rec.sport"), 1.0, -1.0)[order]
