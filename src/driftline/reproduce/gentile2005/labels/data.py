"""Labelled streams: posts in random orders, e-mails in their own order; digits where there are no texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.gentile2005 import text
from driftline.reproduce.gentile2005.parts import generator
from driftline.reproduce.sources import SPAM, missing

NAMES = {"news": text.NAME, "spam": "spam", "digits": "digits, odd against even"}
COMMON = 500
"""Features that the second order works on: those that the most examples have."""


def streams(setting: Setting) -> list[str]:
    """Those that can be had; a quick run reads one only."""
    texts = ["news"] if text.at_hand(setting) else []
    if not (setting.quick and texts) and setting.sources.has(SPAM):
        texts.append("spam")
    return texts or ["digits"]


def stream(name: str, seed: int, setting: Setting) -> tuple[Any, Floats]:
    """The examples of a seed: those of spam are the same for each, in the order in which they came."""
    if name == "spam":
        mails = setting.sources.spam()
        if mails is None:
            raise missing("spam")
        return csr_matrix(mails.X), np.where(mails.y == "1", 1.0, -1.0)
    rng = generator(setting, f"labels-{name}", seed)
    if name == "news":
        return text.posts(setting, rng)
    found = setting.sources.usps()
    order = rng.permutation(len(found.y))
    return csr_matrix(found.X)[order], np.where(found.y.astype(int) % 2 == 1, 1.0, -1.0)[order]


def common(X: Any) -> Any:
    """The columns that the most rows have, in their order."""
    return X[:, np.sort(np.argsort(-X.getnnz(axis=0), kind="stable")[:COMMON])].tocsr()
