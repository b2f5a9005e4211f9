"""Settings of every learner that is not linear, and examples that it can learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import driftline as dl
from tests.support.linear_cases import stream

ROWS = 60
REAL, ADVISED = ("targets", "outcomes"), ("advice", "outcomes")


@dataclass(frozen=True)
class Other:
    """A learner's name in the registry, its parameters, and which examples it takes.

    ``feed`` is "signed" (any numbers), "positive" (numbers from 0 to 1), "advice" (-1 and +1,
    always all of them), "classes" (any numbers, and labels of several classes) or "targets" (any
    numbers, and real targets) or "outcomes" (predictions and real targets from -1 to 1, always
    all of them).
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    feed: str = "signed"

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{k}={v}' for k, v in self.parameters.items())})"

    @property
    def regresses(self) -> bool:
        """Whether it learns real targets."""
        return self.feed in REAL

    @property
    def advised(self) -> bool:
        """Whether its features are experts."""
        return self.feed in ADVISED

    def learner(self, **options: Any) -> dl.Learner:
        return dl.REGISTRY[self.name](**self.parameters, **options)


OTHERS: list[Other] = [
    Other("kernelized"),
    Other("kernelized", {"learner": "perceptron", "kernel": "rbf(gamma=0.3)", "budget": 7}),
    Other("kernelized", {"learner": "norma(lam=0.1)", "kernel": "laplacian", "budget": 17, "evict": "smallest"}),
    Other("kernelized", {"learner": "l2pa(beta=3)", "kernel": "linear", "budget": 9, "evict": "random", "seed": 3}),
    Other("kernelized", {"learner": "norma(lam=0.1)", "kernel": "rbf", "evict": "age", "age": 20}),
    Other("kernelized", {"learner": "perceptron", "kernel": "rbf", "budget": 5, "evict": "forgetron"}),
    Other("kernelized", {"learner": "perceptron", "kernel": "rbf(gamma=0.1)", "evict": "projectron", "eta": 0.5}),
    Other("kernelized", {"learner": "romma", "kernel": "poly(degree=3)"}),
    Other("kernelized", {"learner": "alma", "kernel": "multilinear", "budget": 20}),
    Other("pa1"),  # a two-number rule keeps these promises too
    Other("halving", feed="advice"),
    Other("weightedmajority", feed="advice"),
    Other("weightedmajority", {"beta": 0.0}, feed="advice"),
    Other("exponentialweights", feed="advice"),
    Other("exponentialweights", {"eta": 0.7}, feed="advice"),
    Other("exponentialweights", {"schedule": "doubling"}, feed="advice"),
    Other("adahedge", feed="advice"),
    Other("fixedshare", {"eta": 2.0, "alpha": 0.1}, feed="advice"),
    Other("variableshare", feed="advice"),
    Other("committee"),
    Other("committee", {"learners": "pnormperceptron, romma, selftuningalma", "combine": "halving", "advice": "sign"}),
    Other("committee", {"learners": "l1pa(beta=2.0), shrunkpa", "combine": "adahedge", "advice": "score"}),
    Other("winnow", {"theta": 2.0, "beta": 1.3}, "positive"),
    Other("winnow", {}, "positive"),
    Other("trackingwinnow", {"theta": 2.0, "beta": 1.3, "floor": 0.4}, "positive"),
    Other("trackingwinnow", {}, "positive"),
    Other("balancedwinnow", {"eta": 0.3}),
    Other("gridhalving", {"gamma": 1.3, "features": 5}),
    Other("gridhalving", {"gamma": 8.0, "grid": "lecture", "features": 5}),
    Other("ellipsoidlearner"),
    Other("ellipsoidlearner", {"inconsistent": "restart"}),
    Other("versionspace", {"seed": 3}),
    Other("versionspace", {"samples": 40, "inconsistent": "restart"}),
    Other("labelefficient", {"b": 0.3}),
    Other("labelefficient", {"learner": "l2pa(beta=2)", "b": 2, "variant": "adaptive", "seed": 5}),
    Other("labelefficient", {"learner": "pnormperceptron(p=3)", "b": 0.5}),
    Other("labelefficient", {"learner": "l1pa(beta=3)", "b": 2.0, "variant": "adaptive"}),
    Other("labelefficient", {"learner": "secondorderperceptron(a=0.5)", "b": 0.2, "variant": "second"}),
    Other("labelefficient", {"learner": "secondorderperceptron(diagonal=True)", "b": 0.2, "variant": "second"}),
    Other("secondorderperceptron", {"a": 0.5}),
    Other("secondorderperceptron", {"diagonal": True}),
    Other("arow"),
    Other("arow", {"r": 0.1, "diagonal": True}),
    Other("scw"),
    Other("scw", {"C": 0.3, "eta": 0.8, "diagonal": True}),
    Other("kernelsecondorder"),
    Other("kernelsecondorder", {"a": 0.1, "kernel": "linear"}),
    Other("kernelsecondorder", {"a": 3.0, "kernel": "poly(degree=3)", "most": 50}),
    Other("multilinearperceptron"),
    Other("multilinearperceptron", {"most": 9}),
    Other("averaged"),
    Other("averaged", {"learner": "norma(lam=0.2)"}),
    Other("averaged", {"learner": "l2pa(beta=3)"}),
    Other("batchonline", {"rho": 1.0}),
    Other("batchonline", {"estimator": "GaussianNB()", "schedule": "mistake", "most": 20}),
    Other("batchonline", {"estimator": "DecisionTreeClassifier(max_depth=2)", "schedule": "every"}),
    Other("batchonline", {"estimator": "RidgeClassifier(alpha=2.0)", "rho": 0.5, "first": 5}),
    Other("tracker"),
    Other("tracker", {"bank": "light"}),
    Other("tracker", {"bank": "recipe"}),
    Other("bank"),
    Other("bank", {"learners": "arow, norma(lam=0.1), alma(B=2.0), perceptron, l2pa(beta=2.0), arow(diagonal=True)"}),
    Other("bank", {"learners": "scw, secondorderperceptron"}),
    Other("onevsrest", feed="classes"),
    Other("onevsrest", {"learner": "norma(lam=0.2)"}, "classes"),
    Other("onevsrest", {"learner": "alma(p=3.0)"}, "classes"),
    Other("onevsrest", {"learner": "l1pa(beta=2.0)"}, "classes"),
    Other("onevsrest", {"learner": "l2pa(beta=3.0, infeasible='raise')"}, "classes"),
    Other("onevsrest", {"learner": "kernelized(perceptron, rbf, 7)"}, "classes"),
    Other("onevsrest", {"learner": "arow"}, "classes"),
    Other("onevsrest", {"learner": "labelefficient(pa1, 0.5)"}, "classes"),
    Other("onevsrest", {"learner": "committee"}, "classes"),
    Other("onevsrest", {"learner": "averaged(pa1)"}, "classes"),
    Other("multiclassperceptron", feed="classes"),
    Other("multiclassperceptron", {"update": "uniform"}, "classes"),
    Other("multiclassperceptron", {"update": "proportional"}, "classes"),
    Other("multiclasspa", feed="classes"),
    Other("multiclasspa", {"variant": "pa", "update": "max"}, "classes"),
    Other("multiclasspa", {"C": 0.1, "variant": "pa2"}, "classes"),
    Other("multiclassshrunkpa", feed="classes"),
    Other("multiclassshrunkpa", {"alpha": 0.3, "when": "margin"}, "classes"),
    Other("multiclassshrunkpa", {"alpha": 0.1, "sigma": 0.01}, "classes"),
    Other("multiclassl2pa", feed="classes"),
    Other("multiclassl2pa", {"beta": 1.0, "when": "margin", "infeasible": "relax"}, "classes"),
    Other("multiclassl2pa", {"beta": 0.6, "infeasible": "best", "sigma": 0.01}, "classes"),
    Other("multiclassl2pa", {"beta": 5.0, "infeasible": "raise"}, "classes"),
    Other("multiclassl1pa", feed="classes"),
    Other("multiclassl1pa", {"beta": 2.0, "when": "margin", "infeasible": "relax", "kappa": 0.8}, "classes"),
    Other("multiclassl1pa", {"beta": 1.5, "sigma": 0.01, "infeasible": "best"}, "classes"),
    Other("squarelossexperts", feed="outcomes"),
    Other("squarelossexperts", {"eta": 2.0}, "outcomes"),
    Other("aggregatingexperts", {"B": 2.0}, "outcomes"),
    Other("squarelossfixedshare", {"alpha": 0.1}, "outcomes"),
    Other("paregressor", feed="targets"),
    Other("pa1regressor", {"C": 0.1, "epsilon": 0.2}, "targets"),
    Other("pa2regressor", feed="targets"),
    Other("normaregressor", {"lam": 0.1}, "targets"),
    Other("normaregressor", {"nu": 0.3}, "targets"),
    Other("gradientdescent", feed="targets"),
    Other("gradientdescent", {"loss": "absolute", "radius": 0.5}, "targets"),
    Other("gradientdescent", {"loss": "epsilon", "radius": 0.5, "constraint": "l1"}, "targets"),
    Other("recursiveleastsquares", feed="targets"),
    Other("recursiveleastsquares", {"forgetting": 0.9, "diagonal": True}, "targets"),
    Other("arowregressor", feed="targets"),
    Other("kernelized", {"learner": "normaregressor(nu=0.3)", "kernel": "rbf", "budget": 9}, "targets"),
    Other("kernelized", {"learner": "paregressor(epsilon=0.1)", "kernel": "linear"}, "targets"),
    Other(
        "kernelized",
        {"learner": "gradientdescent(radius=2.0, loss='epsilon', epsilon=0.5)", "kernel": "rbf(gamma=0.3)"},
        "targets",
    ),
    Other(
        "bank",
        {"learners": "paregressor, normaregressor(nu=0.3), gradientdescent(radius=0.5), arowregressor"},
        "targets",
    ),
    Other("arowregressor", {"drift": 0.1, "diagonal": True}, "targets"),
    Other("trackerregressor", feed="targets"),
]


