"""Settings of every linear learner, each with its oracle, and random streams."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.state import FIRST
from tests.oracles import linear as oracles
from tests.oracles.projections import norm

INF = math.inf
P = (2.0, 3.0, 5.99)
WHEN = ("margin", "mistake")
WEIGHTS = (0.0, 0.3, 1.0, 2.5)


@dataclass(frozen=True)
class Case:
    """A learner's name in the registry, and its parameters by the names its oracle has, too."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{k}={v}' for k, v in self.parameters.items())})"

    def learner(self, **options: Any) -> dl.Learner:
        return dl.REGISTRY[self.name](**self.parameters, **options)

    def oracle(self, n: int) -> oracles.Oracle:
        oracle: oracles.Oracle = getattr(oracles, dl.REGISTRY[self.name].__name__)(n, **self.parameters)
        return oracle


def cross(name: str, *parameters: dict[str, Any], **each: tuple[Any, ...]) -> list[Case]:
    """A case for every set of parameters, crossed with the values in ``each``."""
    sets = [dict(p) for p in parameters or ({},)]
    for key, values in each.items():
        sets = [p | {key: value} for p in sets for value in values]
    return [Case(name, p) for p in sets]


# L1PA under "best" is run on mistakes only: there every infeasible round moves w. At a margin above 0 it may be where
# it should go already, and rounding alone would decide whether that is an update.
CASES = [
    *cross("perceptron"),
    *cross("pnormperceptron", p=P),
    *cross("projectionperceptron", *({"eta": e, "radius": r} for e, r in ((0.1, 1.0), (0.7, 2.5), (1.0, INF)))),
    *cross("projectionperceptron", {"eta": 0.3}, region=("l1ball(1.5)", "box(-0.4, 0.4)", "ellipsoid(rest=0.7)")),
    *cross("norma", {"alpha": 0.5, "lam": 0.02, "rho": 1.0}, {"alpha": 1.0, "lam": 0.3, "rho": 0.0}, p=P),
    *cross("norma", {"alpha": 0.3, "lam": 0.0, "rho": 0.5}, p=(2.0, 3.0)),
    *cross("alma", {"alpha": 0.5, "B": 3.0, "rho": 1.0}, {"alpha": 1.0, "B": INF, "rho": 0.0}, p=P),
    *cross("alma", {"alpha": 2.0, "B": 0.7, "rho": 0.0}, p=(2.0, 3.0)),
    *cross("selftuningalma", {"alpha": 0.9, "B": None, "C": None}, {"alpha": 0.4, "B": 2.0, "C": 0.5}, p=P),
    *cross("selftuningalma", {"alpha": 1.0, "B": None, "C": None, "p": 2.0}),
    *cross("pa", when=WHEN),
    *cross("pa1", C=(0.05, 1.0, INF), when=WHEN),
    *cross("pa2", C=(0.05, 1.0, INF), when=WHEN),
    *cross("shrunkpa", alpha=(0.0, 0.05, 1.0), when=WHEN),
    *cross("shrunkpa", {"alpha": 0.05, "sigma": 0.01}, {"alpha": 0.0, "sigma": 0.5}, when=WHEN),
    *cross("l2pa", {"beta": 2.0}, {"beta": INF}, {"beta": 2.0, "sigma": 0.1, "infeasible": "best"}, when=WHEN),
    *cross("l2pa", {"beta": 0.4, "kappa": 0.7}, infeasible=("skip", "relax", "best"), when=WHEN),
    *cross("l1pa", {"beta": 2.0}, {"beta": 0.4, "kappa": 0.7}, infeasible=("relax",), when=("margin",)),
    *cross("l1pa", {"beta": 0.4, "when": "mistake"}, infeasible=("skip", "best")),
    *cross("l1pa", {"beta": 2.0, "sigma": 0.05, "when": "mistake"}, {"beta": INF, "when": "margin"}),
    *cross("romma", when=WHEN),
]


