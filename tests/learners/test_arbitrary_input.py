"""Arbitrary input is understood or refused with a ValueError; a refusal changes nothing."""

from __future__ import annotations

import copy
import datetime
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

import driftline as dl
from driftline.learners import large_blocks
from tests.support.bitwise import assert_same, snapshot

X = np.array([[1.0, -2.0, 0.5], [0.0, 1.0, 2.0], [3.0, 0.0, -1.0], [-1.0, 1.0, 1.0]])
DICTS = [{"a": 1.0, "b": -2.0}, {"b": 1.0, "c": "red"}, {"a": 3.0, 7: 1.0}, {"a": -1.0, "c": True}]
Y = [0, 1, 0, 1]

LEARNERS = [
    dl.PA1(),
    dl.PA1(scale="standard"),
    dl.L2PA(infeasible="raise", beta=0.5, scale="unit"),
    dl.L1PA(beta=0.5, infeasible="raise", scale="standard"),
    dl.ALMA(p=3.0, dtype="float32"),
    dl.ShrunkPA(sigma=0.01, hashing=dl.Hashing(3)),
    dl.NORMA(p=4.0, hashing=dl.Hashing(2), scale="standard"),
    dl.ROMMA(bias=False, labels=("no", "yes")),
]

NUMBERS = [
    st.floats(-5, 5),
    st.floats(),
    st.integers(),
    st.booleans(),
    st.sampled_from([1e200, 1e-200, 5e-324, 1.7e308, 10**400, -(10**400), -(2**63), 2**64]),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.text(max_size=3),
]
OBJECTS = [
    None, b"x", "x", "", "1.5", object(), object, (), (1, 2), {}, [], set(), slice(1), range(3), Ellipsis,
    datetime.date(2020, 1, 1), np.datetime64("2020"), np.timedelta64(1, "s"), np.str_("a"), np.bytes_(b"a"),
    np.float16(1.5), np.int8(-3), np.bool_(True), np.complex64(1j), np.ma.masked, np.longdouble("1e400"),
    np.array(1.5), np.array([1.5]), np.array("a"), np.void(b"ab"), Decimal("sNaN"), Fraction(1, 3),
]  # fmt: skip
NAMES = ["a", "b", "c", "d", 7, -1, 2**70, True, 1.0, None, (1,), b"a", "c=red", "", "\ud800"]
DTYPES = ["f8", "f4", "f2", "g", "i8", "i1", "u8", "?", "c16", "M8[s]", "m8[D]", "U2", "S2", "O", ">f8", "f8,i4"]


def pick(draw: st.DrawFn, strategies: list[Any]) -> Any:
    return draw(strategies[draw(st.integers(0, len(strategies) - 1))])


@st.composite
def scalars(draw: st.DrawFn) -> Any:
    return pick(draw, [st.sampled_from(OBJECTS), *NUMBERS])


