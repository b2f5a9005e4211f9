"""Blocks of rows by key: the keys of the rows, and the rows of each key in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from driftline.encode.arrays import masked
from driftline.encode.faults import RowError, shortened
from driftline.encode.frames import columns_of, is_frame, records
from driftline.internals.csr_slice import CsrSlice
from driftline.internals.rows import FileRows
from driftline.keyed.keys import LONGEST, WHERE, Key, checked


def own_row(x: Any, field: str | int | None, key: Any) -> tuple[Key, Any]:
    """The key of an example, and the example without its key.

    Parameters
    ----------
    x
        The example.
    field
        The name of the feature that holds the key.
    key
        The key, if it is given by itself; else None.
    """
    if key is not None:
        return checked(key), x
    if field is None or not isinstance(x, Mapping):
        raise ValueError(f"{WHERE}: a key must be given for each example, got none. {_remedy(field)}")
    rest = dict(x)
    try:
        return checked(rest.pop(field)), rest
    except KeyError:
        raise ValueError(
            f"{WHERE}: x must have the feature {field!r}, got {shortened(list(x))}. Add it, or pass key="
        ) from None


def _remedy(field: str | int | None) -> str:
    return "Pass key= or keys=" if field is None else f"Pass dicts with {field!r}, or pass key= or keys="


def keys_and_rows(X: Any, field: str | int | None, keys: Any) -> tuple[list[Key], Any]:
    """The checked key of each row, and the rows without the keys."""
    if is_frame(X):
        columns = columns_of(WHERE, X)
        if keys is None and field in columns:
            own = columns.pop(field)
            keys = X[field].to_pylist() if hasattr(X[field], "to_pylist") else own
        X = records(columns, X.shape[0])
    if keys is None and isinstance(X, FileRows) and X.kept is not None and field in X.kept:
        keys = X.kept[str(field)]
    elif keys is None and isinstance(X, Sequence) and all(isinstance(x, Mapping) for x in X):
        found = [_of_row(row, x, field) for row, x in enumerate(X)]
        return [key for key, _ in found], [x for _, x in found]
    if keys is None:
        raise ValueError(f"{WHERE}: a key must be given for each row, got none. {_remedy(field)}")
    return _checked_keys(keys), X


def _of_row(row: int, x: Any, field: str | int | None) -> tuple[Key, Any]:
    try:
        return own_row(x, field, None)
    except ValueError as error:
        raise RowError(WHERE, row, str(error).removeprefix(f"{WHERE}: ")) from None


def _checked_keys(keys: Any) -> list[Key]:
    """A list of checked keys."""
    if isinstance(keys, str | bytes) or not hasattr(keys, "__len__"):
        raise ValueError(f"{WHERE}: keys must be a list or an array, got {shortened(keys)}. Pass a key for each row")
    if hasattr(keys, "to_pylist"):
        keys = keys.to_pylist()
    array = keys if isinstance(keys, np.ndarray) else None
    if array is not None and array.ndim != 1:
        raise ValueError(f"{WHERE}: keys must be 1-d, got shape {array.shape}. Pass keys.ravel()")
    if masked(keys):
        raise ValueError(f"{WHERE}: keys must not be masked, got {masked(keys)}. Drop those rows")
    found = list(keys.tolist() if hasattr(keys, "tolist") else keys)
    if array is not None and array.dtype.kind in "iuSU" and array.dtype.itemsize <= LONGEST:
        return found  # plain int, bytes or str, none too long
    for row, key in enumerate(found):
        try:
            found[row] = checked(key)
        except ValueError as error:
            raise RowError(WHERE, row, str(error).removeprefix(f"{WHERE}: ")) from None
    return found


def places_of(keys: Sequence[Key]) -> dict[Key, list[int]]:
    """The rows of each key, in order; the keys in the order of their first rows."""
    places: dict[Key, list[int]] = {}
    for row, key in enumerate(keys):
        known = places.get(key)
        if known is None:
            places[key] = [row]
        else:
            known.append(row)
    return places


def length_of(X: Any) -> int:
    """The number of rows."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


