"""The kind of a column is decided once: missing cells and wrong cells mean the same wherever they stand."""

from __future__ import annotations

import io
import json
import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import driftline as dl
from driftline.streams import ReadError, read
from tests.support.table_routes import ROUTES, Table, features, labels, source

ROWS = 20_000
PLACES = [4, 998, 1000, ROWS - 2]
MARKERS = ["", "NA", "N/A", "nan", "NaN", "null", "NULL", "None", "?"]
DELIMITED = {"csv": ",", "tsv": "\t"}


def amounts(rows: int, place: int, cell: Any) -> Table:
    """A table with numbers, one of them replaced."""
    cells: list[Any] = [float(k % 9) for k in range(rows)]
    cells[place] = cell
    columns = {"amount": cells, "size": [float(k % 4) for k in range(rows)], "y": ["a", "b"] * (rows // 2)}
    return Table(columns, {"amount": "number", "size": "number", "y": "category"})


def text_of(route: str, rows: list[list[str]], names: list[str], kinds: list[str]) -> str:
    """The rows as text of a delimited file or of ARFF."""
    if route in DELIMITED:
        return "".join(DELIMITED[route].join(row) + "\n" for row in [names, *rows])
    header = ["@relation r", *(f"@attribute {name} {kind}" for name, kind in zip(names, kinds, strict=True)), "@data"]
    return "\n".join([*header, *(",".join(row or "''" for row in cells) for cells in rows)]) + "\n"


def small(route: str, folder: Path, cells: list[str], kind: str = "numeric") -> str:
    """A file with the cells as column x, and the column z."""
    rows = [[cell, str(k), "ab"[k % 2]] for k, cell in enumerate(cells)]
    path = folder / f"t.{route}"
    path.write_text(text_of(route, rows, ["x", "z", "y"], [kind, "numeric", "{a, b}"]), encoding="utf-8")
    return str(path)


# one missing cell -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("route", ROUTES)
def test_one_missing_amount_is_a_missing_number(route: str, place: int, tmp_path: Path) -> None:
    table = amounts(ROWS, place, None)
    stream = read(source(table, route, tmp_path), target="y")
    rows = features(stream)
    assert len(rows) == ROWS and rows[place] == {"size": place % 4}
    assert all(row.keys() == {"amount", "size"} for k, row in enumerate(rows) if k != place)
    assert stream.missing == {"amount": 1} and stream.recipe.kinds["amount"] == "number"
    assert stream.skipped == 0 and stream.bad_cells.count == 0


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("marker", ["NA", "?"])
@pytest.mark.parametrize("route", ["csv", "tsv", "arff"])
def test_one_marker_is_a_missing_number(route: str, marker: str, place: int, tmp_path: Path) -> None:
    table = amounts(ROWS, place, None)
    marked = Table(table.columns, table.types, {"amount": marker})
    stream = read(source(marked, route, tmp_path), target="y")
    assert features(stream) == features(read(table.records, target="y"))
    assert stream.missing == {"amount": 1}


@pytest.mark.parametrize("route", ["csv", "tsv", "arff"])
@pytest.mark.parametrize("marker", MARKERS)
def test_markers_of_missing_cells(route: str, marker: str, tmp_path: Path) -> None:
    cells = ["1", marker, "2.5", "3"]
    stream = read(small(route, tmp_path, cells), target="y")
    assert features(stream) == [{"x": 1.0, "z": 0.0}, {"z": 1.0}, {"x": 2.5, "z": 2.0}, {"x": 3.0, "z": 3.0}]
    assert stream.missing == {"x": 1}


@pytest.mark.parametrize("route", ["csv", "tsv", "arff"])
@pytest.mark.parametrize("marker", MARKERS[1:])
def test_markers_in_a_column_of_categories(route: str, marker: str, tmp_path: Path) -> None:
    cells = ["u", marker, "v", "u"]
    stream = read(small(route, tmp_path, cells, kind="string"), target="y", kinds={"x": "category"})
    assert [row.keys() - {"z"} for row in features(stream)] == [{"x=u"}, set(), {"x=v"}, {"x=u"}]
    assert stream.missing == {"x": 1}


@pytest.mark.parametrize("route", ["csv", "tsv", "arff"])
def test_the_list_of_markers_can_be_changed(route: str, tmp_path: Path) -> None:
    path = small(route, tmp_path, ["1", "-999", "2", "gone", "3"])
    stream = read(path, target="y", na_values=["-999", "gone"])
    assert [row.get("x") for row in features(stream)] == [1.0, None, 2.0, None, 3.0]
    assert stream.missing == {"x": 2}
    with pytest.raises(ReadError, match="column x: a cell of this column must be a number, got 'NA'"):
        features(read(small(route, tmp_path, ["1", "NA", "2"]), target="y", na_values=["gone"]))


@pytest.mark.parametrize("route", ["csv", "tsv", "arff"])
def test_markers_are_words_of_a_text(route: str, tmp_path: Path) -> None:
    path = small(route, tmp_path, ["NA", "null", "'none ever'" if route == "arff" else "none ever"], kind="string")
    stream = read(path, target="y", text=["x"])
    words = [{name for name in row if name != "z"} for row in features(stream)]
    assert words == [{"x:na"}, {"x:null"}, {"x:none", "x:ever"}]
    assert stream.missing == {}


@pytest.mark.parametrize("route", ["jsonl", "json", "parquet", "arrow", "pandas", "polars", "table", "dicts"])
def test_markers_are_categories_in_typed_sources(route: str, tmp_path: Path) -> None:
    table = Table({"x": ["NA", "?", "u", None], "y": ["a", "b", "a", "b"]}, {"x": "category", "y": "category"})
    stream = read(source(table, route, tmp_path), target="y")
    assert features(stream) == [{"x=NA": 1.0}, {"x=?": 1.0}, {"x=u": 1.0}, {}]
    assert stream.missing == {"x": 1}


@pytest.mark.parametrize(
    "missing", [None, math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")], ids=repr
)
def test_missing_values_of_dicts(missing: Any) -> None:
    rows = [{"x": 1.0, "c": "u", "y": "a"}, {"x": missing, "c": missing, "y": "b"}, {"x": 2.0, "c": "v", "y": "a"}]
    stream = read(rows, target="y")
    assert features(stream) == [{"x": 1.0, "c=u": 1.0}, {}, {"x": 2.0, "c=v": 1.0}]
    assert stream.missing == {"x": 1, "c": 1}


FRAMES = {
    "pandas float": pd.DataFrame({"x": [1.0, math.nan], "y": ["a", "b"]}),
    "pandas Int64": pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "y": ["a", "b"]}),
    "pandas object": pd.DataFrame({"x": pd.Series([1.0, None], dtype=object), "y": ["a", "b"]}),
    "pandas object NA": pd.DataFrame({"x": pd.Series([1.0, pd.NA], dtype=object), "y": ["a", "b"]}),
    "polars null": pl.DataFrame({"x": [1.0, None], "y": ["a", "b"]}),
    "polars nan": pl.DataFrame({"x": [1.0, math.nan], "y": ["a", "b"]}),
    "arrow null": pa.table({"x": [1.0, None], "y": ["a", "b"]}),
    "arrow nan": pa.table({"x": [1.0, math.nan], "y": ["a", "b"]}),
    "arrow float32": pa.table({"x": pa.array([1.0, math.nan], pa.float32()), "y": ["a", "b"]}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_missing_values_of_frames(name: str) -> None:
    stream = read(FRAMES[name], target="y")
    assert features(stream) == [{"x": 1.0}, {}]
    assert stream.missing == {"x": 1}


# wrong cells ----------------------------------------------------------------------------------------------------------
def with_wrong_cell(route: str, place: int, folder: Path, rows: int) -> tuple[Any, int]:
    """A source with numbers and the cell abc; and the line of the cell."""
    table = amounts(rows, place, "abc")
    if route == "dicts":
        return table.records, place + 1
    if route == "json":
        path = folder / "t.json"
        path.write_text(json.dumps(table.records))
        return str(path), place + 1
    if route == "jsonl":
        return source(table, route, folder), place + 1
    return source(table, route, folder), place + (2 if route in DELIMITED else 6)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("route", ["csv", "tsv", "arff", "jsonl", "json", "dicts"])
def test_a_word_among_numbers_is_a_fault_wherever_it_stands(route: str, place: int, tmp_path: Path) -> None:
    given, line = with_wrong_cell(route, place, tmp_path, ROWS)
    with pytest.raises(ReadError, match=rf"line {line}, column amount: .* must be a number, got 'abc'"):
        features(read(given, target="y"))
    stream = read(given, target="y", on_error="skip")
    rows = features(stream)
    assert len(rows) == ROWS and rows[place] == {"size": place % 4}
    assert stream.skipped == 0 and stream.bad_cells.count == 1
    assert f"line {line}, column amount" in stream.bad_cells.listed[0]


def test_nothing_of_the_block_is_learned_before_a_wrong_cell(tmp_path: Path) -> None:
    given, _ = with_wrong_cell("csv", 500, tmp_path, 1000)
    learner = dl.PA1()
    with pytest.raises(ReadError):
        dl.run(learner, read(given, target="y"))
    assert learner.n_seen == 0


# columns that show their kind late ------------------------------------------------------------------------------------
@pytest.mark.parametrize("cells", [[1.5, 2.5], ["u", "v"]], ids=["numbers", "words"])
@pytest.mark.parametrize("route", ROUTES)
def test_a_column_that_is_empty_in_the_first_rows(route: str, cells: list[Any], tmp_path: Path) -> None:
    kind = "number" if isinstance(cells[0], float) else "category"
    columns = {"x": [None] * 1500 + cells, "z": [1.0] * 1502, "y": ["a", "b"] * 751}
    stream = read(source(Table(columns, {"x": kind, "z": "number", "y": "category"}), route, tmp_path), target="y")
    rows = features(stream)
    assert rows[:1500] == [{"z": 1.0}] * 1500
    assert rows[1500:] == [{"z": 1.0, **({"x": cell} if kind == "number" else {f"x={cell}": 1.0})} for cell in cells]
    assert stream.recipe.kinds["x"] == kind
    assert labels(stream)[:2] == ["a", "b"]


@pytest.mark.parametrize("route", ROUTES)
def test_times_after_the_first_rows_are_left_out_with_a_note(route: str, tmp_path: Path) -> None:
    times = [datetime(2024, 1, 1) + timedelta(hours=k) for k in range(50)]
    columns = {"x": [None] * 1500 + times, "z": [1.0] * 1550, "y": ["a", "b"] * 775}
    given = source(Table(columns, {"x": "time", "z": "number", "y": "category"}), route, tmp_path)
    stream = read(given, target="y")
    assert features(stream) == [{"z": 1.0}] * 1550
    assert stream.recipe.kinds["x"] == "ignore" and len(stream.notes) == 1 and "holds times" in stream.notes[0]


# blocks ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [1, 3, 40, 700, 5000])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_kinds_do_not_depend_on_the_size_of_blocks(form: str, size: int) -> None:
    """Identifiers, words that are rare in the first rows, and identifiers after the first rows."""
    rows = 1300
    table = pa.table(
        {
            "id": [f"id{k}" for k in range(rows)],
            "when": ["soon" if k < 40 else "2024-01-01" for k in range(rows)],
            "late": [None if k < 1050 else f"id{k}" for k in range(rows)],
            "y": ["a", "b"] * (rows // 2),
        }
    )
    file = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, file, row_group_size=size)
    else:
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, size)
    stream = read(io.BytesIO(file.getvalue()), format=form, target="y")
    assert features(stream) == [{} if k < 1050 else {f"late=id{k}": 1.0} for k in range(rows)]
    assert stream.recipe.kinds == {"id": "ignore", "when": "ignore", "late": "category", "y": "category"}
