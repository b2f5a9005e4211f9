"""Open tickets: examples that were predicted and wait for their labels."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any, Self

from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared, whole_call
from driftline.internals.require import require, whole
from driftline.learners import Learner
from driftline.learners.answered_rounds import Answer, answer_of, learn_label, open_round
from driftline.pending.clock import A_TIME, HEAD, WHERE, clock_bits, is_time, time_of
from driftline.pending.compact_rows import Shapes, compact, restored
from driftline.pending.ticket import Closed, Ticket, TicketId, checked_id, plain_label

if TYPE_CHECKING:
    from driftline.pending.pending_files import FrozenTickets

SLACK = 1024
"""Closed tickets that may wait in the line of open ones before it is cleared."""


class Pending(Shared):
    """The open tickets of a learner whose labels come late.

    ``ask`` predicts an example and returns a ticket. ``tell`` learns its label when it has come:
    at any time, in any order, also in another process after ``save`` and ``load``. An example is
    learned once, as ``learner.learn_one`` learns it at the moment of ``tell``. A ``Tracker`` with the
    strong bank also judges its experts by what they said in ``ask``.

    Memory is bounded: examples are stored in compact form, and the oldest of more than ``limit``
    open tickets expires. Any number of threads may use one object. A call that raises an error
    changes nothing.

    With ``LabelEfficient`` the round takes place in ``ask``: its random draw decides whether the
    label is wanted, and the round is counted. ``tell`` learns the label of a wanted ticket without
    another draw. A ticket that is not wanted is closed at once; ``tell`` takes its label and
    learns nothing.

    Parameters
    ----------
    learner : Learner
        The learner. It is trained in place.
    limit : int, default=10_000_000
        The largest number of open tickets, at least 1. If one more is asked, the oldest expires.
    remember : int, default=100_000
        The number of closed tickets that are remembered, at least 1. The same answer to a
        remembered ticket is accepted again. A forgotten ticket cannot be told from one that never
        existed.

    Attributes
    ----------
    learner
        The learner.
    limit, remember
        The parameters.

    Examples
    --------
    >>> import driftline as dl
    >>> pending = dl.Pending(dl.PA1(labels=("no", "yes")))
    >>> first, second = pending.ask({"a": 1.0}), pending.ask({"b": 2.0}, id="order-17")
    >>> pending.tell("order-17", "no"), pending.tell(first, "yes"), pending.tell(first.id, "yes")
    (True, True, False)
    >>> pending.ask({"b": 1.0}).label, len(pending), pending.told
    ('no', 1, 2)
    """

    def __init__(self, learner: Learner, *, limit: int = 10_000_000, remember: int = 100_000) -> None:
        require(isinstance(learner, Learner), WHERE, "learner must be a driftline learner", learner, "Pass dl.PA1()")
        self.learner = learner
        whole(WHERE, "limit", limit, 1)
        whole(WHERE, "remember", remember, 1)
        self.limit, self.remember = int(limit), int(remember)
        self._open: dict[TicketId, bytes] = {}
        self._records: dict[TicketId, Floats] = {}
        """The records of open tickets, by which a learner with experts judges them."""
        self._line: deque[TicketId] = deque()
        """The open tickets, oldest first, among closed ones."""
        self._closed: OrderedDict[TicketId, tuple[Closed, Any]] = OrderedDict()
        self._shapes = Shapes()
        self._predicted_labels: list[Any] = []
        """The labels that were predicted."""
        self._label_numbers: dict[Any, int] = {}
        self._next = 0
        self._asked = self._told = self._mistakes = self._expired = 0

    # asking and telling ------------------------------------------------------------------------
    @whole_call
    def ask(self, x: Any, *, id: TicketId | None = None, at: float | None = None) -> Ticket:  # noqa: A002
        """Predict an example, and open a ticket for its label.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row. It is copied.
        id
            The id of the ticket, an int or str that no open or remembered ticket has. None takes
            the next whole number, which is larger than all before.
        at
            The time of the example on the caller's clock, for ``expire``: a finite number. A
            ticket without a time does not expire by time.

        Returns
        -------
        Ticket
            The id and the prediction.
        """
        key = self._next if id is None else self._new_id(id)
        clock = clock_bits(at)
        answer = answer_of(self.learner, x)
        return Ticket(key, answer.label, answer.probability, answer.score, self._admit(key, x, answer, clock))

    @whole_call
    def glance(self, x: Any) -> Answer:
        """Answer an example without a ticket. ``admit`` opens the ticket, now or from a log.

        Parameters
        ----------
        x
            The example.

        Returns
        -------
        Answer
            The score, the label, the probabilities and the record of the experts.
        """
        return answer_of(self.learner, x)

    @whole_call
    def admit(self, id: TicketId, x: Any, answer: Answer, at: float | None = None) -> bool:  # noqa: A002
        """Open a ticket for an example that was answered, without scoring it again.

        ``ask`` is ``glance`` and ``admit``. A log of ids, examples and answers therefore restores
        the same tickets. ``LabelEfficient`` draws again, with the same result.

        Parameters
        ----------
        id, x, at
            As for ``ask``.
        answer
            What ``glance`` returned for the example.

        Returns
        -------
        bool
            Whether the label is wanted.
        """
        return self._admit(self._new_id(id), x, answer, clock_bits(at))

    def _admit(self, key: TicketId, x: Any, answer: Answer, clock: tuple[int, int]) -> bool:
        shape, values = compact(x)
        wanted = open_round(self.learner, x, answer.record)
        if wanted:
            if answer.record is not None:
                self._records[key] = answer.record
            head = HEAD.pack(self._shapes.add(shape), self._label_number(answer.label), *clock)
            self._open[key] = head + values
            self._line.append(key)
            while len(self._open) > self.limit:
                self._expire(self._oldest())
        else:
            self._close(key, Closed.UNWANTED, None)
        if isinstance(key, int):
            self._next = max(self._next, key + 1)
        self._asked += 1
        return wanted

    @whole_call
    def tell(self, ticket: Ticket | TicketId, y: Any) -> bool:
        """Learn the label of a ticket, once.

        Parameters
        ----------
        ticket
            The ticket, or its id.
        y
            The label.

        Returns
        -------
        bool
            Whether the label was learned. False if the same label was told before, or if the
            ticket was not wanted.
        """
        key = ticket.id if isinstance(ticket, Ticket) else checked_id(ticket)
        stored = self._open.get(key)
        if stored is None:
            return self._told_again(key, y)
        x, learner = restored(self._shapes[HEAD.unpack_from(stored)[0]], stored[HEAD.size :]), self.learner
        seen = learner.n_seen
        try:
            learn_label(learner, x, y, self._records.get(key))
        except Exception:
            raise
        except BaseException:
            if learner.n_seen != seen:  # the interrupt came after the learning
                self._answer(key, y)
            raise
        self._answer(key, y)
        return True

    def _answer(self, key: TicketId, y: Any) -> None:
        """Close a ticket whose label was learned."""
        number, answer = HEAD.unpack_from(self._open[key])[1], plain_label(y)
        regresses = self.learner.rule.regresses
        self._mistakes += not regresses and (number < 0 or self._predicted_labels[number] != answer)
        self._told += 1
        self._drop(key)
        self._close(key, Closed.ANSWERED, answer)

    def _told_again(self, key: TicketId, y: Any) -> bool:
        """Accept the same answer again; raise for any other ticket that is not open."""
        how, answer = self._closed.get(key, (None, None))
        if how is Closed.UNWANTED or (how is Closed.ANSWERED and answer == plain_label(y)):
            return False
        if how is Closed.ANSWERED:
            raise ValueError(
                f"{WHERE}: a ticket must have one answer, got {shortened(y)} for {key!r} after {shortened(answer)}. "
                "Correct the first answer before you tell it"
            )
        if how is Closed.EXPIRED:
            raise ValueError(
                f"{WHERE}: a ticket must be open, got {key!r}, which has expired. Raise limit, or expire later"
            )
        maybe = " or closed long ago" if isinstance(key, int) and 0 <= key < self._next else ""
        raise ValueError(
            f"{WHERE}: a ticket must be open, got {key!r}, which is unknown{maybe}. "
            f"Pass a ticket of ask, or its id; the last {self.remember:,} closed tickets are remembered"
        )

    @whole_call
    def expire(self, before: float) -> int:
        """Close the open tickets of examples before a time on the caller's clock.

        Parameters
        ----------
        before
            Tickets with an earlier time (``at`` of ``ask``) expire.

        Returns
        -------
        int
            The number of tickets that expired.
        """
        require(is_time(before), f"{WHERE}.expire", "before must be a finite number", before, A_TIME)
        old = [key for key, stored in self._open.items() if (time := time_of(stored)) is not None and time < before]
        for key in old:
            self._expire(key)
        return len(old)

    # tickets -----------------------------------------------------------------------------------
    def _new_id(self, given: Any) -> TicketId:
        key = checked_id(given)
        if key in self._open or key in self._closed:
            raise ValueError(f"{WHERE}: id must be new, got {key!r}, which an earlier ticket has. Choose another one")
        return key

    def _label_number(self, label: Any) -> int:
        if label is None or self.learner.rule.regresses:
            return -1
        if label not in self._label_numbers:
            self._label_numbers[label] = len(self._predicted_labels)
            self._predicted_labels.append(label)
        return self._label_numbers[label]

    def _oldest(self) -> TicketId:
        """The oldest open ticket; closed ones before it leave the line."""
        while self._line[0] not in self._open:
            self._line.popleft()
        return self._line[0]

    def _expire(self, key: TicketId) -> None:
        self._drop(key)
        self._close(key, Closed.EXPIRED, None)
        self._expired += 1

    def _drop(self, key: TicketId) -> None:
        """Forget the example of a ticket."""
        stored = self._open.pop(key)
        self._records.pop(key, None)
        self._shapes.remove(HEAD.unpack_from(stored)[0])
        if len(self._line) > 2 * len(self._open) + SLACK:
            self._line = deque(self._open)

    def _close(self, key: TicketId, how: Closed, answer: Any) -> None:
        """Remember a closed ticket; forget the oldest of too many."""
        self._closed[key] = how, answer
        while len(self._closed) > self.remember:
            self._closed.popitem(last=False)

    # counts ------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self._open)

    @property
    @whole_call
    def open(self) -> list[TicketId]:
        """The ids of the open tickets, oldest first."""
        return list(self._open)

    @property
    def asked(self) -> int:
        """The number of tickets so far."""
        return self._asked

    @property
    def told(self) -> int:
        """The number of labels learned."""
        return self._told

    @property
    def mistakes(self) -> int:
        """The number of labels learned that differ from the label that was predicted by ``ask``.

        It is 0 for a regressor, which makes no mistakes.
        """
        return self._mistakes

    @property
    def expired(self) -> int:
        """The number of tickets that expired."""
        return self._expired

    def __repr__(self) -> str:
        mistakes = "" if self.learner.rule.regresses else f"{self.mistakes:,} mistakes, "
        return (
            f"<Pending {self.learner!r}: {len(self):,} open, {self.asked:,} asked, {self.told:,} told, "
            f"{mistakes}{self.expired:,} expired>"
        )

    # saving ------------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the learner and its tickets to a file; ``Pending.load`` reads it.

        Labels must be str, int, float or bool. If saving fails, an existing file is left unchanged.

        Parameters
        ----------
        path
            The file to write.
        """
        from driftline.pending.pending_files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read saved tickets and their learner, which continue with the same bits.

        Parameters
        ----------
        path
            A file written by ``save``. As for ``driftline.load``, it may come from a stranger.

        Returns
        -------
        Pending
            The tickets, with their learner as ``learner``.
        """
        from driftline.pending.pending_files import load

        pending = cls.__new__(cls)
        load(pending, path)
        return pending

    def to_bytes(self) -> bytes:
        """The bytes of the file that ``save`` writes."""
        return self.freeze().to_bytes()

    def freeze(self) -> FrozenTickets:
        """The learner and the tickets of this moment, to be written later, in any thread.

        It takes much less time than ``to_bytes``: the tickets are not encoded yet.
        """
        from driftline.pending.pending_files import freeze

        return freeze(self)

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        """Tickets and their learner from what ``to_bytes`` returned.

        Parameters
        ----------
        data
            The bytes. They are checked like a file: see ``load``.
        """
        from driftline.pending.pending_files import load_bytes

        pending = cls.__new__(cls)
        load_bytes(pending, data)
        return pending
