"""Kernels given as functions and matrices: agreement with compiled ones, invalid kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import kernels
from tests.oracles.kernel import kernel_matrix
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.kernel_checks import close, gaussian
from tests.support.linear_cases import stream

ASKED: list[dict[str, Any]] = [
    {"learner": "norma(lam=0.05)"},
    {"learner": "l2pa(beta=2, when='margin')", "budget": 11},
    {"learner": "pa1", "budget": 9, "evict": "smallest"},
    {"learner": "alma(B=2)", "budget": 9, "evict": "random", "seed": 4},
    {"learner": "shrunkpa(alpha=0.2)", "evict": "age", "age": 12},
    {"learner": "perceptron", "budget": 6, "evict": "forgetron"},
    {"learner": "perceptron", "evict": "projectron", "eta": 0.4},
]


@pytest.mark.parametrize("given", ASKED, ids=str)
def test_functions_and_matrices_are_as_good_as_compiled_kernels(given: dict[str, Any]) -> None:
    data = stream(8, rounds=90, n=3)
    compiled = dl.Kernelized(kernel="rbf(gamma=0.3)", **given)
    asked = dl.Kernelized(kernel=gaussian, **given)
    known = dl.Kernelized(kernel=kernels.Precomputed(kernel_matrix(kernels.Gaussian(0.3), data.X)), **given)
    due = compiled.learn_many(data.X, data.y)
    numbers = np.arange(90.0)[:, None]
    for learner, X in ((asked, data.X), (known, numbers)):
        close(learner.learn_many(X, data.y), due)
        close(learner.score_many(X), compiled.score_many(data.X))
        assert (learner.updates, learner.support()) == (compiled.updates, compiled.support())
        assert learner._engine.extent() == pytest.approx(compiled._engine.extent(), rel=1e-9)
    one = dl.Kernelized(kernel=gaussian, **given)
    for x, y in zip(data.X, data.y, strict=True):
        one.learn_one(x, y)
    assert_same(snapshot(one), snapshot(asked))


def test_a_matrix_is_asked_by_row_number() -> None:
    learner = dl.Kernelized("norma(lam=0)", kernels.Precomputed([[1.0, 0.5], [0.5, 2.0]]))
    assert learner.learn_one({"index": 1}, True) == 0.0
    assert [learner.score_one({"index": i}) for i in (0, 1)] == [0.5, 2.0]
    for wrong in (2, -1, 0.5):
        with refused(learner, "finite", "Precomputed(matrix of 2 examples)"):
            learner.learn_one({"index": wrong}, True)
        with refused(learner, "finite"):
            learner.score_one({"index": wrong})


@pytest.mark.parametrize("make", [lambda k: dl.Kernelized("pa1", k), lambda k: dl.KernelSecondOrder(1.0, k)])
def test_an_example_of_a_matrix_is_one_number(make: Any) -> None:
    learner, columns = (make(kernels.Precomputed([[1.0, 0.5], [0.5, 2.0]])) for _ in range(2))
    assert learner.score_one({"index": 1}) == 0.0
    with refused(learner, "x must be one feature, always the same: the number of its row", "got 0 features. Pass only"):
        learner.learn_one({}, True)
    learner.learn_one({"index": 0}, True)
    due = learner.score_one({"index": 0})
    assert due > 0.0
    for wrong, got in (({"index": 1, "more": 2.0}, "2 features"), ({"more": 1}, "another feature"), ({}, "0 features")):
        with refused(learner, "x must be one feature, always the same: the number of its row with Pre", f"got {got}"):
            learner.learn_one(wrong, False)
        with refused(learner, "x must be one feature", f"got {got}"):
            learner.score_one(wrong)
        with refused(learner, "row 1 must be one feature", f"got {got}"):
            learner.learn_many([{"index": 1}, wrong], [False, True])
    assert learner.score_one({"index": 0}) == due
    for X in (np.eye(2), csr_matrix(np.eye(2))):
        with refused(columns, "must be one feature, always the same"):
            columns.learn_many(X, [1, -1])
    columns.learn_many(csr_matrix(([0.0, 1.0], [0, 0], [0, 1, 2]), shape=(2, 1)), [1, -1])
    assert columns.score_many([[0.0], [1.0]]).all()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x, z: math.nan, ("finite", "nan")),
        (lambda x, z: math.inf, ("finite", "inf")),
        (lambda x, z: "alike", ("finite",)),
        (lambda x, z: -1.0, ("k(x, x) >= 0", "-1.0")),
        (lambda x, z: 1e130, ("k(x, x) >= 0 and <= 1e120",)),
        (lambda x, z: float(x[0] * x[0] + 1.0), ("k(x, z) = k(z, x)", "symmetric")),
    ],
)
def test_wrong_kernels_are_refused(function: Any, words: tuple[str, ...]) -> None:
    learner = dl.Kernelized("perceptron", function)
    X, y = [[1.0, 2.0], [-3.0, 1.0]], [1, -1]
    with refused(learner, *words):
        learner.learn_many(X, y)
    assert learner.n_seen == learner.support() == 0


@pytest.mark.parametrize("make", [lambda k: dl.Kernelized("pa1", k), lambda k: dl.KernelSecondOrder(1.0, k)])
def test_symmetry_is_relative_to_the_length_of_examples(make: Any) -> None:
    def rounded(x: np.ndarray, z: np.ndarray) -> float:
        return float(x @ z + 1e-13 * (x[0] - z[0]))

    def uneven(x: np.ndarray, z: np.ndarray) -> float:
        return float(x @ z + 1e-7 * (x[0] - z[0]))

    X, y = [[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]], [1, -1, 1]
    make(rounded).learn_many(X, y)
    learner = make(uneven)
    with refused(learner, "row 1 must have k(x, z) = k(z, x), got -1e-07 and 1e-07. Make it symmetric"):
        learner.learn_many(X, y)


def test_a_matrix_may_be_symmetric_but_for_rounding() -> None:
    kernels.Precomputed([[4.0, 1e-17], [-1e-17, 9.0]])
    for wrong in ([[4.0, 1e-7], [-1e-7, 9.0]], [[4e-12, 1e-16], [-1e-16, 0.0]]):
        with pytest.raises(ValueError, match=r"matrix\[0, 1\] and matrix\[1, 0\] must be equal"):
            kernels.Precomputed(wrong)


def test_a_kernel_that_fails_changes_nothing() -> None:
    calls = []

    def failing(x: np.ndarray, z: np.ndarray) -> float:
        calls.append(1)
        if len(calls) == 8:
            raise RuntimeError("out of order")
        return gaussian(x, z)

    data = stream(9, rounds=9, n=2)
    learner = dl.Kernelized("pa", failing, budget=2)
    before = snapshot(learner)
    with pytest.raises(RuntimeError, match="out of order"):
        learner.learn_many(data.X, data.y)
    assert_same(before | {"named": None, "width": 0, "features": 0}, snapshot(learner))
    twin = dl.Kernelized("pa", gaussian, budget=2)
    assert learner.learn_many(data.X, data.y).tolist() == twin.learn_many(data.X, data.y).tolist()
