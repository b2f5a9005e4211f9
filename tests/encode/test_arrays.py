"""Arrays and sparse matrices in any layout and order; damaged ones are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import driftline as dl
from driftline.encode.block_checks import check_dense, check_sparse
from tests.support.bitwise import assert_same, goes_on, refused, snapshot, twins

X = np.array([[1.0, -2.0, 0.0, 0.5], [0.0, 1.0, 2.0, 0.0], [3.0, 0.0, 0.0, -1.0]])
Y = [0, 1, 0]


def columns_learner(**options: Any) -> dl.Learner:
    learner = dl.PA1(**options)
    learner.learn_many(X, Y)
    return learner


# arrays ---------------------------------------------------------------------------------------------------------------
ARRAYS: dict[str, tuple[Any, str]] = {
    "1-d": (np.ones(4), "X must be a 2-d array, CSR matrix, frame or list of dicts, got shape (4,). Pass one"),
    "3-d": (np.ones((3, 4, 1)), "X must be a 2-d array, CSR matrix, frame or list of dicts, got shape (3, 4, 1)"),
    "number": (5, "X must be a 2-d array, CSR matrix, frame or list of dicts, got int"),
    "None": (None, "list of dicts, got NoneType"),
    "text": ("abc", "list of dicts, got str"),
    "one dict": ({"a": 1.0}, "list of dicts, got dict. Pass one example to learn_one"),
    "generator": ((x for x in X), "list of dicts, got generator"),
    "objects": (X.astype(object), "an array must hold numbers, got dtype object. Pass text as dicts"),
    "complex": (X + 1j, "an array must hold numbers, got dtype complex128"),
    "strings": (X.astype(str), "an array must hold numbers, got dtype <U32"),
    "times": (
        X.astype("M8[s]"),
        "an array must hold numbers, got dtype datetime64[s]. Pass text as dicts of features, and times",
    ),
    "durations": (X.astype("m8[s]"), "an array must hold numbers, got dtype timedelta64[s]"),
    "records": (np.zeros(3, "f8,i4"), "an array must hold numbers, got dtype [('f0'"),
    "masked": (np.ma.array(X, mask=X == 3), "an array must not have masked entries, got 1. Fill them in"),
    "ragged": ([[1, 2, 3, 4], [1]], "rows must be numbers and equally long, got [[1, 2, 3, 4], [1]]. Pass dicts"),
    "narrow": (X[:, :3], "X must have 4 columns as before, got 3. Pass dicts if features come and go"),
    "wide": (np.ones((3, 5)), "X must have 4 columns as before, got 5"),
    "no columns": (np.ones((3, 0)), "X must have 4 columns as before, got 0"),
    "no rows": (X[:0], "X and y must have the same length, got 0 and 3"),
    "long double": (X * np.longdouble("1e400"), "row 0, column 0 must be finite, got inf"),
    "dicts": ([{"a": 1.0}] * 3, "examples must be arrays or sparse rows as before, got named features. Use"),
    "frame": (pd.DataFrame(X), "examples must be arrays or sparse rows as before, got named features"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_what_is_no_matrix_of_numbers(name: str) -> None:
    given, words = ARRAYS[name]
    learner, twin = twins(columns_learner, None)
    with refused(learner, words):
        learner.learn_many(given, Y)
    if name != "no rows":
        with refused(learner, words):
            learner.score_many(given)
    goes_on(learner, twin, lambda q: q.learn_many(X, Y))


LAYOUTS = {
    "lists": X.tolist(),
    "Fortran": np.asfortranarray(X),
    "big-endian": X.astype(">f8"),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": X[::-1].copy()[::-1],
    "unaligned": np.frombuffer(b"x" + X.tobytes(), offset=1).reshape(X.shape),
    "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "long double": X.astype(np.longdouble),
    "float16": X.astype(np.float16),
    "matrix": np.matrix(X) if hasattr(np, "matrix") else X,
    "unmasked": np.ma.array(X),
    "polars": pl.DataFrame(X).to_numpy(),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_layout_of_an_array_is_no_matter(name: str) -> None:
    plain, other = columns_learner(), columns_learner()
    compiled = len(check_dense.signatures), len(check_sparse.signatures)
    assert np.array_equal(plain.learn_many(X, Y), other.learn_many(LAYOUTS[name], Y))
    assert np.array_equal(plain.score_many(X), other.score_many(LAYOUTS[name]))
    assert_same(snapshot(plain), snapshot(other))
    assert (len(check_dense.signatures), len(check_sparse.signatures)) == compiled


# sparse matrices ------------------------------------------------------------------------------------------------------
def csr(**parts: Any) -> Any:
    """The CSR matrix of X with some of its parts replaced."""
    matrix = sparse.csr_matrix(X)
    for name, part in parts.items():
        setattr(matrix, name, part)
    return matrix


S = sparse.csr_matrix(X)
DAMAGE = (
    "must have row offsets that rise from 0 to the number of its values, got a damaged indptr, indices or data. Rebuild"
)
INDEX = "row 1, a column index must be >= 0 and < 4, got"


def put(array: np.ndarray, at: int, value: Any) -> np.ndarray:
    return np.concatenate([array[:at], np.array([value], array.dtype), array[at + 1 :]])


def twice(value: float) -> Any:
    """Row 1 has column 0 twice."""
    return sparse.csr_matrix(([value, value], [0, 0], [0, 0, 2, 2]), shape=(3, 4))


MATRICES: dict[str, tuple[Any, str]] = {
    "negative index": (csr(indices=put(S.indices, 3, -1)), f"{INDEX} -1. Give the matrix more columns"),
    "index beyond width": (csr(indices=put(S.indices, 3, 4)), f"{INDEX} 4"),
    "index far beyond": (csr(indices=put(S.indices, 3, 2**31 - 1)), f"{INDEX} 2147483647"),
    "64 bits, negative": (csr(indices=put(S.indices.astype("i8"), 3, -(2**40))), f"{INDEX} -1099511627776"),
    "64 bits, beyond": (csr(indices=put(S.indices.astype("i8"), 3, 2**32)), f"{INDEX} 4294967296"),
    "offsets fall": (csr(indptr=put(S.indptr, 1, 6)), DAMAGE),
    "offsets negative": (csr(indptr=put(S.indptr, 1, -1)), DAMAGE),
    "offsets end late": (csr(indptr=put(S.indptr, 3, 8)), DAMAGE),
    "offsets start late": (csr(indptr=put(S.indptr, 0, 1)), DAMAGE),
    "too few offsets": (csr(indptr=S.indptr[:-1]), DAMAGE),
    "offsets of floats": (csr(indptr=S.indptr.astype(float)), DAMAGE),
    "indices of floats": (csr(indices=S.indices.astype(float)), DAMAGE),
    "indices in a list": (csr(indices=S.indices.tolist()), DAMAGE),
    "no indices": (csr(indices=None), DAMAGE),
    "2-d indices": (csr(indices=S.indices.reshape(-1, 1)), DAMAGE),
    "too few indices": (csr(indices=S.indices[:-1]), DAMAGE),
    "too few values": (csr(data=S.data[:-1]), DAMAGE),
    "no values": (csr(data=None), DAMAGE),
    "2-d values": (csr(data=S.data.reshape(-1, 1)), DAMAGE),
    "complex": (csr(data=S.data * 1j), "a sparse matrix must hold numbers, got dtype complex128. Convert"),
    "objects": (csr(data=S.data.astype(object)), "a sparse matrix must hold numbers, got dtype object"),
    "strings": (csr(data=S.data.astype(str)), "a sparse matrix must hold numbers, got dtype <U"),
    "nan": (csr(data=put(S.data, 3, np.nan)), "row 1, column 1 must be finite, got nan"),
    "sum overflows": (twice(9e307), "row 1, column 0 must be finite, got inf"),
    "sum too long": (twice(9e59), "row 1 must be shorter than 1e+60, got length 1.8e+60 (column 0 is 1.8e+60)"),
    "narrow": (sparse.csr_matrix(X[:, :3]), "X must have at least 4 columns as before, got 3. Build it"),
    "too wide": (sparse.csr_matrix((3, 10**12)), "X must have at most 2147483648 columns, got 1000000000000. Set"),
    "1-d": (sparse.coo_array(X[0]), "a sparse X must have 2 dimensions, got shape (4,). Stack the rows"),
    "3-d": (sparse.coo_array(X.reshape(3, 2, 2)), "a sparse X must have 2 dimensions, got shape (3, 2, 2)"),
}  # fmt: skip


@pytest.mark.parametrize("name", MATRICES)
def test_a_damaged_matrix(name: str) -> None:
    given, words = MATRICES[name]
    learner, twin = twins(columns_learner, None)
    with refused(learner, words):
        learner.learn_many(given, Y)
    with refused(learner, words):
        learner.score_many(given)
    goes_on(learner, twin, lambda q: q.learn_many(S, Y))
    if name not in ("narrow", "too wide"):
        for options in ({"hashing": dl.Hashing(3)}, {"scale": "standard"}):
            with refused(fresh := dl.PA1(**options)):
                fresh.learn_many(given, Y)


@pytest.mark.parametrize("kind", ["coo", "csc", "bsr"])
def test_damage_in_other_formats_does_not_reach_scipy(kind: str) -> None:
    matrix = sparse.csr_matrix(X).asformat(kind)
    indices = matrix.col if kind == "coo" else matrix.indices
    indices[0] = 10**6
    learner = columns_learner()
    with refused(learner, "a sparse matrix must be valid, got"):
        learner.learn_many(matrix, Y)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
def test_every_sparse_format(container: Any, kind: str) -> None:
    dense, other = dl.PA1(), dl.PA1()
    assert np.allclose(dense.learn_many(X, Y), other.learn_many(container(X).asformat(kind), Y), rtol=1e-14)
    one = dl.PA1()
    for row, y in zip(X, Y, strict=True):
        one.learn_one(container(row.reshape(1, -1)).asformat(kind), y)
    assert_same(snapshot(one), snapshot(other))


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_sparse_vectors(kind: str) -> None:
    matrix, vector = dl.PA1(), dl.PA1()
    matrix.learn_many(S, Y)
    for row, y in zip(X, Y, strict=True):
        vector.learn_one(sparse.coo_array(row).asformat(kind), y)
    assert_same(snapshot(matrix), snapshot(vector))
    with refused(vector, "x must be one row, got shape (3, 4). Pass many rows to learn_many"):
        vector.learn_one(S, 1)


@st.composite
def untidy(draw: st.DrawFn) -> Any:
    """A CSR matrix with indices out of order and given twice, and of either size."""
    rows = draw(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(-4, 4)), max_size=8), max_size=6))
    entries = [entry for row in rows for entry in row]
    indptr = np.cumsum([0, *map(len, rows)])
    dtype = draw(st.sampled_from(["i4", "i8"]))
    indices, values = np.array([k for k, _ in entries], dtype), np.array([v for _, v in entries], float)
    return sparse.csr_array((values, indices, indptr.astype(dtype)), shape=(len(rows), 6))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(untidy(), st.booleans())
def test_untidy_rows_are_added_up(matrix: Any, hashed: bool) -> None:
    options = {"hashing": dl.Hashing(2)} if hashed else {}
    tidy = matrix.copy()
    tidy.sum_duplicates()
    y = np.arange(matrix.shape[0]) % 2
    indices = matrix.indices.copy()
    a, b, c = dl.PA1(**options), dl.PA1(**options), dl.PA1(**options)
    scores = a.learn_many(matrix, y)
    assert np.array_equal(scores, [b.learn_one(matrix[i : i + 1], int(y[i])) for i in range(len(y))])
    assert_same(snapshot(a), snapshot(b))
    assert np.array_equal(indices, matrix.indices)
    c.learn_many(tidy[:1], y[:1])
    assert np.allclose(a.score_many(matrix), a.score_many(tidy), rtol=1e-9, atol=1e-9)
    if len(y) == 1:
        assert np.allclose(c.score_many(tidy), a.score_many(tidy), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["read-only", "strided", "64 bits", "int", "bool", "float32", "trailing"])
def test_the_layout_of_a_matrix_is_no_matter(name: str) -> None:
    values = np.sign(S.data) ** 2 if name == "bool" else S.data * 2
    plain = csr(data=values.astype(float))
    given = csr(data=values.copy())
    if name == "read-only":
        for part in (given.data, given.indices, given.indptr):
            part.setflags(write=False)
    elif name == "strided":
        given.data, given.indices = np.repeat(given.data, 2)[::2], np.repeat(given.indices, 2)[::2]
    elif name == "64 bits":
        given.indices, given.indptr = given.indices.astype("i8"), given.indptr.astype("i8")
    elif name == "trailing":  # scipy allows room behind the last row, whatever is in it
        given.data, given.indices = np.append(given.data, np.nan), np.append(given.indices, -7).astype("i4")
    else:
        given.data = given.data.astype(name)
    a, b = dl.PA1(), dl.PA1()
    assert np.array_equal(a.learn_many(plain, Y), b.learn_many(given, Y))
    assert_same(snapshot(a), snapshot(b))
