"""Kivinen, Smola and Williamson (2002), figure 1: margins and forgetting on moving mixtures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from driftline.reproduce.experiment import Answer, Drawing, Setting, Task, Verdict
from driftline.reproduce.kivinen2002 import drawings, notes, solve, verdicts


class Kivinen2002:
    """The experiment."""

    name = "kivinen2002"
    title = "Large margin classification for moving targets"
    citation = (
        "J. Kivinen, A. J. Smola, R. C. Williamson. Large margin classification for moving targets. "
        "Algorithmic Learning Theory (ALT) 2002, LNAI 2533, section 5 and figure 1."
    )
    lead = (
        "The data are two classes of points in the plane. Each class is a mixture of Gaussians that moves slightly "
        "every 10 trials (drifting) or far every 1,000 trials (switching). The paper runs the Perceptron, NORMA, which "
        "shrinks its weights on every trial, and ALMA, which keeps its weights inside a ball. All use a Gaussian "
        "kernel, NORMA and ALMA with and without a margin, and mistakes are counted over 10,000 trials. Here every "
        "learner is tuned by grid search on tuning streams and judged on separate test streams. A claim holds only if "
        "the paired differences over the test streams support it."
    )

    def tasks(self, setting: Setting) -> list[Task]:
        """Return one task per learner, kernel width and kind of stream."""
        return solve.tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Tune the learner, then run it on the test streams."""
        return solve.solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Return the mistakes of every learner at every width on every test stream."""
        return [
            {
                "stream": one["stream"],
                "learner": one["learner"],
                "width": one.get("width", ""),
                **{name: one["parameters"].get(name, "") for name in ("lam", "B", "rho")},
                "mean tuning mistakes": "" if one["tuning"] is None else one["tuning"],
                "seed": seed,
                "mistakes": mistakes,
            }
            for one in answers.values()
            for seed, mistakes in zip(one["seeds"], one["mistakes"], strict=True)
        ]

    def verdicts(self, answers: Mapping[str, Answer]) -> list[Verdict]:
        """Return the verdicts on the claims of section 5."""
        return verdicts.verdicts(answers)

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Return the learning curves, final counts, kernel widths and tuning grids."""
        return drawings.drawings(answers)

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """Return the notes on choices made here."""
        return notes.notes(answers)


EXPERIMENT = Kivinen2002()