@st.composite
def dicts(draw: st.DrawFn) -> Any:
    """Mostly sound ones: one bad value spoils a dict."""
    odd = draw(st.integers(0, 2)) == 0
    values = scalars() if odd else st.floats(-5, 5)
    return draw(st.dictionaries(st.sampled_from(NAMES if odd else NAMES[:5]), values, max_size=5))


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Any type, up to three dimensions, in any layout."""
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    size = int(np.prod(shape))
    array = np.array(draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)), float).reshape(shape)
    array = array.astype(draw(st.sampled_from(DTYPES)))
    if array.dtype.kind == "f":
        array[array == 3] = draw(st.sampled_from([np.nan, np.inf, 6e4, 3.0]))
    layout = draw(st.sampled_from(["C", "F", "backwards", "read-only", "masked"]))
    if layout == "read-only":
        array.setflags(write=False)
    elif layout == "masked":
        array = np.ma.array(array, mask=draw(st.booleans()))
    return np.asfortranarray(array) if layout == "F" else array[::-1] if layout == "backwards" and shape else array


@st.composite
def matrices(draw: st.DrawFn) -> Any:
    """A sound dense or sparse matrix, or a CSR matrix whose parts say whatever they like."""
    shape = draw(st.integers(0, 5)), draw(st.integers(2, 4))
    X = np.array([draw(st.integers(-2, 2)) for _ in range(shape[0] * shape[1])], float).reshape(shape)
    kind = draw(st.sampled_from(["dense", "csr", "csc", "coo", "damaged", "damaged"]))
    if kind == "dense":
        return X
    matrix = draw(st.sampled_from([sparse.csr_matrix, sparse.csr_array]))(X)
    if kind != "damaged":
        return matrix.asformat(kind)
    for part in draw(st.lists(st.sampled_from(["indptr", "indices", "data"]), unique=True)):
        setattr(matrix, part, draw(damaged(getattr(matrix, part))))
    return matrix


@st.composite
def damaged(draw: st.DrawFn, old: Any) -> Any:
    change = draw(st.sampled_from(["entry", "all", "length", "dtype"]))
    if change == "length":
        return np.resize(old, max(0, len(old) + draw(st.integers(-2, 2))))
    if change == "dtype":
        return old.astype(draw(st.sampled_from([np.int64, np.int8, np.uint32, np.float32, object, complex])))
    if change == "all":
        return np.array([draw(st.integers(-3, 8)) for _ in old], old.dtype)
    new = old.copy()
    new[draw(st.integers(0, max(0, len(old) - 1))) :][:1] = draw(st.sampled_from([-1, 1, 3, 5, 99, 2**31 - 1]))
    return new


@st.composite
def examples(draw: st.DrawFn) -> Any:
    return pick(draw, [dicts(), dicts(), arrays(), scalars(), st.lists(scalars(), max_size=4), matrices()])


@st.composite
def blocks(draw: st.DrawFn) -> Any:
    lists = st.lists(dicts(), max_size=5), st.lists(st.lists(scalars(), max_size=3), max_size=4)
    return pick(draw, [matrices(), matrices(), *lists, arrays(), scalars(), dicts()])


@st.composite
def label_lists(draw: st.DrawFn) -> Any:
    sound = st.lists(st.sampled_from([0, 1]), max_size=5)
    return pick(draw, [sound, sound.map(np.array), st.lists(scalars(), max_size=5), arrays(), scalars()])


@st.composite
def sample_weights(draw: st.DrawFn) -> Any:
    return pick(draw, [st.just(1.0), st.none(), scalars(), arrays(), st.lists(scalars(), max_size=5)])


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, ...]:
    method = draw(st.sampled_from(["learn_one", "learn_many", "score_one", "predict_one", "score_many"]))
    if method == "learn_one":
        label = pick(draw, [st.sampled_from([0, 1, "no", "yes", True]), scalars(), arrays()])
        return method, draw(examples()), label, draw(sample_weights())
    if method == "learn_many":
        return method, draw(blocks()), draw(label_lists()), draw(sample_weights())
    return method, draw(blocks() if method.endswith("many") else examples())


def state_after(learner: dl.Learner, call: tuple[Any, ...]) -> str:
    """Make one call; it may raise a ValueError and nothing else, and then it must have changed nothing."""
    before = snapshot(learner)
    try:
        getattr(learner, call[0])(*call[1:])
    except ValueError as error:
        assert_same(before, snapshot(learner))
        assert str(error).startswith(type(learner).__name__ + ": "), error
        return "refused"
    if call[0].startswith(("score", "predict")):
        assert_same(before, snapshot(learner))
    for array in learner._engine.arrays().values():
        assert np.isfinite(array[np.abs(array) < np.inf]).all()
    return "understood"


@pytest.mark.parametrize("start", ["fresh", "named", "columns", "large"])
@pytest.mark.parametrize("number", range(len(LEARNERS)))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(junk=st.lists(calls(), min_size=1, max_size=4))
@example(junk=[("score_one", {}), ("learn_many", X, Y, None), ("learn_one", {}, 1, 1.0)])
@example(junk=[("learn_one", {}, 1, -1.0), ("learn_one", {}, 1, 1.0)])
def test_junk(number: int, start: str, junk: list[tuple[Any, ...]]) -> None:
    learner = copy.deepcopy(LEARNERS[number])
    y = [("no", "yes")[k] for k in Y] if number == 7 else Y
    if start == "named":
        state_after(learner, ("learn_many", DICTS, y))
    elif start == "columns":
        state_after(learner, ("learn_many", X, y))
    smallest = {"LARGE_VALUES": 1, "VALUES_PER_WEIGHT": 0} if start == "large" else {}
    with mock.patch.multiple(large_blocks, **smallest) if smallest else nullcontext():
        for call in junk:
            state_after(learner, call)
