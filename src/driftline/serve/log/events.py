"""The events of the log, and their bytes.

An event is a msgpack array: a number for its kind, then its fields. New fields are added at the
end, with a default, so that later versions read the logs of earlier ones.
"""

from __future__ import annotations

from typing import Any

import msgspec

from driftline.serve.spec import Example, Label, Spec

TicketId = int | str
"""A number is a ticket of the server, a text is an id of the caller."""


class Answer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one contender answered.

    Attributes
    ----------
    by
        The number of the contender.
    label
        The predicted label; None if no label is known.
    shares
        The probability of each label, the most likely first; None for a regressor.
    score
        The score.
    record
        What a learner with experts needs to judge them later: float64 numbers.
    wanted
        Whether this contender wants the label.
    """

    by: int
    label: Label | None
    shares: dict[Label, float] | None
    score: float
    record: bytes | None = None
    wanted: bool = True


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One change of a model."""

    at: float


class Asked(Event, tag=1, frozen=True):
    """An example was predicted, and its ticket opened."""

    ticket: TicketId
    x: Example
    answers: list[Answer]
    wanted: bool
    worth: float


class Told(Event, tag=2, frozen=True):
    """The label of a ticket; it is kept for a while if the ticket is unknown."""

    ticket: TicketId
    y: Label
    who: str


class Learned(Event, tag=3, frozen=True):
    """An example and its label at once. ``answers`` are the predictions before learning."""

    ticket: TicketId | None
    x: Example
    y: Label
    who: str
    answers: list[Answer]


class Dismissed(Event, tag=4, frozen=True):
    """A ticket was closed without a label."""

    ticket: TicketId
    who: str


class Expired(Event, tag=5, frozen=True):
    """Tickets asked, and unmatched labels received, before a time were closed."""

    before: float
    unmatched_before: float


class ContenderAdded(Event, tag=6, frozen=True):
    """A challenger. ``model`` is a saved learner; None makes a new one."""

    name: str
    spec: Spec
    model: bytes | None
    who: str


class ContenderRemoved(Event, tag=7, frozen=True):
    """A challenger was removed."""

    name: str
    who: str


class Promoted(Event, tag=8, frozen=True):
    """A challenger became the champion, and the champion a challenger."""

    name: str
    who: str


class RolledBack(Event, tag=9, frozen=True):
    """The model went back to its state at a position."""

    to: int
    who: str


class Imported(Event, tag=10, frozen=True):
    """The learner of the champion was replaced by a saved one."""

    model: bytes
    who: str


class Opened(Event, tag=11, frozen=True):
    """A server began to serve the model.

    The tickets of the server are the position of their event plus ``tickets_above``, which rises
    with every start. A ticket that was lost in a crash is therefore never issued again.
    """

    tickets_above: int


class Limits(msgspec.Struct, frozen=True, array_like=True):
    """The limits of a model that its state depends on; they are fixed when it is created.

    Attributes
    ----------
    max_open
        The most open tickets. The oldest closes when there is one more.
    remember
        The number of closed tickets, and of unmatched labels, that are kept in memory.
    window
        The number of labelled rounds over which the full metrics are computed.
    max_open_bytes
        The most bytes of open tickets. The oldest ones close when there are more.
    """

    max_open: int = 1_000_000
    remember: int = 100_000
    window: int = 10_000
    max_open_bytes: int = 1 << 30


class Created(Event, tag=12, frozen=True):
    """The first event of a model. ``model`` is a saved learner; None makes a new one."""

    spec: Spec
    who: str
    model: bytes | None
    limits: Limits


class Noted(Event, tag=13, frozen=True):
    """An entry of the log of the server: who did what with which model."""

    who: str
    what: str
    model: str
    detail: str


AnyEvent = (
    Asked
    | Told
    | Learned
    | Dismissed
    | Expired
    | ContenderAdded
    | ContenderRemoved
    | Promoted
    | RolledBack
    | Imported
    | Opened
    | Created
    | Noted
)
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyEvent] = msgspec.msgpack.Decoder(AnyEvent)
encode = _encoder.encode
decode = _decoder.decode


def described(event: AnyEvent) -> dict[str, Any]:
    """An event as plain values, without saved learners and records, for people."""
    found: dict[str, Any] = {"kind": type(event).__name__.lower()}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        found[name] = f"{len(value):,} bytes" if isinstance(value, bytes) else msgspec.to_builtins(value)
    for answer in found.get("answers", []):
        answer[4] = None
    return found
