"""A stream in any of its shapes, as blocks ``(X, y)``: what a run feeds to ``learn_many``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np

ROWS = 8192


def blocks(stream: Any, rows: int = ROWS) -> Iterator[tuple[Any, Any]]:
    """Blocks of at most ``rows`` examples (blocks that the stream makes itself are passed on as they are).

    A stream is a pair ``(X, y)`` of arrays, or an iterable of examples ``(x, y)`` or of blocks ``(X, y)``.
    """
    if isinstance(stream, tuple) and len(stream) == 2:
        yield from _slices(*stream, rows)
        return
    if isinstance(stream, str | bytes | Mapping) or not isinstance(stream, Iterable):
        raise ValueError(
            f"run: a stream must be a pair (X, y) or an iterable of (x, y) or of blocks, got {type(stream).__name__}"
        )
    pairs = iter(stream)
    first = next(pairs, None)
    if first is None:
        return
    if not _is_pair(first):
        raise ValueError(f"run: a stream must yield pairs (x, y) or (X, y), got {first!r}")
    everything = chain([first], pairs)
    if _is_block(first[1]):
        yield from everything
    else:
        yield from _gathered(everything, rows)


def total(stream: Any) -> int | None:
    """How many examples, where that can be known beforehand."""
    if isinstance(stream, tuple) and len(stream) == 2:
        return len(stream[1])
    if isinstance(stream, list):
        return None if stream and _is_pair(stream[0]) and _is_block(stream[0][1]) else len(stream)
    try:
        return len(stream)
    except TypeError:
        return None


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2


def _is_block(y: Any) -> bool:
    return hasattr(y, "__len__") and not isinstance(y, str | bytes) and np.ndim(y) == 1


def _slices(X: Any, y: Any, rows: int) -> Iterator[tuple[Any, Any]]:
    """Slices of arrays, frames and lists."""
    size = X.shape[0] if hasattr(X, "shape") else len(X)
    if size != len(y):
        raise ValueError(f"run: X and y must have the same length, got {size} and {len(y)}")
    cut_x, cut_y = getattr(X, "iloc", X), getattr(y, "iloc", y)
    if hasattr(X, "tocsr"):
        cut_x = X.tocsr()
    for start in range(0, size, rows):
        if hasattr(X, "column_names"):
            yield X.slice(start, rows), cut_y[start : start + rows]
        else:
            yield cut_x[start : start + rows], cut_y[start : start + rows]


def _gathered(pairs: Iterable[tuple[Any, Any]], rows: int) -> Iterator[tuple[Any, Any]]:
    """Single examples in lists; sparse rows stacked."""
    pairs = iter(pairs)
    while chunk := list(islice(pairs, rows)):
        xs, ys = [x for x, _ in chunk], [y for _, y in chunk]
        if hasattr(xs[0], "tocsr"):
            from scipy.sparse import vstack

            yield vstack([x.reshape(1, -1) for x in xs], format="csr"), ys
        elif isinstance(xs[0], Mapping):
            yield xs, ys
        elif hasattr(xs[0], "to_dict"):
            yield [x.to_dict() for x in xs], ys
        else:
            yield np.array(xs), ys
