"""Files of open tickets: a learner, its open tickets in compact form, and the closed ones that are remembered."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.internals.one_call import whole_call
from driftline.pending.clock import FLOAT_TIME, HEAD, LARGEST_TIME, NO_TIME
from driftline.pending.compact_rows import DENSE, NAMED, SPARSE, Shape, Shapes, fits
from driftline.pending.pending import Pending
from driftline.pending.ticket import Closed, TicketId
from driftline.saved import feature_names
from driftline.saved.container import from_bytes, read, to_bytes, write
from driftline.saved.description import MOST, check_keys
from driftline.saved.fault import ModelError, UnfitError, loading, loading_bytes
from driftline.saved.model import learner_from, state_of
from driftline.saved.plain import plain

KIND = "pending"
COUNTS = ("limit", "remember", "next", "asked", "told", "mistakes", "expired")
KEYS = ("model", "counts", "labels")
NO_LABEL = -1
LARGEST_COUNT = 1 << 80
NO_RECORD = np.zeros(0)
"""Upper bound of limit, remember and the next id."""
ARRAYS = {
    "stored": np.uint8,
    "ends": np.uint64,
    "kinds": np.uint8,
    "widths": np.uint64,
    "shape_names": np.uint64,
    "shape_ends": np.uint64,
    "how": np.uint8,
    "answers": np.int64,
}
"""The arrays of the tickets, besides their ids and the names of features, and their types."""


def save(pending: Pending, path: str | os.PathLike[str]) -> None:
    """Write tickets and their learner to a file.

    Parameters
    ----------
    pending
        The tickets.
    path
        The file to write.
    """
    write(path, KIND, *freeze(pending).content())


@whole_call
def freeze(pending: Pending) -> FrozenTickets:
    """The state of one moment between two calls.

    Parameters
    ----------
    pending
        The tickets.
    """
    counts = {"limit": pending.limit, "remember": pending.remember, "next": pending._next}
    counts |= {"asked": pending.asked, "told": pending.told}
    counts |= {"mistakes": pending.mistakes, "expired": pending.expired}
    return FrozenTickets(
        state_of(pending.learner),
        dict(pending._open),
        dict(pending._records),
        list(pending._closed.items()),
        list(pending._shapes.all),
        list(pending._predicted_labels),
        counts,
    )


@dataclass(frozen=True)
class FrozenTickets:
    """The state of a ``Pending`` at one moment. The bytes, arrays and tuples in it never change."""

    learner: tuple[dict[str, Any], dict[str, np.ndarray]]
    open: dict[TicketId, bytes]
    records: dict[TicketId, np.ndarray]
    closed: list[tuple[TicketId, tuple[Closed, Any]]]
    shapes: list[Shape | None]
    predicted: list[Any]
    counts: dict[str, int]

    def to_bytes(self) -> bytes:
        """The bytes of the file that ``Pending.save`` would have written at that moment."""
        return to_bytes(KIND, *self.content())

    def content(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Plain values and arrays of the file."""
        model, learned = self.learner
        labels, names = _LabelTable(), dict[Any, int]()
        shapes: dict[Shape, int] = {}
        stored = []
        for one in self.open.values():  # numbers in the order of the tickets: equal tickets give equal files
            number, label, *clock = HEAD.unpack_from(one)
            shape = self.shapes[number]
            assert shape is not None
            number = shapes.setdefault(shape, len(shapes))
            label = labels.number(self.predicted[label]) if label >= 0 else NO_LABEL
            stored.append(HEAD.pack(number, label, *clock) + one[HEAD.size :])
        in_shapes = [[names.setdefault(name, len(names)) for name in _names(shape)] for shape in shapes]
        closed = [(how, NO_LABEL if how is not Closed.ANSWERED else labels.number(y)) for _, (how, y) in self.closed]
        arrays = {
            "stored": np.frombuffer(b"".join(stored), np.uint8),
            "ends": _ends(map(len, stored)),
            "kinds": np.array([kind for kind, _ in shapes], np.uint8),
            "widths": np.array([0 if kind == NAMED else size for kind, size in shapes], np.uint64),
            "shape_names": np.array([name for some in in_shapes for name in some], np.uint64),
            "shape_ends": _ends(map(len, in_shapes)),
            "how": np.array([how.value for how, _ in closed], np.uint8),
            "answers": np.array([answer for _, answer in closed], np.int64),
        }
        if self.records:
            records = [self.records.get(key, NO_RECORD) for key in self.open]
            arrays |= {"records": np.concatenate(records), "record_ends": _ends(record.size for record in records)}
        arrays |= _named("open", map(_text, self.open))
        arrays |= _named("closed", (_text(key) for key, _ in self.closed))
        arrays |= _named("feature", names)
        arrays |= {f"model {name}": array for name, array in learned.items()}
        return {"model": model, "counts": self.counts, "labels": labels.all}, arrays


