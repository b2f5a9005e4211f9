"""Figures of regret over the number of changes, and of its growth along streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.shares.claims import STREAM
from driftline.reproduce.gentile2005.shares.runs import MAJORITY, POINTS, SHARE, SHOWN
from driftline.reproduce.gentile2005.shares.stream import ROUNDS
from driftline.reproduce.plotting import axes, band, legend

BEYOND = "mistakes minus the good expert's"


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Yield the two figures."""
    records = Records.of(answers.values())
    if not records.all:
        return
    figure, ax = axes("changes of the best expert", BEYOND)
    for k, name in enumerate((MAJORITY, SHARE)):
        changes = records.parameters(STREAM, name)
        found = [records.values("regret", STREAM, name, one) for one in changes]
        band(ax, changes, list(zip(*found, strict=True)), name, k)
    legend(ax)
    yield Drawing(
        "shares-changes",
        "The cost of changes of the best expert",
        f"Mistakes of weighted majority and of fixed share minus those of the currently good expert, in "
        f"{ROUNDS:,} rounds, over the number of changes. Means over seeds with 95 % bands.",
        figure,
    )
    figure, ax = axes("round", BEYOND)
    rounds = (np.arange(1, POINTS + 1) * (ROUNDS // POINTS)).tolist()
    for k, name in enumerate((MAJORITY, SHARE)):
        courses = [one["regret"] for answer in answers.values() for one in answer["courses"] if one["learner"] == name]
        band(ax, rounds, courses, name, k)
    legend(ax)
    yield Drawing(
        "shares-course",
        f"Regret along {SHOWN} changes",
        f"The cumulative difference over the rounds of streams with {SHOWN} changes, one every "
        f"{ROUNDS // (SHOWN + 1)} rounds. Means over seeds with 95 % bands. The regret of a learner that follows the "
        "good expert has a step after each change. Otherwise it keeps growing.",
        figure,
    )
