"""Settings of learners that together use every engine, and the examples that each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.learners import REGISTRY, Learner

ROWS, COLUMNS = 40, 6
Array = npt.NDArray[Any]


class Setting(NamedTuple):
    """A learner's name in the registry, and its parameters."""

    name: str
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.parameters.items())})"

    def learner(self, **options: Any) -> Learner:
        """A new learner."""
        return REGISTRY[self.name](**self.parameters, **options)


VARIANTS: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "projectionperceptron": tuple(
        {"region": region} for region in ("l1ball(1.5)", "box(-0.4, 0.4)", "ellipsoid(rest=0.7)")
    ),
    "norma": ({"p": 3.0}, {"p": 5.99}),
    "alma": ({"p": 3.0},),
    "selftuningalma": ({"p": 3.0},),
    "exponentialweights": ({"eta": 0.7}, {"schedule": "doubling"}),
    "committee": (
        {"learners": "pnormperceptron, romma, selftuningalma", "combine": "halving", "advice": "sign"},
        {"learners": "l1pa(beta=2.0), shrunkpa", "combine": "adahedge", "advice": "score"},
    ),
    "gridhalving": ({"gamma": 8.0, "grid": "lecture"},),
    "ellipsoidlearner": ({"inconsistent": "restart"},),
    "versionspace": ({"samples": 40, "inconsistent": "restart"},),
    "labelefficient": (
        {"learner": "l2pa(beta=2)", "b": 2, "variant": "adaptive"},
        {"learner": "pnormperceptron(p=3)", "b": 0.5},
        {"learner": "l1pa(beta=3)", "b": 2.0, "variant": "adaptive"},
        {"learner": "secondorderperceptron(a=0.5)", "b": 0.2, "variant": "second"},
        {"learner": "secondorderperceptron(diagonal=True)", "b": 0.2, "variant": "second"},
    ),
    "secondorderperceptron": ({"diagonal": True},),
    "arow": ({"diagonal": True},),
    "scw": ({"diagonal": True},),
    "kernelsecondorder": ({"kernel": "linear"}, {"kernel": "poly(degree=3)"}),
    "kernelized": (
        {"learner": "perceptron", "kernel": "rbf(gamma=0.3)", "budget": 7},
        {"learner": "norma(lam=0.1)", "kernel": "laplacian", "budget": 17, "evict": "smallest"},
        {"learner": "l2pa(beta=3)", "kernel": "linear", "budget": 9, "evict": "random", "seed": 3},
        {"learner": "norma(lam=0.1)", "kernel": "rbf", "evict": "age", "age": 20},
        {"learner": "perceptron", "kernel": "rbf", "budget": 5, "evict": "forgetron"},
        {"learner": "perceptron", "kernel": "rbf(gamma=0.1)", "evict": "projectron", "eta": 0.5},
        {"learner": "romma", "kernel": "poly(degree=3)"},
        {"learner": "alma", "kernel": "multilinear", "budget": 20},
        {"learner": "normaregressor(nu=0.3)", "kernel": "rbf", "budget": 9},
        {"learner": "gradientdescent(radius=2.0, loss='epsilon', epsilon=0.5)", "kernel": "linear"},
    ),
    "averaged": ({"learner": "norma(lam=0.2)"}, {"learner": "l2pa(beta=3)"}),
    "tracker": ({"bank": "light"}, {"bank": "extended"}, {"bank": "recipe"}),
    "bank": (
        {"learners": "arow, norma(lam=0.1), alma(B=2.0), perceptron, arow(diagonal=True)"},
        {"learners": "scw, secondorderperceptron"},
        {"learners": "paregressor, normaregressor(nu=0.3), gradientdescent(radius=0.5), arowregressor"},
    ),
    "onevsrest": tuple(
        {"learner": learner}
        for learner in (
            "alma(p=3.0)",
            "l1pa(beta=2.0)",
            "arow",
            "labelefficient(pa1, 0.5)",
            "committee",
            "averaged(pa1)",
            "kernelized(perceptron, rbf, 7)",
        )
    ),
    "multiclassperceptron": ({"update": "uniform"}, {"update": "proportional"}),
    "multiclasspa": ({"variant": "pa", "update": "max"}, {"variant": "pa2"}),
    "multiclassl2pa": ({"beta": 0.6, "infeasible": "best", "sigma": 0.01},),
    "multiclassl1pa": ({"beta": 1.5, "sigma": 0.01, "infeasible": "best"},),
    "gradientdescent": ({"loss": "absolute", "radius": 0.5}, {"radius": 0.5, "constraint": "l1"}),
    "recursiveleastsquares": ({"diagonal": True},),
    "arowregressor": ({"diagonal": True},),
}
"""Parameters beside the defaults that choose another engine, or other types of arguments."""


def settings() -> list[Setting]:
    """The defaults of every learner, and the variants; those that take longest to compile come first."""
    first = ("tracker", "trackerregressor", "bank", "kernelized", "onevsrest")
    names = [*first, *(name for name in REGISTRY if name not in first)]
    return [Setting(name, parameters) for name in names for parameters in ({}, *VARIANTS.get(name, ()))]


def examples(learner: Learner) -> tuple[Array, Array]:
    """Rows and labels that the learner takes.

    Parameters
    ----------
    learner
        A new learner.
    """
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(ROWS, COLUMNS)), 3)
    X[np.abs(X) < 0.3] = 0.0
    family = type(learner).__module__.rpartition(".")[2]
    if family in ("experts", "halving", "outcome_experts"):
        y = np.sign(X[:, 0] + 0.1)
        return (np.where(X > 0.0, 1.0, -1.0), y) if not learner.rule.regresses else (np.clip(X, -1, 1), 0.5 * y)
    if learner.rule.regresses:
        return X, X @ rng.normal(size=COLUMNS) + 2.0
    if learner.rule.several:
        return X, np.argmax(X[:, :3], axis=1).astype(np.float64)
    if family == "winnow":
        X = np.abs(X) / np.abs(X).max()
    return X, np.where(X[:, 0] + 0.2 * rng.normal(size=ROWS) > 0.1, 1.0, -1.0)
