"""Replay of many events: consecutive examples with labels are learned in bulk, with the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter

from driftline.serve.hosted.blocks import learn_batches, open_tickets, rows_of
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.scoreboard import Round
from driftline.serve.log.events import AnyEvent, AskedMany, Learned, LearnedMany, decode

IN_BULK = (Learned, LearnedMany, AskedMany)
COLUMNS = attrgetter("x", "y", "at", "ticket", "answers")
LEAST = 8
"""Fewer examples are learned one by one."""


def replay(model: HostedModel, events: Sequence[AnyEvent], datas: Sequence[bytes]) -> None:
    """Apply events in order.

    Parameters
    ----------
    model
        The model, which is changed.
    events, datas
        The events and their bytes, without ``Created`` and ``RolledBack``.
    """
    start, size = 0, len(events)
    while start < size:
        stop = _run(events, start)
        part = events[start:stop]
        if type(part[0]) is LearnedMany:
            learn_batches(model, part)  # type: ignore[arg-type]
        elif type(part[0]) is AskedMany:
            for event in part:
                open_tickets(model, event)  # type: ignore[arg-type]
        elif len(part) >= LEAST:
            _learn(model, part, datas[start:stop])  # type: ignore[arg-type]
        else:
            for event, data in zip(part, datas[start:stop], strict=True):
                model.apply(event, data)
        start = stop
        model.ids.new.clear()


def _run(events: Sequence[AnyEvent], start: int) -> int:
    """The end of the run of events of one kind from `start`, if that kind is applied in bulk."""
    kind = type(events[start])
    if kind not in IN_BULK:
        return start + 1
    if start == 0 and {*map(type, events)} == {kind}:
        return len(events)
    stop = start + 1
    while stop < len(events) and type(events[stop]) is kind:
        stop += 1
    return stop


def _learn(model: HostedModel, events: Sequence[Learned], datas: Sequence[bytes]) -> None:
    """Apply events that are all examples with labels."""
    xs, ys, ats, tickets, answers = (list(column) for column in zip(*map(COLUMNS, events), strict=True))
    X = rows_of(xs)
    whole = X is not None and {*map(len, answers)} == {len(model.contenders)}
    if not whole:
        for event in events:
            model.learned(event)
        return
    for place, one in enumerate(model.contenders):
        own = [each[place] for each in answers]
        try:
            one.learner.learn_many(X, ys)
        except ValueError:
            if place == 0:
                raise
            _one_by_one(model, place, events)
        else:
            one.board.judge_many(own, ys, ats, partial(_rounds, datas, place))
    if tickets.count(None) < len(tickets):
        for event in [event for event in events if event.ticket is not None]:
            model.close_learned(event)
    model.position += len(events)
    model.last_at = ats[-1]


def _rounds(datas: Sequence[bytes], place: int) -> list[Round]:
    """The rounds of one contender. To keep the bytes takes less time than to keep what they decode to."""
    events = [decode(data) for data in datas]
    answers = [(event.y, event.answers[place]) for event in events if isinstance(event, Learned)]
    return [(y, one.label, one.score, one.shares) for y, one in answers]


def _one_by_one(model: HostedModel, place: int, events: Sequence[Learned]) -> None:
    """Let one challenger learn; it refuses some of the examples."""
    one = model.contenders[place]
    for event in events:
        try:
            one.learner.learn_one(event.x, event.y)
        except ValueError:
            one.board.count_refused(event.at)
        else:
            one.board.judge(event.answers[place], event.y, event.at, None)
