"""The experiment as the driver runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict

COLUMNS = (
    "figure",
    "data",
    "trial",
    "policy",
    "tuned",
    "method",
    "reading",
    "parameter",
    "threshold",
    "features",
    "error",
    "old",
    "new",
    "pixels",
)


class ShenDietterich:
    """Shen and Dietterich (2009), Figures 1 to 3. What it needs is imported when it is used."""

    name = "shen2009"
    title = "Regularised passive-aggressive rules in dynamic environments"
    citation = (
        "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. "
        "SIAM International Conference on Data Mining (SDM) 2009, section 4"
    )
    lead = (
        "Two classes count as positive and two as negative, and over four phases the first pair gives way to the "
        "second. The paper compares passive-aggressive rules that are regularised (ShrunkPA, L2PA, L1PA) with PA and "
        "NORMA on the second half of such streams, asks how few features they need, and shows what they have learned. "
        "Here both update policies and both ways of tuning are run, and each claim is judged by paired differences "
        "over trials."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """A few trials of a data set each."""
        from driftline.reproduce.shen2009.solve import tasks

        return tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Run the learners, or feature selection, on some trials."""
        from driftline.reproduce.shen2009.solve import solve

        return solve(what["kind"], what["data"], what["trials"], setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """A row for each chosen run, each threshold, each number of features and each model, of each trial."""
        rows = []
        for answer in answers.values():
            for trial in answer["trials"]:
                where = {"data": answer["name"], "trial": trial["trial"]}
                for run in trial.get("runs", ()):
                    error = run["mistakes"][-1] / (2 * answer["phase"])
                    rows.append({**where, "figure": 1, **run, "error": error})
                points = (*trial.get("points", ()), *trial.get("selected", ()))
                rows += [{**where, "figure": 2, **point} for point in points]
                rows += [{**where, "figure": 3, **model} for model in trial.get("models", ())]
        rows.sort(key=lambda row: (row["figure"], row["data"], row["trial"]))
        return [{name: row.get(name, "") for name in COLUMNS} for row in rows]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Every claim on every data set, policy and half of tuning."""
        from driftline.reproduce.shen2009 import claims
        from driftline.reproduce.shen2009.found import collected

        return claims.verdicts(collected(answers))

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Figures 1, 2 and 3."""
        from driftline.reproduce.shen2009 import drawings
        from driftline.reproduce.shen2009.found import collected

        return drawings.drawings(collected(answers))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """What was chosen where the paper is silent, and what the verdicts come to."""
        from driftline.reproduce.shen2009 import notes
        from driftline.reproduce.shen2009.found import collected

        return notes.notes(collected(answers), self.verdicts(answers))
