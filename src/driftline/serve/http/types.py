"""The bodies of requests, and those replies that the hub does not define.

The OpenAPI document is generated from these types. Unknown fields are refused.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from driftline.serve.results import (
    Alarm,
    AuditEntry,
    LogEntry,
    ModelInfo,
    Outcome,
    Prediction,
    Question,
    Series,
    SnapshotInfo,
)
from driftline.serve.spec import Example, Label, Spec

CallerId = Annotated[str, Meta(min_length=1, max_length=200, description="An id of the caller, printable.")]
Ticket = Annotated[int, Meta(ge=1, le=2**63 - 1)] | CallerId
Name = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9_-]{0,63}$(?!\n)", description="A lower-case letter, then up to 63 of a-z, 0-9, _ and -."
    ),
]
Position = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Body(Struct, forbid_unknown_fields=True, frozen=True, gc=False):
    """A body of a request. It has no cycles."""


class Predict(Body, frozen=True):
    """Predict an example. With ``durable`` the answer waits until the ticket is on disk."""

    x: Example
    id: CallerId | None = None
    durable: bool = False


class Tell(Body, frozen=True):
    """The label ``y`` of a ticket; with the example it is learned even if the ticket is unknown."""

    ticket: Ticket
    y: Label
    x: Example | None = None


class Learn(Body, frozen=True):
    """An example and its label at once. The same id is learned once."""

    x: Example
    y: Label
    id: CallerId | None = None


class Dismiss(Body, frozen=True):
    """Close a ticket whose label nobody can tell."""

    ticket: Ticket


class PredictBatch(Body, frozen=True):
    """Examples to predict; the answer waits for the disk if one of them is durable."""

    items: list[Predict]


class TellBatch(Body, frozen=True):
    """Labels of tickets."""

    items: list[Tell]


class LearnBatch(Body, frozen=True):
    """Examples with their labels."""

    items: list[Learn]


class Explain(Body, frozen=True):
    """Explain the score of an example, or of the example of an open ticket."""

    x: Example | None = None
    ticket: Ticket | None = None
    contender: Name | None = None


class NewModel(Spec, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A name, and what the model is made of."""

    name: Name

    def spec(self) -> Spec:
        """The specification without the name."""
        return Spec(
            learner=self.learner,
            options=self.options,
            labels=self.labels,
            asking=self.asking,
            expire_after=self.expire_after,
            retention=self.retention,
        )


class Rollback(Body, frozen=True):
    """Where to go back to: a position of the log, or a snapshot."""

    position: Position | None = None
    snapshot: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None


class Promote(Body, frozen=True):
    """The challenger that becomes the champion."""

    challenger: Name


class Nothing(Body, frozen=True):
    """An empty object."""


class Login(Body, frozen=True):
    """A token, for a session in the browser."""

    token: Annotated[str, Meta(max_length=200)]


class NewToken(Body, frozen=True):
    """A token to make. ``expires_in`` is in seconds, ``per_second`` limits the examples a second."""

    name: Name
    scopes: list[str]
    expires_in: Annotated[float, Meta(gt=0, le=1e10)] | None = None
    per_second: Annotated[float, Meta(gt=0, le=1e9)] | None = None


# replies ----------------------------------------------------------------------------------------
class PredictionResults(Struct, frozen=True):
    """A prediction or a problem for each item, in the same order."""

    items: list[Prediction]


class OutcomeResults(Struct, frozen=True):
    """An outcome or a problem for each item, in the same order."""

    items: list[Outcome]


class Models(Struct, frozen=True):
    """The models of this server by name. If servers share a database, ``elsewhere`` has the other
    models, each with the address of its server, which is empty while no server holds it.
    """

    models: list[ModelInfo]
    elsewhere: dict[str, str] | UnsetType = UNSET


class Questions(Struct, frozen=True):
    """Open tickets whose labels are wanted, the worthiest first."""

    questions: list[Question]


class Snapshots(Struct, frozen=True):
    """Snapshots, oldest first."""

    snapshots: list[SnapshotInfo]


class AllSeries(Struct, frozen=True):
    """The counts over time of each contender."""

    series: list[Series]


class Alarms(Struct, frozen=True):
    """Alarms about a rising error, newest first."""

    alarms: list[Alarm]


class Weights(Struct, frozen=True):
    """The largest weights."""

    weights: list[tuple[str, float]]


class Leaders(Struct, frozen=True):
    """The experts of a Tracker with the largest weights."""

    leaders: list[dict[str, Any]]


class Log(Struct, frozen=True):
    """Events of a log."""

    events: list[LogEntry]


class Audit(Struct, frozen=True):
    """Who did what, newest first."""

    entries: list[AuditEntry]


class TokenInfo(Struct, frozen=True):
    """A token without its secret. Times are seconds since 1970."""

    name: str
    scopes: list[str]
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    per_second: float | None


class Tokens(Struct, frozen=True):
    """All tokens, also expired and revoked ones."""

    tokens: list[TokenInfo]


class MadeToken(Struct, frozen=True):
    """A new token. It is shown only here."""

    token: str
    info: TokenInfo


class Session(Struct, frozen=True):
    """Who is logged in. ``open`` is whether the server takes requests without a token."""

    name: str
    scopes: list[str]
    open: bool


class Health(Struct, frozen=True):
    """Whether the server works, and the reason if it does not.

    ``unready`` has the models whose logs cannot be read, and why. If servers share a database, there
    are the number of models of this server, and of the other models.
    """

    status: str
    reason: str = ""
    holds: int | UnsetType = UNSET
    elsewhere: int | UnsetType = UNSET
    unready: dict[str, str] | UnsetType = UNSET
