"""The events of the log, and their bytes.

An event is a msgpack array: a number for its kind, then its fields. New fields are added at the
end, with a default, so that later versions read the logs of earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, Literal

import msgspec

from driftline.serve.spec import Example, Label, Spec

TicketId = int | str
"""A number is a ticket of the server, a text is an id of the caller."""
NUMBER = Struct("<d")
"""A number in the columns of `TwoLabelAnswers`."""


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


class TwoLabelAnswers(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one contender with two labels answered to each example of a batch, in columns.

    Attributes
    ----------
    by
        The number of the contender.
    negative, positive
        Its labels.
    scores
        The scores: float64 numbers, little-endian.
    shares
        The probabilities of the positive label, likewise.
    """

    by: int
    negative: Label
    positive: Label
    scores: bytes
    shares: bytes

    def answer(self, k: int) -> Answer:
        """The answer to example k, counted from 0."""
        score, p = NUMBER.unpack_from(self.scores, 8 * k)[0], NUMBER.unpack_from(self.shares, 8 * k)[0]
        no, yes = self.negative, self.positive
        shares = {yes: p, no: 1.0 - p} if p >= 0.5 else {no: 1.0 - p, yes: p}
        return Answer(self.by, yes if score >= 0.0 else no, shares, score)

    def at(self, places: list[int]) -> TwoLabelAnswers:
        """The answers to some of the examples."""
        scores, shares = (
            b"".join([column[8 * k : 8 * k + 8] for k in places]) for column in (self.scores, self.shares)
        )
        return TwoLabelAnswers(self.by, self.negative, self.positive, scores, shares)


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


class AskedMany(Event, tag=14, frozen=True):
    """Examples of a batch were predicted, and their tickets opened. All labels are wanted.

    The examples are encoded one by one, so that each can be read alone.
    """

    tickets: list[TicketId]
    xs: list[msgspec.Raw]
    answers: list[TwoLabelAnswers]


class LearnedMany(Event, tag=15, frozen=True):
    """Examples of a batch without ids, with their labels. ``answers`` are the predictions before learning."""

    xs: list[Example]
    ys: list[Label]
    who: str
    answers: list[TwoLabelAnswers]


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
    | AskedMany
    | LearnedMany
)
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[AnyEvent] = msgspec.msgpack.Decoder(AnyEvent)
encode = _encoder.encode
decode = _decoder.decode
decode_example = msgspec.msgpack.Decoder(Example).decode
LearnedRow = tuple[Literal[3], float, TicketId | None, Example, Label, str, msgspec.Raw]
"""A ``Learned`` event: its tag, then its fields. The answers are still encoded."""
_decode_row = msgspec.msgpack.Decoder(LearnedRow).decode


def decode_page(events: Sequence[bytes]) -> Sequence[AnyEvent | LearnedRow]:
    """The events of a page, for a replay. Those of a page without other events than ``Learned`` are rows."""
    try:
        return [*map(_decode_row, events)]
    except msgspec.ValidationError:
        return [*map(decode, events)]


def described(event: AnyEvent) -> dict[str, Any]:
    """An event as plain values, without saved learners and records, for people."""
    found: dict[str, Any] = {"kind": type(event).__name__.lower()}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        found[name] = f"{len(value):,} bytes" if isinstance(value, bytes) else value
    if isinstance(event, AskedMany):
        found["xs"] = [decode_example(x) for x in event.xs]
    if isinstance(event, AskedMany | LearnedMany):
        every = range(len(event.xs))
        found["answers"] = [[one.answer(k) for k in every] for one in event.answers]
    plain: dict[str, Any] = msgspec.to_builtins(found)
    answers = plain.get("answers", [])
    for answer in answers if isinstance(event, Asked | Learned) else [one for each in answers for one in each]:
        answer[4] = None
    return plain
