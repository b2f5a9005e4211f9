"""The results of all runs, as tables with one row per seed and one column per size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.reproduce.experiment import Answer

PER_SEED = ("seed", "mistakes", "wrong", "rounds", "settled")
"""The fields of a group of runs that are lists with one entry per seed."""


def flat_runs(answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
    """Return all runs as flat rows, sorted independently of the order of the answers."""
    runs = []
    for group in (group for answer in answers.values() for group in answer["runs"]):
        place = {name: group[name] for name in ("part", "where", "x", "learner", "bound")}
        entries = zip(*(group[name] for name in PER_SEED), strict=True)
        runs += [{**place, **dict(zip(PER_SEED, entry, strict=True))} for entry in entries]
    return sorted(runs, key=lambda run: (run["part"], run["where"], run["x"], run["seed"], run["learner"]))


@dataclass(frozen=True)
class Table:
    """One count of one learner at all sizes and seeds."""

    x: np.ndarray
    """The varied size: attributes, relevant attributes, or 1 / gamma."""
    counts: np.ndarray
    """One row per seed, one column per size."""
    bounds: np.ndarray
    """The bound at each x, or NaN if there is none."""
    settled: np.ndarray
    """Whether all runs settled at each x. If not, more rounds would increase the count."""

    @property
    def settled_only(self) -> Table:
        """The table at the sizes at which all runs settled."""
        return self.among(self.x[self.settled])

    def at(self, x: float) -> list[float]:
        """Return the counts of all seeds at x."""
        return [float(count) for count in self.counts[:, int(np.flatnonzero(self.x == x)[0])]]

    def among(self, xs: np.ndarray) -> Table:
        """Return the table restricted to these x."""
        kept = np.isin(self.x, xs)
        return Table(self.x[kept], self.counts[:, kept], self.bounds[kept], self.settled[kept])


class Runs:
    """All runs of the experiment."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def places(self, part: str) -> list[str]:
        """Return the targets or dimensions of a part, sorted."""
        return sorted({row["where"] for row in self._rows if row["part"] == part})

    def places_of(self, part: str, learner: str) -> list[str]:
        """Return the targets or dimensions of a part on which a learner ran."""
        return [place for place in self.places(part) if learner in self.learners(part, place)]

    def learners(self, part: str, where: str) -> list[str]:
        """Return the learners that ran there, sorted by name."""
        return sorted({row["learner"] for row in self._rows if row["part"] == part and row["where"] == where})

    def table(self, part: str, where: str, learner: str, count: str = "mistakes") -> Table:
        """Return one count of one learner."""
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
