"""A stream in Ray's object store: written once by the caller, read by every worker without a copy per worker."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import ray

from driftline.evaluate.blocks import Block, blocks
from driftline.internals.record_stream import RecordStream
from driftline.internals.rows import FileRows

TOGETHER = 8
"""The blocks of arrays that are stored as one object: each object costs about a millisecond."""
Refusal = tuple[FileRows, str]
"""A row that a learner refused, as a block of one row, and why."""


class RefusedRowError(Exception):
    """A worker met a row that its learner refuses, and the stream does not skip such rows."""


@dataclass
class StoredStream:
    """The blocks of a stream in the object store.

    Attributes
    ----------
    blocks
        References to lists of blocks, each with the number of its list of feature names, or None.
    names
        A reference to the lists of feature names.
    record
        What a worker needs of a stream of files: recipe, first labels, and whether refused rows are skipped.
        None for other streams.
    digest
        The SHA-256 of the content; empty if it was not asked for.
    examples
        The number of examples.
    """

    blocks: list[Any] = field(default_factory=list)
    names: Any = None
    record: dict[str, Any] | None = None
    digest: str = ""
    examples: int = 0

    @classmethod
    def of(cls, stream: Any, rows: int, digested: bool) -> StoredStream:
        """Read a stream once and store its blocks.

        Parameters
        ----------
        stream, rows
            As for ``run``.
        digested
            Whether the digest of the content is computed.
        """
        stored, digest = cls(), hashlib.sha256()
        lists: dict[int, list[str]] = {}
        first_labels: Sequence[Any] = ()
        # a generator may use the arrays of a block again for the next one
        together = TOGETHER if isinstance(stream, tuple) else 1
        group: list[tuple[Block, int | None]] = []
        for X, y, w in blocks(stream, rows):
            if not stored.examples and isinstance(stream, RecordStream):
                first_labels = list(stream.first_labels)
            number = None
            if isinstance(X, FileRows) and X.names is not None:
                # the reader extends one list of names: it is stored once, not in every block
                number = list(lists).index(id(X.names)) if id(X.names) in lists else len(lists)
                lists[id(X.names)] = X.names
                X = replace(X, names=None)
            if digested:
                _add(digest, (X, y, w))
            group.append(((X, y, w), number))
            stored.examples += len(y)
            if len(group) == together:
                stored.blocks.append(ray.put(group))
                group = []
        if group:
            stored.blocks.append(ray.put(group))
        every = list(lists.values())
        stored.names = ray.put(every)
        if digested:
            _add(digest, every)
            stored.digest = digest.hexdigest()
        if isinstance(stream, RecordStream):
            skips = getattr(stream, "on_error", "stop") == "skip"
            stored.record = {"recipe": stream.recipe, "first_labels": first_labels, "skips": skips}
        return stored

    def opened(self) -> Any:
        """The stream as a worker reads it."""
        return StoredBlocks(self) if self.record is None else StoredRecords(self, **self.record)

    def __iter__(self) -> Iterator[Any]:
        names: list[list[str]] = ray.get(self.names)
        for reference in self.blocks:
            for block, number in ray.get(reference):
                X, y, w = (_writable(part) for part in block)
                yield (X if number is None else replace(X, names=names[number])), y, w


def _writable(part: Any) -> Any:
    """A copy of arrays from the object store: they are read-only, and code would be compiled anew for them."""
    return part if isinstance(part, list) else deepcopy(part)


class StoredBlocks:
    """A stored stream of arrays, dicts or frames."""

    def __init__(self, stored: StoredStream) -> None:
        self._stored = stored

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stored)


class StoredRecords(RecordStream):
    """A stored stream of files. Rows that a learner refuses are listed in ``refused``.

    Parameters
    ----------
    stored
        The stream.
    recipe, first_labels
        Those of the stream that was stored.
    skips
        Whether refused rows are skipped; otherwise the first one raises ``RefusedRowError``.
    """

    def __init__(self, stored: StoredStream, recipe: Any, first_labels: Sequence[Any], skips: bool) -> None:
        self._stored = stored
        self._recipe = recipe
        self.first_labels = first_labels
        self._skips = skips
        self.refused: list[Refusal] = []

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stored)

    @property
    def fraction(self) -> float | None:
        """How much has been read: not known."""
        return None

    @property
    def recipe(self) -> Any:
        """The recipe of the stream that was stored."""
        return self._recipe

    @property
    def identity(self) -> dict[str, Any]:
        """The digest of the content."""
        return {"digest": self._stored.digest}

    def identity_like(self, saved: Any) -> dict[str, Any]:
        """The identity; it has one form."""
        return self.identity

    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """List a refused row; raise ``RefusedRowError`` unless refused rows are skipped."""
        self.refused.append((replace(rows[row : row + 1], names=None), what))
        if not self._skips:
            raise RefusedRowError

    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """A sweep has no baselines."""
        self.leave_out(rows, row, what)

    def refusals(self) -> dict[str, Any]:
        """No checkpoint holds them."""
        return {}

    def resume_refusals(self, refusals: Mapping[str, Any]) -> None:
        """No checkpoint holds them."""


def _add(digest: Any, value: Any) -> None:
    """Add a value to a digest; equal values of the same types give the same digest in every process."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        digest.update(f"{len(value)} entries".encode())
        for name, part in value.items():
            _add(digest, name)
            _add(digest, part)
    elif isinstance(value, list | tuple):
        digest.update(f"{len(value)} parts".encode())
        for part in value:
            _add(digest, part)
    elif isinstance(value, str | bytes | int | float | bool | None):
        digest.update(f"{type(value).__name__} {value!r};".encode("utf-8", "surrogatepass"))
    elif isinstance(value, FileRows) or hasattr(type(value), "tocsr"):
        _add(digest, {name: part for name, part in vars(value).items() if not name.startswith("_")})
    else:
        digest.update(pickle.dumps(value, 5))
