"""CSV and TSV: the same rows as Python's csv module, and malformed lines with their place."""

from __future__ import annotations

import csv
import io
import lzma
import math
import os
import random
import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files import table_features
from driftline.streams.files.faults import ReadError
from driftline.streams.files.formats import delimited
from driftline.streams.files.formats.delimited import read_delimited
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.scan.words import words
from driftline.streams.files.source import Source
from tests.support.read_files import Read, read


def read_csv(data: bytes | str, name: str = "t.csv", **options: Any) -> Read:
    return read(read_delimited, data.encode() if isinstance(data, str) else data, name, **{"target": "y"} | options)


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def slow_csv(text: str, target: str = "y") -> Read:
    """Every cell by itself, through the csv module."""
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader)
    table, lines, line = [], [], reader.line_num
    for record in reader:
        if record:
            table.append(record)
            lines.append(line + 1)
        line = reader.line_num
    rows: list[dict[str, float]] = [{} for _ in table]
    y: list[Any] = []
    missing = Counter[str]()
    for k, name in enumerate(header):
        cells = [record[k] for record in table]
        given = [cell for cell in cells if cell]
        numeric = all(number(cell) is not None for cell in given)
        truth = all(cell.lower() in ("true", "false") for cell in given)
        meant = [float(c or "nan") if numeric else float(c.lower() == "true") if truth else c for c in cells]
        if name == target:
            y = meant
            continue
        missing[name] = cells.count("")
        for row, cell, value in zip(rows, cells, meant, strict=True):
            if cell and isinstance(value, str):
                row[f"{name}={value}"] = 1.0
            elif cell and not isinstance(value, str):
                row[name] = value
    return Read(rows, y, lines, [], 1, missing=missing)


# the same as a slow reader --------------------------------------------------------------------------------------------
TEXT = st.text(st.sampled_from("ab1é漢\"',;\t|\n\r %"), max_size=6)
CELLS = {
    "number": st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-(10**20), 10**20).map(str),
    "text": TEXT.map(lambda text: "t" + text),
    "truth": st.sampled_from(["true", "False", "TRUE"]),
    "with holes": st.sampled_from(["", "1.5", "-3e7"]),
    "texts with holes": st.sampled_from(["", "red", "1.5x"]),
}