@cache
def examples(feed: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of five columns, and labels -1 and +1, four classes of which one comes late, or targets."""
    data = stream(31, rounds=ROWS, n=5, density=0.7 if feed != "advice" else 1.0)
    X = data.X
    if feed == "outcomes":
        rng = np.random.default_rng(31)
        y = rng.uniform(-1.0, 1.0, ROWS)
        return np.clip(y[:, None] + 0.4 * rng.normal(size=(ROWS, 5)), -1.0, 1.0), y
    if feed == "targets":
        rng = np.random.default_rng(31)
        return X, X @ rng.normal(size=5) + 2.0 + 0.2 * rng.normal(size=ROWS)
    if feed == "classes":
        rng = np.random.default_rng(31)
        y = np.argmax(X @ rng.normal(size=(5, 4)) + 0.2 * rng.normal(size=(ROWS, 4)), axis=1)
        y[:20][y[:20] == 3] = 1
        return X, y.astype(np.float64)
    if feed == "positive":
        X = np.abs(X) / np.abs(X).max()
    if feed == "advice":
        X = np.where(X > 0.0, 1.0, -1.0)
    return X, data.y


def dicts(X: np.ndarray) -> list[dict[str, float]]:
    """The same rows with names; zeros are left out."""
    return [{name: value for name, value in zip("abcde", row.tolist(), strict=True) if value} for row in X]


def rows_of(kind: str, X: np.ndarray) -> Any:
    """The rows as an array ("dense"), a matrix ("csr"), or dicts without zeros ("dicts")."""
    if kind == "dicts":
        return [{f"f{j}": value for j, value in enumerate(row) if value} for row in X.tolist()]
    return csr_matrix(X) if kind == "csr" else X
