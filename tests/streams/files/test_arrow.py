"""Parquet and Arrow files: columns mean what they do in a dict, and damaged files are named."""

from __future__ import annotations

import datetime
import gzip
import io
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from driftline.streams.files.faults import ReadError
from driftline.streams.files.formats import arrow
from driftline.streams.files.formats.arrow import read_arrow, read_parquet
from driftline.streams.files.formats.delimited import read_delimited
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.source import Source
from tests.support.read_files import Read, Reader, collected, read

NAN = float("nan")


def parquet(table: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def ipc_file(table: Any, rows: int = 1000) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, rows)
    return file.getvalue()


def ipc_stream(table: Any, rows: int = 1000) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, rows)
    return file.getvalue()


FORMATS: dict[str, tuple[Callable[..., bytes], Reader]] = {
    "parquet": (parquet, read_parquet),
    "file": (ipc_file, read_arrow),
    "stream": (ipc_stream, read_arrow),
}
every_format = pytest.mark.parametrize("kind", FORMATS)


def through(kind: str, table: Any, **options: Any) -> Read:
    write, reader = FORMATS[kind]
    return read(reader, write(table), "t", **{"target": "y"} | options)


# what columns mean ----------------------------------------------------------------------------------------------------
COLUMNS: dict[str, tuple[Any, list[dict[str, float]]]] = {
    "int8": (pa.array([1, None, -3], pa.int8()), [{"x": 1.0}, {}, {"x": -3.0}]),
    "int64": (pa.array([2**62 + 1, 0, None]), [{"x": 2.0**62}, {"x": 0.0}, {}]),
    "uint64": (pa.array([2**64 - 1, 0, 1], pa.uint64()), [{"x": 2.0**64}, {"x": 0.0}, {"x": 1.0}]),
    "float32": (pa.array([0.1, None, NAN], pa.float32()), [{"x": float(np.float32(0.1))}, {}, {}]),
    "float64": (pa.array([0.1, -0.0, NAN]), [{"x": 0.1}, {"x": 0.0}, {}]),
    "bool": (pa.array([True, False, None]), [{"x": 1.0}, {"x": 0.0}, {}]),
    "string": (pa.array(["red", "", None]), [{"x=red": 1.0}, {"x=": 1.0}, {}]),
    "large string": (pa.array(["é", None, "é"], pa.large_string()), [{"x=é": 1.0}, {}, {"x=é": 1.0}]),
    "dictionary": (pa.array(["a", None, "b"]).dictionary_encode(), [{"x=a": 1.0}, {}, {"x=b": 1.0}]),
    "numbers in a dictionary": (pa.array([1.5, None, 2.5]).dictionary_encode(), [{"x": 1.5}, {}, {"x": 2.5}]),
    "decimal": (
        pa.array([Decimal("0.1"), None, Decimal("6111780.02")]),
        [{"x": 0.1}, {}, {"x": 6111780.02}],
    ),
    "null": (pa.array([None, None, None]), [{}, {}, {}]),
}


@every_format
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column(name: str, kind: str) -> None:
    column, rows = COLUMNS[name]
    found = through(kind, pa.table({"x": column, "y": [1, 0, 1]}))
    assert found.rows == rows and found.y == [1, 0, 1] and found.lines == [1, 2, 3] and found.faults == []


def test_run_ends() -> None:
    column = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1.5, None]))
    assert through("file", pa.table({"x": column, "y": [1, 0, 1]})).rows == [{"x": 1.5}, {"x": 1.5}, {}]


@every_format
@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (pa.array([1, -1]), [1, -1]),
        (pa.array([0.5, 1.0]), [0.5, 1.0]),
        (pa.array(["UP", "DOWN"]), ["UP", "DOWN"]),
        (pa.array(["UP", "DOWN"]).dictionary_encode(), ["UP", "DOWN"]),
        (pa.array([True, False]), [1, 0]),
    ],
)
def test_labels(labels: Any, expected: list[Any], kind: str) -> None:
    found = through(kind, pa.table({"x": [1.0, 2.0], "y": labels}))
    assert found.y == expected and list(map(type, found.y or ())) == list(map(type, expected))


@every_format
def test_faults(kind: str) -> None:
    table = pa.table({"x": [1.0, float("inf"), 2.0, 3.0], "y": [1, 1, None, 0]})
    found = through(kind, table)
    assert found.rows == [{"x": 1.0}, {"x": 3.0}] and found.lines == [1, 4] and found.y == [1, 0]
    assert found.faults == [
        "t, line 2, column x: a value must be finite, got inf. Correct it, or leave it empty if it is missing",
        "t, line 3, column y: a label must be given, got none. Fill it in, or leave the row out",
    ]


TIMES = {
    "date": ([datetime.date(2024, 3, k) for k in (1, 9, 5)], "'2024-03-05' after '2024-03-09'"),
    "timestamp": (
        [datetime.datetime(2024, 3, 1, 12, k) for k in (1, 9, 5)],
        "'2024-03-01 12:05:00.000000' after '2024-03-01 12:09:00.000000'",
    ),
    "zoned": (
        [datetime.datetime(2024, 3, 1, 12, k, tzinfo=datetime.UTC) for k in (1, 9, 5)],
        "'2024-03-01 12:05:00.000000' after '2024-03-01 12:09:00.000000'",
    ),
    "number": ([1, 9, 5], "5 after 9"),
    "duration": ([datetime.timedelta(microseconds=k) for k in (1, 9, 5)], "5 after 9"),
}


