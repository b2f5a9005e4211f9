"""All runs, as tables of one count: a row for each seed, a column for each size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer

LISTED = ("seed", "mistakes", "wrong", "rounds", "settled")
"""What a group of runs has a list of, one entry a seed."""


def gathered(answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
    """The runs of all answers, in an order that does not depend on theirs."""
    runs = []
    for group in (group for answer in answers.values() for group in answer["runs"]):
        place = {name: group[name] for name in ("part", "where", "x", "learner", "bound")}
        entries = zip(*(group[name] for name in LISTED), strict=True)
        runs += [{**place, **dict(zip(LISTED, entry, strict=True))} for entry in entries]
    return sorted(runs, key=lambda run: (run["part"], run["where"], run["x"], run["seed"], run["learner"]))


@dataclass(frozen=True)
class Table:
    """One count of one learner."""

    x: np.ndarray
    """What grew: attributes, relevant attributes, 1 / gamma."""
    counts: np.ndarray
    """A row for each seed."""
    bounds: np.ndarray
    """The theorem's figure at each x; NaN where there is none."""
    settled: np.ndarray
    """At each x, whether all seeds fell silent: else the count is that of the rounds, and too small."""

    @property
    def silent(self) -> Table:
        """The same where all seeds fell silent."""
        return self.among(self.x[self.settled])

    def at(self, x: float) -> list[float]:
        """The counts of all seeds at x."""
        return [float(count) for count in self.counts[:, int(np.flatnonzero(self.x == x)[0])]]

    def among(self, xs: np.ndarray) -> Table:
        """The same at these x only."""
        kept = np.isin(self.x, xs)
        return Table(self.x[kept], self.counts[:, kept], self.bounds[kept], self.settled[kept])


class Runs:
    """All runs of the experiment."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def places(self, part: str) -> list[str]:
        """The targets or dimensions that a part has, in order."""
        return sorted({row["where"] for row in self._rows if row["part"] == part})

    def places_of(self, part: str, learner: str) -> list[str]:
        """Those of them where a learner ran."""
        return [place for place in self.places(part) if learner in self.learners(part, place)]

    def learners(self, part: str, where: str) -> list[str]:
        """Who ran there, in order of name."""
        return sorted({row["learner"] for row in self._rows if row["part"] == part and row["where"] == where})

    def table(self, part: str, where: str, learner: str, count: str = "mistakes") -> Table:
        """One count of one learner."""
        rows = [row for row in self._rows if (row["part"], row["where"], row["learner"]) == (part, where, learner)]
        x = sorted({row["x"] for row in rows})
        seeds = sorted({row["seed"] for row in rows})
        found = {(row["seed"], row["x"]): row for row in rows}
        bounds = [found[seeds[0], one]["bound"] for one in x]
        return Table(
            np.array(x, float),
            np.array([[found[seed, one][count] for one in x] for seed in seeds], float),
            np.array([np.nan if bound is None else bound for bound in bounds], float),
            np.array([all(found[seed, one]["settled"] for seed in seeds) for one in x], bool),
        )
