"""The triangular solves of a Cholesky factor in a square array, against numbers computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.internals.numeric.square_cholesky import append_row, solve_lower, solve_upper


def test_solves_with_two_rows() -> None:
    L, u = np.array([[2.0, 0.0], [1.0, 3.0]]), np.zeros(2)
    assert solve_lower(L, np.array([4.0, 8.0]), u, 2) == 8.0
    assert u.tolist() == [2.0, 2.0]
    solve_upper(L, u, 2)
    np.testing.assert_allclose(u, [2.0 / 3.0, 2.0 / 3.0], rtol=1e-15)


@pytest.mark.parametrize("size", [1, 4, 5, 11])
def test_a_factor_built_row_by_row_solves_its_matrix(size: int) -> None:
    A = np.random.default_rng(size).normal(size=(size, size))
    K = A @ A.T + np.eye(size)
    L, u = np.zeros((size, size)), np.zeros(size)
    for i in range(size):
        near_sq = solve_lower(L, K[i], u, i)
        append_row(L, u, i, np.sqrt(K[i, i] - near_sq))
    np.testing.assert_allclose(L, np.linalg.cholesky(K), rtol=1e-10, atol=1e-12)
    k = np.arange(1.0, size + 1.0)
    assert solve_lower(L, k, u, size) == pytest.approx(k @ np.linalg.solve(K, k))
    solve_upper(L, u, size)
    np.testing.assert_allclose(u, np.linalg.solve(K, k), rtol=1e-9)
