"""Checks of ids and labels, before anything changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from driftline.encode.faults import shortened
from driftline.serve.errors import BadRequest, Refused
from driftline.serve.log.events import TicketId
from driftline.serve.spec import Label

LONGEST_ID = 200
LONGEST_LABEL = 1000
_json = msgspec.json.Encoder()


class Earlier(NamedTuple):
    """What the storage knows of an id.

    Attributes
    ----------
    example
        The digest of its example; None if it had none.
    answer
        Its label as JSON; None if it had none.
    """

    example: str | None
    answer: str | None


def key_of(ticket: TicketId) -> str:
    """The key of a ticket in the storage: numbers and texts do not meet.

    >>> key_of(17), key_of("17")
    ('i17', 's17')
    """
    return f"i{ticket}" if isinstance(ticket, int) else f"s{ticket}"


def checked_id(given: str) -> str:
    """The id; BadRequest unless it has 1 to 200 printable characters."""
    if not (0 < len(given) <= LONGEST_ID and given.isprintable()):
        raise BadRequest(f"id must have 1 to {LONGEST_ID} printable characters, got {shortened(given)}")
    return given


def checked_label(y: Label) -> None:
    """Raise Refused unless y can be a label or target: a text, a finite number, or true or false."""
    if isinstance(y, float) and not math.isfinite(y):
        raise Refused(f"label: y must be finite, got {y}. Drop the example")
    if isinstance(y, str) and len(y) > LONGEST_LABEL:
        raise Refused(f"label: y must have at most {LONGEST_LABEL:,} characters, got {len(y):,}. Shorten it")
    if not isinstance(y, str | int | float):
        raise Refused(f"label: y must be a text, a number, true or false, got {shortened(y)}")


def checked_labels(ys: Sequence[Label]) -> None:
    """``checked_label`` of each."""
    if not {*map(type, ys)} <= {bool, int}:
        for y in ys:
            checked_label(y)


def checked_keys(where: str, labels: Iterable[Label]) -> None:
    """Raise Refused if two labels have the same key in a JSON object, such as 1 and "1".

    >>> checked_keys("label: y", ["1", 2, True])
    """
    found: dict[str, Label] = {}
    for label in labels:
        key = label if isinstance(label, str) else _json.encode(label).decode()
        other = found.setdefault(key, label)
        if isinstance(other, str) != isinstance(label, str):
            raise Refused(
                f"{where} must have different keys in JSON, got {shortened(label)} next to {shortened(other)}. "
                "Use texts for all labels"
            )


def label_text(y: Label | None) -> str:
    """A label as JSON. Whole numbers have one text, whether they are int or float.

    >>> label_text(1), label_text(1.0), label_text(True), label_text("1")
    ('1', '1', 'true', '"1"')
    """
    if isinstance(y, float) and y.is_integer() and abs(y) < 1e15:
        y = int(y)
    return _json.encode(y).decode()


class refusing:  # noqa: N801
    """A context that turns errors of the library into Refused."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is not None and issubclass(kind, ValueError):
            raise Refused(str(error)) from None
