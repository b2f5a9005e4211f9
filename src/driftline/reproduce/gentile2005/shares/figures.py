"""Regret over the number of changes, and its course through one stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from driftline.reproduce.experiment import Answer, Drawing
from driftline.reproduce.gentile2005.records import Records
from driftline.reproduce.gentile2005.shares.claims import STREAM
from driftline.reproduce.gentile2005.shares.runs import MAJORITY, POINTS, SHARE, SHOWN
from driftline.reproduce.gentile2005.shares.stream import ROUNDS
from driftline.reproduce.pictures import axes, band, legend

BEYOND = "mistakes beyond the good expert's"


def drawings(answers: Mapping[str, Answer]) -> Iterator[Drawing]:
    """Two figures."""
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
        "What changes of the best expert cost",
        f"Mistakes of weighted majority and of fixed share beyond those of the expert who was good at the time, in "
        f"{ROUNDS:,} rounds, over the number of changes; means over seeds with 95 % bands.",
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
        f"Through {SHOWN} changes",
        f"The same mistakes, added up over the rounds of streams with {SHOWN} changes, one every "
        f"{ROUNDS // (SHOWN + 1)} rounds; means over seeds with 95 % bands. A learner that follows has a step after "
        "each change; one that does not goes on climbing.",
        figure,
    )
