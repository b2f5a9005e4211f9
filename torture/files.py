"""Test files: sparse examples with a drifting target, as svmlight and VW text, plain and gzip."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

ROWS, FEATURES, VALUES = 10_000, 400, 8


def write_files(folder: Path, seed: int) -> None:
    """Write ``a.svm``, ``b.vw``, ``c.svm.gz`` and ``d.vw.gz``."""
    rng = np.random.default_rng(seed)
    target = rng.normal(size=FEATURES)
    svmlight, vw = [], []
    for row in range(ROWS):
        target += 0.01 * rng.normal(size=FEATURES)
        columns = np.sort(rng.choice(1 + FEATURES * (row + ROWS) // (2 * ROWS), VALUES, replace=False))
        values = rng.normal(size=VALUES)
        label = 1 if values @ target[columns % FEATURES] > 0.0 else -1
        pairs = list(zip(columns.tolist(), values.tolist(), strict=True))
        svmlight.append(f"{label:+d} " + " ".join(f"{k}:{v:.5g}" for k, v in pairs))
        weight = f" {rng.choice((0.5, 1, 3))}" if row % 3 == 0 else ""
        vw.append(f"{label}{weight} |n " + " ".join(f"f{k}:{v:.5g}" for k, v in pairs))
    for name, lines in (("a.svm", svmlight), ("b.vw", vw), ("c.svm.gz", svmlight), ("d.vw.gz", vw)):
        data = ("\n".join(lines) + "\n").encode()
        (folder / name).write_bytes(gzip.compress(data, 1, mtime=0) if name.endswith(".gz") else data)
