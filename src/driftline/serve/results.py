"""What the hub returns. The HTTP layer writes these as JSON."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from driftline.serve.log.events import TicketId
from driftline.serve.spec import Example, Label, Spec


class Prediction(msgspec.Struct, frozen=True, gc=False):
    """The answer to an example.

    Attributes
    ----------
    ticket
        The id under which the label is told.
    label
        The predicted label; None if no label is known.
    probability
        The probability of each known label, the most likely first; None for a regressor.
    score
        The score.
    position
        The position of the log at which the model answered: its version.
    wanted
        Whether the label is wanted.
    repeated
        Whether the id was asked before with the same example. The prediction is new.
    """

    ticket: TicketId
    label: Label | None
    probability: dict[Label, float] | None
    score: float
    position: int
    wanted: bool = True
    repeated: bool = False

    def with_text_keys(self) -> Prediction:
        """The prediction with ``json_key`` of each label in ``probability``."""
        shares = self.probability
        if shares is None or bool not in map(type, shares):
            return self
        texts = {json_key(y): p for y, p in shares.items()}
        return Prediction(self.ticket, self.label, texts, self.score, self.position, self.wanted, self.repeated)


def json_key(label: Label) -> Label:
    """The key of a label in a JSON object: msgspec writes no keys that are True or False.

    >>> json_key(True), json_key("yes"), json_key(3)
    ('true', 'yes', 3)
    """
    return ("true" if label else "false") if isinstance(label, bool) else label


OutcomeKind = Literal["learned", "repeated", "kept", "unwanted", "dismissed"]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of a label.

    Attributes
    ----------
    kind
        "learned"; "repeated" if the same label came before; "kept" if the ticket is unknown and the
        label waits for it; "unwanted" if the model does not want it; "dismissed".
    ticket
        The ticket; None for an example and label without an id.
    position
        The position of the log after it.
    predicted
        The label that was predicted, if the label was learned.
    """

    kind: OutcomeKind
    ticket: TicketId | None
    position: int
    predicted: Label | None = None


class Question(msgspec.Struct, frozen=True):
    """An open ticket whose label is wanted."""

    ticket: TicketId
    x: Example
    label: Label | None
    probability: dict[Label, float] | None
    score: float
    worth: float
    at: float


class Counts(msgspec.Struct, frozen=True):
    """The counts of a contender since it was added.

    ``log_loss`` is the mean over the labelled rounds with probabilities, ``error`` the share of
    wrong labels (for a regressor the mean absolute error), ``latency`` the mean time in seconds
    from a prediction to its label. They are None before the first label. ``refused`` counts the
    examples and labels that the learner of a challenger refused: its other counts leave them out.
    """

    asked: int
    labelled: int
    errors: int
    error: float | None
    log_loss: float | None
    latency: float | None
    refused: int = 0


class ContenderInfo(msgspec.Struct, frozen=True):
    """The champion or a challenger."""

    name: str
    role: Literal["champion", "challenger"]
    spec: Spec
    labels: list[Label]
    features: int
    examples: int
    counts: Counts


class ModelInfo(msgspec.Struct, frozen=True):
    """A model and its contenders, the champion first."""

    name: str
    spec: Spec
    created_at: float
    position: int
    durable_position: int
    open_tickets: int
    unmatched_labels: int
    regresses: bool
    contenders: list[ContenderInfo]
    ready: bool = True


class SnapshotInfo(msgspec.Struct, frozen=True):
    """A snapshot in the storage."""

    id: int
    position: int
    at: float
    kind: str
    size: int


class Alarm(msgspec.Struct, frozen=True):
    """The error of a contender has risen.

    ``since`` is the number of labelled rounds before the change, ``found`` that at the alarm.
    """

    contender: str
    since: int
    found: int
    before: float
    after: float
    at: float


class Bucket(msgspec.Struct, frozen=True):
    """The counts of a contender in a span of time, ``seconds`` long.

    ``classes`` has the number of labels of each class, ``log_loss`` is a sum over ``judged`` rounds,
    and ``latency`` a sum over the ``waited`` labels of tickets.
    """

    start: float
    seconds: float
    asked: int
    labelled: int
    errors: int
    loss: float
    log_loss: float
    judged: int
    latency: float
    waited: int
    classes: list[tuple[Label, int]]


class Series(msgspec.Struct, frozen=True):
    """The buckets of a contender, oldest first. Buckets without events are left out.

    ``seconds`` is the length of recent buckets; older ones are longer.
    """

    contender: str
    seconds: float
    buckets: list[Bucket]


class LogEntry(msgspec.Struct, frozen=True):
    """An event of the log for people; ``event`` is None if it was redacted."""

    position: int
    event: dict[str, Any] | None
    digest: str


class AuditEntry(msgspec.Struct, frozen=True):
    """Who did what with which model, and when."""

    position: int
    at: float
    who: str
    what: str
    model: str
    detail: str


class Redacted(msgspec.Struct, frozen=True):
    """How many events lost their content, and how many examples were in it.

    A batch without ids is one event, so all its examples leave the log.
    """

    events: int
    examples: int


class Update(msgspec.Struct, frozen=True):
    """What subscribers get: a change of one model."""

    model: str
    kind: Literal["counts", "alarm", "model"]
    data: dict[str, Any]
