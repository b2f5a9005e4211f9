"""Check how a reader handles an input; report a violation in one line."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from counts import examples
from inputs import Input

from driftline.internals.rows import FileRows
from driftline.streams import ReadError, read
from driftline.streams.files.stream import WITHOUT_COLUMNS

LONGEST_MESSAGE = 2000
READ, REFUSED = "read", "refused"


class WrongError(Exception):
    """A violation of what readers guarantee."""


def judged(given: Input) -> tuple[str | None, str | None]:
    """Return the outcome, READ or REFUSED, and the violation; one of them is None."""
    try:
        if not given.on_disk:
            return _judged(given, _file(given)), None
        with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder:
            path = Path(folder) / given.name
            path.write_bytes(given.data)
            return _judged(given, path), None
    except WrongError as wrong:
        return None, str(wrong)
    except Exception as error:
        return None, f"{type(error).__name__}: {' '.join(str(error).split())}"


def _file(given: Input) -> io.BytesIO:
    file = io.BytesIO(given.data)
    file.name = given.name  # type: ignore[attr-defined]
    return file


def _judged(given: Input, path: Any) -> str:
    options = {"format": given.kind, "task": "classification", **given.options}
    stream = read(path, on_error="skip", **options)
    rows = 0
    try:
        for X, y, *w in stream:
            check_rows(X, y, w, given.kind in WITHOUT_COLUMNS)
            rows += len(X)
    except ReadError as error:
        check_message(str(error))
        return REFUSED
    for message in (*stream.reasons, *stream.bad_cells.listed, *stream.notes):
        check_message(message)
    found = rows + stream.skipped + stream.unlabelled
    if given.countable and found != (expected := examples(given.kind, given.data)):
        raise WrongError(
            f"{expected} examples became {rows} rows, {stream.skipped} faults and {stream.unlabelled} without a label"
        )
    faults = [*stream.reasons[:1], *stream.bad_cells.listed[:1]]
    if faults:
        _check_stops(path if given.on_disk else _file(given), options, faults)
    return READ


def _check_stops(path: Any, options: dict[str, Any], first: list[str]) -> None:
    """Check that with on_error="stop" the same input raises its first fault, in a row or a cell."""
    try:
        for _ in read(path, **options):
            pass
    except ReadError as error:
        if str(error) not in first:
            raise WrongError(f"stopped with {error}, skipped {first}") from None
        return
    raise WrongError(f"did not stop at {first}")


def check_message(message: str) -> None:
    if len(message.splitlines()) != 1 or len(message) > LONGEST_MESSAGE or not message.isprintable():
        raise WrongError(f"a message must be one short line, got {message!r:.200}")


def check_rows(X: FileRows, y: Any, w: list[Any], finite: bool) -> None:
    """Check the guarantees of rows. In formats without columns, all values are finite."""
    indptr, size = X.indptr.astype(np.int64), len(X)
    guarantees = {
        "labels": y is None or (len(y) == size and _plainest(y)),
        "weights": not w or (len(w[0]) == size and bool(((w[0] >= 0.0) & np.isfinite(w[0])).all())),
        "offsets": len(indptr) == size + 1 and indptr[0] == 0 and bool((np.diff(indptr) >= 0).all()),
        "sizes": indptr[-1] == len(X.indices) == len(X.values),
        "values": not finite or bool(np.isfinite(X.values).all()),
        "width": not len(X.indices) or int(X.indices.max()) < X.width,
        "names": X.names is None or X.width <= len(X.names) == len(set(X.names)),
        "lines": bool((np.diff(X.lines.astype(np.int64)) > 0).all()),
        "indices": _all_different(X),
    }
    broken = [name for name, held in guarantees.items() if not held]
    if broken:
        raise WrongError(f"rows must be valid, got wrong {', '.join(broken)}")


def _plainest(y: np.ndarray) -> bool:
    """Return whether labels are int64, float64 or strings, or an array that they need instead.

    An array of objects may hold None for rows without a label.

    Floats hold whole numbers exactly only up to 2^53. Larger ones need int64, uint64 or objects.
    """
    if y.dtype.kind not in "uO":
        return y.dtype.kind in "ifU"
    numbers = y.tolist()
    if None in numbers:  # labels were optional: some rows have none
        return y.dtype.kind == "O" and all(type(one) in (int, float, str) for one in numbers if one is not None)
    whole = [one for one in numbers if type(one) is int]
    lowest, highest = min(whole, default=0), max(whole, default=0)
    if y.dtype.kind == "u":
        return highest >= 2**63
    if len(whole) == len(numbers):
        return lowest < -(2**63) or highest >= (2**63 if lowest < 0 else 2**64)
    return max(-lowest, highest) >= 2**53 and all(type(one) in (int, float) for one in numbers)


def _all_different(X: FileRows) -> bool:
    """Return whether no row has a duplicate index."""
    row = np.repeat(np.arange(len(X)), np.diff(X.indptr).astype(np.int64))
    return len(np.unique(np.stack([row, X.indices.astype(np.int64)]), axis=1).T) == len(X.indices)
