"""What the service answers, as typed records. Fields that a newer service adds are ignored."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

Label = str | int | float | bool
"""A label, or the number that a regressor learns."""
Ticket = str | int
"""The service numbers tickets. A ticket with an id of the caller is a text."""


class Prediction(Struct, frozen=True):
    """The answer to ``predict``.

    Attributes
    ----------
    ticket
        Give it to ``label`` when the label has come. It is the caller's id if there was one.
    label
        The predicted label; None before the model knows a label.
    probability
        Label to probability; None if the learner has none.
    score
        The score of the learner. A regressor predicts this number.
    position
        The position of the log up to which the model had learned.
    wanted
        Whether the model asks for the label of this example.
    repeated
        Whether the id was asked before with the same example. The prediction is new.
    """

    ticket: Ticket
    label: Label | None = None
    probability: dict[str, float] | None = None
    score: float = 0.0
    position: int = 0
    wanted: bool = True
    repeated: bool = False


class Outcome(Struct, frozen=True):
    """The answer to ``label`` and ``learn``.

    Attributes
    ----------
    kind
        "learned"; "repeated" if the same label or id came before; "kept" if the ticket is unknown and
        the label waits for its example; "unwanted" if the model had not asked for it; "dismissed".
    ticket
        The ticket, or the id given to ``learn``.
    position
        The position of the log after it.
    predicted
        The label that was predicted, if the label was learned.
    """

    kind: str
    ticket: Ticket | None = None
    position: int | None = None
    predicted: Label | None = None

    @property
    def learned(self) -> bool:
        """Whether the model has learned the example, now or at an earlier request."""
        return self.kind in ("learned", "repeated")


class Question(Struct, frozen=True):
    """An open ticket whose label the model wants.

    Attributes
    ----------
    ticket
        The ticket, for ``Model.label``.
    x
        The example.
    label
        The predicted label.
    probability
        The probability of each label; None for a regressor.
    worth
        How useful the label is: questions are ordered by it.
    at
        When the example was predicted, in seconds since 1970.
    """

    ticket: Ticket
    x: Any = None
    label: Label | None = None
    probability: dict[str, float] | None = None
    worth: float = 0.0
    at: float = 0.0


class Snapshot(Struct, frozen=True):
    """A stored state of a model; ``rollback`` takes its id or its position.

    Attributes
    ----------
    id
        Its number.
    position
        The position of the log after which it was taken.
    at
        When it was taken, in seconds since 1970.
    kind
        Why it was taken, such as "manual".
    size
        Its size in bytes.
    """

    id: int
    position: int = 0
    at: float = 0.0
    kind: str = ""
    size: int = 0


class Explanation(Struct, frozen=True):
    """Contributions that add up to a score, as pairs of feature and value, the largest first.

    Attributes
    ----------
    score
        The explained score.
    contributions
        Pairs of feature and value.
    label
        The label that the score is for.
    predicted
        The predicted label.
    vote
        The vote of a ``Tracker``; None for other learners.
    method
        How the contributions were computed.
    learner
        The learner.
    """

    score: float
    contributions: list[tuple[str | int | float | bool, float]]
    label: Label | None = None
    predicted: Label | None = None
    vote: float | None = None
    method: str = ""
    learner: str = ""


class Counts(Struct, frozen=True):
    """The counts of a contender since it was added; means are None before the first label.

    Attributes
    ----------
    asked
        Predictions.
    labelled
        Predictions whose label has come.
    errors
        Wrong predictions among these.
    error
        Their share.
    log_loss
        The mean log loss.
    latency
        The mean time from a prediction to its label, in seconds.
    refused
        Labels that the learner refused.
    """

    asked: int = 0
    labelled: int = 0
    errors: int = 0
    error: float | None = None
    log_loss: float | None = None
    latency: float | None = None
    refused: int = 0


class Contender(Struct, frozen=True):
    """The learner that answers, or a challenger.

    Attributes
    ----------
    name
        Its name in the model.
    role
        "champion" or "challenger".
    spec
        The learner and its options.
    labels
        The labels so far.
    features
        The number of features so far.
    examples
        The number of examples learned.
    counts
        Its counts since it was added.
    """

    name: str
    role: str = ""
    spec: dict[str, Any] = {}
    labels: list[Label] = []
    features: int = 0
    examples: int = 0
    counts: Counts = Counts()


class ModelInfo(Struct, frozen=True):
    """A model, what it was created with, how far it has learned, and its contenders.

    Attributes
    ----------
    name
        Its name.
    spec
        The learner and the options it was created with.
    created_at
        When it was created, in seconds since 1970.
    position, durable_position
        The last position of its log, and the last one on disk.
    open_tickets
        The number of tickets that wait for a label.
    unmatched_labels
        The number of labels that wait for their example.
    regresses
        Whether it predicts numbers.
    contenders
        The first one answers; the others are challengers.
    ready
        Whether it takes requests.
    """

    name: str
    spec: dict[str, Any] = {}
    created_at: float = 0.0
    position: int = 0
    durable_position: int = 0
    open_tickets: int = 0
    unmatched_labels: int = 0
    regresses: bool = False
    contenders: list[Contender] = []
    ready: bool = True

    @property
    def challengers(self) -> list[Contender]:
        """The contenders that do not answer."""
        return self.contenders[1:]
