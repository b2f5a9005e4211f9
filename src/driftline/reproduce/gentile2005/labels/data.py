"""Labelled streams: posts in random orders, e-mails in their own order; digits where there are no texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack

from driftline.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.gentile2005 import text
from driftline.reproduce.gentile2005.parts import generator
from driftline.streams import read

SPAM = Path("spam/katakis_spam_9324x39916.svm.xz")
NAMES = {"news": text.NAME, "spam": "spam", "digits": "digits, odd against even"}
COMMON = 500
"""Features that the second order works on: those that the most examples have."""


def streams(setting: Setting) -> list[str]:
    """Those that can be had; a quick run reads one only."""
    texts = ["news"] if text.at_hand(setting) else []
    if setting.sources.has(SPAM) and not (setting.quick and texts):
        texts.append("spam")
    return texts or ["digits"]


def stream(name: str, seed: int, setting: Setting) -> tuple[Any, Floats]:
    """The examples of a seed: those of spam are the same for each, in the order in which they came."""
    if name == "spam":
        return _mails(str(Path(setting.sources.folder or "") / SPAM))
    rng = generator(setting, f"labels-{name}", seed)
    if name == "news":
        return text.posts(setting, rng)
    found = setting.sources.usps()
    order = rng.permutation(len(found.y))
    return csr_matrix(found.X)[order], np.where(found.y.astype(int) % 2 == 1, 1.0, -1.0)[order]


def common(X: Any) -> Any:
    """The columns that the most rows have, in their order."""
    return X[:, np.sort(np.argsort(-X.getnnz(axis=0), kind="stable")[:COMMON])].tocsr()


@cache
def _mails(path: str) -> tuple[Any, Floats]:
    blocks = list(read(path))
    width = max(rows.width for rows, _ in blocks)
    rows = [
        csr_matrix((rows.values, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)), (len(y), width))
        for rows, y in blocks
    ]
    y = np.concatenate([np.asarray(y, float) for _, y in blocks])
    return vstack(rows).tocsr(), np.where(y > y.min(), 1.0, -1.0)
