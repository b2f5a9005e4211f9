"""Words of texts as sparse rows."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_matrix

BITS = 16
WORD = re.compile(r"[a-z]{2,}")
TOKEN = re.compile(r"[a-z0-9]+")


def body(text: str) -> str:
    """Return the text after the header block.

    >>> body("From: a\\r\\nDate: b\\r\\n\\r\\nHello\\r\\n\\r\\nyou")
    'Hello\\n\\nyou'
    """
    return text.replace("\r\n", "\n").partition("\n\n")[2]


def counted(texts: Iterable[str]) -> csr_matrix:
    """Return the words of two letters and more, lower case, with the value 1 + ln(count).

    Columns are in order of first appearance.

    >>> counted(["A cat, a Cat.", "The cat"]).toarray().round(3).tolist()
    [[1.693, 0.0], [1.0, 1.0]]
    """
    columns: dict[str, int] = {}
    rows, values = [], []
    for text in texts:
        counts = Counter(WORD.findall(text.lower()))
        found = np.array([columns.setdefault(word, len(columns)) for word in counts], np.int32)
        order = np.argsort(found)
        rows.append(found[order])
        values.append(1.0 + np.log(np.array(list(counts.values()), np.float64)[order]))
    return _matrix(rows, np.concatenate(values), len(columns))


def hashed(texts: Iterable[str]) -> csr_matrix:
    """Return the words and numbers of each text as hashed binary features."""
    size = 1 << BITS
    rows = [np.unique([zlib.crc32(word.encode()) % size for word in TOKEN.findall(text.lower())]) for text in texts]
    return binary([row.astype(np.int32) for row in rows], size)


def binary(rows: list[np.ndarray], width: int) -> csr_matrix:
    """Return rows of ones at the given columns."""
    return _matrix(rows, np.ones(sum(len(row) for row in rows)), width)


def _matrix(rows: list[np.ndarray], values: np.ndarray, width: int) -> csr_matrix:
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    return csr_matrix((values, np.concatenate(rows), indptr), (len(rows), width))