@st.composite
def tables(draw: st.DrawFn) -> str:
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=5))
    rows = draw(st.lists(st.tuples(*(CELLS[kind] for kind in kinds), st.sampled_from("01")), min_size=1, max_size=8))
    out = io.StringIO()
    bare_return = any("\r" in cell for row in rows for cell in row)  # which the module leaves without quotes
    quoting = csv.QUOTE_ALL if bare_return else draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    writer = csv.writer(out, quoting=quoting, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerow([f"c{k}" for k in range(len(kinds))] + ["y"])
    writer.writerows(rows)
    blank = draw(st.sampled_from(["", "\n", "\r\n\n"]))
    return out.getvalue() + blank


@settings(max_examples=300)
@given(tables())
def test_as_the_csv_module_reads_it(text: str) -> None:
    fast, slow = read_csv(text), slow_csv(text)
    assert fast.rows == slow.rows
    assert fast.y == slow.y
    assert fast.missing == +slow.missing
    assert fast.lines == slow.lines
    assert fast.faults == []


@settings(max_examples=300)
@given(tables(), st.integers(1, 40))
def test_cut_anywhere(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_features, "MOST_WAITING", 1 << 20)
        once = read_csv(text)
        patch.setattr(delimited, "CHUNK", size)
        cut = read_csv(text)
    assert cut[:4] == once[:4]
    longest = max(map(len, re.findall(rb'(?:[^"\n]|"[^"]*")+', text.encode())))
    assert once.blocks == 1 and (cut.blocks > 1 or len(text.encode()) < 3 * (size + longest))


@settings(max_examples=1000)
@given(st.text(st.sampled_from('ab1,,""\n\n\r\t ;é'), max_size=40))
def test_records_of_any_text(body: str) -> None:
    text = "p,q,y\n" + body
    raw = re.split("\r\n|\r|\n", text)
    reader = csv.reader(io.StringIO(text, newline=""))
    next(reader)
    rows, faults, line = {}, set(), 1
    for record in reader:
        blank = len(record) == 1 and not record[0].strip() and '"' not in raw[line]
        if len(record) == 3:
            rows[line + 1] = record
        elif record and not blank:
            faults.add(line + 1)
        line = reader.line_num
    try:
        found = read(read_delimited, text.encode(), "t.csv", target="y", labelled=False, text=("p", "q"))
    except ReadError as error:
        assert "at least one row" in str(error) and not rows and not faults
        return
    found_faults = {int(fault.split("line ")[1].split(":")[0]): fault for fault in found.faults}
    if rows and max(rows) in found_faults:  # which the module takes for a row, without saying so
        assert "a quote must be closed" in found_faults[max(rows)]
        faults.add(max(rows))
        del rows[max(rows)]
    assert found_faults.keys() == faults
    assert found.lines == list(rows)
    for row, (p, q, _) in zip(found.rows, rows.values(), strict=True):
        assert row == Counter([f"p:{word}" for word in words(p)] + [f"q:{word}" for word in words(q)])


def test_numbers_are_those_of_float() -> None:
    source = random.Random(3)
    bits = [struct.unpack("d", struct.pack("Q", source.getrandbits(64)))[0] for _ in range(3000)]
    cells = [
        form(value)
        for value in bits
        if value == value and abs(value) != float("inf")
        for form in (repr, "{:.25g}".format)
    ]
    cells += [
        "5.",
        ".5",
        "+1",
        "1e5",
        "1E-5",
        "-0.0",
        "0" * 50 + "1",
        "9" * 400 + "e-390",
        "1e-400",
        " 7",
        "8 ",
        "0.1" + "0" * 60 + "1",
    ]
    found = read_csv("x,y\n" + "".join(f"{cell},1\n" for cell in cells))
    assert [struct.pack("d", row["x"]) for row in found.rows] == [struct.pack("d", float(cell)) for cell in cells]


# what is special ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_told_by_the_header(delimiter: str) -> None:
    found = read_csv('"a,;b" c y\n1 "u,\tv;w|x" 0\n'.replace(" ", delimiter), "data")
    assert found.rows == [{"a,;b": 1.0, "c=u,\tv;w|x": 1.0}] and found.y == [0]


def test_a_tsv_has_tabs_whatever_its_header() -> None:
    found = read_csv("a,b;c\ty\n1\t0\n", "t.tsv.gz")
    assert found.rows == [{"a,b;c": 1.0}]


def test_a_bom_and_windows_lines() -> None:
    found = read_csv(b"\xef\xbb\xbfa,y\r\n1,UP\r\n2,DOWN")
    assert found.rows == [{"a": 1.0}, {"a": 2.0}] and found.y == ["UP", "DOWN"] and found.lines == [2, 3]


def test_what_columns_hold_is_decided_by_the_first_rows() -> None:
    body = "n,b,s,e,y\n" + "1,true,x,,0\n" * 1000
    found = read_csv(body + "1.5,FALSE,2,word,1\n2,yes,x,word,1\nno,true,x,,1\n")
    assert found.rows[1000] == {"n": 1.5, "b": 0.0, "s=2": 1.0, "e=word": 1.0}
    assert found.faults == [
        f"t.csv, line {line}, column {column}: a cell of this column must be a number, got '{text}'. Correct it, "
        f"leave it empty or pass --na {text} if it is missing, or declare another kind with --kind"
        for line, column, text in ((1003, "b", "yes"), (1004, "n", "no"))
    ]
    assert found.lines == list(range(2, 1003))


@pytest.mark.parametrize(
    ("cell", "option"),
    [("-", "--na -"), ("--", "--na=--"), ("not known", "--na 'not known'"), ("x" * 30, "--na TEXT")],
)
def test_the_option_for_a_text_that_means_a_missing_cell(cell: str, option: str) -> None:
    table = f"a,y\n1,0\n2,1\n{cell},1\n"
    assert f" or pass {option} if it is missing, " in read_csv(table).faults[0]
    assert read_csv(table, na=(cell,)).faults == []


def test_nan_is_missing_and_nan_of_arrow_is_no_number() -> None:
    assert read_csv("x,y\n1,0\nNaN,0\n-nan,1\n").rows == [{"x": 1.0}, {}, {}]
    assert read_csv("x,y\n1,0\nnan(1),0\n").rows == [{"x=1": 1.0}, {"x=nan(1)": 1.0}]
    assert read_csv("x,y\n1,0\n2,1\nnan(1),0\n").lines == [2, 3]


@pytest.mark.parametrize("cell", ["1_0", "٣", "0x10", "1,5", "1d5", "--1"])
def test_what_is_no_number(cell: str) -> None:
    assert read_csv(f'x,y\n"{cell}",0\n').rows == [{f"x={cell}": 1.0}]


def test_features_of_the_same_name_add_up() -> None:
    found = read_csv("a,a=b,y\nb=c,c,0\nb,z,1\n")
    assert found.rows == [{"a=b=c": 2.0}, {"a=b": 1.0, "a=b=z": 1.0}]


def test_left_out_time_and_text() -> None:
    data = "id,when,note,y\n7,1,To be or not to be,0\n8,2,,1\n"
    found = read_csv(data, drop=("id",), time="when", text=("note",), ngrams=2)
    assert found.rows[0] == {
        "note:to": 2.0, "note:be": 2.0, "note:or": 1.0, "note:not": 1.0,
        "note:to be": 2.0, "note:be or": 1.0, "note:or not": 1.0, "note:not to": 1.0,
    }  # fmt: skip
    assert found.rows[1] == {}


def test_a_text_column_of_numbers_is_text() -> None:
    assert read_csv("note,y\n17,0\n", text=("note",)).rows == [{"note:17": 1.0}]


# labels ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        ("1 0", [1, 0]),
        ("1.0 -1", [1, -1]),
        ("0.5 2", [0.5, 2.0]),
        ("UP DOWN", ["UP", "DOWN"]),
        ("true False", [1, 0]),
        ("1e300 1", [1e300, 1.0]),
    ],
)
def test_labels(cells: str, labels: list[Any]) -> None:
    found = read_csv("x,y\n" + "".join(f"3,{cell}\n" for cell in cells.split()))
    assert found.y == labels and [type(label) for label in found.y or ()] == [type(label) for label in labels]


