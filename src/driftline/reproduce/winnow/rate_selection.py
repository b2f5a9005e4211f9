"""Balanced Winnow with learning rates selected on separate tuning seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.reproduce.winnow.moving import PART, TUNING, WHERE, rate
from driftline.reproduce.winnow.runs import Runs, Table
from driftline.reproduce.winnow.sizes import RATES


@dataclass(frozen=True)
class SelectedRates:
    """The selected rate at each size x, and the runs to take its counts from."""

    rates: list[float]
    runs: Runs

    def table(self, count: str) -> Table:
        """Return a count at the selected rates.

        It may differ from the count used for selection.
        """
        tables = {eta: self.runs.table(PART, WHERE, rate(eta), count) for eta in set(self.rates)}
        picked = list(enumerate(self.rates))
        first = tables[self.rates[0]]
        return Table(
            first.x,
            np.stack([tables[eta].counts[:, k] for k, eta in picked], axis=1),
            np.array([tables[eta].bounds[k] for k, eta in picked]),
            np.array([tables[eta].settled[k] for k, eta in picked]),
        )


def best_rate_at_each_size(runs: Runs, count: str) -> SelectedRates:
    """Select at each size the rate with the lowest mean of this count."""
    means = np.stack([runs.table(TUNING, WHERE, rate(eta), count).counts.mean(axis=0) for eta in RATES])
    return SelectedRates([RATES[k] for k in means.argmin(axis=0)], runs)


def best_rate_at_sparse_end(runs: Runs, count: str) -> SelectedRates:
    """Select for all sizes the rate with the lowest mean of this count on the sparsest target."""
    best = best_rate_at_each_size(runs, count)
    return SelectedRates([best.rates[0]] * len(best.rates), runs)
