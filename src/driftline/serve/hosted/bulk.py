"""Many examples at once: answered, or learned with their labels, as one by one but faster.

The events and the state are those of ``HostedModel.ask`` and ``learn`` for each example in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.learners.answered_rounds import answers_of, is_plain, learn_answered
from driftline.serve.hosted.asking import worth_of
from driftline.serve.hosted.checks import checked_label, refusing
from driftline.serve.hosted.model import HostedModel
from driftline.serve.hosted.replay import rows_of
from driftline.serve.log.events import Answer, Asked, Learned, encode
from driftline.serve.results import Outcome, Prediction
from driftline.serve.spec import Example, Label


def rows_for(model: HostedModel, X: list[Example]) -> Any:
    """The examples as ``learn_many`` takes them; None if they must go one by one.

    Parameters
    ----------
    model
        The model. It must have one contender, which learns every label, and no label that waits for
        its example.
    X
        The examples, all of one kind.
    """
    alone = len(model.contenders) == 1 and model.threshold is None and not model.tickets.unmatched
    return rows_of(X) if alone and is_plain(model.champion.learner) else None


def ask(model: HostedModel, rows: Any, X: Sequence[Example], at: float) -> tuple[list[Prediction], list[bytes]]:
    """``HostedModel.ask`` each example without an id; Refused if one is refused, then nothing has changed.

    Parameters
    ----------
    model
        The model.
    rows
        The result of ``rows_for``.
    X
        The examples.
    at
        The time.
    """
    champion, at = model.champion, model.time(at)
    with refusing():
        answers = answers_of(champion.learner, rows)
    predictions, events = [], []
    for x, (score, label, shares) in zip(X, answers, strict=True):
        position = model.position
        ticket = model.tickets_above + position + 1
        answer = Answer(champion.number, label, shares, score)
        event = Asked(at, ticket, x, [answer], True, worth_of(answer))
        data = encode(event)
        model.asked(event, data)
        predictions.append(Prediction(ticket, label, shares, score, position))
        events.append(data)
    return predictions, events


def learn(
    model: HostedModel, rows: Any, X: Sequence[Example], ys: Sequence[Label], who: str, at: float
) -> tuple[list[Outcome], list[bytes]]:
    """``HostedModel.learn`` each example without an id; Refused if one is refused, then nothing has changed.

    Parameters
    ----------
    model
        The model.
    rows
        The result of ``rows_for``.
    X, ys
        The examples and their labels.
    who
        The name of the caller.
    at
        The time.
    """
    champion, at = model.champion, model.time(at)
    for y in ys:
        checked_label(y)
    with refusing():
        found = learn_answered(champion.learner, rows, ys)
    answers = [Answer(champion.number, label, shares, score) for score, label, shares in found]
    champion.board.judge_many(answers, ys, [at] * len(ys))
    events = [encode(Learned(at, None, x, y, who, [one])) for x, y, one in zip(X, ys, answers, strict=True)]
    first = model.position + 1
    outcomes = [Outcome("learned", None, position, one.label) for position, one in enumerate(answers, first)]
    model.position += len(ys)
    model.last_at = at
    return outcomes, events
