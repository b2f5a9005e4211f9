"""Figure 1 of Kivinen, Smola and Williamson 2002: margins and forgetting on mixtures that drift or switch."""

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
        "Two classes of points in the plane, each a mixture of Gaussians that moves: a little every 10 trials, or far "
        "every 1,000. The paper runs the Perceptron, NORMA, which forgets a little on every trial, and ALMA, which "
        "stays inside a ball, with a Gaussian kernel and with and without a margin, and counts mistakes over 10,000 "
        "trials. Here every learner is tuned by a grid on streams of its own and judged on others, and a claim holds "
        "only where the differences on the same streams carry it."
    )

    def tasks(self, setting: Setting) -> list[Task]:
        """A learner at a kernel width on a kind of stream."""
        return solve.tasks(setting)

    def solve(self, what: Mapping[str, Any], setting: Setting) -> Answer:
        """Tune it, then judge it."""
        return solve.solve(what, setting)

    def rows(self, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
        """Mistakes of every learner at every width on every stream that it was judged on."""
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
        """The claims of section 5."""
        return verdicts.verdicts(answers)

    def drawings(self, answers: Mapping[str, Answer]) -> Iterator[Drawing]:
        """Curves, ends, widths and grids."""
        return drawings.drawings(answers)

    def notes(self, answers: Mapping[str, Answer]) -> list[str]:
        """What was chosen."""
        return notes.notes(answers)


EXPERIMENT = Kivinen2002()
