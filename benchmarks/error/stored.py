"""A stream as arrays, and as a file for the processes of the peers."""

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
    """Examples in order.

    X is a dense array or a CSR matrix. y has -1.0 and +1.0, or with several classes their numbers
    as integers. `seed` identifies the draw.
    """

    name: str
    seed: int
    X: Any
    y: np.ndarray

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return bool(issparse(self.X))

    @property
    def several(self) -> bool:
        """Whether labels are class numbers, not -1.0 and +1.0."""
        return self.y.dtype.kind == "i"

    @cached_property
    def classes(self) -> list[int] | list[bool]:
        """All labels, as the peers get them."""
        return [int(label) for label in np.unique(self.y)] if self.several else [False, True]

    @property
    def labels(self) -> list[int] | list[bool]:
        """The label of each row, as the peers get it: True for +1.0, or the class number."""
        found: list[Any] = (self.y if self.several else self.y > 0.0).tolist()
        return found

    @property
    def rows(self) -> int:
        """Number of examples."""
        return len(self.y)

    @cached_property
    def digest(self) -> str:
        """A short hash of the content."""
        content = hashlib.sha256(repr(self.X.shape).encode())
        for part in self._parts().values():
            content.update(np.ascontiguousarray(part).data)
        return content.hexdigest()[:12]

    def file(self, folder: Path) -> Path:
        """Return the path that `save` writes."""
        return folder / f"{self.name}-{self.seed}-{self.digest}.npz"

    def save(self, folder: Path) -> Path:
        """Write the stream to `folder` unless the file exists. Return the file."""
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
