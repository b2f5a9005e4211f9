"""Compiling a learner before the first request needs it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from driftline.learners import Learner
from driftline.learners.answered_rounds import answer_of, learn_label, open_round
from driftline.serve.hosted.contender import new_learner
from driftline.serve.spec import Spec

EXAMPLES: tuple[Any, ...] = ({"a": 1.0, "b": 2.0}, [1.0, 2.0])


def warm(spec: Spec) -> None:
    """Let a new learner of this kind answer and learn, and forget it. Errors come with the first request.

    Parameters
    ----------
    spec
        The specification of the model.
    """
    for x in EXAMPLES:
        with suppress(ValueError, TypeError):
            _use(new_learner(spec), x)


def _use(learner: Learner, x: Any) -> None:
    several = [0.5, 1.5] if learner.rule.regresses else [*learner.labels, False, True][:2]
    for y in (*several, *several):
        answer = answer_of(learner, x)
        if open_round(learner, x, answer.record):
            learn_label(learner, x, y, answer.record)
        learner.learn_one(x, y)
    learner.learn_many([x, x], several)
