"""GridHalving, EllipsoidLearner and VersionSpace on targets with a known margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Literal

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.engines.state import FIRST
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.support.linear_cases import separable


def centre(learner: dl.Learner, d: int) -> np.ndarray:
    v = learner._engine.weights()[FIRST : FIRST + d]
    return np.concatenate([v, np.zeros(d - v.size)])


# the grid -------------------------------------------------------------------------------------------------------
def halves(n: int, gamma: float, grid: Literal["sqrt", "lecture"]) -> int:
    """The label is always the minority's, across the mean of the candidates that are left, until they agree."""
    rng = np.random.default_rng(0)
    learner = dl.GridHalving(gamma, grid=grid, bias=False, features=n)
    for _ in range(300):
        x, mean = rng.normal(size=n), centre(learner, n)
        if mean.any():
            x -= (x @ mean) / (mean @ mean) * mean
        score = learner.score_one(x)
        if abs(score) < 1.0:
            learner.learn_one(x, -1 if score >= 0.0 else 1)
    return learner.label_errors


def grid_seen(form: Any, grid: Literal["sqrt", "lecture"]) -> Iterator[Seen]:
    for n, gamma in ((2, 0.05), (2, 0.01), (3, 0.5)):
        yield Seen(halves(n, gamma, grid), form(d=n, gamma=gamma))
    for seed in range(4):
        data, u = separable(seed, 80, 2, 0.1)
        gamma = float(np.min(data.y * (data.X @ u))) * (1.0 - 1e-9)
        learner = dl.GridHalving(gamma, grid=grid, bias=False)
        learner.learn_many(data.X, data.y)
        yield Seen(learner.label_errors, form(d=2, gamma=gamma))


shows("gridhalving")(lambda: grid_seen(bounds.GridMistakes, "sqrt"))
shows("gridhalving-lecture")(lambda: grid_seen(bounds.GridLectureMistakes, "lecture"))


@breaks("gridhalving", "gridhalving-lecture")
def labels_that_no_candidate_has() -> Broken:
    rng = np.random.default_rng(0)
    learner = dl.GridHalving(0.3, grid="lecture", bias=False)
    learner.learn_many(rng.normal(size=(200, 2)), rng.choice([-1.0, 1.0], 200))
    return Broken(learner.label_errors, bounds.GridLectureMistakes(d=2, gamma=0.3).value)


# the circle: its halving is exact, and so is its centre of mass ----------------------------------------------------
def cut_in_the_middle(cuts: int) -> tuple[int, float]:
    """Every row is across the middle of the arc that is left, and its label what was not said.

    The middle of the last arc is then the target. Mistakes, and its margin.
    """
    low, high, rows = 0.0, 2.0 * math.pi, []
    for _ in range(cuts):
        middle = (low + high) / 2.0
        rows.append(middle + math.pi / 2.0)  # those below the middle say -1 to it
        low, high = (low, middle)
    target = (low + high) / 2.0
    return cuts, min(abs(math.cos(row - target)) for row in rows)


@shows("halving-sphere")
def halving_sphere() -> Iterator[Seen]:
    for cuts in (4, 8, 12):
        mistakes, gamma = cut_in_the_middle(cuts)
        yield Seen(mistakes, bounds.SphereMistakes(d=2, gamma=gamma * (1.0 - 1e-12)))


@breaks("halving-sphere")
def the_measure_as_it_is_printed() -> Broken:
    mistakes, gamma = cut_in_the_middle(12)
    return Broken(mistakes, math.log2(2.0 / gamma))


@shows("versionspace")
def centre_of_mass() -> Iterator[Seen]:
    """The exact centre of a sector is in its middle; in four dimensions that of samples, which is only a guide."""
    for cuts in (4, 8, 12):
        mistakes, gamma = cut_in_the_middle(cuts)
        yield Seen(mistakes, bounds.CentreOfMassUpdates(d=2, gamma=gamma))
    for seed in range(2):
        yield Seen(*hidden(dl.VersionSpace(seed=seed, bias=False), seed, 4, 0.05, bounds.CentreOfMassUpdates))


@breaks("versionspace")
def a_margin_that_is_not_kept() -> Broken:
    mistakes, _ = cut_in_the_middle(12)
    return Broken(mistakes, bounds.CentreOfMassUpdates(d=2, gamma=0.5).value)


# the ellipsoid --------------------------------------------------------------------------------------------------
def hidden(learner: dl.Learner, seed: int, d: int, gamma: float, form: Any) -> tuple[int, bounds.Bound]:
    """Rows at margin gamma from a target, across the learner's centre, and on its wrong side where possible."""
    rng = np.random.default_rng(100 + seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    for _ in range(400):
        c, x = centre(learner, d), rng.normal(size=d)
        if c.any():
            x -= (x @ c) / (c @ c) * c
        x -= (x @ u) * u
        x *= math.sqrt(1.0 - gamma * gamma) / np.linalg.norm(x)
        y = rng.choice([-1.0, 1.0])
        y = -y if y * (c @ (x + y * gamma * u)) > 0.0 else y
        learner.learn_one(x + y * gamma * u, y)
    return learner.updates, form(d=d, gamma=gamma * (1.0 - 1e-12), R=1.0 + 1e-12)


def furthest(d: int, gamma: float) -> int:
    """Every row is a tie; of a few, the one after which the centre is furthest from the target."""
    rng = np.random.default_rng(41)
    u = np.eye(d)[0]
    learner = dl.EllipsoidLearner(bias=False)
    for _ in range(400):
        c = centre(learner, d)
        across = u - (u @ c) / (c @ c) * c if c.any() else u
        reach = float(np.linalg.norm(across))
        if reach < gamma * (1.0 + 1e-9):
            break
        across, chosen, least = across / reach, None, math.inf
        for _ in range(6):
            z = rng.normal(size=d)
            for away in (across, c):
                z -= (z @ away) / (away @ away) * away if away.any() else 0.0
            a, size = min(1.0, gamma / reach), np.linalg.norm(z)
            x = a * across + (math.sqrt(1.0 - a * a) / size * z if size > 1e-9 else 0.0)
            tried = deepcopy(learner)
            tried.learn_one(x - 1e-12 * c, 1.0)  # so that rounding does not make it right
            after = centre(tried, d)
            near = float(after @ u / np.linalg.norm(after))
            if tried.updates > learner.updates and near < least:
                chosen, least = tried, near
        if chosen is None:
            break
        learner = chosen
    return learner.updates


@shows("ellipsoid")
def ellipsoid() -> Iterator[Seen]:
    for d, gamma in ((2, 0.1), (2, 0.001), (3, 0.05)):
        yield Seen(furthest(d, gamma), bounds.EllipsoidUpdates(d=d, gamma=gamma))
    for seed, d, gamma in ((0, 2, 0.2), (1, 3, 0.01), (2, 8, 0.05)):
        yield Seen(*hidden(dl.EllipsoidLearner(bias=False), seed, d, gamma, bounds.EllipsoidUpdates))


@breaks("ellipsoid")
def the_ellipsoid_with_a_margin_that_is_not_kept() -> Broken:
    return Broken(furthest(2, 0.001), bounds.EllipsoidUpdates(d=2, gamma=0.7).value)
