"""Infinite numbers, nominal numbers of ARFF, times, identifiers and sample weights mean the same by every route."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import driftline as dl
from driftline.streams import ReadError, read
from tests.support.bitwise import assert_same, snapshot
from tests.support.table_routes import MEMORY, ROUTES, Table, features, source

START = datetime(2024, 2, 27, 22)
MOMENTS = [START + timedelta(hours=7 * k) for k in range(12)]


def table(kind: str, cells: list[Any], **more: tuple[str, list[Any]]) -> Table:
    """A table with the column x of this kind, numbers, labels and more columns."""
    size = len(cells)
    columns = {"x": cells, "z": [k % 3 + 0.5 for k in range(size)], "y": ["a", "b"] * (size // 2)}
    types = {"x": kind, "z": "number", "y": "category"}
    for name, (other, values) in more.items():
        columns[name], types[name] = values, other
    return Table(columns, types)


def line(route: str, row: int, columns: int) -> int:
    """The line of a row, both counted from 1."""
    header = {"csv": 1, "tsv": 1, "arff": columns + 2}
    return row + header.get(route, 0)


# infinite numbers -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
@pytest.mark.parametrize("route", ROUTES)
def test_most_learners_refuse_infinite_numbers_with_their_place(route: str, infinite: float, tmp_path: Path) -> None:
    given = source(table("number", [1.0, 2.0, infinite, 4.0]), route, tmp_path)
    place = f"line {line(route, 3, 3)}: feature 'x' must be finite, got {infinite}"
    with pytest.raises(ReadError, match=place):
        dl.run(dl.PA1(), read(given, target="y"))
    stream = read(given, target="y", on_error="skip")
    assert dl.run(dl.PA1(), stream).examples == 3 and stream.skipped == 1


@pytest.mark.parametrize("route", ROUTES)
def test_an_infinite_number_is_missing_for_the_tracker(route: str, tmp_path: Path) -> None:
    cells = [float(k % 5) for k in range(40)]
    cells[7] = cells[20] = math.inf
    holes = [None if math.isinf(cell) else cell for cell in cells]
    infinite, missing = dl.Tracker(), dl.Tracker()
    dl.run(infinite, read(source(table("number", cells), route, tmp_path), target="y"))
    dl.run(missing, read(source(table("number", holes), route, tmp_path), target="y"))
    assert infinite.n_missing == missing.n_missing == 2
    assert_same(snapshot(infinite), snapshot(missing))


@pytest.mark.parametrize(("text", "value"), [("Infinity", math.inf), ("-Infinity", -math.inf), ("1e999", math.inf)])
def test_json_that_python_writes_may_hold_infinite_numbers(text: str, value: float, tmp_path: Path) -> None:
    for name, form in {"t.jsonl": "{}\n{}\n", "t.json": "[{}, {}]"}.items():
        path = tmp_path / name
        path.write_text(form.format('{"x": 1.0, "y": "a"}', f'{{"x": {text}, "y": "b"}}'))
        assert features(read(path, target="y")) == [{"x": 1.0}, {"x": value}]


def test_nan_in_json_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"x": 1.0, "y": "a"}\n{"x": NaN, "y": "b", "l": [NaN, 1]}\n')
    stream = read(path, target="y")
    assert features(stream) == [{"x": 1.0}, {"l[1]": 1.0}] and stream.missing == {"x": 1}
    path.write_text('{"x": 1.0, "y": "a"}\n{"x": NaN, "s": "\\ud800", "y": "b"}\n{"x": nan, "y": "b"}\n')
    stream = read(path, target="y", on_error="skip")
    assert len(features(stream)) == 1 and stream.skipped == 2


def test_whole_numbers_that_are_too_large_for_a_float_are_infinite(tmp_path: Path) -> None:
    rows = [{"x": 1, "y": "a"}, {"x": -(10**400), "y": "b"}]
    with pytest.raises(ReadError, match="records, line 2: feature 'x' must be finite, got -inf"):
        dl.run(dl.PA1(), read(rows, target="y"))
    path = tmp_path / "t.csv"
    path.write_text(f"x,y\n1,a\n-1{'0' * 400},b\n")
    recipe = dl.streams.Recipe(kinds={"x": "number"})
    assert features(read(rows, target="y")) == features(read(path, target="y")) == [{"x": 1.0}, {"x": -math.inf}]
    assert recipe.features(rows[1]) == {"x": -math.inf} and recipe.features({"x": [10**400]}) == {"x[0]": math.inf}
    with pytest.raises(ReadError, match="records, line 2, column w: a weight must be a number >= 0"):
        features(read([{"x": 1, "w": 1, "y": "a"}, {"x": 1, "w": 10**400, "y": "b"}], target="y", weight="w"))
    with pytest.raises(ValueError, match="column when: a value of this key must be a time"):
        dl.streams.Recipe(kinds={"when": "time"}).features({"when": 10**400})


# nominal numbers of ARFF ----------------------------------------------------------------------------------------------
NOMINAL = """@relation r
@attribute bit {0, 1}
@attribute turned {1,0}
@attribute grade {1, 2, 3}
@attribute sign {-1, 1}
@attribute class {no, yes}
@data
0,1,2,-1,no
1,0,3,1,yes
?,?,?,?,no
"""


def test_only_nominal_bits_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text(NOMINAL)
    assert features(read(path)) == [
        {"bit": 0.0, "turned": 1.0, "grade=2": 1.0, "sign=-1": 1.0},
        {"bit": 1.0, "turned": 0.0, "grade=3": 1.0, "sign=1": 1.0},
        {},
    ]
    stream = read(path, kinds={"grade": "number", "sign": "number", "bit": "category"})
    assert features(stream) == [
        {"bit=0": 1.0, "turned": 1.0, "grade": 2.0, "sign": -1.0},
        {"bit=1": 1.0, "turned": 0.0, "grade": 3.0, "sign": 1.0},
        {},
    ]
    assert stream.missing == {"bit": 1, "turned": 1, "grade": 1, "sign": 1}


def test_nominal_words_are_no_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute x {1, big}\n@attribute class {no, yes}\n@data\n1,no\nbig,yes\n?,no\n")
    with pytest.raises(ReadError, match="line 6, column x: a cell of this column must be a number, got 'big'"):
        features(read(path, kinds={"x": "number"}))
    stream = read(path, kinds={"x": "number"}, on_error="skip")
    assert features(stream) == [{"x": 1.0}, {}, {}]
    assert stream.missing == {"x": 1} and stream.bad_cells.count == 1


# times ----------------------------------------------------------------------------------------------------------------
def parts(moment: date) -> dict[str, float]:
    """The features of a time."""
    hour = moment.hour if isinstance(moment, datetime) else 0
    return {f"x.hour={hour}": 1.0, f"x.weekday={moment.isoweekday()}": 1.0, f"x.month={moment.month}": 1.0}


def in_zone(moment: datetime, offset: int) -> str:
    """The time, which is in UTC, as ISO text in another zone."""
    text = (moment + timedelta(hours=offset)).isoformat(" ")
    return text + ("Z" if offset == 0 else f"{offset:+03d}:00")


TIMES: dict[str, tuple[str, list[Any], list[date]]] = {
    "datetimes": ("time", MOMENTS, MOMENTS),
    "dates": ("date", [m.date() for m in MOMENTS], [m.date() for m in MOMENTS]),
    "ISO texts": ("category", [m.isoformat() for m in MOMENTS], MOMENTS),
    "ISO texts with a blank": ("category", [str(m) for m in MOMENTS], MOMENTS),
    "ISO dates": ("category", [str(m.date()) for m in MOMENTS], [m.date() for m in MOMENTS]),
    "zones": ("category", [in_zone(m, k % 7 - 3) for k, m in enumerate(MOMENTS)], MOMENTS),
    "seconds": ("integer", [int(m.replace(tzinfo=UTC).timestamp()) for m in MOMENTS], MOMENTS),
    "floats": ("number", [m.replace(tzinfo=UTC).timestamp() for m in MOMENTS], MOMENTS),
}


@pytest.mark.parametrize("form", TIMES)
@pytest.mark.parametrize("route", ROUTES)
def test_a_time_orders_the_rows(route: str, form: str, tmp_path: Path) -> None:
    kind, cells, _ = TIMES[form]
    stream = read(source(table(kind, cells), route, tmp_path), target="y", time="x")
    assert features(stream) == [{"z": k % 3 + 0.5} for k in range(12)]
    assert stream.notes == [] and stream.recipe.time == "x"
    swapped = [*cells[:5], cells[6], cells[5], *cells[7:]]
    if "dates" in form:
        swapped = cells[::-1]
    with pytest.raises(ReadError, match="column x: the time must not go backwards"):
        features(read(source(table(kind, swapped), route, tmp_path), target="y", time="x"))


@pytest.mark.parametrize("form", TIMES)
@pytest.mark.parametrize("route", ROUTES)
def test_the_parts_of_a_time(route: str, form: str, tmp_path: Path) -> None:
    kind, cells, moments = TIMES[form]
    stream = read(source(table(kind, cells), route, tmp_path), target="y", kinds={"x": "time"})
    rows = features(stream)
    assert rows == [{**parts(moment), "z": k % 3 + 0.5} for k, moment in enumerate(moments)]
    assert features(read(source(table(kind, cells), route, tmp_path), recipe=stream.recipe)) == rows


RECOGNISED = [
    (route, form)
    for form, (kind, *_) in TIMES.items()
    for route in ROUTES
    if kind in ("time", "date") or (kind == "category" and route != "arff")
]
"""Numbers are not taken for times, nor the declared values of ARFF."""


@pytest.mark.parametrize("route, form", RECOGNISED)
def test_a_time_without_a_role_is_left_out_with_a_note(route: str, form: str, tmp_path: Path) -> None:
    kind, cells, _ = TIMES[form]
    given = source(table(kind, cells), route, tmp_path)
    stream = read(given, target="y")
    assert features(stream) == [{"z": k % 3 + 0.5} for k in range(12)]
    (note,) = stream.notes
    assert "column x holds times and is left out" in note and "--time x" in note and "--kind x=time" in note
    assert stream.recipe.kinds["x"] == "ignore"


def test_times_with_a_zone_in_frames() -> None:
    moments = pd.date_range("2024-03-30 22:00", periods=12, freq="5h", tz="Europe/Paris")
    frame = pd.DataFrame({"x": moments, "y": ["a", "b"] * 6})
    due = [parts(moment.to_pydatetime().astimezone(UTC)) for moment in moments]
    forms = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), frame.to_dict("records")]
    for form in forms:
        assert features(read(form, target="y", kinds={"x": "time"})) == due


# identifiers ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", [route for route in ROUTES if route != "arff"])
def test_identifiers_are_left_out_with_a_note_and_a_proposal(route: str, tmp_path: Path) -> None:
    given = source(table("category", [f"id-{k}" for k in range(200)]), route, tmp_path)
    stream = read(given, target="y")
    assert features(stream) == [{"z": k % 3 + 0.5} for k in range(200)]
    (note,) = stream.notes
    assert "column x" in note and "left out" in note and "--kind x=" in note
    kept = features(read(given, target="y", kinds={"x": "category"}))
    assert kept[3] == {"x=id-3": 1.0, "z": 0.5}


# sample weights -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", ROUTES)
def test_a_column_of_sample_weights(route: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=60).tolist(), rng.choice([0.0, 0.5, 1.0, 3.0], 60).tolist()
    weighted = table("number", x, importance=("number", w))
    learner = dl.run(dl.PA1(), read(source(weighted, route, tmp_path), target="y", weight="importance")).learner
    due = dl.PA1(labels=("a", "b"))
    rows = [{"x": a, "z": b} for a, b in zip(x, weighted.columns["z"], strict=True)]
    due.learn_many(rows, weighted.columns["y"], w)
    assert learner.weights() == due.weights() and "importance" not in learner.weights()
    unweighted = dl.run(dl.PA1(), read(source(weighted, route, tmp_path), target="y", drop=["importance"])).learner
    assert learner.weights() != unweighted.weights()


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("route", [*MEMORY, "csv", "parquet", "arff"])
def test_weights_are_finite_and_not_negative(route: str, bad: float, tmp_path: Path) -> None:
    weighted = table("number", [1.0, 2.0, 3.0, 4.0], w=("number", [1.0, 1.0, bad, 1.0]))
    with pytest.raises(ReadError, match=rf"line {line(route, 3, 4)}\b.*"):
        dl.run(dl.PA1(), read(source(weighted, route, tmp_path), target="y", weight="w"))
