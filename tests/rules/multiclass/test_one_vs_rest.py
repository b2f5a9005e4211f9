"""OneVsRest agrees with its oracle: a loop over lone learners of two labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from tests.oracles.multiclass import OneVsRest


def classes(rounds: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sparse rows, labels of five classes of which the last comes late, and sample weights."""
    rng = np.random.default_rng(23)
    X = rng.normal(size=(rounds, n)) * (rng.random((rounds, n)) < 0.7)
    y = np.argmax(X @ rng.normal(size=(n, 5)), axis=1)
    y[: rounds // 2][y[: rounds // 2] == 4] = 0
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], rounds)


@pytest.mark.parametrize("base", [dl.PA1(C=0.3), dl.NORMA(lam=0.05), dl.L1PA(beta=2.0), dl.AROW(), dl.BalancedWinnow()])
@pytest.mark.parametrize("declared", [(), (0, 1, 2, 3, 4)], ids=["undeclared", "declared"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_margins_and_mistakes_are_those_of_the_lone_learners(base: Any, declared: tuple[int, ...], kind: str) -> None:
    X, y, w = classes(150, 6)
    rows: Any = X if kind == "dense" else csr_matrix(X)
    learner = dl.OneVsRest(base, labels=declared or None)
    oracle = OneVsRest(lambda: type(base)(**vars(base.rule), labels=(-1, 1)), declared)
    due = [oracle.learn(rows[i], int(y[i]), w[i]) for i in range(150)]
    assert learner.learn_many(rows, y, w).tolist() == due
    assert learner.mistakes == oracle.mistakes > 20
    assert list(learner.labels) == list(oracle.alone)
    assert learner.weights() == {label: alone.weights() for label, alone in oracle.alone.items()}