@every_format
@pytest.mark.parametrize("name", TIMES)
def test_time(name: str, kind: str) -> None:
    times, both = TIMES[name]
    found = through(kind, pa.table({"t": times, "y": [0, 1, 0]}), time="t")
    assert found.rows == [{}, {}] and found.lines == [1, 2]
    assert [fault.split(". ")[0] for fault in found.faults] == [
        f"t, line 3, column t: the time must not go backwards, got {both}"
    ]


REFUSED: dict[str, tuple[Any, str]] = {
    "timestamp": (pa.array([datetime.datetime(2024, 1, 1)]), "got timestamp[us]. Pass --drop x, or --time x if"),
    "date": (pa.array([datetime.date(2024, 1, 1)]), "got date32[day]. Pass --drop x, or --time x if"),
    "list": (pa.array([[1, 2]]), "Pass --drop x, or write its parts as separate columns"),
    "struct": (pa.array([{"a": 1}]), "Pass --drop x, or write its parts as separate columns"),
    "bytes": (pa.array([b"1"]), "got binary. Pass --drop x"),
}


@every_format
@pytest.mark.parametrize("name", REFUSED)
def test_a_column_that_is_no_feature(name: str, kind: str) -> None:
    column, message = REFUSED[name]
    table = pa.table({"x": column, "y": [1]})
    with pytest.raises(ReadError) as caught:
        through(kind, table)
    assert str(caught.value).startswith("t, column x: a feature must be a number, boolean or string, got ")
    assert message in str(caught.value)
    assert through(kind, table, drop=("x",)).rows == [{}]


@every_format
def test_text(kind: str) -> None:
    table = pa.table({"s": ["To be or not to be", None], "x": [1.0, 2.0], "y": [0, 1]})
    found = through(kind, table, text=("s",))
    assert found.rows == [{"s:to": 2.0, "s:be": 2.0, "s:or": 1.0, "s:not": 1.0, "x": 1.0}, {"x": 2.0}]
    with pytest.raises(ReadError, match=r"t, column x: text must be strings, got double. Remove it from --text"):
        through(kind, table, text=("x",))


@every_format
def test_errors(kind: str) -> None:
    table = pa.table({"a": [1.0], "y": [0]})
    with pytest.raises(ReadError, match="--target must be one of the columns 'a', 'y', got 'z'"):
        through(kind, table, target="z")
    with pytest.raises(ReadError, match="t: a file must have at least one row, got none"):
        through(kind, table.slice(0, 0))
    with pytest.raises(ReadError, match="t: columns must have different names, got 'a' twice"):
        through(kind, pa.Table.from_arrays([pa.array([1]), pa.array([1])], ["a", "a"]), labelled=False)
    assert through(kind, pa.table({"a": [1.0]}), labelled=False).y is None


# blocks and files -----------------------------------------------------------------------------------------------------
def mixed(rows: int) -> Any:
    draw = np.random.default_rng(1)
    return pa.table(
        {
            "a": draw.normal(size=rows),
            "b": pa.array(draw.integers(0, 9, rows), mask=draw.random(rows) < 0.2),
            "c": np.array(["red", "green", "blue"])[draw.integers(0, 3, rows)],
            "y": draw.integers(0, 2, rows),
        }
    )


@every_format
def test_blocks_are_bounded_and_make_up_the_whole(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed(1000)
    whole = through(kind, table)
    assert whole.rows == [
        {name: 1.0 if isinstance(value, str) else value for name, value in named(row) if value is not None}
        for row in table.drop(["y"]).to_pylist()
    ]
    monkeypatch.setattr(arrow, "MOST_CELLS", 4 * 37)
    parts = through(kind, table)
    assert parts[:4] == whole[:4] and (whole.blocks, parts.blocks) == (1, 28)


def named(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(f"{name}={value}" if isinstance(value, str) else name, value) for name, value in row.items()]


@every_format
def test_a_csv_of_it_is_the_same(kind: str) -> None:
    table = mixed(500)
    text = io.BytesIO()
    pyarrow.csv.write_csv(table, text)
    assert read(read_delimited, text.getvalue(), target="y")[:2] == through(kind, table)[:2]


@every_format
def test_from_a_path_a_pipe_and_compressed(kind: str, tmp_path: Path) -> None:
    write, reader = FORMATS[kind]
    data = write(mixed(100))
    path, packed = tmp_path / "t", tmp_path / "t.gz"
    path.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    options = ReadOptions("y")
    source = Source(path)
    expected = read(reader, data, target="y")
    assert collected(reader(source, options)) == expected
    assert source.read == source.size if kind == "parquet" else source.read <= len(data)
    assert collected(reader(Source(packed), options)) == expected


# damage ---------------------------------------------------------------------------------------------------------------
@every_format
def test_a_file_cut_short(kind: str) -> None:
    write, reader = FORMATS[kind]
    data = write(mixed(300))
    for size in range(0, len(data) - 9, 97):
        with pytest.raises(ReadError, match=r"^t: .*\. (Write it again|Check that it is complete)$"):
            read(reader, data[:size], "t", target="y")


@every_format
def test_changed_bytes_are_read_or_refused(kind: str) -> None:
    write, reader = FORMATS[kind]
    data = write(mixed(60))
    draw = random.Random(5)
    refused = 0
    for _ in range(150):
        damaged = bytearray(data)
        damaged[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        try:
            read(reader, bytes(damaged), "t", target="y")
        except ReadError as error:
            assert str(error).startswith("t")
            refused += 1
    assert refused > 10


def test_a_page_that_does_not_match_its_checksum() -> None:
    data = bytearray(parquet(mixed(1000), write_page_checksum=True, use_dictionary=False, compression="none"))
    data[2000] ^= 1
    with pytest.raises(ReadError, match="checksum"):
        read(read_parquet, bytes(data), "t", target="y")
