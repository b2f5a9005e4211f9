"""A calibrator: the probability of the positive label, given a few features of a round.

It is the mixture of two logistic regressions on the features, one of them with forgetting, and of
running shares of the positive label. It follows drift, and its result is finite for any features.
Nothing is allocated after ``new_calibrator``.
"""

from __future__ import annotations

from typing import NamedTuple

from driftline.engines.calibration.mixture import Mixture, mixed, new_mixture, weigh
from driftline.engines.calibration.regressions import MEMORIES, Regressions, guess, new_regressions, place, regress
from driftline.internals.compiled import Floats, jit


class Calibrator(NamedTuple):
    """The learned arrays of a calibrator, and arrays that are overwritten in every round.

    See ``Regressions`` and ``Mixture`` for the fields.
    """

    regressions: Regressions
    mixture: Mixture


def new_calibrator(features: int) -> Calibrator:
    """A calibrator for this number of features before the first round."""
    return Calibrator(new_regressions(features), new_mixture(len(MEMORIES)))


@jit
def probability(calibrator: Calibrator, features: Floats) -> float:
    """The probability of the positive label; nothing that was learned changes."""
    regressions, mixture = calibrator
    size = features.size + 1
    place(regressions, features, size)
    guess(regressions, size, mixture.guesses, 0)
    return mixed(mixture)


@jit
def learn(calibrator: Calibrator, features: Floats, positive: bool) -> float:
    """Learn one label; return the probability of the positive label before."""
    p = probability(calibrator, features)
    y = 1.0 if positive else 0.0
    mixture = calibrator.mixture
    regress(calibrator.regressions, features.size + 1, mixture.guesses, 0, mixture.learned[0], y)
    weigh(mixture, y)
    return p
