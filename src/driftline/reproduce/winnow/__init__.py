"""Winnow against the Perceptron, and both geometries of the lectures against halving: counts beside their bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict


class WinnowExperiment:
    """The lectures' claims about Winnow, the Perceptron and halving, each measured on streams that it speaks of."""

    name = "winnow"
    title = "Winnow, the Perceptron and halving: who makes fewer mistakes, and where that turns"
    citation = (
        "Wolf, Mansour (scribe). Lecture 5, Online learning: the Perceptron and Winnow. "
        "Kakade. Lecture on the mistake-bound model, Halving and the Perceptron. "
        "Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988)."
    )
    lead = (
        "The lectures prove bounds and compare them; they measure nothing. Here the learners run on streams that the "
        "bounds speak of: few relevant attributes among ever more irrelevant ones; targets that grow dense while "
        "examples grow sparse; and margins that shrink in few dimensions. Each claim is judged by the mistakes that "
        "were made, not by the bounds."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Streams of one target and size, several seeds each; those of most attributes first."""
        from driftline.reproduce.winnow.work import tasks

        return tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Run all learners of one part on its streams."""
        from driftline.reproduce.winnow.work import solve

        return solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """A row for each run."""
        from driftline.reproduce.winnow.runs import gathered

        return gathered(answers)

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Growing attributes, then moving densities, then shrinking margins."""
        from driftline.reproduce.winnow import verdicts_growing, verdicts_moving, verdicts_shrinking
        from driftline.reproduce.winnow.runs import Runs

        runs = Runs(self.rows(answers))
        parts = (verdicts_growing, verdicts_moving, verdicts_shrinking)
        return [verdict for part in parts for verdict in part.verdicts(runs)]

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Mistakes against attributes, along the path, against margins; and where the order turns."""
        from driftline.reproduce.winnow.drawings import drawings
        from driftline.reproduce.winnow.runs import Runs

        return drawings(Runs(self.rows(answers)))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """What was chosen here."""
        from driftline.reproduce.winnow.notes import notes
        from driftline.reproduce.winnow.runs import Runs

        return notes(Runs(self.rows(answers)))


EXPERIMENT = WinnowExperiment()
