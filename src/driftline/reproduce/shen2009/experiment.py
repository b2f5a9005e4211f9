"""The experiment of Shen and Dietterich (2009) as the driver runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict

COLUMNS = (
    "figure",
    "data",
    "trial",
    "passes",
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
    """Shen and Dietterich (2009), Figures 1 to 3. Submodules are imported when they are needed."""

    name = "shen2009"
    title = "Regularised passive-aggressive rules in dynamic environments"
    citation = (
        "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. "
        "SIAM International Conference on Data Mining (SDM) 2009, section 4"
    )
    lead = (
        "Two classes have the positive label and two the negative one. Over four phases the first pair of classes is "
        "replaced by the second. The paper compares the regularised passive-aggressive rules ShrunkPA, L2PA and L1PA "
        "with PA and NORMA on the second half of such streams. It asks how few features they need, and shows the "
        "learned weights. The paper does not say how often it trains on the first half and which learners update on "
        "small margins, so several readings are run. Each claim is judged in each reading by paired differences over "
        "trials."
    )

    def tasks(self, setting: Setting) -> Sequence[Task]:
        """Return the tasks, each with a few trials of one data set."""
        from driftline.reproduce.shen2009.solve import tasks

        return tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Run the learners, many passes or feature selection on some trials."""
        from driftline.reproduce.shen2009.solve import solve

        return solve(what["kind"], what["data"], what["trials"], setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return one row per trial and chosen run, threshold, number of features or model."""
        rows = []
        for answer in answers.values():
            for trial in answer["trials"]:
                where = {"data": answer["name"], "trial": trial["trial"]}
                for run in (*trial.get("runs", ()), *trial.get("repeated", ())):
                    error = run["mistakes"][-1] / (2 * answer["phase"])
                    rows.append({**where, "figure": 1, "passes": 1, **run, "error": error})
                points = (*trial.get("points", ()), *trial.get("selected", ()))
                rows += [{**where, "figure": 2, **point} for point in points]
                rows += [{**where, "figure": 3, **model} for model in trial.get("models", ())]
        rows.sort(key=lambda row: (row["figure"], row["data"], row["trial"]))
        return [{name: row.get(name, "") for name in COLUMNS} for row in rows]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts on every reading, data set and tuning half."""
        from driftline.reproduce.shen2009 import claims
        from driftline.reproduce.shen2009.results import collected

        return claims.verdicts(collected(answers))

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the readings side by side, then Figures 1, 2 and 3."""
        from driftline.reproduce.shen2009 import drawings
        from driftline.reproduce.shen2009.results import collected

        return drawings.drawings(collected(answers))

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes on choices made here."""
        from driftline.reproduce.shen2009 import notes
        from driftline.reproduce.shen2009.results import collected

        return notes.notes(collected(answers))
