"""Winnow, the Perceptron and halving algorithms: mistake counts compared with their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict


class WinnowExperiment:
    """The lectures' claims about Winnow, the Perceptron and halving, measured on streams."""

    name = "winnow"
    title = "Winnow, the Perceptron and halving: which makes fewer mistakes, and where the order changes"
    citation = (
        "Wolf, Mansour (scribe). Lecture 5, Online learning: the Perceptron and Winnow. "
        "Kakade. Lecture on the mistake-bound model, Halving and the Perceptron. "
        "Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988)."
    )
    lead = (
        "The lectures prove mistake bounds and compare them, without experiments. Here the learners run on streams "
        "that satisfy the assumptions of the bounds: a few relevant attributes among a growing number of irrelevant "
        "ones, targets that become dense while examples become sparse, and shrinking margins in few dimensions. Each "
        "claim is judged by the measured mistakes, not by the bounds."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return one task per target and size, with several seeds; most attributes first."""
        from driftline.reproduce.winnow.tasks import tasks

        return tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Run all learners of one part on its streams."""
        from driftline.reproduce.winnow.tasks import solve

        return solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return one row per run."""
        from driftline.reproduce.winnow.runs import flat_runs

        return flat_runs(answers)

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts on growing attributes, changing densities and shrinking margins."""
        from driftline.reproduce.winnow import verdicts_growing, verdicts_moving, verdicts_shrinking
        from driftline.reproduce.winnow.runs import Runs

        runs = Runs(self.rows(answers))
        parts = (verdicts_growing, verdicts_moving, verdicts_shrinking)
        return [verdict for part in parts for verdict in part.verdicts(runs)]

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the figures: mistakes over attributes, density and margin, and the crossings."""
        from driftline.reproduce.winnow.drawings import drawings
        from driftline.reproduce.winnow.runs import Runs

        return drawings(Runs(self.rows(answers)))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes on choices made here."""
        from driftline.reproduce.winnow.notes import notes
        from driftline.reproduce.winnow.runs import Runs

        return notes(Runs(self.rows(answers)))


EXPERIMENT = WinnowExperiment()
