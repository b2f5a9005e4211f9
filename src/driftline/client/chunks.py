"""Batches: items in chunks, ids where none are given, and the results of all chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar
from uuid import uuid4

from driftline.client.calls import Example, label_item, learn_item, predict_item
from driftline.client.errors import BatchError, ServiceError
from driftline.client.results import Label, Ticket

T = TypeVar("T")
Item = Mapping[str, Any]
CHUNK = 500
"""The usual number of items in a request."""


def new_id() -> str:
    """Return an id that nobody else makes."""
    return uuid4().hex


def in_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of this many items; the last one may be shorter.

    >>> list(in_chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    if size < 1:
        raise ValueError(f"chunk must be >= 1, got {size}")
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def predict_items(X: Iterable[Example], ids: Iterable[str] | None) -> Iterator[Item]:
    """Yield the items of ``predict``."""
    if ids is None:
        return (predict_item(x, None) for x in X)
    return (predict_item(x, id) for x, id in zip(X, ids, strict=True))  # noqa: A001


def label_items(pairs: Iterable[tuple[Ticket, Label]]) -> Iterator[Item]:
    """Yield the items of ``label``."""
    return (label_item(ticket, y, None) for ticket, y in pairs)


def learn_items(X: Iterable[Example], y: Iterable[Label], ids: Iterable[str] | None) -> Iterator[Item]:
    """Yield the items of ``learn``; each has an id."""
    given = iter(new_id, None) if ids is None else ids
    rows = zip(X, y, strict=True)
    return (learn_item(x, label, id) for (x, label), id in zip(rows, given, strict=ids is not None))  # noqa: A001


def collected(results: Sequence[T | ServiceError]) -> list[T]:
    """Return the results, or raise a ``BatchError`` with all of them if items were refused."""
    done = [one for one in results if not isinstance(one, ServiceError)]
    if len(done) < len(results):
        raise BatchError(results)
    return done
