"""A model on the event loop: what the HTTP layer calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from driftline.serve import changes
from driftline.serve.batches import (
    BLOCK,
    Gathered,
    each,
    examples_of,
    learn_batches,
    learn_block,
    predict_block,
)
from driftline.serve.errors import Busy, Refused, ServeError, TooLarge, UnknownModel, UnknownTicket
from driftline.serve.hosted import views
from driftline.serve.hosted.alarms import ErrorWatch
from driftline.serve.hosted.checks import Earlier, refusing
from driftline.serve.hosted.contender import Contender
from driftline.serve.hosted.model import NOTHING_EARLIER, HostedModel
from driftline.serve.hosted.open_items import asked_of
from driftline.serve.hosted.state import FrozenModel, freeze
from driftline.serve.log.events import TicketId
from driftline.serve.results import (
    Alarm,
    LogEntry,
    ModelInfo,
    Outcome,
    Prediction,
    Question,
    Redacted,
    Series,
    SnapshotInfo,
)
from driftline.serve.spec import Example, Label, Spec
from driftline.serve.storage.storage import IdRow

if TYPE_CHECKING:
    from driftline.serve.hub import Hub
    from driftline.serve.recovery import Recovered

R = TypeVar("R")


class ServedModel:
    """A model on the event loop.

    A method that waits returns after its change is stored. ``predict`` returns before; ``await
    hub.durable(model)`` waits. All may raise ``Unready`` and ``Busy``.

    Parameters
    ----------
    hub
        The hub.
    number, name, created_at
        As in the storage.
    found
        The recovered or new state.
    """

    def __init__(self, hub: Hub, number: int, name: str, created_at: float, found: Recovered) -> None:
        self.hub = hub
        self.number = number
        self.name = name
        self.created_at = created_at
        self.hosted: HostedModel = found.model
        self.deleted = False
        self.held = ""
        """Why the model takes no changes now; empty if it does."""
        self.durable_position = found.model.position
        self.snapshot_position = found.snapshot
        self.snapshot_at = hub.now()
        self.unsaved = found.model.position - found.snapshot
        """The number of rounds since the last snapshot."""
        self.told_position = 0
        self._watches: dict[int, ErrorWatch] = {}
        self._metrics: dict[int, tuple[int, dict[str, Any]]] = {}
        self._learning = Gathered(self, partial(learn_batches, self))

    @property
    def spec(self) -> Spec:
        """The specification of the model."""
        return self.hosted.spec

    @property
    def position(self) -> int:
        """The number of events."""
        return self.hosted.position

    def replace(self, found: Recovered) -> None:
        """Take another state: after a failure of the storage, or a rollback."""
        self.hosted = found.model
        self.snapshot_position = found.snapshot  # a later one may be lost with a failed commit
        self.unsaved = found.model.position - found.snapshot
        self.durable_position = found.model.position
        self._watches.clear()
        self._metrics.clear()

    def check(self) -> None:
        """Raise unless the model takes changes now."""
        self.hub.check()
        if self.deleted:
            raise UnknownModel(f"model: name must be that of a model, got {self.name!r}, which was deleted")
        if self.held:
            raise Busy(f"model {self.name!r}: must be at rest, got: {self.held}. Send the request again", 1.0)

    def _check_size(self, x: Example) -> None:
        most = self.hub.settings.max_features
        if len(x) > most:
            raise TooLarge(f"x must have at most {most:,} features, got {len(x):,}. Send fewer")

    # one example -------------------------------------------------------------------------------
    def predict(self, x: Example, id: str | None = None) -> Prediction:  # noqa: A002
        """Predict an example and open a ticket. Refused, or Conflict if the id has another example."""
        return self._predict(x, id, None)

    def _predict(self, x: Example, id: str | None, known: dict[TicketId, Earlier] | None) -> Prediction:  # noqa: A002
        self.check()
        self._check_size(x)
        earlier = NOTHING_EARLIER if id is None else self._earlier(id, known)
        return self._stored(*self.guarded(lambda hosted, now: hosted.ask(x, id, now, earlier)))

    async def label(self, ticket: TicketId, y: Label, who: str = "", x: Example | None = None) -> Outcome:
        """Learn the label of a ticket.

        The label of an unknown id is kept, unless ``x`` is given: then it is learned at once. Raises
        UnknownTicket, Conflict or Refused.
        """
        outcome = self._label(ticket, y, who, x, None)
        await self.hub.waiting.stored()
        return outcome

    def _label(
        self, ticket: TicketId, y: Label, who: str, x: Example | None, known: dict[TicketId, Earlier] | None
    ) -> Outcome:
        self.check()
        if x is not None:
            self._check_size(x)
        earlier = self._earlier(ticket, known)
        return self._stored(*self.guarded(lambda hosted, now: hosted.tell(ticket, y, who, now, x, earlier)))

    async def learn(self, x: Example, y: Label, id: str | None = None, who: str = "") -> Outcome:  # noqa: A002
        """Learn an example and its label at once. Raises Conflict or Refused."""
        outcome = self._learn(x, y, id, who, None)
        await self.hub.waiting.stored()
        return outcome

    def _learn(
        self,
        x: Example,
        y: Label,
        id: str | None,  # noqa: A002
        who: str,
        known: dict[TicketId, Earlier] | None,
    ) -> Outcome:
        self.check()
        self._check_size(x)
        earlier = NOTHING_EARLIER if id is None else self._earlier(id, known)
        return self._stored(*self.guarded(lambda hosted, now: hosted.learn(x, y, id, who, now, earlier)))

    async def dismiss(self, ticket: TicketId, who: str = "") -> Outcome:
        """Close a ticket without a label. Raises UnknownTicket or Conflict."""
        self.check()
        outcome = self._stored(*self.guarded(lambda hosted, now: hosted.dismiss(ticket, who, now)))
        await self.hub.waiting.stored()
        return outcome

    def expire(self) -> None:
        """Close what is too old."""
        event = self.guarded(lambda hosted, now: hosted.expire(now))
        if event is not None:
            self.put(event)

    def guarded(self, call: Callable[[HostedModel, float], R]) -> R:
        """Call the state machine. After an unexpected error the model is read from the storage again."""
        try:
            return call(self.hosted, self.hub.now())
        except ServeError:
            raise
        except Exception:
            changes.begin_repair(self)
            raise

    def _stored(self, result: R, event: bytes | None) -> R:
        if event is not None:
            self.put(event)
        return result

    def put(self, event: bytes, size: int = 1) -> None:
        """Queue the last event of the model, which has some rounds, with the ids that it used."""
        hosted, ids = self.hosted, []
        self.unsaved += size
        if hosted.ids.new:
            position = hosted.position
            ids = [IdRow(self.number, key, kind, position, content) for key, kind, content in hosted.ids.new]
            hosted.ids.new = []
        self.hub.put_event(self.number, event, ids)

    def _earlier(self, ticket: TicketId, known: dict[TicketId, Earlier] | None) -> Earlier:
        """What the storage knows of a ticket, unless the memory knows all."""
        if self.hosted.tickets.know(ticket):
            return NOTHING_EARLIER
        if known is None or ticket not in known:
            known = changes.earlier_of(self, [ticket])
        return known.get(ticket, NOTHING_EARLIER)

    # batches -----------------------------------------------------------------------------------
    async def predict_many(
        self, items: Sequence[tuple[Example, str | None]], *, text_keys: bool = False
    ) -> list[Prediction | ServeError]:
        """``predict`` for each (x, id); it lets other requests run in between.

        With ``text_keys``, the keys of ``probability`` are those of a JSON object.
        """
        known = changes.earlier_of(self, [key for _, key in items if key is not None])

        def one(x: Example, key: str | None) -> Prediction:
            found = self._predict(x, key, known)
            return found.with_text_keys() if text_keys else found

        return await each(self, items, one, partial(predict_block, self, text_keys))

    async def label_many(
        self, items: Sequence[tuple[TicketId, Label, Example | None]], who: str = ""
    ) -> list[Outcome | ServeError]:
        """``label`` for each (ticket, y, x), with one wait for the storage at the end."""
        known = changes.earlier_of(self, [ticket for ticket, _, _ in items])
        found = await each(self, items, lambda ticket, y, x: self._label(ticket, y, who, x, known))
        del items  # see learn_many
        await self.hub.waiting.stored()
        return found

    async def learn_many(
        self, items: Sequence[tuple[Example, Label, str | None]], who: str = ""
    ) -> list[Outcome | ServeError]:
        """``learn`` for each (x, y, id), with one wait for the storage at the end."""
        known = changes.earlier_of(self, [key for _, _, key in items if key is not None])
        X = examples_of(self, items) if len(items) <= BLOCK else None
        learned = None
        if X is not None:
            learned = await self._learning.results((X, [y for _, y, _ in items], who), len(X))
        block = partial(learn_block, self, who)
        if learned is None:
            found = await each(self, items, lambda x, y, key: self._learn(x, y, key, who, known), block)
        else:
            found = [*learned]
        del items, X  # the caller keeps none either: the memory of the examples is free before the wait
        await self.hub.waiting.stored()
        return found

    # what it knows -----------------------------------------------------------------------------
    def info(self) -> ModelInfo:
        """The model and its contenders."""
        hosted = self.hosted
        return ModelInfo(
            self.name,
            hosted.spec,
            self.created_at,
            hosted.position,
            self.durable_position,
            len(hosted.tickets.open),
            len(hosted.tickets.unmatched),
            hosted.champion.board.regresses,
            views.contender_infos(hosted),
            not self.deleted and not self.held,
        )

    def example_of(self, ticket: TicketId) -> Example:
        """The example of an open ticket; UnknownTicket if there is none."""
        event = self.hosted.tickets.open.get(ticket)
        if event is None:
            raise UnknownTicket(f"ticket must be open, got {ticket!r}, which is unknown or closed. Send the example")
        return asked_of(ticket, event).x

    def _contender(self, name: str | None) -> Contender:
        return self.hosted.lineup.named(name)

    def explain(self, x: Example, contender: str | None = None) -> dict[str, Any]:
        """The explanation of the champion's score, as ``Explanation.to_dict`` returns it."""
        self._check_size(x)
        with refusing():
            return self._contender(contender).learner.explain_one(x).to_dict()

    def metrics(self, contender: str | None = None) -> dict[str, Any]:
        """{"counts": ..., "confusion": [[y, predicted, n], ...], "window": dl.Metrics.to_dict(), "latency": ...}."""
        one = self._contender(contender)
        total = one.board.total
        rounds, found = self._metrics.get(one.number, (-1, {}))
        if rounds != total.labelled or not found:
            found = views.metrics_of(one)
            self._metrics[one.number] = total.labelled, found
        return {**found, "counts": views.counts_of(one.board)}

    def questions(self, limit: int = 20) -> list[Question]:
        """Open tickets whose labels are wanted, the worthiest first."""
        return views.questions_of(self.hosted, limit)

    def series(self) -> list[Series]:
        """Counts over time, for each contender."""
        return views.series_of(self.hosted)

    def largest_weights(self, k: int = 20, contender: str | None = None) -> list[tuple[str, float]]:
        """The largest weights."""
        with refusing():
            return views.largest_weights_of(self._contender(contender), k)

    def leaders(self, k: int = 10, contender: str | None = None) -> list[dict[str, Any]]:
        """The experts of a Tracker with the largest weights; empty for other learners."""
        return views.leaders_of(self._contender(contender), k)

    def look_for_alarms(self) -> list[Alarm]:
        """Watch the errors since the last look; return the new alarms."""
        found: list[Alarm] = []
        numbers = {one.number for one in self.hosted.contenders}
        self._watches = {number: watch for number, watch in self._watches.items() if number in numbers}
        for one in self.hosted.contenders:
            watch = self._watches.get(one.number)
            if watch is None:
                watch = self._watches[one.number] = ErrorWatch(one)
            found += watch.look(self.hosted.last_at)
        return found

    def alarms(self) -> list[Alarm]:
        """The alarms about a rising error, newest first."""
        self.look_for_alarms()
        return sorted((alarm for watch in self._watches.values() for alarm in watch.alarms), key=lambda one: -one.at)

    # snapshots ---------------------------------------------------------------------------------
    def freeze(self) -> FrozenModel:
        """The state of this moment."""
        return freeze(self.hosted)

    def wants_snapshot(self, now: float) -> bool:
        """Whether a snapshot is due."""
        new, settings = self.position - self.snapshot_position, self.hub.settings
        return self.unsaved >= settings.snapshot_events or (
            new > 0 and abs(now - self.snapshot_at) >= settings.snapshot_seconds
        )

    async def snapshot(self, who: str = "") -> SnapshotInfo:
        """Store a snapshot now."""
        return await changes.snapshot(self, who)

    def snapshots(self) -> list[SnapshotInfo]:
        """The snapshots in the storage, oldest first."""
        rows = self.hub.storage.snapshots(self.number)
        return [SnapshotInfo(row.id, row.position, row.at, row.kind, row.size) for row in rows]

    # changes -----------------------------------------------------------------------------------
    async def add_challenger(self, name: str, spec: Spec, who: str = "", model: bytes | None = None) -> ModelInfo:
        """Add a challenger, which predicts and learns on the same traffic."""
        return await changes.add_challenger(self, name, spec, who, model)

    async def remove_challenger(self, name: str, who: str = "") -> ModelInfo:
        """Remove a challenger."""
        return await changes.remove_challenger(self, name, who)

    async def promote(self, name: str, who: str = "") -> ModelInfo:
        """Make a challenger the champion."""
        return await changes.promote(self, name, who)

    async def rollback(self, *, to: int | None = None, snapshot: int | None = None, who: str = "") -> ModelInfo:
        """Go back to a position of the log, or to a snapshot."""
        if (to is None) == (snapshot is None):
            raise Refused("rollback: give either a position or a snapshot, got both or none")
        return await changes.rollback(self, to, snapshot, who)

    async def export(self) -> bytes:
        """The champion's learner as a model file."""
        return await changes.export(self)

    async def import_(self, data: bytes, who: str = "") -> ModelInfo:
        """Replace the champion's learner by a model file."""
        return await changes.import_(self, data, who)

    # the log -----------------------------------------------------------------------------------
    def log(self, after: int = 0, limit: int = 100) -> list[LogEntry]:
        """Events of the log after a position."""
        return changes.log_of(self, after, limit)

    async def redact(self, ticket: TicketId, who: str = "") -> Redacted:
        """Remove the example and label of a ticket from the log."""
        return await changes.redact(self, ticket, who)
