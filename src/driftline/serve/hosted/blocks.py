"""The events of batches, applied: live and in a replay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.scoreboard import Round
from driftline.serve.log.answer_columns import columns_of_batch
from driftline.serve.log.events import AskedMany, LearnedMany, TwoLabelAnswers
from driftline.serve.spec import Label


def rows_of(examples: list[Any]) -> Any:
    """Examples as ``learn_many`` takes them; None if they are not all of one kind."""
    kinds = {*map(type, examples)}
    if kinds == {dict}:
        return examples
    if kinds == {list} and len({*map(len, examples)}) == 1:
        return np.array(examples, np.float64)
    return None


def open_tickets(model: HostedModel, event: AskedMany) -> None:
    """Open the tickets of a batch. It is one event, so the tickets run ahead of the positions."""
    size = len(event.tickets)
    model.champion.board.count_asked(event.at, size)
    model.tickets.add_many(event)
    model.advance(event.at)
    model.tickets_above += size - 1


def count_learned(model: HostedModel, event: LearnedMany) -> None:
    """Compare the answers of a batch with the labels, after it was learned."""
    for one, answers in zip(model.contenders, event.answers, strict=True):
        columns, ys = columns_of_batch(answers), event.ys
        one.board.judge_columns(columns, ys, [event.at] * len(ys), partial(rounds_of, answers, ys))
    model.advance(event.at)


def judge_batches(model: HostedModel, answers: TwoLabelAnswers, ys: Sequence[Label], at: float) -> None:
    """``count_learned`` for the batches of one time and one contender, without their events."""
    rounds = partial(rounds_of, answers, ys)
    model.champion.board.judge_columns(columns_of_batch(answers), ys, [at] * len(ys), rounds)


def learn_batches(model: HostedModel, events: Sequence[LearnedMany]) -> None:
    """Learn batches of a log, which follow each other."""
    X = rows_of([x for event in events for x in event.xs])
    ys = [y for event in events for y in event.ys]
    if X is None:  # of different kinds
        for event in events:
            model.champion.learner.learn_many(rows_of(event.xs), event.ys)
    else:
        model.champion.learner.learn_many(X, ys)
    for event in events:
        count_learned(model, event)


def rounds_of(answers: TwoLabelAnswers, ys: Sequence[Label]) -> list[Round]:
    """The rounds of a batch."""
    no, yes = answers.negative, answers.positive
    scores, shares = (np.frombuffer(column, "<f8").tolist() for column in (answers.scores, answers.shares))
    return [
        (y, yes if score >= 0.0 else no, score, {yes: p, no: 1.0 - p} if p >= 0.5 else {no: 1.0 - p, yes: p})
        for y, score, p in zip(ys, scores, shares, strict=True)
    ]
