"""Small streams and results for the tests of the error benchmark."""

from __future__ import annotations

import sys

import numpy as np
from scipy.sparse import csr_matrix, random_array

import driftline as dl
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from error.ours import Played  # noqa: E402
from error.play import Outcome  # noqa: E402
from error.results import Result  # noqa: E402
from error.rivals import Rival  # noqa: E402
from error.stored import Stream  # noqa: E402


def drawn(n: int = 300, *, name: str = "small", seed: int = 0) -> Stream:
    """A dense stream of two classes."""
    [(X, y)] = dl.streams.SwitchingHyperplane(n=n, d=4, noise=0.1, seed=seed, block=n)
    return Stream(name, seed, X, y)


def words(seed: int = 3) -> Stream:
    """A sparse stream of two classes."""
    X = csr_matrix(random_array((50, 400), density=0.05, format="csr", rng=seed))
    return Stream("words", seed, X, np.where(np.arange(50) % 3 == 0, 1.0, -1.0))


def classes(n: int = 300) -> Stream:
    """A dense stream of three classes, numbered 2, 5 and 9."""
    X = np.random.default_rng(1).normal(size=(n, 4))
    return Stream("classes", 0, X, np.array([2, 5, 9])[np.argmax(X[:, :3], axis=1)])


def tracker(wrong: list[int], seconds: float = 1e-3, best_expert: int | None = None, name: str = "T") -> Result:
    """A result of ours that takes twice as long one at a time as in one call."""
    outcome = Outcome.of(np.array(wrong, bool), seconds / 2)
    return Result(name, "elec2", len(wrong), [outcome], [Played(outcome, (len(wrong), seconds), None, best_expert)])


def peer(rival: Rival, rows: int, mistakes: int, seconds: float) -> Result:
    """A result of a peer on a stream of 100 rows; its mistakes are the first rows."""
    return Result(rival.name, "elec2", 100, [Outcome.of(np.arange(rows) < mistakes, seconds)])