def test_without_labels() -> None:
    assert read_csv("x\n1\n", labelled=False).y is None
    assert read_csv("x,y\n1,2\n", labelled=False).y == [2]
    hole = read_csv("x,y\n1,2\n1,\n", labelled=False)
    assert hole.y == [2, None] and hole.rows == [{"x": 1.0}] * 2 and hole.faults == []
    assert read_csv("x,y\n1,\n1,\n", labelled=False).y is None
    assert read_csv("x,y\n1,2\n", labelled=False, target=None).rows == [{"x": 1.0, "y": 2.0}]


# faults ---------------------------------------------------------------------------------------------------------------
FAULTS = {
    "too few": ("1,2", "line 3: a row must have 3 cells, one for each column, got 2 in '1,2'. Add the missing cells"),
    "too many": ("1,2,3,4", "line 3: a row must have 3 cells, one for each column, got 4 in '1,2,3,4'"),
    "open quote": ('1,"x,0', "line 3: a quote must be closed, got '1,\"x,0\\n'. Add the quote that ends the cell"),
    "no number": ("one,x,0", "line 3, column a: a cell of this column must be a number, got 'one'. Correct it"),
    "no time": ("1,x,0,soon", "line 3: a row must have 3 cells"),
    "infinite label": ("1,x,-inf", "line 3, column y: a label must be finite, got -inf"),
    "no numeric label": ("1,x,yes", "line 3, column y: a cell of this column must be a number, got 'yes'"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_one_row(name: str) -> None:
    line, message = FAULTS[name]
    kinds = (("a", "number"), ("y", "number"))
    found = read_csv(f"a,b,y\n1,p,0\n{line}\n" + ("" if name == "open quote" else "2,q,1\n"), kinds=kinds)
    assert len(found.faults) == 1 and found.faults[0].startswith(f"t.csv, {message}")
    assert found.rows[0] == {"a": 1.0, "b=p": 1.0}
    assert found.rows[1:] == ([] if name == "open quote" else [{"a": 2.0, "b=q": 1.0}])
    assert found.lines == [2, 4][: len(found.rows)]


def test_a_row_without_a_label_is_counted() -> None:
    found = read_csv("a,b,y\n1,p,0\n2,q,\n3,r,nan\n4,s,1\n")
    assert (found.y, found.lines, found.unlabelled, found.faults) == ([0, 1], [2, 5], 2, [])
    assert found.rows == [{"a": 1.0, "b=p": 1.0}, {"a": 4.0, "b=s": 1.0}]


def test_infinite_numbers_are_left_to_the_learner() -> None:
    assert read_csv("a,y\ninf,0\n1e999,1\n-inf,1\n").rows == [{"a": math.inf}, {"a": math.inf}, {"a": -math.inf}]


def test_faults_come_in_the_order_of_lines() -> None:
    found = read_csv(b"a,b,y\n1,x,0\n2,x,0\n3,x,1\nz,x,0\n1\n1,x,-inf\n\xff,x,0\nz,x,1\n")
    assert [fault.split(":")[0].split(", ")[1] for fault in found.faults] == [f"line {k}" for k in (5, 6, 7, 8, 9)]


def test_a_bad_cell_after_quoted_lines() -> None:
    found = read_csv('a,b,y\n1,"x\ny\r\nz\r",0\n\n\nz,"\n",1\n2,q,1\n')
    assert found.lines == [2, 10]
    assert found.faults[0].startswith("t.csv, line 8, column a: a cell of this column must be a number")


def test_not_utf8() -> None:
    found = read_csv(b"a,y\n\xc3\xa9,0\nabc\xff,1\nx,1\n")
    assert found.faults == ["t.csv, line 3, column 4: text must be UTF-8, got '\\\\xff,1'. Convert the file"]
    assert found.rows == [{"a=é": 1.0}, {"a=x": 1.0}]


def test_the_features_of_a_faulty_row_have_no_names() -> None:
    pieces = list(read_delimited(Source(io.BytesIO(b"a,b,y\nred,1,0\nblue,x,0\nred,2,1\n")), ReadOptions("y")))
    assert pieces[0].rows.names == ["a=red", "b"]


@pytest.mark.parametrize(
    ("times", "both"),
    [("1 3 2 3", "'2' after '3'"), ("2024-03-01 2024-03-09 2024-03-05 2024-04-01", "'2024-03-05' after '2024-03-09'")],
)
@pytest.mark.parametrize("size", [1, 1 << 22])
def test_time_must_not_go_backwards(times: str, both: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "CHUNK", size)
    found = read_csv("t,y\n" + "".join(f"{time},0\n" for time in times.split()), time="t")
    must, remedy = "the time must not go backwards", "Sort the file by it, or name another column"
    assert found.faults == [f"t.csv, line 4, column t: {must}, got {both}. {remedy}"]
    assert found.lines == [2, 3, 5]


def test_dates_that_are_not_iso_are_named_as_the_cause() -> None:
    found = read_csv("t,y\n30/01/2024,0\n31/01/2024,0\n01/02/2024,1\n", time="t")
    assert found.faults == [
        "t.csv, line 4, column t: the time must not go backwards, got '01/02/2024' after '31/01/2024'. These are not "
        "ISO 8601 dates such as 2024-03-01, so they are compared letter by letter: convert the column, or leave out "
        "--time if the rows are in order"
    ]


def test_a_time_must_be_given() -> None:
    assert "line 3, column t: a time must be given, got none" in read_csv("t,y\n1,0\n,0\n", time="t").faults[0]


# errors ---------------------------------------------------------------------------------------------------------------
ERRORS: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "empty": (b"", {}, "t.csv: a file must have at least one row, got none"),
    "header only": (b"a,y\n", {}, "t.csv: a file must have at least one row, got none"),
    "unknown target": (
        b"price,class\n1,2\n",
        {"target": "clas"},
        "t.csv: --target must be one of the columns 'price', 'class', got 'clas'. Did you mean --target class?",
    ),
    "no target": (
        b"a,b\n1,2\n",
        {"target": None},
        "t.csv: the label column must be named, got no target. Pass ",
    ),
    "unknown drop": (b"a,y\n1,2\n", {"drop": ("zzz",)}, "--drop must be one of the columns 'a', 'y', got 'zzz'. Check"),
    "unknown time": (b"when,y\n1,2\n", {"time": "wen"}, "got 'wen'. Did you mean --time when?"),
    "unknown text": (b"a,y\n1,2\n", {"text": ("b",)}, "--text must be one of the columns 'a', 'y', got 'b'"),
    "two purposes": (b"a,y\n1,2\n", {"drop": ("y",)}, "must have one purpose, got --target and --drop for 'y'"),
    "same name": (b"a,a,y\n1,2,3\n", {}, "t.csv: columns must have different names, got 'a' twice. Rename one of them"),
    "no name": (b"a,,y\n1,2,3\n", {}, "t.csv: every column must have a name, got none for column 2. Name it"),
    "no header": (b"9.4,1.1,4.4\n1,2,3\n", {}, "the first line must be a header with the columns' names, got '9.4,1.1"),
    "UTF-16": ("a,y\n1,2\n".encode("utf-16"), {}, "t.csv: text must be UTF-8, got UTF-16. Convert the file"),
    "many columns": (
        (",".join(f"c{k}" for k in range(30)) + "\n").encode(),
        {},
        "'c18', 'c19' and 10 more, got 'y'. ",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    data, given_options, message = ERRORS[name]
    with pytest.raises(ReadError) as caught:
        read_csv(data, **given_options)
    assert message in str(caught.value)


def test_a_quote_that_swallows_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "CHUNK", 100)
    monkeypatch.setattr(delimited, "LONGEST_LINE", 500)
    with pytest.raises(ReadError, match=r"t.csv, line 3: a row must have at most 500 bytes, got more, from '2,\""):
        read_csv('a,y\n1,0\n2,"x\n' + "1,0\n" * 1000)


def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,0\n")
    pieces = read_delimited(Source(path), ReadOptions("y"))
    next(pieces)
    pieces.close()
    path.unlink()


@pytest.mark.skipif("DRIFTLINE_DATA" not in os.environ, reason="needs the folder DRIFTLINE_DATA")
def test_sea() -> None:
    home = Path(os.environ["DRIFTLINE_DATA"]) / "sea"
    cells = lzma.decompress((home / "SEA_training_data.csv.xz").read_bytes()).decode().split()
    labels = lzma.decompress((home / "SEA_training_class.csv.xz").read_bytes()).decode().split()
    text = "a,b,c,y\n" + "\n".join(f"{row},{label}" for row, label in zip(cells, labels, strict=True))
    found = read_csv(text)
    assert found.y == [int(label) for label in labels] and found.faults == []
    assert found.rows == [dict(zip("abc", map(float, row.split(",")), strict=True)) for row in cells]


def test_malformed_cells_that_are_taken_as_missing_come_in_the_order_of_lines() -> None:
    data = b"a,b,y\n1,1,0\n1,x,0\nz,2,1\n1,3,1\n2,4,0\n"
    (parsed,) = read_delimited(Source(io.BytesIO(data)), ReadOptions("y", lenient=True))
    assert parsed.findings is not None and parsed.faults == []
    assert [(cell.line, cell.column) for cell in parsed.findings.bad_cells] == [(3, "b"), (4, "a")]