class Parts:
    """The rows of each key in turn.

    Parameters
    ----------
    X
        Rows without keys.
    y, w
        Labels and sample weights; None if there are none. One number is the weight of all rows.
    places
        The rows of each key.
    """

    def __init__(self, X: Any, y: Any, w: Any, places: Mapping[Key, list[int]]) -> None:
        self._places = places
        order = np.array([row for rows in places.values() for row in rows], np.intp)
        alone = len(places) == 1 and order.size == length_of(X)
        self._X = _gathered(X, order, alone)
        self._y = None if y is None else _gathered(_flat(y), order, alone)
        one = w is None or np.ndim(w) == 0
        self._w = (lambda start, stop: w) if one else _gathered(np.asarray(w), order, alone)

    def __iter__(self) -> Iterator[tuple[Key, list[int], Any, Any, Any]]:
        """Key, row numbers, rows, labels and weights."""
        start = 0
        for key, rows in self._places.items():
            stop = start + len(rows)
            y = None if self._y is None else self._y(start, stop)
            yield key, rows, self._X(start, stop), y, self._w(start, stop)
            start = stop


def _flat(y: Any) -> Any:
    """Labels as a list or an array."""
    if isinstance(y, np.ndarray | list):
        return y
    if masked(y):
        raise ValueError(f"{WHERE}: y must not have masked labels, got {masked(y)}. Drop those rows")
    return y.to_pylist() if hasattr(y, "to_pylist") else list(y)


def _gathered(values: Any, order: np.ndarray, alone: bool) -> Callable[[int, int], Any]:
    """A function of two positions in the order that returns the rows between them."""
    if alone:
        return lambda start, stop: values
    if isinstance(values, FileRows):
        taken = values.take(order.tolist())
        return lambda start, stop: _narrow(taken[start:stop])
    if hasattr(type(values), "tocsr"):
        rows = _some_rows(values, order)
        return lambda start, stop: CsrSlice.of(rows, start, stop)
    if isinstance(values, np.ndarray):
        array = values[order]
        return lambda start, stop: array[start:stop]
    places = order.tolist()
    return lambda start, stop: [values[row] for row in places[start:stop]]


def _some_rows(X: Any, order: np.ndarray) -> Any:
    from scipy.sparse import csr_array

    rows = X.tocsr()
    return csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)[order]


def _narrow(rows: FileRows) -> FileRows:
    """The same rows with a list of only those names that they use, so that no other name is looked up."""
    if rows.names is None or rows.width <= 2 * rows.indices.size:
        return rows
    from dataclasses import replace

    used, indices = np.unique(rows.indices, return_inverse=True)
    names = [rows.names[k] for k in used.tolist()]
    return replace(rows, indices=indices.astype(rows.indices.dtype), names=names, width=len(names))


def check_lengths(keys: list[Key], X: Any, y: Any, w: Any) -> None:
    """Raise ValueError unless there are as many rows, labels and weights as keys."""
    sizes = {"keys": len(keys), "X": length_of(X)}
    if y is not None:
        sizes["y"] = len(y)
    if w is not None and np.ndim(w):
        sizes["w"] = len(w)
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"{WHERE}: {', '.join(sizes)} must have the same length, got {', '.join(map(str, sizes.values()))}. "
            "Give each row one key and one label"
        )


def raise_named(whose: str, error: BaseException, rows: Sequence[int] | None = None) -> NoReturn:
    """Raise the error of one learner with its key in the message, and the row of the block.

    Parameters
    ----------
    whose
        The key in words.
    error
        The error.
    rows
        The row of the block for each row that the learner was given; None for one example.
    """
    if isinstance(error, RowError) and rows is not None:
        raise RowError(WHERE, rows[error.row], f"{whose}{error.joined}{error.what}") from None
    if type(error) is ValueError:
        raise ValueError(f"{WHERE}: {whose}: {error}") from None
    raise error