class _LabelTable:
    """The labels of a file, numbered."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self._numbers: dict[tuple[type, Any], int] = {}

    def number(self, label: Any) -> int:
        """The number of a label, which must be a plain value."""
        try:
            exact = plain(label)
        except TypeError:
            raise ModelError(
                f"save: a label must be a str, int, float or bool, got {shortened(label)}. Convert the labels"
            ) from None
        number = self._numbers.setdefault((type(exact), exact), len(self.all))
        if number == len(self.all):
            self.all.append(exact)
        return number


def _names(shape: Shape) -> tuple[Any, ...]:
    return shape[1] if shape[0] == NAMED else ()


def _ends(lengths: Iterable[int]) -> np.ndarray:
    return np.cumsum(np.array(list(lengths), np.uint64), dtype=np.uint64)


def _named(prefix: str, names: Iterable[Any]) -> dict[str, np.ndarray]:
    return {f"{prefix} {name}": array for name, array in feature_names.to_arrays(list(names)).items()}


def _text(key: TicketId) -> str:
    """An id as text that shows its type."""
    return f"i{key}" if isinstance(key, int) else f"s{key}"


# loading ----------------------------------------------------------------------------------------
def load(pending: Pending, path: str | os.PathLike[str]) -> None:
    """Fill a new object from a file; raise ModelError if the file is damaged or no such file.

    Parameters
    ----------
    pending
        The new object, without any attribute.
    path
        The file.
    """
    meta, arrays = read(path, KIND)
    with loading(path, KIND):
        _fill(pending, meta, arrays)


def load_bytes(pending: Pending, data: bytes | bytearray | memoryview) -> None:
    """Fill a new object from bytes; raise ModelError if they are damaged or nothing of the kind.

    Parameters
    ----------
    pending
        The new object, without any attribute.
    data
        The bytes.
    """
    meta, arrays = from_bytes(data, KIND)
    with loading_bytes(KIND):
        _fill(pending, meta, arrays)


def _fill(pending: Pending, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    check_keys("content", meta, KEYS)
    counts, labels = _checked_counts(meta["counts"]), _checked_labels(meta["labels"])
    parts: dict[str, dict[str, np.ndarray]] = {"model": {}, "open": {}, "closed": {}, "feature": {}, "": {}}
    for name, array in arrays.items():
        first, space, rest = name.partition(" ")  # names of a model may have more spaces
        prefix, last = (first, rest) if space else ("", first)
        if prefix not in parts:
            raise UnfitError(f"an array {shortened(name)}")
        parts[prefix][last] = array
    own = parts[""]
    records = own.pop("records", NO_RECORD), own.pop("record_ends", None)
    check_keys("arrays", own, ARRAYS)
    for name, dtype in ARRAYS.items():
        if own[name].ndim != 1 or own[name].dtype != dtype:
            raise UnfitError(f"{name} of shape {own[name].shape} and {own[name].dtype}")
    Pending.__init__(
        pending, learner_from(meta["model"], parts["model"]), limit=counts["limit"], remember=counts["remember"]
    )
    pending._next, pending._asked, pending._told = counts["next"], counts["asked"], counts["told"]
    pending._mistakes, pending._expired = counts["mistakes"], counts["expired"]
    pending._predicted_labels, pending._label_numbers = labels, {label: k for k, label in enumerate(labels)}
    shapes = _checked_shapes(own, parts["feature"])
    pending._open, pending._shapes = _checked_open(own, _ids(parts["open"]), shapes, len(labels))
    pending._records = _checked_records(*records, list(pending._open))
    pending._line = deque(pending._open)
    pending._closed = _checked_closed(own, _ids(parts["closed"]), labels)
    _check_together(pending)


def _checked_counts(counts: Any) -> dict[str, int]:
    if not isinstance(counts, dict):
        raise UnfitError(f"counts {shortened(counts)}")
    check_keys("counts", counts, COUNTS)
    for name, value in counts.items():
        most = LARGEST_COUNT if name in ("limit", "remember", "next") else MOST
        if type(value) is not int or not (1 if name in ("limit", "remember") else 0) <= value <= most:
            raise UnfitError(f"{name} {shortened(value)}")
    if not (counts["mistakes"] <= counts["told"] and counts["told"] + counts["expired"] <= counts["asked"]):
        raise UnfitError(f"counts {shortened(counts)}")
    return counts


def _checked_labels(labels: Any) -> list[Any]:
    if not isinstance(labels, list) or not all(type(one) in (str, int, float, bool) for one in labels):
        raise UnfitError(f"labels {shortened(labels)}")
    return labels


def _ids(arrays: dict[str, np.ndarray]) -> list[TicketId]:
    """The ids of tickets, in order."""
    found: list[TicketId] = []
    for text in _names_of(arrays):
        if not isinstance(text, str) or text[:1] not in ("i", "s"):
            raise UnfitError(f"an id {shortened(text)}")
        try:
            found.append(text[1:] if text[0] == "s" else int(text[1:]))
        except ValueError:
            raise UnfitError(f"an id {shortened(text)}") from None
    if len({*found}) < len(found):
        raise UnfitError("two tickets with the same id")
    return found


def _names_of(arrays: dict[str, np.ndarray]) -> list[Any]:
    """Names that were written by ``_named``."""
    check_keys("names", arrays, feature_names.ARRAYS)
    return list(feature_names.from_arrays(arrays, arrays["name_ends"].size))


def _spans(name: str, ends: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Start and end of each part of an array of this size."""
    places = [0, *ends.tolist()]
    if any(stop < start for start, stop in pairwise(places)) or places[-1] != size:
        raise UnfitError(f"wrong {name}")
    return list(pairwise(places))


