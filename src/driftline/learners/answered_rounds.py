"""The two halves of a late round: the answer to an example, and later the learning of its label.

``Pending`` keeps tickets between the halves. Other owners of tickets call the same functions, and
learn the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.learners import LabelEfficient, Learner, SeveralClasses
from driftline.learners.late_rounds import learn_late
from driftline.learners.several_classes import leads
from driftline.learners.tracker_probabilities import CalibratedVote


class Answer(NamedTuple):
    """What a learner says about an example.

    Attributes
    ----------
    score
        The score, as ``Learner.score_one`` returns it.
    label
        The predicted label; None if no label is known yet.
    probability
        The probability of each known label, as ``predict_proba_one`` returns it; empty for a regressor.
    record
        What a learner with experts needs to judge them when the label comes; None for other learners.
    """

    score: float
    label: Any
    probability: dict[Any, float]
    record: Floats | None


@whole_call
def answer_of(learner: Learner, x: Any, keep_record: bool = True) -> Answer:
    """Score an example once, and return what ``score_one``, ``predict_one`` and ``predict_proba_one`` return.

    Only a ``Tracker`` with the light bank takes two passes: its probability needs another one.

    Parameters
    ----------
    learner
        The learner.
    x
        The example.
    keep_record
        Whether the label comes later, so that a learner with experts makes a record. Such a learner
        then judges its experts as late from now on.
    """
    labels = learner._labels
    if learner._engine.judges_late:
        return _of_bank(cast(CalibratedVote, learner), x, keep_record)
    if learner.rule.several:
        several = cast(SeveralClasses, learner)
        scores = several._class_scores(x)
        shares = several._predict_proba_one(x) if isinstance(learner, CalibratedVote) else several._shares_of(scores)
        return Answer(_lead(learner, scores), _first_best(learner, scores), shares, None)
    score = learner._score_one(x)
    label = labels.of(score)
    if learner.rule.regresses:
        return Answer(score, label, {}, None)
    if isinstance(learner, CalibratedVote):
        return Answer(score, label, learner._predict_proba_one(x), None)
    return Answer(score, label, learner._shares_at(score), None)


def is_plain(learner: Learner) -> bool:
    """Whether ``columns_of`` and ``learn_columns`` take a learner: it has learned, two labels, and no experts.

    Parameters
    ----------
    learner
        The learner.
    """
    if learner.rule.several or learner.rule.regresses or isinstance(learner, CalibratedVote | LabelEfficient):
        return False
    recent = learner._recent
    return recent is not None and recent.rounds > 0 and len(learner._labels.known()) == 2


@whole_call
def columns_of(learner: Learner, X: Any) -> tuple[Floats, Floats]:
    """The score of each example, and the probability of the positive label; the learner must be plain.

    They are those of ``answer_of``.

    Parameters
    ----------
    learner
        The learner.
    X
        The examples, as ``score_many`` takes them.
    """
    scores = learner._score_many(X)
    return scores, learner._probabilities_of(scores)[:, 1]


def learn_columns(learner: Learner, X: Any, ys: Any) -> tuple[Floats, Floats]:
    """``columns_of`` each example before it is learned, as by ``learn_one``; the learner must be plain.

    Parameters
    ----------
    learner
        The learner. After an error it has learned nothing.
    X, ys
        The examples and their labels, as ``learn_many`` takes them.
    """
    block = learner.learn_block(X, ys, keep_probabilities=True)
    assert block.probabilities is not None
    return block.scores, block.probabilities[:, 1]


def _of_bank(learner: CalibratedVote, x: Any, keep_record: bool) -> Answer:
    """The answer of the strong bank, which finds score, probability and record in one pass."""
    labels, several, bank = learner._labels.known(), learner.rule.several, learner._engine.bank
    scores, shares = learner._empty_scores(1), learner._empty_scores(1)
    row = learner._example(x)
    both = scores.reshape(1, -1), shares.reshape(1, -1)
    record = None
    if keep_record:
        records = np.zeros((1, bank.expect_late_labels()))
        bank.score(row, *both, records)
        record = records[0]
    else:
        bank.score(row, *both)
    if not np.isfinite(scores).all():
        raise learner._overflow(None)
    if several:
        order = np.argsort(-shares[0], kind="stable").tolist()
        probability = {labels[k]: shares.item(k) for k in order}
        return Answer(_lead(learner, scores), _first_best(learner, scores), probability, record)
    score, p = scores.item(), shares.item()
    if len(labels) < 2:
        return Answer(score, learner._labels.of(score), dict.fromkeys(labels, 1.0), record)
    negative, positive = labels
    pair = {positive: p, negative: 1.0 - p} if p >= 0.5 else {negative: 1.0 - p, positive: p}
    return Answer(score, learner._labels.of(score), pair, record)


def _lead(learner: Learner, scores: Floats) -> float:
    """``score_one`` of several classes, given their scores."""
    lead: float = leads(scores).item()
    if not np.isfinite(lead):
        raise learner._overflow(None)
    return lead


def _first_best(learner: Learner, scores: Floats) -> Any:
    """The first label with the highest score; None if no label is known."""
    labels = learner._labels.known()
    return labels[int(np.argmax(scores[0]))] if labels else None


def open_round(learner: Learner, x: Any, record: Floats | None) -> bool:
    """Do what asking does to a learner, and return whether it wants the label.

    A ``LabelEfficient`` learner draws and counts the round. A learner with experts judges them as
    late from now on, if there is a record.

    Parameters
    ----------
    learner
        The learner.
    x
        The example.
    record
        The record of the answer.
    """
    if record is not None and learner._engine.judges_late:
        cast(Any, learner._engine).bank.expect_late_labels()
    return learner.open_round(x) if isinstance(learner, LabelEfficient) else True


def learn_label(learner: Learner, x: Any, y: Any, record: Floats | None) -> None:
    """Learn the label of an example that was answered, and wanted, earlier.

    Parameters
    ----------
    learner
        The learner.
    x, y
        The example and its label.
    record
        The record of the answer.
    """
    if isinstance(learner, LabelEfficient):
        learner.close_round(x, y)
    elif record is not None and learner._engine.judges_late:
        learn_late(learner, x, y, record)
    else:
        learner.learn_one(x, y)
