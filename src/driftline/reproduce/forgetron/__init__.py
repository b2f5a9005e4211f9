"""Kernel ShrunkPA against the Forgetron, with the same budget of support vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict

COLUMNS = ("stream", "trial", "method", "policy", "budget", "width", "alpha", "error")


class Forgetron:
    """The comparison that Shen and Dietterich (2009) announce. Submodules are imported later."""

    name = "forgetron"
    title = "Kernel ShrunkPA against the Forgetron"
    citation = (
        "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. "
        "SIAM International Conference on Data Mining (SDM) 2009, section 5; Dekel, Shalev-Shwartz, Singer. The "
        "Forgetron: a kernel-based perceptron on a budget. SIAM Journal on Computing 37 (2008)"
    )
    lead = (
        "The Forgetron is a kernel Perceptron with a fixed number of support vectors. It shrinks all coefficients, so "
        "that dropping the oldest support vector does little damage. Shen and Dietterich note that ShrunkPA shrinks "
        "old coefficients anyway and could simply drop the oldest one, and leave the comparison to future work. Here "
        "both run with the same budgets on drifting streams, with parameters tuned on the first half of each stream "
        "and errors counted on the second half. Controls separate the effect of shrinking from that of the "
        "passive-aggressive step and of the update policy."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return the tasks, each with a few trials on one stream."""
        from driftline.reproduce.forgetron.solve import tasks

        return tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Run all methods with all budgets on some trials."""
        from driftline.reproduce.forgetron.solve import solve

        return solve(what["stream"], what["trials"], setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return one row per trial, method and budget. Without a budget the cell is empty."""
        rows = [run for answer in answers.values() for run in answer["runs"]]
        rows.sort(key=lambda run: (run["stream"], run["trial"]))
        return [{name: "" if row[name] is None else row[name] for name in COLUMNS} for row in rows]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts by stream, budget and update policy."""
        from driftline.reproduce.forgetron import verdicts
        from driftline.reproduce.forgetron.results import collected

        return verdicts.verdicts(collected(answers))

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the error rates over the budget."""
        from driftline.reproduce.forgetron import drawings
        from driftline.reproduce.forgetron.results import collected

        return drawings.drawings(collected(answers))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes on choices made here."""
        from driftline.reproduce.forgetron.notes import notes

        return notes(answers)


EXPERIMENT = Forgetron()
