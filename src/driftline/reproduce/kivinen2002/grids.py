"""The learners and their tuning grids.

The grids fix alpha = 1 without loss of generality: scaling (alpha, rho, lam) of NORMA to (c alpha,
c rho, lam / c), or (alpha, B, rho) of ALMA by c, changes no prediction. The largest possible score
is B for ALMA and 1 / lam for NORMA. With a margin close to it almost every trial is an update, so
the grids leave out pairs with a margin above 0.8 of it.
"""

from __future__ import annotations

from itertools import product

import driftline as dl

PERCEPTRON, NORMA, NORMA0, ALMA, ALMA0 = "perceptron", "norma", "norma0", "alma", "alma0"
TRACKER, WAVES = "tracker", "tracker-waves"
TITLES = {
    PERCEPTRON: "kernel Perceptron",
    NORMA0: "NORMA₀",
    ALMA0: "ALMA₀",
    NORMA: "NORMA",
    ALMA: "ALMA",
    TRACKER: "Tracker, untuned",
    WAVES: "Tracker on waves",
}
"""All learners, in the order in which figures show them."""
KERNELS = (NORMA, ALMA, NORMA0, ALMA0, PERCEPTRON)
"""The learners of the paper, slowest first."""
LAM = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
BALL = (0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
RHO = (0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
REACH = 0.8
"""The largest margin tried, as a fraction of the largest possible score."""
SHARED = 0.3
"""The kernel width if all learners share one.

It equals the standard deviation of the streams' Gaussians.
"""
WIDTHS = (0.15, 0.2, SHARED, 0.45, 0.7)
N_WAVES = 256

Parameters = dict[str, float]


def widths(quick: bool) -> tuple[float, ...]:
    """Return the kernel widths to try (standard deviations of the Gaussian kernel)."""
    return (SHARED,) if quick else WIDTHS


def grid(learner: str, quick: bool) -> list[Parameters]:
    """Return all parameter settings of a learner to try at each width."""
    lams, balls, rhos = ((1e-3, 1e-2), (2.0, 4.0), (0.5, 1.0)) if quick else (LAM, BALL, RHO)
    if learner == PERCEPTRON:
        return [{}]
    if learner == NORMA0:
        return [{"lam": lam} for lam in lams]
    if learner == ALMA0:
        return [{"B": ball} for ball in balls]
    if learner == NORMA:
        return [{"lam": lam, "rho": rho} for lam, rho in product(lams, rhos) if rho * lam <= REACH]
    return [{"B": ball, "rho": rho} for ball, rho in product(balls, rhos) if rho <= REACH * ball]


def make_learner(learner: str, parameters: Parameters, width: float) -> dl.Learner:
    """Return a learner of the paper with the Gaussian kernel exp(-|x - z|^2 / (2 width^2))."""
    rho = parameters.get("rho", 0.0)
    rule: dl.Learner = dl.Perceptron()
    if learner in (NORMA, NORMA0):
        rule = dl.NORMA(alpha=1.0, lam=parameters["lam"], rho=rho)
    elif learner in (ALMA, ALMA0):
        rule = dl.ALMA(alpha=1.0, B=parameters["B"], rho=rho)
    return dl.Kernelized(rule, dl.kernels.Gaussian(gamma=gamma(width)))


def make_tracker(learner: str) -> dl.Learner:
    """Return a Tracker on the two coordinates or on random Fourier features."""
    if learner == TRACKER:
        return dl.Tracker()
    return dl.Tracker(scale=dl.RandomFourier(n=N_WAVES, gamma=gamma(SHARED)))


def gamma(width: float) -> float:
    """Return the parameter gamma of a Gaussian kernel of this width."""
    return 0.5 / width**2
