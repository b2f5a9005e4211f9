"""A contender: a learner that answers and learns, and its scoreboard."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.encode import Hashing
from driftline.encode.faults import shortened
from driftline.internals.compiled import Floats
from driftline.learners import REGISTRY, LabelEfficient, Learner
from driftline.learners.answered_rounds import answer_of, learn_label, open_round
from driftline.learners.options import parameter_names
from driftline.saved import from_bytes
from driftline.serve.hosted.scoreboard import Scoreboard
from driftline.serve.log.events import Answer, Asked, encode
from driftline.serve.spec import Budget, Efficient, Example, Label, Spec


class Contender:
    """The champion or a challenger.

    Parameters
    ----------
    number
        Its number, which no other contender of the model ever had.
    name
        Its name.
    spec
        Its specification.
    learner
        Its learner.
    board
        Its scoreboard.
    """

    def __init__(self, number: int, name: str, spec: Spec, learner: Learner, board: Scoreboard) -> None:
        self.number = number
        self.name = name
        self.spec = spec
        self.learner = learner
        self.board = board

    @property
    def asks(self) -> bool:
        """Whether the learner decides itself which labels it wants."""
        return isinstance(self.learner, LabelEfficient)

    def answer(self, x: Example, keep_record: bool) -> Answer:
        """What the learner says about an example; ValueError if it refuses the example."""
        score, label, shares, record = answer_of(self.learner, x, keep_record)
        if record is None and shares:
            return Answer(self.number, label, shares, score)
        bits = None if record is None else record.tobytes()
        return Answer(self.number, label, None if self.board.regresses else shares, score, bits)

    def open_round(self, x: Example, answer: Answer) -> bool:
        """Do what asking does to the learner, and return whether it wants the label."""
        return open_round(self.learner, x, _floats(answer.record))

    def learn(self, asked: Asked, answer: Answer | None, y: Label) -> None:
        """Learn the label of a ticket; ValueError if the learner refuses it."""
        if answer is None:  # the ticket is older than the contender
            self.learner.learn_one(asked.x, y)
        elif answer.wanted:
            learn_label(self.learner, asked.x, y, _floats(answer.record))


def _floats(record: bytes | None) -> Floats | None:
    return None if record is None else np.frombuffer(record, np.float64).copy()


def new_learner(spec: Spec) -> Learner:
    """The learner of a spec; ValueError if the library refuses it.

    Parameters
    ----------
    spec
        The spec.
    """
    make = REGISTRY.get(spec.learner)
    if make is None:
        raise ValueError(
            f"spec: learner must be one of {', '.join(REGISTRY)}, got {shortened(spec.learner)}. Choose one of them"
        )
    _check_written(spec)
    options: dict[str, Any] = dict(spec.options)
    if isinstance(options.get("hashing"), int):
        options["hashing"] = Hashing(options["hashing"])
    if spec.labels is not None:
        options["labels"] = tuple(spec.labels)
    try:
        learner = make(**options)
        asking = spec.asking
        if isinstance(asking, Efficient):
            learner = LabelEfficient(learner, asking.b, asking.variant, asking.seed)  # type: ignore[arg-type]
        learner.n_features  # noqa: B018 (the learner is whole)
    except (TypeError, ArithmeticError, RecursionError, AttributeError) as error:
        known = ", ".join(name for name in parameter_names(make, False) if name != "labels")
        raise ValueError(
            f"spec: options must be parameters of {spec.learner!r}, got {shortened(spec.options)} "
            f"({str(error).rpartition('() ')[2].partition('. It has')[0]}). It has {known}"
        ) from None
    check_asking(spec, learner)
    return learner


def _check_written(spec: Spec) -> None:
    """Raise ValueError unless the log can hold the spec."""
    try:
        encode(spec)
    except (OverflowError, TypeError, RecursionError) as error:
        raise ValueError(f"spec: options and labels must fit into the log, got: {error}. Take smaller values") from None


def check_asking(spec: Spec, learner: Learner) -> None:
    """Raise ValueError unless the spec may ask for labels in this way."""
    for name in ("expire_after", "retention"):
        seconds = getattr(spec, name)
        if seconds is not None and not 0.0 < seconds < 1e12:
            raise ValueError(f"spec: {name} must be > 0 seconds, got {seconds}. Use null for no limit")
    if isinstance(spec.asking, Budget):
        if not 0.0 < spec.asking.share <= 1.0:
            raise ValueError(f"spec: share must be > 0 and at most 1, got {spec.asking.share}. Take 0.1")
        if learner.rule.regresses:
            raise ValueError("spec: a budget of labels must be for a classifier, got a regressor. Leave asking out")


def learner_of(spec: Spec, model: bytes | None) -> Learner:
    """A new learner, or the saved one; ValueError if the library refuses it.

    Parameters
    ----------
    spec
        The spec.
    model
        A saved learner, or None.
    """
    if model is None:
        return new_learner(spec)
    learner = from_bytes(model)
    check_asking(spec, learner)
    return learner
