"""A stream as arrays, and as the file from which the peers' processes read it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse


@dataclass(frozen=True)
class Stream:
    """Examples in their order: X is a dense array or CSR, y holds -1.0 and +1.0. `seed` tells its draws apart."""

    name: str
    seed: int
    X: Any
    y: np.ndarray

    @property
    def sparse(self) -> bool:
        """Whether most values are absent, and are zero."""
        return bool(issparse(self.X))

    @property
    def rows(self) -> int:
        """How many examples."""
        return len(self.y)

    @property
    def values(self) -> int:
        """How many numbers a learner has to look at."""
        return int(self.X.nnz if self.sparse else self.X.size)

    @cached_property
    def digest(self) -> str:
        """What its numbers are, in few characters."""
        content = hashlib.sha256(repr(self.X.shape).encode())
        for part in self._parts().values():
            content.update(np.ascontiguousarray(part).data)
        return content.hexdigest()[:12]

    def file(self, folder: Path) -> Path:
        """Return where `save` puts it."""
        return folder / f"{self.name}-{self.seed}-{self.digest}.npz"

    def save(self, folder: Path) -> Path:
        """Write it into `folder` unless it is there; return the file."""
        folder.mkdir(parents=True, exist_ok=True)
        file = self.file(folder)
        if not file.exists():
            unfinished = file.with_suffix(".part.npz")
            np.savez(unfinished, name=self.name, seed=self.seed, shape=self.X.shape, **self._parts())
            unfinished.replace(file)
        return file

    def _parts(self) -> dict[str, np.ndarray]:
        if not self.sparse:
            return {"X": self.X, "y": self.y}
        return {"data": self.X.data, "indices": self.X.indices, "indptr": self.X.indptr, "y": self.y}


def load(file: Path) -> Stream:
    """Return the stream that `save` wrote."""
    with np.load(file) as kept:
        if "X" in kept:
            X = kept["X"]
        else:
            X = csr_matrix((kept["data"], kept["indices"], kept["indptr"]), shape=tuple(kept["shape"]))
        return Stream(str(kept["name"]), int(kept["seed"]), X, kept["y"])
