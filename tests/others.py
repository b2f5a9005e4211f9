"""Learners that are more than a two-number rule: a setting of each kind, and examples that it can learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from cases import stream

import driftline as dl

ROWS = 60


@dataclass(frozen=True)
class Other:
    """A learner's name in the registry, its parameters, and which examples it takes.

    ``feed`` is "signed" (any numbers), "positive" (numbers from 0 to 1) or "advice" (-1 and +1, always all of them).
    """

    name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    feed: str = "signed"

    def __str__(self) -> str:
        return f"{self.name}({','.join(f'{k}={v}' for k, v in self.parameters.items())})"

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
    Other("kernelsecondorder"),
    Other("kernelsecondorder", {"a": 0.1, "kernel": "linear"}),
    Other("kernelsecondorder", {"a": 3.0, "kernel": "poly(degree=3)", "most": 50}),
    Other("multilinearperceptron"),
    Other("multilinearperceptron", {"most": 9}),
]


@cache
def examples(feed: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows of five columns, and labels -1 and +1."""
    data = stream(31, rounds=ROWS, n=5, density=0.7 if feed != "advice" else 1.0)
    X = data.X
    if feed == "positive":
        X = np.abs(X) / np.abs(X).max()
    if feed == "advice":
        X = np.where(X > 0.0, 1.0, -1.0)
    return X, data.y


def dicts(X: np.ndarray) -> list[dict[str, float]]:
    """The same rows with names; zeros are left out."""
    return [{name: value for name, value in zip("abcde", row.tolist(), strict=True) if value} for row in X]
