"""A stream of any shape as blocks ``(X, y, w)``; w is None if there are no sample weights."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, islice
from typing import Any

import numpy as np

from driftline.internals.csr_slice import CsrSlice, is_csr

ROWS = 8192
OBJECTS = np.dtype(object)
READ = "Pass dl.streams.read(data, target=...) for a file, a frame or a list of dicts"

Block = tuple[Any, Any, Any]


def blocks(stream: Any, rows: int = ROWS) -> Iterator[Block]:
    """Blocks of at most ``rows`` examples.

    A stream is a pair ``(X, y)`` of arrays, or an iterable of examples ``(x, y)`` or of blocks
    ``(X, y)`` or ``(X, y, w)``. Blocks of the stream are passed on unchanged, whatever their size.
    """
    if isinstance(stream, tuple) and len(stream) == 2:
        yield from _slices(*stream, rows)
        return
    if isinstance(stream, str | bytes | Mapping) or not isinstance(stream, Iterable):
        raise ValueError(
            f"run: a stream must be a pair (X, y) or an iterable of (x, y) or of blocks, got {type(stream).__name__}. "
            f"{READ}"
        )
    pairs = _pairs(stream)
    first = next(pairs, None)
    if first is None:
        return
    everything = chain([first], pairs)
    if _is_block(first[1]):
        yield from everything
    else:
        for X, y in _gathered(((x, y) for x, y, _ in everything), rows):
            yield X, y, None


def labelled(block: Block) -> tuple[Block, int]:
    """The examples of a block that have a label, and the number of those with the label None."""
    X, y, w = block
    if getattr(y, "dtype", OBJECTS) != OBJECTS:
        return block, 0
    labels = y if isinstance(y, list) else list(y)
    given = [label is not None for label in labels]
    without = given.count(False)
    if not without:
        return block, 0
    mask = np.array(given)
    return (_chosen_rows(X, mask), list(compress(labels, given)), None if w is None else np.asarray(w)[mask]), without


def _chosen_rows(X: Any, mask: np.ndarray) -> Any:
    """The rows of an array, matrix, frame or list in which ``mask`` is true."""
    if isinstance(X, Sequence):
        return list(compress(X, mask.tolist()))
    if hasattr(type(X), "tocsr"):
        from scipy.sparse import csr_array

        rows = X.tocsr()
        return csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)[mask]
    if hasattr(type(X), "filter") and not hasattr(type(X), "iloc"):  # polars and Arrow
        return X.filter(mask)
    return X[mask]


def part(block: Block, start: int, stop: int) -> Block:
    """The examples ``start`` to ``stop`` of a block; arrays and CSR matrices are not copied."""
    X, y, w = block
    if start == 0 and stop == len(y):
        return block
    return _some_rows(X, start, stop), _by_position(y)[start:stop], None if w is None else w[start:stop]


def total(stream: Any) -> int | None:
    """The number of examples in the stream, or None if it is not known in advance."""
    if isinstance(stream, tuple) and len(stream) == 2:
        return len(stream[1]) if hasattr(stream[1], "__len__") else None
    if isinstance(stream, list):
        return None if stream and _is_pair(stream[0]) and _is_block(stream[0][1]) else len(stream)
    try:
        return len(stream)
    except TypeError:
        return None


def _pairs(stream: Iterable[Any]) -> Iterator[Block]:
    """The checked items of a stream as triples ``(X, y, w)``; only blocks can have weights."""
    for place, item in enumerate(stream):
        weighted = isinstance(item, tuple | list) and len(item) == 3 and _is_block(item[1])
        if not weighted and not _is_pair(item):
            raise ValueError(
                f"run: a stream must yield pairs (x, y) or (X, y), got {reprlib.repr(item)} as item {place}. "
                f"Pass (X, y) as one tuple of arrays. {READ}"
            )
        yield item[0], item[1], item[2] if weighted else None


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2


def _is_block(y: Any) -> bool:
    return hasattr(y, "__len__") and not isinstance(y, str | bytes) and np.ndim(y) == 1


def _slices(X: Any, y: Any, rows: int) -> Iterator[Block]:
    """Blocks of ``rows`` examples from arrays, frames or lists."""
    try:
        size, labels = X.shape[0] if hasattr(X, "shape") else len(X), len(y)
    except TypeError:
        raise ValueError(
            f"run: X and y must have a length, got {type(X).__name__} and {type(y).__name__}. "
            "Pass arrays or lists, or an iterable of pairs (x, y)"
        ) from None
    if size != labels:
        raise ValueError(f"run: X and y must have the same length, got {size} and {labels}. Give each row one label")
    if hasattr(type(X), "tocsr"):
        X = X.tocsr()
    cut_y = _by_position(y)
    for start in range(0, size, rows):
        stop = min(size, start + rows)
        yield _some_rows(X, start, stop), cut_y[start:stop], None


def _some_rows(X: Any, start: int, stop: int) -> Any:
    """The rows ``start`` to ``stop`` of an array, matrix, frame, list or block of a file."""
    if is_csr(X):
        return CsrSlice.of(X, start, stop)
    return X.slice(start, stop - start) if hasattr(type(X), "column_names") else _by_position(X)[start:stop]


def _by_position(values: Any) -> Any:
    """An object that slices by position: ``.iloc`` of a pandas object, else the values."""
    return values.iloc if hasattr(type(values), "iloc") else values


def _gathered(pairs: Iterable[tuple[Any, Any]], rows: int) -> Iterator[tuple[Any, Any]]:
    """Blocks made of single examples: lists, or for sparse rows one CSR matrix."""
    pairs = iter(pairs)
    while chunk := list(islice(pairs, rows)):
        xs, ys = [x for x, _ in chunk], [y for _, y in chunk]
        if hasattr(type(xs[0]), "tocsr"):
            yield _stacked(xs), ys
        elif hasattr(type(xs[0]), "to_dict"):
            yield [x.to_dict() for x in xs], ys
        else:
            yield xs, ys


def _stacked(xs: list[Any]) -> Any:
    """Sparse rows as one CSR matrix with the columns of the widest row."""
    from scipy.sparse import csr_array, vstack

    width = max(x.shape[-1] for x in xs)
    rows = [csr_array(x.reshape(1, -1)) for x in xs]
    for row in rows:
        row.resize((1, width))
    return vstack(rows, format="csr")
