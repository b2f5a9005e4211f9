"""Gentile's tutorial of 2005, claim by claim: labels, second order, p-norms, shares, and from on-line to batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict
from driftline.reproduce.gentile2005.parts import PARTS, answers_of, part_named
from driftline.reproduce.gentile2005.records import Records

AFTERWARDS = (
    "Some choices were made after a first look at results: how the best b that asks for few labels is found, and for "
    "which b; the criterion of two points of error beside that of ten per cent of mistakes; and that where the "
    "spectrum is flat, or the target lies along its largest variance, the smaller bound says which order is to win."
)


class Gentile2005:
    """Five parts, each with its own streams, claims and figures."""

    name = "gentile2005"
    title = "Easy learning theory for highly scalable algorithms, claim by claim"
    citation = (
        "Claudio Gentile. Easy Learning Theory for Highly Scalable Algorithms. Tutorial, August 2005; "
        "the results are those of the papers that it cites"
    )
    lead = (
        "The tutorial states bounds and what they mean, and shows figures for label efficiency only. Here every claim "
        "that can be measured is: what a part of the labels is worth on real text, when the second-order Perceptron "
        "beats the first-order one, which p-norm suits which target, what sharing weights gains and costs, and which "
        "hypothesis of a run to keep. Streams are drawn anew for each seed and shared by all that are compared, so "
        "differences are paired; a claim holds only where its 95 % interval says so."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """All parts' pieces of work, the last part's first: they take longest."""
        return [task for name in reversed(PARTS) for task in part_named(name).tasks(setting)]

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Hand it to its part."""
        return part_named(what["part"]).solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """One row for each number that was measured."""
        return [
            {"part": name, **row} for name in PARTS for row in Records.of(answers_of(name, answers).values()).rows()
        ]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Part by part."""
        return [one for name in PARTS for one in part_named(name).verdicts(answers_of(name, answers))]

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Part by part."""
        for name in PARTS:
            yield from part_named(name).drawings(answers_of(name, answers))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Part by part."""
        own = [one for name in PARTS for one in part_named(name).notes(answers_of(name, answers))]
        return [*own, AFTERWARDS]


EXPERIMENT = Gentile2005()
