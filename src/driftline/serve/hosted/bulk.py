"""Many examples at once: answered, or learned with their labels, as one event of the log for each batch.

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
from driftline.serve.hosted.blocks import judge_batches, open_tickets, rows_of
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
    model: HostedModel, rows: Any, batches: Sequence[Sequence[Example]], at: float, text_keys: bool = False
) -> list[tuple[list[Prediction], bytes]]:
    """``HostedModel.ask`` each example without an id; Refused if one is refused, then nothing has changed.

    Parameters
    ----------
    model
        The model.
    rows
        The result of ``rows_for`` for the examples of all batches.
    batches
        The examples. Each batch is an event.
    at
        The time.
    text_keys
        Whether the keys of ``probability`` are those of a JSON object.
    """
    champion = model.champion
    with refusing():
        scores, shares = columns_of(champion.learner, rows)
    encoded: list[list[Any]] = [[Raw(encode(x)) for x in X] for X in batches]
    no, yes = champion.learner.labels
    below, above = (json_key(no), json_key(yes)) if text_keys else (no, yes)
    found, start = [], 0
    for xs in encoded:
        position, part = model.position, slice(start, start + len(xs))
        first = model.tickets_above + position + 1
        tickets: list[Any] = list(range(first, first + len(xs)))
        event = AskedMany(model.time(at), tickets, xs, [_answers(champion, scores[part], shares[part])])
        data = encode(event)
        open_tickets(model, event)
        predictions = [
            Prediction(
                ticket,
                yes if score >= 0.0 else no,
                {above: p, below: 1.0 - p} if p >= 0.5 else {below: 1.0 - p, above: p},
                score,
                position,
            )
            for ticket, score, p in zip(tickets, scores[part].tolist(), shares[part].tolist(), strict=True)
        ]
        found.append((predictions, data))
        start = part.stop
    return found


def learn(
    model: HostedModel, rows: Any, batches: Sequence[tuple[Sequence[Example], Sequence[Label], str]], at: float
) -> list[tuple[list[Outcome], bytes]]:
    """``HostedModel.learn`` each example without an id; Refused if one is refused, then nothing has changed.

    Parameters
    ----------
    model
        The model.
    rows
        The result of ``rows_for`` for the examples of all batches.
    batches
        The examples and labels, and the name of the caller. Each batch is an event.
    at
        The time.
    """
    champion, ys = model.champion, [y for _, labels, _ in batches for y in labels]
    checked_labels(ys)
    try:
        encoded: list[Any] = [Raw(encode(X)) for X, _, _ in batches]  # before the learner changes
    except OverflowError as error:
        raise Refused(f"x must have numbers that the log can hold, got an example with another one: {error}") from None
    with refusing():
        scores, shares = learn_columns(champion.learner, rows, ys)
    at, answers = model.time(at), _answers(champion, scores, shares)
    judge_batches(model, answers, ys, at)
    no, yes = answers.negative, answers.positive
    found, start = [], 0
    for xs, (_, labels, who) in zip(encoded, batches, strict=True):
        part = slice(start, start + len(labels))
        model.advance(at)
        each = {said: Outcome("learned", None, model.position, said) for said in (yes, no)}
        outcomes = [each[yes if positive else no] for positive in (scores[part] >= 0.0).tolist()]
        event = LearnedMany(at, xs, list(labels), who, [_answers(champion, scores[part], shares[part])])
        found.append((outcomes, encode(event)))
        start = part.stop
    return found


def _answers(champion: Contender, scores: Floats, shares: Floats) -> TwoLabelAnswers:
    """The answers of the only contender."""
    no, yes = champion.learner.labels
    return TwoLabelAnswers(champion.number, no, yes, scores.astype("<f8").tobytes(), shares.astype("<f8").tobytes())
