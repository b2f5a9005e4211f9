"""On digits whose classes change, a kernel within a budget beats every linear rule.

Four phases over USPS as in Shen and Dietterich (2009): 3 and 7 against 8 and 9, 500 examples a
phase, mistakes in the last two. The linear rule is the best of a grid on the streams that count;
the width of the kernel is chosen on other streams.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.streams import FourPhase

COUNTED, TUNED = range(8), range(8, 16)
WIDTHS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15)
Make = Callable[[], dl.Learner]


def linear_rules() -> Iterable[Make]:
    """Every linear learner, with a few values of its parameters."""
    whens = ("margin", "mistake")
    yield dl.Perceptron
    yield from (lambda p=p: dl.PNormPerceptron(p) for p in (3.0, 6.0, 11.0))
    yield from (lambda eta=eta: dl.ProjectionPerceptron(eta) for eta in (0.003, 0.01, 0.1))
    yield from (lambda lam=lam, rho=rho: dl.NORMA(1.0, lam, rho) for lam in (2e-4, 1e-3) for rho in (10.0, 60.0, 100.0))
    yield from (lambda B=B, rho=rho: dl.ALMA(1.0, B, rho) for B in (30.0, 100.0) for rho in (10.0, 30.0, 60.0))
    yield from (lambda alpha=alpha: dl.SelfTuningALMA(alpha) for alpha in (0.5, 0.7, 0.9))
    yield from (lambda when=when: dl.PA(when=when) for when in whens)
    yield from (lambda C=C: dl.PA1(C) for C in (0.005, 0.01, 0.02, 0.1))
    yield from (lambda C=C: dl.PA2(C) for C in (0.005, 0.01, 0.02, 0.1))
    yield from (
        lambda alpha=alpha, when=when: dl.ShrunkPA(alpha, when=when) for alpha in (0.001, 0.01) for when in whens
    )
    yield from (lambda beta=beta, when=when: dl.L2PA(beta, when=when) for beta in (0.5, 1.0, 2.0) for when in whens)
    yield from (lambda beta=beta, when=when: dl.L1PA(beta, when=when) for beta in (3.0, 10.0) for when in whens)
    yield from (lambda when=when: dl.ROMMA(when=when) for when in whens)


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        pytest.skip("DRIFTLINE_DATA names no folder of data sets")
    h5py = pytest.importorskip("h5py")
    with h5py.File(Path(folder) / "usps" / "usps.h5") as file:
        parts = [(np.asarray(file[f"{part}/data"]), np.asarray(file[f"{part}/target"])) for part in ("train", "test")]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def error(make: Make, seeds: Iterable[int]) -> float:
    """The share of mistakes in the last two phases, over all seeds."""
    X, y = digits()
    shares = []
    for seed in seeds:
        ((rows, labels),) = FourPhase(X, y, classes=(3, 7, 8, 9), phase=500, seed=seed, block=2000)
        margins = labels * make().learn_many(rows, labels)
        shares.append(float(np.mean(margins[1000:] <= 0.0)))
    return float(np.mean(shares))


def gaussian(gamma: float) -> Make:
    return lambda: dl.Kernelized("pa1", dl.kernels.Gaussian(gamma), budget=500)


def test_a_kernel_within_a_budget_beats_every_linear_rule() -> None:
    best = min(error(make, COUNTED) for make in linear_rules())
    gamma = min(WIDTHS, key=lambda one: error(gaussian(one), TUNED))
    assert error(gaussian(gamma), COUNTED) <= 0.6 * best
