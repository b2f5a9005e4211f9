"""ARFF: fast and slow lines mean the same, and a malformed line is reported with its number."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files import source as source_file
from driftline.streams.files import table_features
from driftline.streams.files.faults import ReadError
from driftline.streams.files.formats.arff import read_arff
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.source import Source
from tests.support.read_files import Read, collected, read

HEAD = """% Weather
@RELATION 'a relation'

@attribute temp NUMERIC
@Attribute 'the sky' {sunny, "very cloudy", 'it\\'s wet'}
@attribute note string
@attribute Class {no,yes}

@DATA
"""


def read_text(text: str, /, **options: Any) -> Read:
    return read(read_arff, text.encode(), "t.arff", **options)


# what it means --------------------------------------------------------------------------------------------------------
def test_written_out() -> None:
    found = read_text(
        HEAD + "21.5, sunny, hello, yes\n\n% a remark\n?,'very cloudy',\"a, \\\"b\\\"\",no\n -1e3 ,'it\\'s wet',?,yes\n"
    )
    assert found.rows == [
        {"temp": 21.5, "the sky=sunny": 1.0, "note=hello": 1.0},
        {"the sky=very cloudy": 1.0, 'note=a, "b"': 1.0},
        {"temp": -1000.0, "the sky=it's wet": 1.0},
    ]
    assert found.y == ["yes", "no", "yes"] and found.lines == [10, 13, 14] and found.faults == []


def test_sparse() -> None:
    found = read_text(HEAD + "{0 3.5, 3 yes}\n{ 1 'very cloudy' , 2 \"x, y\" }\n{}\n{0 ?, 3 no}\n{3 ?}\n")
    assert found.rows == [{"temp": 3.5}, {"the sky=very cloudy": 1.0, "note=x, y": 1.0}, {}, {}]
    assert found.y == ["yes", "no", "no", "no"]
    assert found.faults == [] and found.unlabelled == 1 and found.missing == {"temp": 1}


def test_which_attribute_is_the_label() -> None:
    text = "@relation r\n@attribute class {a,b}\n@attribute x real\n@attribute z {0,1}\n@data\na,1,0\nb,2,1\n"
    assert read_text(text).y == ["a", "b"]
    assert read_text(text.replace("class", "k")).y == [0, 1]
    assert read_text(text, target="x").y == [1, 2]
    assert read_text(text, drop=("class",)).y == [0, 1]
    assert read_text(text, labelled=False).y == ["a", "b"]
    assert read_text(text.replace("class", "k"), labelled=False).y is None
    assert read_text(text.replace("class", "k"), labelled=False).rows[0] == {"k=a": 1.0, "x": 1.0, "z": 0.0}


def test_zero_and_one_are_numbers_and_other_nominals_categories() -> None:
    head = "@relation r\n@attribute a {0,1}\n@attribute b {0,1,2}\n@attribute c {NA,x}\n@attribute y {p,q}\n@data\n"
    found = read_text(head + "1,1,NA,p\n0,?,x,q\n ,2,?,p\n2,2,x,p\n")
    assert found.rows == [{"a": 1.0, "b=1": 1.0, "c=NA": 1.0}, {"a": 0.0, "c=x": 1.0}, {"b=2": 1.0}]
    assert found.missing == {"a": 1, "b": 1, "c": 1}
    assert "column a: a value must be one of the declared values, 0, 1, got '2'" in found.faults[0]
    asked = read_text(head + "1,2,x,p\n", kinds=(("a", "category"), ("b", "number")))
    assert asked.rows == [{"a=1": 1.0, "b": 2.0, "c=x": 1.0}]


def test_a_label_of_declared_numbers_is_a_number() -> None:
    head = "@relation r\n@attribute x real\n@attribute y {-1,1.0,'2'}\n@data\n"
    for text in ("1,-1\n1,1.0\n1,2\n", "1,-1\n{0 1, 1 1.0}\n1,'2'\n"):
        found = read_text(head + text)
        assert found.y == [-1, 1, 2] and type((found.y or ())[0]) is int


def test_text_time_and_drop() -> None:
    kinds = {"d": "date yyyy-MM-dd", "s": "string", "i": "numeric", "y": "{0,1}"}
    text = "@relation r\n" + "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items()) + "@data\n"
    rows = "2024-01-02,'to be or not to be',7,0\n2024-01-03,?,8,1\n2024-01-01,x,9,1\n"
    found = read_text(text + rows, time="d", text=("s",), drop=("i",))
    assert found.rows == [{"s:to": 2.0, "s:be": 2.0, "s:or": 1.0, "s:not": 1.0}, {}]
    assert "line 9, column d: the time must not go backwards, got '2024-01-01' after '2024-01-03'" in found.faults[0]
    assert "column d holds times and is left out. Pass --time d if the rows" in read_text(text + rows).notes[0]
    asked = read_text(text + rows, kinds=(("d", "time"),), drop=("s", "i"))
    assert asked.rows[0] == {"d.hour=0": 1.0, "d.weekday=2": 1.0, "d.month=1": 1.0}
    with pytest.raises(ReadError, match=r"column i: text must be strings, got numeric. Declare another kind"):
        read_text(text + rows, time="d", text=("i",))


# plain lines and others -----------------------------------------------------------------------------------------------
CELLS = {
    "numeric": st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.sampled_from(["?", " 7", "+1", "x", "1e999"]),
    "string": st.sampled_from(["red", " blue ", "?", "a b", "é", "1"]),
    "{u, v}": st.sampled_from(["u", "v ", "?", "w"]),
}


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str]]:
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    head = "@relation r\n" + "".join(f"@attribute a{k} {kind}\n" for k, kind in enumerate(kinds))
    lines = st.tuples(*(CELLS[kind] for kind in kinds), st.sampled_from(["0", "1", "?", "2"])).map(",".join)
    odd = st.sampled_from(["", "  ", "1", "1,2,3,4,5,6"])
    return head + "@attribute y {0,1}\n@data\n", draw(st.lists(lines | odd, min_size=1, max_size=8))


@settings(max_examples=300)
@given(files())
def test_one_by_one_is_as_all_at_once(file: tuple[str, list[str]]) -> None:
    head, lines = file
    if not any(line.strip() for line in lines):
        return
    plain = read_text(head + "\n".join(lines))
    special = read_text(head + "\n".join(lines) + "\n% a remark")
    assert special[:3] == plain[:3]
    assert [fault.split(" must ")[0] for fault in special.faults] == [f.split(" must ")[0] for f in plain.faults]
    assert all(line.strip() for line in lines) <= (len(plain.rows) + len(plain.faults) + plain.unlabelled == len(lines))


@settings(max_examples=100)
@given(st.integers(1, 60))
def test_cut_anywhere(size: int) -> None:
    text = HEAD + "1,sunny,x,yes\n{0 4}\n2,'very cloudy',y,no\n?,?,?,yes\n"
    chunks = Source.chunks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "chunks", lambda self: chunks(self, size))
        patch.setattr(table_features, "MOST_WAITING", 1 << 20)
        cut = read_text(text)
    assert cut[:4] == read_text(text)[:4] and len(cut.rows) == 4


# faults and errors ----------------------------------------------------------------------------------------------------
DECLARED = "a value must be one of the declared values"
FAULTS = {
    "1,stormy,x,yes": f"column the sky: {DECLARED}, sunny, very cloudy, it's wet, got 'stormy'",
    "1,sunny,x,maybe": f"column Class: {DECLARED}, no, yes, got 'maybe'. Correct it, or declare it in the header",
    "x,sunny,x,yes": "column temp: a cell of this column must be a number, got 'x'",
    "1,sunny,x": "a row must have 4 cells, one for each",
    "1,sunny,x,yes,5": "a row must have 4 cells, one for each",
    "1,'sunny,x,yes": 'quotes must enclose a whole value, got "1,\'sunny,x,yes". Escape quotes in it with \\',
    "1,'sunny'x,x,yes": "quotes must enclose a whole value",
    "{0 1, 0 2}": "a sparse row must not repeat an index, got '{0 1, 0 2}'",
    "{4 1}": "an index must be below 4, the number of attributes, got 4 in '{4 1}'. Indices count from 0",
    "{0 1": "a sparse row must be written {INDEX VALUE, ...}, got '{0 1'",
    "{a 1}": "a sparse row must be written {INDEX VALUE, ...}, got '{a 1}'",
    "{0 x}": "column temp: a cell of this column must be a number, got 'x'",
    "{1 x}": "column the sky: a value must be one of the declared values",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_costs_one_row(line: str) -> None:
    found = read_text(f"{HEAD}1,sunny,x,yes\n{line}\n2,sunny,y,no\n")
    assert len(found.faults) == 1 and FAULTS[line] in found.faults[0]
    assert found.faults[0].startswith("t.arff, line 11")
    assert found.lines == [10, 12] and found.y == ["yes", "no"]


@pytest.mark.parametrize("end", ["", "% remark\n"])
def test_not_utf8(end: str) -> None:
    data = HEAD.encode() + b"1,sunny,x\xffy,yes\n1,sunny,\xc3\xa9,yes\n" + end.encode()
    found = read(read_arff, data, "t.arff")
    assert found.faults == ["t.arff, line 10, column 10: text must be UTF-8, got '\\\\xffy,yes'. Convert the file"]
    assert found.rows == [{"temp": 1.0, "the sky=sunny": 1.0, "note=é": 1.0}]


ERRORS = {
    "": "t.arff: the header must end with a line @data, got none",
    "@relation r\n@attribute x real\n": "t.arff: the header must end with a line @data, got none",
    "@relation r\n@attribute x real\n@data\n": "t.arff: a file must have at least one row, got none",
    "@relation r\n@attribute x\n@data\n1\n": "t.arff, line 2: an attribute must be declared as @attribute",
    "@relation r\n@attribute x {a\n@data\n1\n": "line 2: a set of values must be written as {a, b, c}, got '{a'",
    "@attribute x relational\n@data\n1\n": "line 1: an attribute must be numeric, real, integer, string, date or",
    "@relation r\n1,2,3\n": "line 2: the header must hold @relation, @attribute and @data, got '1,2,3'",
    "@attribute x real\n@attribute x real\n@data\n1,2\n": "columns must have different names, got 'x' twice",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_text(text)
    assert ERRORS[text] in str(caught.value)


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_file, "LONGEST_LINE", 100)
    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self: chunks(self, 50))
    found = read_text(HEAD.replace("% Weather\n", "") + "1,sunny,x,yes\n1,sunny," + "x" * 400 + ",yes\n2,sunny,x,no\n")
    assert found.lines == [9, 11]
    assert "t.arff, line 10: a line must have at most 100 bytes" in found.faults[0]


def test_pathological_lines_take_no_time() -> None:
    blanks = " " * 200_000
    found = read_text(f"{HEAD}1,{blanks}'x,a,yes\n1,'{chr(92) * 200_000},a,yes\n{{0 {blanks}'}}\n2,sunny,x,no\n")
    assert len(found.faults) == 3 and found.lines == [13]


# real files -----------------------------------------------------------------------------------------------------------
needs_data = pytest.mark.skipif("DRIFTLINE_DATA" not in os.environ, reason="needs the folder DRIFTLINE_DATA")


@needs_data
def test_elec2() -> None:
    path = Path(os.environ["DRIFTLINE_DATA"]) / "elec2" / "elecNormNew.arff.zip"
    found = collected(read_arff(Source(path), ReadOptions()))
    text = zipfile.ZipFile(path).read("elecNormNew.arff").decode()
    lines = text[text.index("@data") :].split()[1:]
    columns = ["date", "day", "period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]
    assert found.y == [line.split(",")[-1] for line in lines] and found.y.count("UP") == 19_237
    for row, line in zip(found.rows, lines, strict=True):
        cells = dict(zip(columns, line.split(","), strict=False))
        day = cells.pop("day")
        assert row == {name: float(cell) for name, cell in cells.items()} | {f"day={day}": 1.0}


@needs_data
def test_usenet1() -> None:
    found = collected(
        read_arff(Source(Path(os.environ["DRIFTLINE_DATA"]) / "usenet" / "usenet1.arff.xz"), ReadOptions())
    )
    assert len(found.rows) == 1500 and {len(row) for row in found.rows} == {99}
    assert found.y is not None and set(found.y) == {0, 1}
