"""Many examples at once: answered, or learned with their labels, as one event of the log.

The learner and the scoreboard have the bits of ``HostedModel.ask`` and ``learn`` for each example in
turn, and the tickets have the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from driftline.internals.compiled import Floats
from driftline.learners.answered_rounds import columns_of, is_plain, learn_columns
from driftline.serve.errors import Refused
from driftline.serve.hosted.blocks import count_learned, open_tickets, rows_of
from driftline.serve.hosted.checks import checked_labels, refusing
from driftline.serve.hosted.contender import Contender
from driftline.serve.hosted.model import HostedModel
from driftline.serve.log.events import AskedMany, LearnedMany, TwoLabelAnswers, encode
from driftline.serve.results import Outcome, Prediction, json_key
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


def ask(
    model: HostedModel, rows: Any, X: Sequence[Example], at: float, text_keys: bool = False
) -> tuple[list[Prediction], bytes]:
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
    text_keys
        Whether the keys of ``probability`` are those of a JSON object.
    """
    champion, position = model.champion, model.position
    with refusing():
        scores, shares = columns_of(champion.learner, rows)
    answers = _answers(champion, scores, shares)
    first = model.tickets_above + position + 1
    tickets: list[Any] = list(range(first, first + len(X)))
    event = AskedMany(model.time(at), tickets, [Raw(encode(x)) for x in X], [answers])
    data = encode(event)
    open_tickets(model, event)
    no, yes = answers.negative, answers.positive
    below, above = (json_key(no), json_key(yes)) if text_keys else (no, yes)
    return [
        Prediction(
            ticket,
            yes if score >= 0.0 else no,
            {above: p, below: 1.0 - p} if p >= 0.5 else {below: 1.0 - p, above: p},
            score,
            position,
        )
        for ticket, score, p in zip(tickets, scores.tolist(), shares.tolist(), strict=True)
    ], data


def learn(
    model: HostedModel, rows: Any, X: Sequence[Example], ys: Sequence[Label], who: str, at: float
) -> tuple[list[Outcome], bytes]:
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
    champion = model.champion
    checked_labels(ys)
    try:
        encoded: Any = Raw(encode(X))  # before the learner changes
    except OverflowError as error:
        raise Refused(f"x must have numbers that the log can hold, got an example with another one: {error}") from None
    with refusing():
        scores, shares = learn_columns(champion.learner, rows, ys)
    answers = _answers(champion, scores, shares)
    event = LearnedMany(model.time(at), encoded, list(ys), who, [answers])
    count_learned(model, event)
    no, yes = answers.negative, answers.positive
    each = {said: Outcome("learned", None, model.position, said) for said in (yes, no)}
    return [each[yes if score >= 0.0 else no] for score in scores.tolist()], encode(event)


def _answers(champion: Contender, scores: Floats, shares: Floats) -> TwoLabelAnswers:
    """The answers of the only contender."""
    no, yes = champion.learner.labels
    return TwoLabelAnswers(champion.number, no, yes, scores.astype("<f8").tobytes(), shares.astype("<f8").tobytes())
