"""Comparing the log of a killed server with what it acknowledged, and its models with a replay.

A ``Trace`` reads the log of one model from its first event, in this process, and never starts
again. It knows nothing of the server's tickets: it counts by itself which label was learned.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from driftline.learners import PA1
from driftline.serve import recovery
from driftline.serve.chain import START, checked, checked_log
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.replay import replay
from driftline.serve.hosted.state import model_of, state_bytes
from driftline.serve.log.events import (
    AnyEvent,
    Asked,
    AskedMany,
    ContenderAdded,
    ContenderRemoved,
    Created,
    Dismissed,
    Expired,
    Learned,
    LearnedMany,
    Promoted,
    RolledBack,
    TicketId,
    Told,
    decode,
    decode_example,
)
from driftline.serve.storage.storage import SERVER_LOG, Storage

FROZEN = 40
"""States that are kept, to go back to at a rollback."""
ASKED, KEPT, LEARNED, UNWANTED, DISMISSED, EXPIRED = "asked", "kept", "learned", "unwanted", "dismissed", "expired"
CHANGES: dict[str, type[AnyEvent]] = {
    "promote": Promoted,
    "rollback": RolledBack,
    "add": ContenderAdded,
    "remove": ContenderRemoved,
}


def parts_of(event: AnyEvent) -> list[Any]:
    """The events of the single examples of a batch, without answers; other events as they are."""
    if isinstance(event, AskedMany):
        examples = zip(event.tickets, map(decode_example, event.xs), strict=True)
        return [Asked(event.at, ticket, x, [], True, 0.0) for ticket, x in examples]
    if isinstance(event, LearnedMany):
        return [Learned(event.at, None, x, y, event.who, []) for x, y in zip(event.xs, event.ys, strict=True)]
    return [event]


class LossError(Exception):
    """Something acknowledged that is not in the log, learned twice, or a model with other bits."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One acknowledgement of the server.

    Parameters
    ----------
    model : str
        Name of the model.
    what : str
        "predict", "label", "learn", "dismiss", "snapshot", "promote", "rollback", "add", "remove".
    kind : str
        The kind of the outcome, such as "learned" or "repeated".
    position : int
        The position of the log in the reply.
    ticket, x, y
        The ticket, example and label of the request. ``y`` of a rollback is its position.
    """

    model: str
    what: str
    kind: str
    position: int
    ticket: TicketId | None = None
    x: Any = None
    y: Any = None


@dataclass
class Trace:
    """The log of a model, and what must be so after it.

    Parameters
    ----------
    name, number
        The model.
    """

    name: str
    number: int
    head: tuple[int, bytes] = (0, START)
    events: list[AnyEvent] = field(default_factory=list)
    """All events; the first has position 1."""
    effective: list[int] = field(default_factory=list)
    """The positions of the events that were not rolled back."""
    states: dict[TicketId, str] = field(default_factory=dict)
    """What became of each ticket, without what was rolled back."""
    told: dict[TicketId, list[tuple[int, Any]]] = field(default_factory=dict)
    """Position and label of every event that has a label for a ticket."""
    asked: dict[TicketId, int] = field(default_factory=dict)
    learned: int = 0
    model: HostedModel | None = None
    _open: dict[TicketId, float] = field(default_factory=dict)
    """The time of each open ticket and of each label that waits for its example."""
    _undone: list[tuple[int, list[tuple[int, int]]]] = field(default_factory=lambda: [(0, [])])
    """The position of each rollback, and the spans that do not count after it."""
    _datas: list[bytes] = field(default_factory=list)
    _frozen: list[tuple[int, bytes]] = field(default_factory=list)

    def read(self, storage: Storage) -> None:
        """Read the new events, check their chain, and apply them to the model of this process."""
        new: list[int] = []
        for page in checked(storage.pages(self.number, self.head[0]), self.number, self.head):
            for data in page.events:
                assert data is not None
                event = decode(data)
                self.events.append(event)
                self._datas.append(data)
                position = len(self.events)
                if isinstance(event, Created | RolledBack):
                    self._apply(new)
                    self._begin(event)
                else:
                    new.append(position)
                self._follow(position, event)
            self.head = page.last, page.chain
        self._apply(new)
        if self.model is not None:
            self._freeze()

    def _apply(self, positions: list[int]) -> None:
        if positions:
            assert self.model is not None
            events, datas = (
                [self.events[position - 1] for position in positions],
                [self._datas[position - 1] for position in positions],
            )
            replay(self.model, events, datas)
            positions.clear()

    def _begin(self, event: Created | RolledBack) -> None:
        """Make the state after an event that begins anew."""
        if isinstance(event, Created):
            self.model = HostedModel.created(event)
        else:
            assert self.model is not None
            start, content = max(one for one in self._frozen if one[0] <= event.to)
            earlier = model_of(content)
            replay(earlier, self.events[start : event.to], self._datas[start : event.to])
            self.model = recovery.rolled_back(earlier, self.model, event)
        self._freeze()

    def _freeze(self) -> None:
        assert self.model is not None
        self._frozen = [*self._frozen[-FROZEN:], (self.model.position, state_bytes(self.model))]

    # what was learned --------------------------------------------------------------------------
    def _follow(self, position: int, event: AnyEvent) -> None:
        if isinstance(event, RolledBack):
            self._undo(position, event.to)
            self.states.clear()
            self._open.clear()
            self.learned = 0
            for one in self.effective:
                self._count(one, self.events[one - 1])
        else:
            self._count(position, event)
            for part in parts_of(event):
                if isinstance(part, Told | Learned) and part.ticket is not None:
                    self.told.setdefault(part.ticket, []).append((position, part.y))
                elif isinstance(part, Asked):
                    self.asked[part.ticket] = position
        self.effective.append(position)

    def _undo(self, position: int, to: int) -> None:
        """Take the events that counted at a position; a rollback before it may be undone itself."""
        before = next(undone for at, undone in reversed(self._undone) if at <= to)
        self._undone.append((position, [*before, (to, position)]))
        self.effective, start = [], 1
        for last, stop in self._undone[-1][1]:
            self.effective += range(start, last + 1)
            start = stop + 1

    def _count(self, position: int, event: AnyEvent) -> None:
        """Follow the tickets of an event; LossError if a label would be learned twice."""
        for part in parts_of(event):
            self._count_one(position, part)

    def _count_one(self, position: int, event: AnyEvent) -> None:
        if isinstance(event, Learned) and event.ticket is None:
            self.learned += 1
        if isinstance(event, Expired):
            self._expire(event)
        if not isinstance(event, Asked | Told | Learned | Dismissed) or event.ticket is None:
            return
        before = self.states.get(event.ticket)
        match event:
            case Asked():
                after, allowed = (ASKED if event.wanted else UNWANTED), (None, KEPT)
                if before == KEPT and event.wanted:
                    after = LEARNED
            case Told():
                after, allowed = (LEARNED if before == ASKED else KEPT), (None, ASKED)
            case Learned():
                after, allowed = LEARNED, (None, KEPT, UNWANTED, EXPIRED)
            case _:
                after, allowed = DISMISSED, (ASKED,)
        if before not in allowed:
            raise LossError(
                f"{self.name}: event {position} must change ticket {event.ticket!r} once, "
                f"got {type(event).__name__.lower()} after {before}"
            )
        self.learned += after == LEARNED
        self.states[event.ticket] = after
        self._open.pop(event.ticket, None)
        if after in (ASKED, KEPT):
            self._open[event.ticket] = event.at

    def _expire(self, event: Expired) -> None:
        """Close what is older than the event says."""
        for ticket, at in list(self._open.items()):
            kept = self.states[ticket] == KEPT
            if at < (event.unmatched_before if kept else event.before):
                del self._open[ticket]
                if kept:
                    del self.states[ticket]
                else:
                    self.states[ticket] = EXPIRED

    # acknowledgements --------------------------------------------------------------------------
    def confirm(self, one: Acknowledged) -> None:
        """LossError unless the log has what was acknowledged."""
        if not self._has(one):
            at = self.events[one.position - 1] if 0 < one.position <= len(self.events) else None
            raise LossError(f"{self.name}: the log must have {one}, got {at} at that position of {len(self.events)}")

    def _has(self, one: Acknowledged) -> bool:
        if one.what in CHANGES:
            return any(
                isinstance(event, CHANGES[one.what])
                and getattr(event, "to" if one.what == "rollback" else "name") == one.y
                for event in self.events[: one.position]
            )
        if one.what == "predict":
            return one.ticket in self.asked if one.kind == "repeated" else self._asked_at(one)
        if one.kind in ("learned", "kept", "dismissed"):
            if not 0 < one.position <= len(self.events):
                return False
            event = self.events[one.position - 1]
            if one.kind == "dismissed":
                return isinstance(event, Dismissed) and event.ticket == one.ticket
            if isinstance(event, Learned | LearnedMany):
                given = (one.ticket, one.x, one.y)
                return any((part.ticket, part.x, part.y) == given for part in parts_of(event))
            return isinstance(event, Told) and (event.ticket, event.y) == (one.ticket, one.y)
        if one.kind == "repeated":
            told = self.told.get(one.ticket or 0, [])
            return any(position <= one.position and y == one.y for position, y in told)
        return one.ticket in self.asked  # unwanted

    def _asked_at(self, one: Acknowledged) -> bool:
        event = self.events[one.position] if one.position < len(self.events) else None
        asked = [] if event is None else [part for part in parts_of(event) if isinstance(part, Asked)]
        return any((part.ticket, part.x) == (one.ticket, one.x) for part in asked)

    # models ------------------------------------------------------------------------------------
    def compare(self, what: str, content: bytes) -> None:
        """LossError unless a model file has the bits of the champion of this process."""
        assert self.model is not None
        if self.model.champion.learner.to_bytes() != content:
            raise LossError(f"{self.name}: {what} must have the bits of a replay to {self.head[0]}, got others")

    def compare_snapshots(self, storage: Storage) -> int:
        """Compare the last snapshot of the server with the state of this process; return 1 if it has one."""
        found = storage.snapshot(self.number, self.head[0])
        states = dict(self._frozen)
        if found is None or found[0].position not in states:
            return 0
        if found[1] != states[found[0].position]:
            raise LossError(f"{self.name}: snapshot {found[0]} must have the bits of a replay, got others")
        return 1

    def loop(self, C: float) -> bytes:
        """Learn the examples of the log in a loop, as a user of the library would; PA-I only."""
        learner = PA1(C=C, labels=["ham", "spam"])
        asked: dict[TicketId, Any] = {}
        kept: dict[TicketId, Any] = {}
        for event in [part for position in self.effective for part in parts_of(self.events[position - 1])]:
            match event:
                case Asked():
                    asked[event.ticket] = event.x
                    if event.ticket in kept:
                        learner.learn_one(event.x, kept.pop(event.ticket))
                case Told() if event.ticket in asked:
                    learner.learn_one(asked[event.ticket], event.y)
                case Told():
                    kept[event.ticket] = event.y
                case Learned():
                    kept.pop(event.ticket or 0, None)
                    learner.learn_one(event.x, event.y)
        return learner.to_bytes()


def check_chains(storage: Storage, traces: list[Trace]) -> int:
    """Read all logs from their beginning; return the number of events. DamagedError if one is damaged."""
    count = 0
    for number in (SERVER_LOG, *(one.number for one in traces)):
        for page in checked_log(storage, number):
            count += len(page.events)
    return count
