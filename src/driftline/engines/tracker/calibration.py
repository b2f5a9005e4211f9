"""The calibrated probability of a tracker: regressions on its experts and on its stackers.

One set of features is the scores of the experts, each divided by its running root mean square. The
other set is the scores of the three stackers. One mixture weighs the regressions on both sets and
the running shares of the label +1. The vote never depends on it.
"""

from __future__ import annotations

from typing import NamedTuple

from driftline.engines.calibration.mixture import Mixture, mixed, new_mixture, weigh
from driftline.engines.calibration.regressions import (
    MEMORIES,
    Regressions,
    guess,
    new_regressions,
    place,
    regress,
    restart,
)
from driftline.engines.tracker.state import Workspace
from driftline.internals.compiled import jit
from driftline.rules.tracker.tracker import FULL_BANK, SPARSE_BANK, WIDE_BANK

STACKERS = 3
LEAST_SHARE = 5e-16  # of a label in the vote, where the vote takes the place of a probability


class Calibration(NamedTuple):
    """The regressions on the scores of the experts and of the stackers, and their mixture."""

    experts: Regressions
    stackers: Regressions
    mixture: Mixture


def new_calibration() -> Calibration:
    """The arrays before the first round."""
    return Calibration(new_regressions(FULL_BANK), new_regressions(STACKERS), new_mixture(2 * len(MEMORIES)))


@jit
def probability(calibration: Calibration, workspace: Workspace, members: int, score: float, rounds: float) -> float:
    """The probability of +1, after ``vote`` has written the row to the workspace.

    ``score`` is the vote after ``rounds`` rounds. Before the first one the probability is 1/2. If
    the vote has learned, but the calibration has not, it is the share of the vote. Only arrays that
    every round overwrites change.
    """
    experts, stackers, mixture = calibration
    place(experts, workspace.ratios, members + 1)
    place(stackers, workspace.stacked, STACKERS + 1)
    guess(experts, members + 1, mixture.guesses, 0)
    guess(stackers, STACKERS + 1, mixture.guesses, len(MEMORIES))
    p = mixed(mixture)
    if mixture.learned[0] > 0.0:
        return p
    if rounds == 0.0:
        return 0.5
    less = max((1.0 - abs(score)) / 2.0, LEAST_SHARE)
    return 1.0 - less if score >= 0.0 else less


@jit
def calibrate(calibration: Calibration, members: int, y: float) -> None:
    """Learn label y = -1 or +1 after ``probability``."""
    experts, stackers, mixture = calibration
    learned, label = mixture.learned[0], 1.0 if y > 0.0 else 0.0
    regress(experts, members + 1, mixture.guesses, 0, learned, label)
    regress(stackers, STACKERS + 1, mixture.guesses, len(MEMORIES), learned, label)
    weigh(mixture, label)


@jit
def drop_experts(calibration: Calibration, members: int) -> None:
    """Forget the experts from ``members`` on, and those that change their rule."""
    first = members if members >= WIDE_BANK else SPARSE_BANK
    restart(calibration.experts, first + 1, FULL_BANK + 1)
