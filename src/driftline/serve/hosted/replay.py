"""Replay of many events: consecutive examples with labels are learned in bulk, with the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from driftline.serve.hosted.blocks import learn_batches, open_tickets, rows_of
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.scoreboard import Round
from driftline.serve.log.answer_columns import columns_of_examples, decode_answers
from driftline.serve.log.events import AnyEvent, AskedMany, Learned, LearnedMany, LearnedRow, decode, decode_page

IN_BULK = (tuple, Learned, LearnedMany, AskedMany)
LEAST = 8
"""Fewer examples are learned one by one."""


def replay(model: HostedModel, events: Sequence[AnyEvent | LearnedRow], datas: Sequence[bytes]) -> None:
    """Apply events in order.

    Parameters
    ----------
    model
        The model, which is changed.
    events, datas
        The events as ``decode_page`` returns them, and their bytes, without ``Created`` and
        ``RolledBack``.
    """
    start, size = 0, len(events)
    while start < size:
        stop = _run(events, start)
        part, encoded = events[start:stop], datas[start:stop]
        if type(part[0]) is LearnedMany:
            learn_batches(model, part)  # type: ignore[arg-type]
        elif type(part[0]) is AskedMany:
            for event in part:
                open_tickets(model, event)  # type: ignore[arg-type]
        elif len(part) < LEAST or not _learn(model, part, encoded):
            for event, data in zip(part, encoded, strict=True):
                model.apply(decode(data) if isinstance(event, tuple) else event, data)
        start = stop
        model.ids.new.clear()


def _run(events: Sequence[AnyEvent | LearnedRow], start: int) -> int:
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


def _learn(model: HostedModel, events: Sequence[Any], datas: Sequence[bytes]) -> bool:
    """Apply events that are all examples with labels; return False if they must go one by one."""
    rows = events if isinstance(events[0], tuple) else decode_page(datas)
    if not isinstance(rows[0], tuple):
        return False
    _, ats, tickets, xs, ys, _, encoded = zip(*rows, strict=True)
    columns = columns_of_examples(encoded) if len(model.contenders) == 1 else None
    answers = [*map(decode_answers, encoded)] if columns is None else []
    X = rows_of([*xs])
    if X is None or {*map(len, answers)} - {len(model.contenders)}:
        return False
    for place, one in enumerate(model.contenders):
        try:
            one.learner.learn_many(X, [*ys])
        except ValueError:
            if place == 0:
                raise
            _one_by_one(model, place, datas)
        else:
            rounds = partial(_rounds, datas, place)
            if columns is None:
                one.board.judge_many([each[place] for each in answers], ys, ats, rounds)
            else:
                one.board.judge_columns(columns, ys, ats, rounds)
    if tickets.count(None) < len(tickets):
        for ticket, data in zip(tickets, datas, strict=True):
            if ticket is not None:
                model.close_learned(decode(data))  # type: ignore[arg-type]
    model.position += len(rows)
    model.last_at = ats[-1]
    return True


def _rounds(datas: Sequence[bytes], place: int) -> list[Round]:
    """The rounds of one contender. To keep the bytes takes less time than to keep what they decode to."""
    events = [decode(data) for data in datas]
    answers = [(event.y, event.answers[place]) for event in events if isinstance(event, Learned)]
    return [(y, one.label, one.score, one.shares) for y, one in answers]


def _one_by_one(model: HostedModel, place: int, datas: Sequence[bytes]) -> None:
    """Let one challenger learn; it refuses some of the examples."""
    one = model.contenders[place]
    for event in map(decode, datas):
        assert isinstance(event, Learned)
        try:
            one.learner.learn_one(event.x, event.y)
        except ValueError:
            one.board.count_refused(event.at)
        else:
            one.board.judge(event.answers[place], event.y, event.at, None)
