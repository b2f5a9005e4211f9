"""A model on the event loop: what the HTTP layer calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.serve.errors import ServeError
from driftline.serve.log.events import TicketId
from driftline.serve.results import (
    Alarm,
    LogEntry,
    ModelInfo,
    Outcome,
    Prediction,
    Question,
    Series,
    SnapshotInfo,
)
from driftline.serve.spec import Example, Label, Spec


class ServedModel:
    """A model on the event loop.

    A method that waits returns after its change is stored. ``predict`` returns before; ``await
    hub.durable(model)`` waits. All may raise ``Unready`` and ``Busy``.
    """

    name: str

    # one example -------------------------------------------------------------------------------
    def predict(self, x: Example, id: str | None = None) -> Prediction:  # noqa: A002
        """Predict an example and open a ticket. Refused, or Conflict if the id has another example."""
        raise NotImplementedError

    async def label(self, ticket: TicketId, y: Label, who: str = "", x: Example | None = None) -> Outcome:
        """Learn the label of a ticket.

        The label of an unknown id is kept, unless ``x`` is given: then it is learned at once. Raises
        UnknownTicket, Conflict or Refused.
        """
        raise NotImplementedError

    async def learn(self, x: Example, y: Label, id: str | None = None, who: str = "") -> Outcome:  # noqa: A002
        """Learn an example and its label at once. Raises Conflict or Refused."""
        raise NotImplementedError

    async def dismiss(self, ticket: TicketId, who: str = "") -> Outcome:
        """Close a ticket without a label. Raises UnknownTicket or Conflict."""
        raise NotImplementedError

    # batches -----------------------------------------------------------------------------------
    async def predict_many(self, items: Sequence[tuple[Example, str | None]]) -> list[Prediction | ServeError]:
        """``predict`` for each (x, id); it lets other requests run in between."""
        raise NotImplementedError

    async def label_many(
        self, items: Sequence[tuple[TicketId, Label, Example | None]], who: str = ""
    ) -> list[Outcome | ServeError]:
        """``label`` for each (ticket, y, x), with one wait for the storage at the end."""
        raise NotImplementedError

    async def learn_many(
        self, items: Sequence[tuple[Example, Label, str | None]], who: str = ""
    ) -> list[Outcome | ServeError]:
        """``learn`` for each (x, y, id), with one wait for the storage at the end."""
        raise NotImplementedError

    # what it knows -----------------------------------------------------------------------------
    def info(self) -> ModelInfo:
        """The model and its contenders."""
        raise NotImplementedError

    def example_of(self, ticket: TicketId) -> Example:
        """The example of an open ticket; UnknownTicket if there is none."""
        raise NotImplementedError

    def explain(self, x: Example, contender: str | None = None) -> dict[str, Any]:
        """The explanation of the champion's score, as ``Explanation.to_dict`` returns it."""
        raise NotImplementedError

    def metrics(self, contender: str | None = None) -> dict[str, Any]:
        """{"counts": ..., "confusion": [[y, predicted, n], ...], "window": dl.Metrics.to_dict()}."""
        raise NotImplementedError

    def questions(self, limit: int = 20) -> list[Question]:
        """Open tickets whose labels are wanted, the worthiest first."""
        raise NotImplementedError

    def series(self) -> list[Series]:
        """Counts over time, for each contender."""
        raise NotImplementedError

    def largest_weights(self, k: int = 20, contender: str | None = None) -> list[tuple[str, float]]:
        """The largest weights."""
        raise NotImplementedError

    def leaders(self, k: int = 10, contender: str | None = None) -> list[dict[str, Any]]:
        """The experts of a Tracker with the largest weights; empty for other learners."""
        raise NotImplementedError

    def alarms(self) -> list[Alarm]:
        """The alarms about a rising error, newest first."""
        raise NotImplementedError

    # changes -----------------------------------------------------------------------------------
    async def add_challenger(self, name: str, spec: Spec, who: str = "", model: bytes | None = None) -> ModelInfo:
        """Add a challenger, which predicts and learns on the same traffic."""
        raise NotImplementedError

    async def remove_challenger(self, name: str, who: str = "") -> ModelInfo:
        """Remove a challenger."""
        raise NotImplementedError

    async def promote(self, name: str, who: str = "") -> ModelInfo:
        """Make a challenger the champion."""
        raise NotImplementedError

    async def snapshot(self, who: str = "") -> SnapshotInfo:
        """Store a snapshot now."""
        raise NotImplementedError

    def snapshots(self) -> list[SnapshotInfo]:
        """The snapshots in the storage, oldest first."""
        raise NotImplementedError

    async def rollback(self, *, to: int | None = None, snapshot: int | None = None, who: str = "") -> ModelInfo:
        """Go back to a position of the log, or to a snapshot."""
        raise NotImplementedError

    async def export(self) -> bytes:
        """The champion's learner as a model file."""
        raise NotImplementedError

    async def import_(self, data: bytes, who: str = "") -> ModelInfo:
        """Replace the champion's learner by a model file."""
        raise NotImplementedError

    # the log -----------------------------------------------------------------------------------
    def log(self, after: int = 0, limit: int = 100) -> list[LogEntry]:
        """Events of the log after a position."""
        raise NotImplementedError

    async def redact(self, ticket: TicketId, who: str = "") -> int:
        """Remove the example and label of a ticket from the log; return the number of events."""
        raise NotImplementedError
