"""scikit-learn from an svmlight file to saved weights: its loader, then one pass of PA-I over all
rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import text_files
from contest import SVMLIGHT_HEAT, Attempt, Task
from data import Data
from sklearn.datasets import load_svmlight_file

from peers.sklearn_linear import LEARNERS

MODEL = text_files.FOLDER / "sklearn.npy"


def versions() -> dict[str, str]:
    """Return nothing: other tasks of this process report the versions."""
    return {}


def tasks(data: Data) -> Iterator[Task]:
    """Yield the task."""
    file, rows = text_files.path(data, "svm"), data.sizes.sparse_rows

    def prepare() -> Attempt:
        text_files.into_memory(file)
        MODEL.unlink(missing_ok=True)
        loaded: list[Any] = []

        def run() -> None:
            X, y = load_svmlight_file(str(file))
            # the learner refuses the loader's 64-bit indices
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
            np.save(MODEL, LEARNERS["scikit-learn PA-I"]().fit(X, y).coef_)
            loaded.append(X.shape[0])

        def after() -> float:
            if loaded != [rows]:
                raise RuntimeError(f"{file.name}: the loader must have read {rows} rows, got {loaded}")
            w = np.load(MODEL)
            return float((w * w).sum())

        return Attempt(run, after)

    yield Task(SVMLIGHT_HEAT, "scikit-learn loader and PA-I", rows, prepare)
