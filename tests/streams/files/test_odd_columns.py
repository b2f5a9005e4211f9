"""Frames and Arrow tables with columns that Python or Arrow cannot convert, and lazily read predictions."""

from __future__ import annotations

import io
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from driftline.streams import ReadError, read

BEFORE, AFTER = -1_000_000, 10_000_000
"""Days since 1970 that no Python date can hold: years -768 and 29349."""


def table(column: Any) -> pa.Table:
    return pa.table({"v": column, "x": pa.array([1.0] * len(column)), "y": pa.array(["a", "b"])})


@pytest.mark.parametrize("days", [(BEFORE, 0), (0, AFTER)])
def test_dates_beyond_those_of_python(days: tuple[int, int]) -> None:
    far = table(pa.array(days, pa.int32()).cast(pa.date32()))
    for options in ({}, {"time": "v"}, {"kinds": {"v": "time"}}, {"keep": ["v"]}):
        blocks = list(read(far, target="y", **options))
        assert [len(X) for X, *_ in blocks] == [2]
    kept = blocks[0][0].kept["v"]
    assert [str(one) for one in kept] == [
        "-0768-02-04" if d == BEFORE else "29349-01-26" if d else "1970-01-01" for d in days
    ]


def test_a_time_that_goes_backwards_from_a_date_beyond_those_of_python() -> None:
    far = table(pa.array([AFTER, 0], pa.int32()).cast(pa.date32()))
    with pytest.raises(ReadError, match="must not go backwards, got '1970-01-01' after '29349-01-26'"):
        list(read(far, target="y", time="v"))


def test_half_floats_as_categories() -> None:
    X, *_ = next(
        iter(read(table(pa.array([np.float16(1.5), None], pa.float16())), target="y", kinds={"v": "category"}))
    )
    assert sorted(X.names) == ["v=1.5", "x"]


@pytest.mark.parametrize("frame", [pd.DataFrame(index=[1, 2]), pa.table({})])
def test_a_frame_without_columns(frame: Any) -> None:
    with pytest.raises(ReadError, match="at least one row"):
        list(read(frame, labelled=False))


def test_whole_numbers_that_arrow_does_not_have() -> None:
    with pytest.raises(ReadError, match="frame: every column of a frame must hold values of one type"):
        list(read(pd.DataFrame({"a": [10**30, 1], "y": ["a", "b"]}), target="y"))


def test_dicts_that_are_nested_too_deep() -> None:
    deep = reduce(lambda inner, _: {"k": inner}, range(5000), {"k": 1})
    with pytest.raises(ReadError, match="records, line 1: dicts must be nested at most 64 deep"):
        list(read([{"a": deep, "y": "a"}], target="y"))


def test_a_column_that_gives_no_features_is_passed_through_whatever_its_type() -> None:
    lists = table(pa.array([[1], [2, 3]]))
    known = read(lists.drop_columns("v"), target="y")
    list(known)
    X, *_ = next(iter(read(lists, recipe=known.recipe, keep=["v"])))
    assert X.kept == {"v": [[1], [2, 3]]}
    X, *_ = next(iter(read(lists, target="y", drop=["v"], keep=["v"])))
    assert X.kept == {"v": [[1], [2, 3]]}


@pytest.mark.parametrize("target", [None, "y"])
def test_predictions_do_not_wait_for_the_whole_file(tmp_path: Path, target: str | None) -> None:
    path = tmp_path / "some.csv"
    path.write_text("x,z\n" + "1,2\n" * 2_000_000)
    stream = read(path, labelled=False, target=target)
    next(iter(stream))
    assert stream.fraction is not None
    assert stream.fraction < 0.9


def test_weights_and_columns_to_ignore_are_no_default_target_of_arff() -> None:
    header = "@relation a\n@attribute x numeric\n@attribute y {a,b}\n@attribute w numeric\n@data\n"
    for options in ({"weight": "w"}, {"kinds": {"w": "ignore"}}):
        stream = read(io.BytesIO(f"{header}1,a,2\n2,b,3\n".encode()), format="arff", **options)
        assert [block[1].tolist() for block in stream] == [["a", "b"]]
    stream = read(io.BytesIO(f"{header}1,a,2\n2,b,3\n".encode()), format="arff", kinds={"w": "category"})
    assert [block[1].tolist() for block in stream] == [["2", "3"]]
