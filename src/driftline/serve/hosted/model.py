"""A hosted model: a state machine that answers, learns, and writes down what it did.

A live call returns its result and the event of the log, or no event if nothing has changed. After
``apply`` of the same events another instance has the same bits. Time is an argument: it never goes
backwards in the log. A call that raises an error changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from driftline.encode.faults import shortened
from driftline.serve.errors import Conflict, Refused, UnknownTicket
from driftline.serve.hosted.asking import Threshold, worth_of
from driftline.serve.hosted.checks import Earlier, checked_id, checked_label, key_of, label_text, same_label
from driftline.serve.hosted.contender import Contender, learner_of
from driftline.serve.hosted.scoreboard import Scoreboard
from driftline.serve.hosted.tickets import Closed, How, Tickets, Unmatched, asked_of, digest_of
from driftline.serve.log.events import (
    Answer,
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
        What the model is made of.
    limits
        The limits that its state depends on.
    position
        The number of events so far.
    last_at
        The time of the last event.
    tickets_above
        The number that is added to the position of an event to make a ticket.
    rolled_back
        The positions that no longer count, as pairs: those after the first, up to the second.
    contenders
        The champion, then the challengers.
    tickets
        Open and closed tickets.
    new_ids
        The ids that the calls so far have used, for the storage: key, kind and content. The caller
        takes and clears them.
    """

    def __init__(self, spec: Spec, limits: Limits) -> None:
        self.spec = spec
        self.limits = limits
        self.position = 0
        self.last_at = 0.0
        self.tickets_above = 0
        self.rolled_back: list[tuple[int, int]] = []
        self.contenders: list[Contender] = []
        self.next_number = 0
        self.tickets = Tickets(limits.max_open, limits.remember)
        self.threshold = Threshold(spec.asking.share) if isinstance(spec.asking, Budget) else None
        self.new_ids: list[tuple[str, str, str]] = []

    @classmethod
    def created(cls, event: Created) -> HostedModel:
        """The model after its first event; Refused if the library refuses it."""
        model = cls(event.spec, event.limits)
        with refusing():
            model._add(CHAMPION, event.spec, event.model)
        model._advance(event.at)
        return model

    @property
    def champion(self) -> Contender:
        """The contender whose answers are returned."""
        return self.contenders[0]

    def _advance(self, at: float) -> None:
        self.position += 1
        self.last_at = at

    def _time(self, at: float) -> float:
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
        at = self._time(at)
        with refusing():
            answers = self._answers(x, True)
        champion = answers[0]
        worth = worth_of(champion)
        wanted, answers = self._open_rounds(x, answers)
        if self.threshold is not None:
            wanted = wanted and self.threshold.wants(worth)
        event = Asked(at, ticket, x, answers, wanted, worth)
        position = self.position
        data = encode(event)
        self._asked(event, data)
        return (
            Prediction(ticket, champion.label, champion.shares, champion.score, position, wanted),
            data,
        )

    def _asked_before(self, x: Example, ticket: str, earlier: Earlier) -> Prediction | None:
        """The prediction for an id that was used before with the same example; None for a new id."""
        event, closed = self.tickets.open.get(ticket), self.tickets.closed.get(ticket)
        if event is not None:
            same = asked_of(event).x == x
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

    def _answers(self, x: Example, keep_records: bool) -> list[Answer]:
        """The answers of all contenders; ValueError if the champion refuses the example."""
        answers = [self.contenders[0].answer(x, keep_records)]
        for challenger in self.contenders[1:]:
            with suppress(ValueError):
                answers.append(challenger.answer(x, keep_records))
        return answers

    def _open_rounds(self, x: Example, answers: list[Answer]) -> tuple[bool, list[Answer]]:
        """Do what asking does to the learners; return whether the champion wants the label."""
        found = []
        for contender, answer in self._matched(answers):
            wanted = True
            if contender.asks or answer.record is not None:
                wanted = contender.open_round(x, answer)
            found.append(
                answer if wanted else Answer(answer.by, answer.label, answer.shares, answer.score, None, False)
            )
        return found[0].wanted, found

    def _matched(self, answers: list[Answer]) -> Iterator[tuple[Contender, Answer]]:
        """The contenders that gave answers, with these."""
        by = {answer.by: answer for answer in answers}
        return ((one, by[one.number]) for one in self.contenders if one.number in by)

    def _asked(self, event: Asked, data: bytes) -> None:
        """Open the ticket of an answered example, after its rounds were opened."""
        at, ticket, tickets = event.at, event.ticket, self.tickets
        if len(self.contenders) == 1:
            self.contenders[0].board.count_asked(at)
        else:
            answered = {answer.by for answer in event.answers}
            for one in self.contenders:
                (one.board.count_asked if one.number in answered else one.board.count_refused)(at)
        if self.threshold is not None:
            self.threshold.follow(event.wanted)
        if isinstance(ticket, str):
            self.new_ids.append((self.keys_of(ticket)[-1], "x", digest_of(event.x)))
        if event.wanted:
            tickets.add(ticket, at, data)
        else:
            tickets.close(ticket, How.UNWANTED, None, event.x)
        self._advance(at)
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
        checked_label(y)
        if isinstance(ticket, str):
            checked_id(ticket)
        at, tickets = self._time(at), self.tickets
        event = tickets.open.get(ticket)
        if event is not None:
            asked = asked_of(event)
            if x is not None and x != asked.x:
                raise Conflict(f"label: x must be the example of {shortened(ticket)}, got another one. Leave x out")
            told = Told(at, ticket, y, who)
            with refusing():
                self._learn_open(asked, y, at)
            self._advance(at)
            return Outcome("learned", ticket, self.position, asked.answers[0].label), encode(told)
        self._check_earlier(x, ticket, earlier)
        closed = tickets.closed.get(ticket)
        if closed is not None:
            outcome = self._told_again(ticket, y, closed, x)
            if outcome is not None:
                return outcome, None
        elif earlier.answer is not None:
            if earlier.answer == label_text(y):
                return Outcome("repeated", ticket, self.position), None
            raise _other_label(ticket, y, earlier.answer)
        if isinstance(ticket, int) and not 0 < ticket <= self.tickets_above + self.position:
            raise UnknownTicket(f"label: ticket must be one that the server gave, got {ticket}. Check the ticket")
        kept = tickets.unmatched.get(ticket)
        if kept is not None and not same_label(kept.y, y):
            raise _other_label(ticket, y, label_text(kept.y))
        if x is not None:
            learned = self._learn(x, y, ticket, who, at)
            if earlier.example is not None:  # the storage has the example already
                self.new_ids = [one for one in self.new_ids if one[1] != "x"]
            return learned
        if kept is not None:
            return Outcome("repeated", ticket, self.position), None
        if isinstance(ticket, int) or earlier.example is not None:
            raise UnknownTicket(
                f"label: ticket must be open, got {shortened(ticket)}, which was lost or closed long ago. "
                "Send the example with the label"
            )
        told = Told(at, ticket, y, who)
        self._keep(told)
        return Outcome("kept", ticket, self.position), encode(told)

    def _told_again(self, ticket: TicketId, y: Label, closed: Closed, x: Example | None) -> Outcome | None:
        """The outcome of a label for a closed ticket; None if the label is learned with its example."""
        if closed.how is How.ANSWERED:
            if closed.y is not None and same_label(closed.y, y):
                return Outcome("repeated", ticket, self.position)
            raise _other_label(ticket, y, label_text(closed.y))
        if closed.how is How.UNWANTED:
            return Outcome("unwanted", ticket, self.position)
        if closed.how is How.DISMISSED:
            raise Conflict(f"label: ticket must be open, got {shortened(ticket)}, which was dismissed. Learn it with x")
        if x is None:
            raise UnknownTicket(
                f"label: ticket must be open, got {shortened(ticket)}, which has expired. "
                "Send the example with the label"
            )
        return None

    def _check_earlier(self, x: Example | None, ticket: TicketId, earlier: Earlier) -> None:
        """Raise Conflict if a closed id had another example."""
        closed = self.tickets.closed.get(ticket)
        before = earlier.example if closed is None else closed.digest
        if x is not None and isinstance(ticket, str) and before and before != digest_of(x):
            raise Conflict(f"label: id must have the same example as before, got {shortened(ticket)} with another one")

    def _learn_open(self, asked: Asked, y: Label, at: float) -> None:
        """Learn the label of an open ticket; ValueError if the champion refuses it."""
        by = {answer.by: answer for answer in asked.answers}
        for place, one in enumerate(self.contenders):
            answer = by.get(one.number)
            try:
                one.learn(asked, answer, y)
            except ValueError:
                if place == 0:
                    raise
                one.board.count_refused(at)
            else:
                if answer is not None:
                    one.board.judge(answer, y, at, at - asked.at)
        self._answered(asked.ticket, y, None)

    def _answered(self, ticket: TicketId, y: Label, x: Example | None) -> None:
        """Close a ticket whose label was learned."""
        self.new_ids.append((self.keys_of(ticket)[-1], "y", label_text(y)))
        self.tickets.close(ticket, How.ANSWERED, y, x)

    def _keep(self, told: Told) -> None:
        """Keep the label of an unknown ticket."""
        self.tickets.keep(told.ticket, Unmatched(told.at, told.y, told.who))
        self._advance(told.at)

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
        checked_label(y)
        return self._learn(x, y, None, who, self._time(at))

    def _learn(
        self, x: Example, y: Label, ticket: TicketId | None, who: str, at: float
    ) -> tuple[Outcome, bytes | None]:
        with refusing():
            answers = self._answers(x, False)
            event = Learned(at, ticket, x, y, who, answers)
            self.learned(event)
        return Outcome("learned", ticket, self.position, answers[0].label), encode(event)

    def learned(self, event: Learned) -> None:
        """Apply the event; ValueError if the champion refuses it."""
        by = {answer.by: answer for answer in event.answers}
        for place, one in enumerate(self.contenders):
            answer = by.get(one.number)
            try:
                one.learner.learn_one(event.x, event.y)
            except ValueError:
                if place == 0:
                    raise
                one.board.count_refused(event.at)
            else:
                if answer is not None:
                    one.board.judge(answer, event.y, event.at, None)
        if event.ticket is not None:
            self.close_learned(event)
        self._advance(event.at)

    def close_learned(self, event: Learned) -> None:
        """Close the ticket of an example that was learned with its label."""
        ticket = event.ticket
        assert ticket is not None
        self.tickets.unmatched.pop(ticket, None)
        if isinstance(ticket, str) and ticket not in self.tickets.closed:
            self.new_ids.append((self.keys_of(ticket)[-1], "x", digest_of(event.x)))
        self._answered(ticket, event.y, event.x)

    # closing -----------------------------------------------------------------------------------
    def dismiss(self, ticket: TicketId, who: str, at: float) -> tuple[Outcome, bytes | None]:
        """Close an open ticket without a label."""
        if ticket in self.tickets.open:
            event = Dismissed(self._time(at), ticket, who)
            self.apply(event)
            return Outcome("dismissed", ticket, self.position), encode(event)
        closed = self.tickets.closed.get(ticket)
        if closed is None:
            raise UnknownTicket(f"dismiss: ticket must be open, got {shortened(ticket)}, which is unknown")
        if closed.how is How.ANSWERED:
            raise Conflict(f"dismiss: ticket must be open, got {shortened(ticket)}, which has a label")
        return Outcome("repeated" if closed.how is How.DISMISSED else "unwanted", ticket, self.position), None

    def expire(self, at: float) -> bytes | None:
        """Close what is too old at a time; None if nothing is."""
        after, at = self.spec.expire_after, self._time(at)
        if after is None or not self.tickets.has_older(at - after, at - after):
            return None
        event = Expired(at, at - after, at - after)
        self.apply(event)
        return encode(event)

    # contenders --------------------------------------------------------------------------------
    def _add(self, name: str, spec: Spec, model: bytes | None) -> None:
        learner = learner_of(spec, model)
        board = Scoreboard(self.limits.window, learner.rule.regresses)
        self.contenders.append(Contender(self.next_number, name, spec, learner, board))
        self.next_number += 1

    def contender(self, name: str | None) -> Contender:
        """The contender of a name; None is the champion. UnknownTicket if there is none."""
        for one in self.contenders:
            if name is None or one.name == name:
                return one
        raise UnknownTicket(f"contender must be one of {[one.name for one in self.contenders]}, got {shortened(name)}")

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
        timed: AnyEvent = type(event)(**(fields | {"at": self._time(at)}))
        with refusing():
            self.apply(timed)
        return encode(timed)

    def opened(self, stride: int, at: float) -> tuple[Opened, bytes]:
        """The event of the start of a server, which is not applied yet, and its bytes.

        Parameters
        ----------
        stride
            How far the tickets of this start are above those of the last one.
        at
            The time.
        """
        event = Opened(self._time(at), self.tickets_above + stride)
        return event, encode(event)

    def _add_challenger(self, event: ContenderAdded) -> None:
        checked_id(event.name)
        if any(one.name == event.name for one in self.contenders):
            raise Conflict(f"challenger: name must be new, got {shortened(event.name)}. Choose another name")
        self._add(event.name, event.spec, event.model)
        if self.contenders[-1].board.regresses != self.champion.board.regresses:
            self.contenders.pop()
            self.next_number -= 1
            raise ValueError("challenger: a challenger must predict what the champion predicts, got another task")

    def _remove_challenger(self, event: ContenderRemoved) -> None:
        one = self.contender(event.name)
        if one is self.champion:
            raise Conflict(f"challenger: name must be that of a challenger, got the champion {event.name!r}")
        self.contenders.remove(one)

    def _promote(self, event: Promoted) -> None:
        one = self.contender(event.name)
        if one is self.champion:
            raise Conflict(f"promote: name must be that of a challenger, got the champion {event.name!r}")
        place = self.contenders.index(one)
        self.contenders[0], self.contenders[place] = one, self.contenders[0]

    def _import(self, event: Imported) -> None:
        learner = learner_of(self.champion.spec, event.model)
        if learner.rule.regresses != self.champion.board.regresses:
            raise ValueError("import: the model must predict what the champion predicts, got another task")
        self.champion.learner = learner

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
            self._open_rounds(event.x, event.answers)
            self._asked(event, data)
        elif isinstance(event, Told):
            opened = self.tickets.open.get(event.ticket)
            if opened is None:
                self._keep(event)
            else:
                self._learn_open(asked_of(opened), event.y, event.at)
                self._advance(event.at)
        elif isinstance(event, Learned):
            self.learned(event)
        else:
            self._apply_rare(event)
            self._advance(event.at)

    def _apply_rare(self, event: AnyEvent) -> None:
        match event:
            case Dismissed():
                self.tickets.close(event.ticket, How.DISMISSED, None)
            case Expired():
                self.tickets.expire(event.before, event.unmatched_before)
            case ContenderAdded():
                self._add_challenger(event)
            case ContenderRemoved():
                self._remove_challenger(event)
            case Promoted():
                self._promote(event)
            case Imported():
                self._import(event)
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
        self.rolled_back = [*before.rolled_back, (event.to, self.position)]
        self.next_number = before.next_number
        self.tickets.forgotten = max(self.tickets.forgotten, before.tickets.forgotten)

    def keys_of(self, ticket: TicketId) -> list[str]:
        """The keys of a ticket in the storage, one for each time between rollbacks; the last is in use.

        The storage takes a key once. After a rollback the same id may be used again.
        """
        key = key_of(ticket)
        return [key, *(f"{k}{key}" for k in range(1, len(self.rolled_back) + 1))]

    def earlier(self, ticket: TicketId, rows: dict[str, dict[str, tuple[int, str]]]) -> Earlier:
        """What the storage knows of a ticket.

        Parameters
        ----------
        ticket
            The ticket.
        rows
            For each kind ("x" and "y"), key to position and content, as found for ``keys_of``.
        """
        found: dict[str, str] = {}
        for kind, known in rows.items():
            for key in self.keys_of(ticket):
                if key in known and self.counts(known[key][0]):
                    found[kind] = known[key][1]
        return Earlier(found.get("x"), found.get("y"))

    def is_known(self, ticket: TicketId) -> bool:
        """Whether the memory tells all about a ticket, so that the storage need not be asked."""
        tickets = self.tickets
        return not tickets.forgotten or ticket in tickets.open or ticket in tickets.closed

    def counts(self, position: int) -> bool:
        """Whether an event still counts, after all rollbacks."""
        return not any(first < position <= last for first, last in self.rolled_back)


def _other_label(ticket: TicketId, y: Label, before: str) -> Conflict:
    return Conflict(
        f"label: a ticket must have one label, got {shortened(y)} for {shortened(ticket)} after {before}. "
        "Correct the first label before you send it"
    )


class refusing:  # noqa: N801
    """A context that turns errors of the library into Refused."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is not None and issubclass(kind, ValueError):
            raise Refused(str(error)) from None
