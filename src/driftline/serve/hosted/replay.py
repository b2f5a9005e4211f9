"""Replay of many events: consecutive examples with labels are learned in bulk, with the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.scoreboard import Round
from driftline.serve.log.events import AnyEvent, Learned, decode

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
    only_learned = size >= LEAST and {*map(type, events)} == {Learned}
    while start < size:
        stop = size if only_learned else start
        while stop < size and type(events[stop]) is Learned:
            stop += 1
        if stop - start >= LEAST:
            _learn(model, events[start:stop], datas[start:stop])  # type: ignore[arg-type]
            start = stop
        else:
            stop = max(stop, start + 1)
            for event, data in zip(events[start:stop], datas[start:stop], strict=True):
                model.apply(event, data)
            start = stop
        model.ids.new.clear()


def _learn(model: HostedModel, events: Sequence[Learned], datas: Sequence[bytes]) -> None:
    """Apply events that are all examples with labels."""
    X, ys, ats = rows_of([event.x for event in events]), [event.y for event in events], [event.at for event in events]
    answers = [event.answers for event in events]
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


def rows_of(examples: list[Any]) -> Any:
    """Examples as ``learn_many`` takes them; None if they are not all of one kind."""
    kinds = {*map(type, examples)}
    if kinds == {dict}:
        return examples
    if kinds == {list} and len({*map(len, examples)}) == 1:
        return np.array(examples, np.float64)
    return None
