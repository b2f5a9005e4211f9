"""The base class of synthetic streams: blocks of examples, the same ones in every iteration.

A subclass implements ``_pieces``, which yields examples in pieces of any size. The base class
stops after n examples and regroups them into blocks. The examples must not depend on ``block``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic import parameters

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Labels = NDArray[Any]
"""float64 with -1.0 and +1.0, or int64 with 0 to k - 1 for k > 2 classes."""
Rows = TypeVar("Rows")

UNIT = 1000
"""Number of examples drawn at once. Changing it changes the streams."""


class Stream(ABC, Generic[Rows]):
    """Examples in blocks ``(X, y)``, from the start at every iteration.

    Parameters
    ----------
    n : int or None
        Number of examples, or None for an endless stream. ``len(stream)`` is n.
    seed : int
        A whole number >= 0 that determines every example.
    block : int
        Number of rows in a block. The last block may be shorter. The examples do not depend on it.
    """

    def __init__(self, n: int | None, *, seed: int, block: int) -> None:
        self._where = type(self).__name__
        self.n = None if n is None else parameters.whole(self._where, "n", n, 1)
        self.seed = parameters.whole(self._where, "seed", seed, 0)
        self.block = parameters.whole(self._where, "block", block, 1)

    @property
    def identity(self) -> dict[str, Any]:
        """The class and its parameters: they must be the same when a run is resumed.

        Streams that differ only in n agree on their common examples, so n is left out.
        """
        public = {name: value for name, value in vars(self).items() if name not in ("n", "block")}
        return {"stream": type(self).__name__, **_plain(public)}

    @abstractmethod
    def _pieces(self) -> Iterator[tuple[Rows, Labels]]:
        """Yield (X, y) in pieces of any size from the start, at least n examples in total."""

    def __len__(self) -> int:
        if self.n is None:
            raise TypeError(
                f"{self._where}: n must be a number for the stream to have a length, got None. "
                "Read an endless stream with itertools.islice, or give n."
            )
        return self.n

    def __iter__(self) -> Iterator[tuple[Rows, Labels]]:
        parts: list[tuple[Any, Labels]] = []
        held = 0
        for X, y in self._first_n():
            start = 0
            while held + len(y) - start >= self.block:
                stop = start + self.block - held
                yield _joined([*parts, (X[start:stop], y[start:stop])])
                parts, held, start = [], 0, stop
            if start < len(y):
                parts.append((X[start:], y[start:]))
                held += len(y) - start
        if parts:
            yield _joined(parts)

    def _first_n(self) -> Iterator[tuple[Any, Labels]]:
        """Yield the pieces, stopping after n examples."""
        seen = 0
        pieces: Iterator[tuple[Any, Labels]] = self._pieces()
        for X, y in pieces:
            if self.n is not None and seen + len(y) >= self.n:
                yield X[: self.n - seen], y[: self.n - seen]
                return
            seen += len(y)
            yield X, y

    def _rng(self, *key: int) -> np.random.Generator:
        """Return a new generator for this key; it depends only on the seed and the key."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the public values that are numbers, texts or tuples of these."""
    scalar = bool | int | float | str | None
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if not name.startswith("_")
        and (isinstance(value, scalar) or (isinstance(value, tuple) and all(isinstance(v, scalar) for v in value)))
    }


def _joined(parts: list[tuple[Any, Labels]]) -> tuple[Any, Labels]:
    """Concatenate parts to one block; a single part is not copied."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])
