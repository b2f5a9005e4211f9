"""Settings of every regressor, each with its oracle, and random streams of real targets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import driftline as dl
from tests.oracles import regression as oracles
from tests.support.linear_cases import Stream

INF = math.inf


@dataclass(frozen=True)
class RegressionCase:
    """A regressor's name in the registry, and its parameters by the names its oracle has, too."""

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{k}={v}' for k, v in self.parameters.items())})"

    def learner(self, **options: Any) -> dl.Learner:
        return dl.REGISTRY[self.name](**self.parameters, **options)

    def oracle(self, n: int) -> oracles.Oracle:
        oracle: oracles.Oracle = getattr(oracles, dl.REGISTRY[self.name].__name__)(n, **self.parameters)
        return oracle


def cross(name: str, *parameters: dict[str, Any], **each: tuple[Any, ...]) -> list[RegressionCase]:
    """A case for every set of parameters, crossed with the values in ``each``."""
    sets = [dict(p) for p in parameters or ({},)]
    for key, values in each.items():
        sets = [p | {key: value} for p in sets for value in values]
    return [RegressionCase(name, p) for p in sets]


CASES = [
    *cross("paregressor", epsilon=(0.0, 0.3)),
    *cross("pa1regressor", C=(0.05, 1.0, INF), epsilon=(0.0, 0.3)),
    *cross("pa2regressor", C=(0.05, 1.0, INF), epsilon=(0.0, 0.3)),
    *cross("normaregressor", alpha=(0.05, 0.3), lam=(0.0, 0.1), epsilon=(0.0, 0.3), nu=(0.0, 0.4)),
    *cross("gradientdescent", eta=(0.1, 1.0), radius=(1.5, INF), loss=("squared", "absolute"), constraint=("l2", "l1")),
    *cross("gradientdescent", {"loss": "epsilon"}, epsilon=(0.0, 0.3), radius=(1.5,), constraint=("l2", "l1")),
    *cross("recursiveleastsquares", forgetting=(0.95, 1.0), a=(1.0, 0.01), diagonal=(False, True)),
    *cross("arowregressor", r=(1.0, 0.1), drift=(0.0, 0.01), diagonal=(False, True)),
]
NAMES = sorted({case.name for case in CASES})


def targets(
    seed: int,
    rounds: int = 1500,
    n: int = 8,
    *,
    density: float = 1.0,
    decades: float = 0.0,
    drift: float = 0.02,
    noise: float = 0.2,
    weights: tuple[float, ...] = (1.0,),
) -> Stream:
    """Normal rows of lengths over several decades, with the targets of a drifting plane and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, n)) * (rng.random((rounds, n)) < density)
    X *= 10.0 ** rng.uniform(-decades / 2.0, decades / 2.0, (rounds, 1))
    plane = rng.normal(size=n) + np.cumsum(drift * rng.normal(size=(rounds, n)), axis=0)
    y = np.sum(plane * X, axis=1) + noise * rng.normal(size=rounds)
    return Stream(X, y, rng.choice(weights, size=rounds))