# What must hold for a parameter: tests/rules/test_parameters.py tries values outside.
POSITIVE, POSITIVE_OR_INFINITE, NOT_NEGATIVE = "> 0 and finite", "> 0", ">= 0 and finite"
AT_LEAST_2, INSIDE_0_1, UP_TO_1 = ">= 2 and finite", "(0, 1)", "(0, 1]"
WHEN_FIRED, INFEASIBLE = "margin or mistake", "skip, relax, best or raise"
REGION = "None or a region"
BALL = {
    "beta": POSITIVE_OR_INFINITE,
    "when": WHEN_FIRED,
    "infeasible": INFEASIBLE,
    "kappa": INSIDE_0_1,
    "sigma": NOT_NEGATIVE,
}
RANGES: dict[str, dict[str, str]] = {
    "perceptron": {},
    "pnormperceptron": {"p": AT_LEAST_2},
    "projectionperceptron": {"eta": POSITIVE, "radius": POSITIVE_OR_INFINITE, "region": REGION},
    "norma": {"alpha": POSITIVE, "lam": NOT_NEGATIVE, "rho": NOT_NEGATIVE, "p": AT_LEAST_2},
    "alma": {"alpha": POSITIVE, "B": POSITIVE_OR_INFINITE, "rho": NOT_NEGATIVE, "p": AT_LEAST_2},
    "selftuningalma": {"alpha": UP_TO_1, "B": POSITIVE, "C": POSITIVE, "p": AT_LEAST_2},
    "pa": {"when": WHEN_FIRED},
    "pa1": {"C": POSITIVE_OR_INFINITE, "when": WHEN_FIRED},
    "pa2": {"C": POSITIVE_OR_INFINITE, "when": WHEN_FIRED},
    "shrunkpa": {"alpha": NOT_NEGATIVE, "when": WHEN_FIRED, "sigma": NOT_NEGATIVE},
    "l2pa": BALL,
    "l1pa": BALL,
    "romma": {"when": WHEN_FIRED},
}


def one_of_each() -> list[Case]:
    """The first case of every learner, and of every engine that it runs on."""
    seen: dict[tuple[str, type], Case] = {}
    for case in CASES:
        seen.setdefault((case.name, type(case.learner()._engine)), case)
    return list(seen.values())


@dataclass(frozen=True)
class Stream:
    """Rounds of examples, labels -1 and +1, and sample weights."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray

    @property
    def csr(self) -> csr_matrix:
        return csr_matrix(self.X)


def stream(
    seed: int,
    rounds: int = 2000,
    n: int = 8,
    *,
    density: float = 1.0,
    decades: float = 0.0,
    drift: float = 0.05,
    noise: float = 0.05,
    weights: tuple[float, ...] = (1.0,),
) -> Stream:
    """Normal rows of lengths over several decades, labelled by a drifting target with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, n)) * (rng.random((rounds, n)) < density)
    X *= 10.0 ** rng.uniform(-decades / 2.0, decades / 2.0, (rounds, 1))
    target = rng.normal(size=n) + np.cumsum(drift * rng.normal(size=(rounds, n)), axis=0)
    y = np.where(np.sum(target * X, axis=1) >= 0.0, 1.0, -1.0) * np.where(rng.random(rounds) < noise, -1.0, 1.0)
    return Stream(X, y, rng.choice(weights, size=rounds))


def separable(seed: int, rounds: int, n: int, margin: float, *, p: float = 2.0) -> tuple[Stream, np.ndarray]:
    """Rows with |x|_p = 1 and a target u, |u|_q = 1, with y u.x >= margin on all of them."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= norm(u, p / (p - 1.0))
    X = rng.normal(size=(60 * rounds, n))
    X /= np.sum(np.abs(X) ** p, axis=1, keepdims=True) ** (1.0 / p)
    X = X[np.abs(X @ u) >= margin][:rounds]
    assert len(X) == rounds
    return Stream(X, np.sign(X @ u), np.ones(rounds)), u


def mislabelled(seed: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Unit rows, labels of which a share is wrong, a unit vector u, and a margin for its hinge."""
    data, u = separable(seed, 300, 6, 0.1)
    y = np.where(np.random.default_rng(seed).random(300) < noise, -data.y, data.y)
    return data.X, y, u, 0.3 if noise else float(np.min(y * (data.X @ u)))


def with_constant(X: np.ndarray) -> np.ndarray:
    """The rows with a first column of ones."""
    return np.hstack([np.ones((len(X), 1)), X])


def weights_of(learner: dl.Learner, n: int) -> np.ndarray:
    """The bias feature's weight, then those of n columns."""
    w = learner._engine.weights()
    return np.concatenate([w[:1], w[FIRST : FIRST + n]])