def _checked_shapes(own: dict[str, np.ndarray], feature: dict[str, np.ndarray]) -> list[Shape]:
    names = _names_of(feature)
    kinds, widths, places = own["kinds"].tolist(), own["widths"].tolist(), own["shape_names"].tolist()
    spans = _spans("shape_ends", own["shape_ends"], len(places))
    if not len(kinds) == len(widths) == len(spans) or not all(place < len(names) for place in places):
        raise UnfitError("shapes that do not fit each other")
    shapes: list[Shape] = []
    for kind, width, (start, stop) in zip(kinds, widths, spans, strict=True):
        some = tuple(names[place] for place in places[start:stop])
        if kind not in (NAMED, DENSE, SPARSE) or (kind != NAMED and some) or len({*some}) < len(some):
            raise UnfitError(f"a shape of kind {kind}")
        shapes.append((kind, some if kind == NAMED else width))
    if len({*shapes}) < len(shapes):
        raise UnfitError("two shapes that are equal")
    return shapes


def _checked_open(
    own: dict[str, np.ndarray], ids: list[TicketId], shapes: list[Shape], labels: int
) -> tuple[dict[TicketId, bytes], Shapes]:
    """The open tickets, and their shapes in use."""
    blob = own["stored"].tobytes()
    spans = _spans("ends", own["ends"], len(blob))
    if len(spans) != len(ids):
        raise UnfitError(f"{len(ids)} ids of {len(spans)} tickets")
    found, used = {}, Shapes()
    for key, (start, stop) in zip(ids, spans, strict=True):
        one = blob[start:stop]
        if len(one) < HEAD.size:
            raise UnfitError("a ticket that is cut short")
        number, label, clock, bits = HEAD.unpack_from(one)
        good = number < len(shapes) and NO_LABEL <= label < labels and NO_TIME <= clock <= FLOAT_TIME
        if not good or not fits(shapes[number], len(one) - HEAD.size) or not -LARGEST_TIME <= bits < LARGEST_TIME:
            raise UnfitError(f"a ticket {shortened(key)} that does not fit its shape")
        found[key] = HEAD.pack(used.add(shapes[number]), label, clock, bits) + one[HEAD.size :]
    return found, used


def _checked_records(flat: np.ndarray, ends: np.ndarray | None, ids: list[TicketId]) -> dict[TicketId, np.ndarray]:
    """The records of open tickets. The learner ignores a record that does not fit it."""
    if ends is None:
        ends = np.zeros(len(ids), np.uint64)
    if flat.ndim != 1 or flat.dtype != np.float64 or ends.shape != (len(ids),) or ends.dtype != np.uint64:
        raise UnfitError(f"records of shape {flat.shape} and {flat.dtype}")
    spans = zip(ids, _spans("record_ends", ends, flat.size), strict=True)
    return {key: flat[start:stop].copy() for key, (start, stop) in spans if stop > start}


def _checked_closed(
    own: dict[str, np.ndarray], ids: list[TicketId], labels: list[Any]
) -> OrderedDict[TicketId, tuple[Closed, Any]]:
    how, answers = own["how"].tolist(), own["answers"].tolist()
    if not len(ids) == len(how) == len(answers):
        raise UnfitError(f"{len(ids)} ids of {len(how)} closed tickets")
    closed: OrderedDict[TicketId, tuple[Closed, Any]] = OrderedDict()
    for key, code, answer in zip(ids, how, answers, strict=True):
        answered = code == Closed.ANSWERED.value
        if code > Closed.UNWANTED.value or not (0 <= answer < len(labels) if answered else answer == NO_LABEL):
            raise UnfitError(f"a closed ticket {shortened(key)}")
        closed[key] = Closed(code), labels[answer] if answered else None
    return closed


def _check_together(pending: Pending) -> None:
    """Check that open and closed tickets fit each other and the counts."""
    if len(pending) > pending.limit or len(pending._closed) > pending.remember:
        raise UnfitError(f"{len(pending)} open and {len(pending._closed)} closed tickets")
    if len(pending) + pending.told + pending.expired > pending.asked:
        raise UnfitError(f"{pending.asked} tickets asked, and {len(pending)} open")
    if not pending._open.keys().isdisjoint(pending._closed):
        raise UnfitError("a ticket that is open and closed")
    numbers = [key for key in (*pending._open, *pending._closed) if isinstance(key, int)]
    if numbers and max(numbers) >= pending._next:
        raise UnfitError(f"a ticket {max(numbers)} after {pending._next} tickets")
