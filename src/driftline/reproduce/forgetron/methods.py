"""The compared methods, all over a Gaussian kernel, and their tuning grids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.rules.kernel.kernelized import Evict
from driftline.rules.rule import When

FORGETRON, PERCEPTRON, PA, SHRUNK = "Forgetron", "Perceptron", "PA", "ShrunkPA"
POLICIES: tuple[When, ...] = ("mistake", "margin")
METHODS: tuple[tuple[str, When], ...] = (
    (FORGETRON, "mistake"),
    (PERCEPTRON, "mistake"),
    *((name, when) for name in (PA, SHRUNK) for when in POLICIES),
)
"""Each method with its update policy. All but the Forgetron drop the oldest support vector."""
BUDGETS: tuple[int | None, ...] = (10, 20, 40, 80, None)
"""Largest numbers of support vectors. None is no budget, with which the Forgetron is a Perceptron."""
WIDTHS, QUICK_WIDTHS = (0.5, 2.0, 8.0, 32.0), (2.0, 8.0)
"""Values of gamma, in units of the inverse median squared distance of two examples."""
ALPHAS, QUICK_ALPHAS = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001), (0.1, 0.01)
"""Shrinkage of ShrunkPA, strongest first."""
FIRST = 100
"""Number of examples from which the median distance is computed."""


class Candidate(NamedTuple):
    """A setting of the tuning grid."""

    width: float
    alpha: float | None
    """None for methods without this parameter."""


def grid(method: str, quick: bool) -> list[Candidate]:
    """Return the settings of a method, strongest shrinkage first."""
    widths = QUICK_WIDTHS if quick else WIDTHS
    alphas: tuple[float | None, ...] = (None,)
    if method == SHRUNK:
        alphas = QUICK_ALPHAS if quick else ALPHAS
    return [Candidate(width, alpha) for alpha in alphas for width in widths]


def learner(method: str, when: When, budget: int | None, one: Candidate, unit: float) -> dl.Kernelized:
    """Return a new learner. ``unit`` is the gamma of width 1."""
    rules: dict[str, Any] = {
        FORGETRON: dl.Perceptron(),
        PERCEPTRON: dl.Perceptron(),
        PA: dl.PA(when=when),
        SHRUNK: dl.ShrunkPA(alpha=one.alpha or 0.0, when=when),
    }
    evict: Evict = "forgetron" if method == FORGETRON and budget is not None else "oldest"
    return dl.Kernelized(rules[method], dl.kernels.Gaussian(one.width * unit), budget, evict, bias=False)


def unit_gamma(X: Floats) -> float:
    """Return the inverse of the median squared distance between the first examples."""
    some = X[:FIRST]
    squares = np.sum((some[:, None, :] - some[None, :, :]) ** 2, axis=2)
    return 1.0 / float(np.median(squares[np.triu_indices(len(some), 1)]))
