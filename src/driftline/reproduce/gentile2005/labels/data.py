"""Streams: posts in random order, e-mails in order of arrival, or digits if there is no text."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.gentile2005 import newsgroups
from driftline.reproduce.gentile2005.parts import generator
from driftline.reproduce.sources import SPAM, missing_data_error

NAMES = {"news": newsgroups.NAME, "spam": "spam", "digits": "digits, odd against even"}
COMMON = 500
"""Number of features for the second-order learner: the most frequent ones."""


def streams(setting: Setting) -> list[str]:
    """Return the available streams. A quick run uses only one."""
    texts = ["news"] if newsgroups.available(setting) else []
    if not (setting.quick and texts) and setting.sources.has(SPAM):
        texts.append("spam")
    return texts or ["digits"]


def stream(name: str, seed: int, setting: Setting) -> tuple[Any, Floats]:
    """Return the examples of a seed. Spam is the same for each seed, in order of arrival."""
    if name == "spam":
        mails = setting.sources.spam()
        if mails is None:
            raise missing_data_error("spam")
        return csr_matrix(mails.X), np.where(mails.y == "1", 1.0, -1.0)
    rng = generator(setting, f"labels-{name}", seed)
    if name == "news":
        return newsgroups.posts(setting, rng)
    found = setting.sources.usps()
    order = rng.permutation(len(found.y))
    return csr_matrix(found.X)[order], np.where(found.y.astype(int) % 2 == 1, 1.0, -1.0)[order]


def common(X: Any) -> Any:
    """Return the COMMON most frequent columns, in their original order."""
    return X[:, np.sort(np.argsort(-X.getnnz(axis=0), kind="stable")[:COMMON])].tocsr()
