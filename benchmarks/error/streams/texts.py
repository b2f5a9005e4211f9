"""Sparse streams in svmlight files: spam (Katakis), a9a and rcv1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack

import driftline as dl
from error.stored import Stream


def spam(folder: Path) -> list[Stream]:
    """Mails in order of time, as binary words."""
    return [Stream("spam", 0, *svmlight(folder / "spam" / "katakis_spam_9324x39916.svm.xz", width=39_917))]


def a9a(folder: Path) -> list[Stream]:
    """Census incomes, as binary features in file order."""
    return [Stream("a9a", 0, *svmlight(folder / "svmlight" / "a9a.xz"))]


def rcv1(folder: Path) -> list[Stream]:
    """Reuters news, the file for training and then the file for testing."""
    files = (folder / "svmlight" / f"rcv1_vw_small{part}.svm.xz" for part in ("", "_test"))
    return [Stream("rcv1", 0, *svmlight(*files))]


def svmlight(*files: Path, width: int = 0) -> tuple[csr_matrix, np.ndarray]:
    """Return the rows of the files, and the labels as -1.0 and +1.0.

    `width` is the number of columns, at least one more than the largest index.
    """
    blocks = [block for file in files for block in dl.streams.read(file, format="svmlight")]
    width = max(width, 1 + max(int(rows.indices.max()) for rows, _ in blocks))
    parts = [
        csr_matrix((rows.values, rows.indices.astype(np.int32), rows.indptr.astype(np.int32)), (len(y), width))
        for rows, y in blocks
    ]
    return csr_matrix(vstack(parts)), np.concatenate([np.where(np.asarray(y) > 0, 1.0, -1.0) for _, y in blocks])
