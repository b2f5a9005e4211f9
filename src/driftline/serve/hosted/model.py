"""A hosted model: a state machine that answers, learns, and writes down what it did.

A live call returns its result and the event of the log, or no event if nothing has changed. After
``apply`` of the same events another instance has the same bits. Time is an argument: it never goes
backwards in the log. A call that raises an error changes nothing.
"""

from __future__ import annotations

from contextlib import suppress

from driftline.encode.faults import shortened
from driftline.serve.errors import Conflict, UnknownTicket
from driftline.serve.hosted.asking import Threshold, worth_of
from driftline.serve.hosted.checks import Earlier, checked_id, checked_keys, checked_label, label_text, refusing
from driftline.serve.hosted.contender import Contender
from driftline.serve.hosted.lineup import Lineup
from driftline.serve.hosted.open_items import asked_of
from driftline.serve.hosted.tickets import How, Tickets, Unmatched, digest_of
from driftline.serve.hosted.told_before import outcome_before
from driftline.serve.hosted.used_ids import UsedIds
from driftline.serve.log.events import (
    AnyEvent,
    Asked,
    ContenderAdded,
    ContenderRemoved,
    Created,
    Dismissed,
    Expired,
    Imported,
    Learned,
    Limits,
    Opened,
    Promoted,
    RolledBack,
    TicketId,
    Told,
    encode,
)
from driftline.serve.results import Outcome, Prediction
from driftline.serve.spec import Budget, Example, Label, Spec

CHAMPION = "original"
"""The name of the contender that a model is created with."""
NOTHING_EARLIER = Earlier(None, None)


