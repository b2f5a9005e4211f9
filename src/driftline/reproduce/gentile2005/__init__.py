"""Gentile's tutorial (2005): labels, second order, p-norms, sharing, online to batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict
from driftline.reproduce.gentile2005.parts import PARTS, answers_of, part_named
from driftline.reproduce.gentile2005.records import Records

AFTERWARDS = (
    "Some choices were made after a first look at results: how the best b with few labels is found, and the grid of b; "
    "the criterion of two points of error in addition to that of ten per cent of mistakes; and that the smaller bound "
    "decides which order is claimed to win if the spectrum is flat or the target lies along the largest variance."
)


class Gentile2005:
    """Five parts, each with separate streams, claims and figures."""

    name = "gentile2005"
    title = "Easy learning theory for highly scalable algorithms, claim by claim"
    citation = (
        "Claudio Gentile. Easy Learning Theory for Highly Scalable Algorithms. Tutorial, August 2005; "
        "the results are those of the papers that it cites"
    )
    lead = (
        "The tutorial states bounds and interprets them, and shows experiments for label efficiency only. Here every "
        "measurable claim is tested: how many labels suffice on real text, when the second-order Perceptron beats the "
        "first-order one, which p-norm suits which target, what sharing weights gains and costs, and which hypothesis "
        "of a run to keep. Each seed draws a new stream, on which all compared learners run, so differences are "
        "paired. A claim holds only if its 95 % interval supports it."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return the tasks of all parts. The last part comes first, because it takes longest."""
        return [task for name in reversed(PARTS) for task in part_named(name).tasks(setting)]

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Solve a task of one of the parts."""
        return part_named(what["part"]).solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return one row per measured number."""
        return [
            {"part": name, **row} for name in PARTS for row in Records.of(answers_of(name, answers).values()).rows()
        ]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts, part by part."""
        return [one for name in PARTS for one in part_named(name).verdicts(answers_of(name, answers))]

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Yield the figures, part by part."""
        for name in PARTS:
            yield from part_named(name).drawings(answers_of(name, answers))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes, part by part."""
        own = [one for name in PARTS for one in part_named(name).notes(answers_of(name, answers))]
        return [*own, AFTERWARDS]


EXPERIMENT = Gentile2005()
