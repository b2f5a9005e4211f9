"""Balanced Winnow at rates that tuning seeds chose; the seeds that are judged have no say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.reproduce.winnow.moving import PART, TUNING, WHERE, rate
from driftline.reproduce.winnow.runs import Runs, Table
from driftline.reproduce.winnow.sizes import RATES


@dataclass(frozen=True)
class Chosen:
    """The rate at each x, and what was counted with it."""

    rates: list[float]
    runs: Runs

    def table(self, count: str) -> Table:
        """One count at the rates chosen, be it the one they were chosen by or another."""
        tables = {eta: self.runs.table(PART, WHERE, rate(eta), count) for eta in set(self.rates)}
        picked = list(enumerate(self.rates))
        first = tables[self.rates[0]]
        return Table(
            first.x,
            np.stack([tables[eta].counts[:, k] for k, eta in picked], axis=1),
            np.array([tables[eta].bounds[k] for k, eta in picked]),
            np.array([tables[eta].settled[k] for k, eta in picked]),
        )


def everywhere(runs: Runs, count: str) -> Chosen:
    """The best rate at each x, by this count."""
    means = np.stack([runs.table(TUNING, WHERE, rate(eta), count).counts.mean(axis=0) for eta in RATES])
    return Chosen([RATES[k] for k in means.argmin(axis=0)], runs)


def from_sparse_end(runs: Runs, count: str) -> Chosen:
    """The best rate of the sparsest target, by this count, for all."""
    best = everywhere(runs, count)
    return Chosen([best.rates[0]] * len(best.rates), runs)