class HostedModel:
    """A model with its contenders and tickets. Make one with ``HostedModel.created``.

    Attributes
    ----------
    spec
        The specification of the model.
    limits
        The limits that its state depends on.
    position
        The number of events so far.
    last_at
        The time of the last event.
    tickets_above
        The number that is added to the position of an event to make a ticket. It rises with every
        start, and with every batch.
    lineup
        The champion and the challengers.
    tickets
        Open and closed tickets.
    ids
        The ids that were used, and those that the storage does not have yet.
    threshold
        The threshold of a label budget; None without one.
    """

    def __init__(self, spec: Spec, limits: Limits) -> None:
        self.spec = spec
        self.limits = limits
        self.position = 0
        self.last_at = 0.0
        self.tickets_above = 0
        self.ids = UsedIds()
        self.lineup = Lineup(limits.window)
        self.tickets = Tickets(limits.max_open, limits.remember, limits.max_open_bytes)
        self.threshold = Threshold(spec.asking.share) if isinstance(spec.asking, Budget) else None

    @classmethod
    def created(cls, event: Created) -> HostedModel:
        """The model after its first event; Refused if the library refuses it."""
        model = cls(event.spec, event.limits)
        with refusing():
            model.lineup.add(CHAMPION, event.spec, event.model)
        model.advance(event.at)
        return model

    @property
    def champion(self) -> Contender:
        """The contender whose answers are returned."""
        return self.lineup.all[0]

    @property
    def contenders(self) -> list[Contender]:
        """The champion, then the challengers."""
        return self.lineup.all

    def advance(self, at: float) -> None:
        """Count an event."""
        self.position += 1
        self.last_at = at

    def time(self, at: float) -> float:
        """The time of the next event: not before the last one."""
        return at if at > self.last_at else self.last_at

    # asking ------------------------------------------------------------------------------------
    def ask(
        self,
        x: Example,
        id: str | None,  # noqa: A002
        at: float,
        earlier: Earlier = NOTHING_EARLIER,
    ) -> tuple[Prediction, bytes | None]:
        """Answer an example and open a ticket.

        Parameters
        ----------
        x
            The example.
        id
            The caller's id; None takes the next number.
        at
            The time.
        earlier
            What the storage knows of the id, if it is not in memory.
        """
        if id is not None:
            repeated = self._asked_before(x, checked_id(id), earlier)
            if repeated is not None:
                return repeated, None
        ticket = self.tickets_above + self.position + 1 if id is None else id
        at = self.time(at)
        with refusing():
            answers = self.lineup.answers(x, True)
        champion = answers[0]
        worth = worth_of(champion)
        answers = self.lineup.open_rounds(x, answers)
        wanted = answers[0].wanted and (self.threshold is None or self.threshold.wants(worth))
        event = Asked(at, ticket, x, answers, wanted, worth)
        position = self.position
        data = encode(event)
        self.asked(event, data)
        return (
            Prediction(ticket, champion.label, champion.shares, champion.score, position, wanted),
            data,
        )

    def _asked_before(self, x: Example, ticket: str, earlier: Earlier) -> Prediction | None:
        """The prediction for an id that was used before with the same example; None for a new id."""
        event, closed = self.tickets.open.get(ticket), self.tickets.closed.get(ticket)
        if event is not None:
            same = asked_of(ticket, event).x == x
        elif closed is not None:
            same = closed.digest == digest_of(x)
        elif earlier.example is not None:
            same = earlier.example == digest_of(x)
        else:
            return None
        if not same:
            raise Conflict(
                f"predict: id must be new or have the same example, got {shortened(ticket)} with another one"
            )
        with refusing():
            answer = self.champion.answer(x, False)
        wanted = event is not None
        return Prediction(ticket, answer.label, answer.shares, answer.score, self.position, wanted, True)

    def asked(self, event: Asked, data: bytes) -> None:
        """Open the ticket of an answered example, after its rounds were opened."""
        at, ticket, tickets = event.at, event.ticket, self.tickets
        self.lineup.count_asked(event.answers, at)
        if self.threshold is not None:
            self.threshold.follow(event.wanted)
        if isinstance(ticket, str):
            self.ids.add(ticket, "x", digest_of(event.x))
        if event.wanted:
            tickets.add(ticket, at, data)
        else:
            tickets.close(ticket, How.UNWANTED, None, event.x)
        self.advance(at)
        label = tickets.unmatched.pop(ticket, None)
        if label is not None and event.wanted and ticket in tickets.open:
            with suppress(ValueError):  # a label that the learner refuses is dropped
                self._learn_open(event, label.y, at)

    # telling -----------------------------------------------------------------------------------
    def tell(
        self,
        ticket: TicketId,
        y: Label,
        who: str,
        at: float,
        x: Example | None = None,
        earlier: Earlier = NOTHING_EARLIER,
    ) -> tuple[Outcome, bytes | None]:
        """Learn the label of a ticket, or keep it if the ticket is unknown.

        Parameters
        ----------
        ticket, y
            The ticket and its label.
        who
            The name of the caller.
        at
            The time.
        x
            The example, which is learned at once if the ticket is unknown or has expired.
        earlier
            What the storage knows of the ticket, if it is not in memory.
        """
        self._check_label(y)
        if isinstance(ticket, str):
            checked_id(ticket)
        at, tickets = self.time(at), self.tickets
        event = tickets.open.get(ticket)
        if event is not None:
            asked = asked_of(ticket, event)
            if x is not None and x != asked.x:
                raise Conflict(f"label: x must be the example of {shortened(ticket)}, got another one. Leave x out")
            told = Told(at, ticket, y, who)
            with refusing():
                self._learn_open(asked, y, at)
            self.advance(at)
            return Outcome("learned", ticket, self.position, asked.answers[0].label), encode(told)
        if isinstance(ticket, int) and not 0 < ticket <= self.tickets_above + self.position:
            raise UnknownTicket(f"label: ticket must be one that the server gave, got {ticket}. Check the ticket")
        before = outcome_before(tickets, ticket, y, x, earlier)
        if before is not None:
            return Outcome(before, ticket, self.position), None
        if x is None:
            told = Told(at, ticket, y, who)
            self._keep(told)
            return Outcome("kept", ticket, self.position), encode(told)
        learned = self._learn(x, y, ticket, who, at)
        if earlier.example is not None:  # the storage has the example already
            self.ids.new = [one for one in self.ids.new if one[1] != "x"]
        return learned

    def _check_label(self, y: Label) -> None:
        """Raise Refused unless the champion may learn y, as far as its value goes."""
        checked_label(y)
        known = self.champion.learner.labels
        if y not in known:
            checked_keys("label: the labels of a model", [*known, y])

    def _learn_open(self, asked: Asked, y: Label, at: float) -> None:
        """Learn the label of an open ticket; ValueError if the champion refuses it."""
        self.lineup.learn_label(asked, y, at)
        self._answered(asked.ticket, y, None)

    def _answered(self, ticket: TicketId, y: Label, x: Example | None) -> None:
        """Close a ticket whose label was learned."""
        self.ids.add(ticket, "y", label_text(y))
        self.tickets.close(ticket, How.ANSWERED, y, x)

    def _keep(self, told: Told) -> None:
        """Keep the label of an unknown ticket."""
        self.tickets.keep(told.ticket, Unmatched(told.at, told.y, told.who))
        self.advance(told.at)

    # examples and labels at once ---------------------------------------------------------------
    def learn(
        self,
        x: Example,
        y: Label,
        id: str | None,  # noqa: A002
        who: str,
        at: float,
        earlier: Earlier = NOTHING_EARLIER,
    ) -> tuple[Outcome, bytes | None]:
        """Learn an example and its label at once. An id counts as a ticket: see ``tell``."""
        if id is not None:
            return self.tell(id, y, who, at, x, earlier)
        self._check_label(y)
        return self._learn(x, y, None, who, self.time(at))

    def _learn(
        self, x: Example, y: Label, ticket: TicketId | None, who: str, at: float
    ) -> tuple[Outcome, bytes | None]:
        with refusing():
            answers = self.lineup.answers(x, False)
            event = Learned(at, ticket, x, y, who, answers)
            self.learned(event)
        return Outcome("learned", ticket, self.position, answers[0].label), encode(event)

    def learned(self, event: Learned) -> None:
        """Apply the event; ValueError if the champion refuses it."""
        self.lineup.learn_example(event)
        if event.ticket is not None:
            self.close_learned(event)
        self.advance(event.at)

    def close_learned(self, event: Learned) -> None:
        """Close the ticket of an example that was learned with its label."""
        ticket = event.ticket
        assert ticket is not None
        self.tickets.unmatched.pop(ticket, None)
        if isinstance(ticket, str) and ticket not in self.tickets.closed:
            self.ids.add(ticket, "x", digest_of(event.x))
        self._answered(ticket, event.y, event.x)

    # closing -----------------------------------------------------------------------------------
    def dismiss(self, ticket: TicketId, who: str, at: float) -> tuple[Outcome, bytes | None]:
        """Close an open ticket without a label."""
        if ticket in self.tickets.open:
            event = Dismissed(self.time(at), ticket, who)
            self.apply(event)
            return Outcome("dismissed", ticket, self.position), encode(event)
        closed = self.tickets.closed.get(ticket)
        if closed is None:
            raise UnknownTicket(
                f"dismiss: ticket must be open, got {shortened(ticket)}, which is unknown. Pass one that predict gave"
            )
        if closed.how is How.ANSWERED:
            raise Conflict(f"dismiss: ticket must be open, got {shortened(ticket)}, which has a label")
        return Outcome("repeated" if closed.how is How.DISMISSED else "unwanted", ticket, self.position), None

    def expire(self, at: float) -> bytes | None:
        """Close what is too old at a time; None if nothing is."""
        after, at = self.spec.expire_after, self.time(at)
        if after is None or not self.tickets.has_older(at - after, at - after):
            return None
        event = Expired(at, at - after, at - after)
        self.apply(event)
        return encode(event)

    # contenders --------------------------------------------------------------------------------
    def change(self, event: AnyEvent, at: float) -> bytes:
        """Do what an event about contenders says; return its bytes.

        Parameters
        ----------
        event
            A ``ContenderAdded``, ``ContenderRemoved``, ``Promoted``, ``Imported`` or ``Opened``, with time 0.
        at
            The time.
        """
        fields = {name: getattr(event, name) for name in event.__struct_fields__}
        timed: AnyEvent = type(event)(**(fields | {"at": self.time(at)}))
        with refusing():
            self.apply(timed)
        return encode(timed)

    # replay ------------------------------------------------------------------------------------
    def apply(self, event: AnyEvent, data: bytes = b"") -> None:
        """Do what the event of a log says. ``Created`` and ``RolledBack`` are for ``recovery``.

        Parameters
        ----------
        event
            The event.
        data
            Its bytes, which an ``Asked`` event needs.
        """
        if isinstance(event, Asked):
            self.lineup.open_rounds(event.x, event.answers)
            self.asked(event, data)
        elif isinstance(event, Told):
            opened = self.tickets.open.get(event.ticket)
            if opened is None:
                self._keep(event)
            else:
                self._learn_open(asked_of(event.ticket, opened), event.y, event.at)
                self.advance(event.at)
        elif isinstance(event, Learned):
            self.learned(event)
        else:
            self._apply_rare(event)
            self.advance(event.at)

    def _apply_rare(self, event: AnyEvent) -> None:
        match event:
            case Dismissed():
                self.tickets.close(event.ticket, How.DISMISSED, None)
            case Expired():
                self.tickets.expire(event.before, event.unmatched_before)
            case ContenderAdded():
                self.lineup.add_challenger(event)
            case ContenderRemoved():
                self.lineup.remove(event)
            case Promoted():
                self.lineup.promote(event)
            case Imported():
                self.lineup.replace_learner(event)
            case Opened():
                self.tickets_above = event.tickets_above
            case _:
                raise ValueError(f"log: an event must change a model, got {type(event).__name__}")

    def rolled_back_to(self, before: HostedModel, event: RolledBack) -> None:
        """Make this state, which is that at ``event.to``, the one after the event.

        Parameters
        ----------
        before
            The model before the event.
        event
            The event.
        """
        self.position = before.position + 1
        self.last_at = event.at
        self.tickets_above = before.tickets_above
        self.ids.rolled_back.append((event.to, self.position))
        self.ids.rollbacks = before.ids.rollbacks + 1
        self.lineup.next_number = before.lineup.next_number
        self.tickets.forgotten = max(self.tickets.forgotten, before.tickets.forgotten)
