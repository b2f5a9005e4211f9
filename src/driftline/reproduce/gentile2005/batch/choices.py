"""Ways to choose one classifier from an online run, each with its risk certificate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import driftline as dl
from driftline.evaluate.hypotheses import Course
from driftline.evaluate.selection import errors_of
from driftline.reproduce.gentile2005.batch.stream import Examples

DELTA = 0.05
RADIUS = 5.0
LAST, AVERAGE, VOTE, PRINTED, CHOSEN = "last", "average", "vote", "chosen, as printed", "chosen, kl"
ALL = (LAST, AVERAGE, VOTE, PRINTED, CHOSEN)
"""All choices for a linear learner. Other learners have neither average nor vote."""


def perceptron() -> dl.Learner:
    """Return a Perceptron projected onto a ball.

    Its hinge loss is at most 1 + RADIUS on examples of length 1.
    """
    return dl.ProjectionPerceptron(eta=1.0, radius=RADIUS, bias=False, scale="unit")


def batch() -> dl.Learner:
    """Return a batch classifier that is refitted when the examples have grown by half."""
    return dl.BatchOnline("LogisticRegression()", rho=0.5, scale="unit")


def classifier(choice: str, learner: dl.Learner, data: Examples) -> tuple[Any, float | None, float]:
    """Return the classifier, the certified bound of its risk, and the online mistake rate."""
    if choice == PRINTED:
        return _as_printed(learner, data)
    rule: Any = "penalised" if choice == CHOSEN else choice
    largest = 1.0 + RADIUS if choice == AVERAGE else None
    found = dl.select(learner, data, rule, assume="iid", delta=DELTA, largest=largest)
    return found, found.certificate, found.mistakes / found.examples


def _as_printed(learner: dl.Learner, data: Examples) -> tuple[Any, float, float]:
    """Choose a hypothesis by the penalty that the tutorial prints.

    It minimises error + sqrt(ln(T / delta) / s), with the error measured on the s following
    examples. The certificate is M + 6 sqrt(ln(T / delta) / T), with the online mistake rate M.
    """
    course = Course.of(learner, *data)
    T = len(course)
    L = math.log(T / DELTA)

    def criterion(errors: Any, rest: Any) -> Any:
        return errors / rest + np.sqrt(L / rest)

    errors, counted = errors_of(course, course.hypotheses(np.arange(len(course.starts))), course.starts, criterion)
    best = int(np.argmin(np.where(counted, criterion(errors, T - course.starts), np.inf)))
    (hypothesis,) = course.at(course.starts[best : best + 1])
    return hypothesis, min(1.0, course.wrong / T + 6.0 * math.sqrt(L / T)), course.wrong / T
