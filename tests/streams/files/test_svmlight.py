"""svmlight lines: their meaning, malformed lines with their place, and no read beyond the text."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files.formats.svmlight import SvmlightParser
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.pieces import parsed_lines
from driftline.streams.files.source import Chunk
from tests.support.line_parsers import (
    ALPHABET,
    MEMORY,
    OPTIONS,
    MalformedError,
    check,
    chunk_of,
    entries,
    finite,
    mutated,
    number,
    words,
)


def read_line(line: bytes) -> tuple[float, dict[int, float]]:
    """One line, slowly. Raises where it is malformed: column, and a word of the message."""
    (column, first), *rest = words(line, b"#")
    label = float("nan")
    if b":" in first:
        rest.insert(0, (column, first))
    else:
        read = number(first)
        if read is None:
            raise MalformedError(column, "label must be a number")
        if not finite(read):
            raise MalformedError(column, "label must be finite")
        label = read
    if rest and rest[0][1].startswith(b"qid:"):
        del rest[0]
    row: dict[int, float] = {}
    for at, pair in rest:
        index, colon, text = pair.partition(b":")
        value = number(text)
        if not colon or not re.fullmatch(rb"\d+", index):
            raise MalformedError(at, "INDEX:VALUE")
        if int(index) >= 2**31:
            raise MalformedError(at, "below 2^31")
        if value is None:
            raise MalformedError(at, "value must be a number")
        if not finite(value):
            raise MalformedError(at, "value must be finite")
        row[int(index)] = row[int(index)] + value if int(index) in row else value
    if not all(map(finite, row.values())):
        raise MalformedError(rest[0][0], "finite sum")
    return label, dict(sorted(row.items()))


def agree(text: bytes) -> Parsed:
    parsed = SvmlightParser(OPTIONS).parse(chunk_of(text))
    expected = check(text, parsed, read_line, b"#")
    # as text: -0.0 is not 0.0
    assert [list(map(repr, row)) for row in entries(parsed)] == [list(map(repr, row.items())) for _, row in expected]
    assert parsed.rows.names is None
    assert parsed.w is None
    assert parsed.rows.width == max((index + 1 for _, row in expected for index in row), default=0)
    return parsed


GOOD = b"""# a file
+1 1:0.5 3:-2e-3 17:4 # comment 9:9
-1\tqid:7 2:1\t 5:1.25 \t\r

   \t
2.5 7:1 3:2 7:0.25 1:-0.0#no blank
1
0 2147483647:1 0:3 # 5:x
-1 1:1 2:12345678901234567890123 00000000000004:.5"""


def test_means_what_it_says() -> None:
    parsed = agree(GOOD)
    assert parsed.faults == []
    assert entries(parsed)[2] == [(1, 0.0), (3, 2.0), (7, 1.25)]
    assert parsed.rows.lines.tolist() == [2, 3, 6, 7, 8, 9]
    assert parsed.rows.width == 2**31
    assert parsed.rows.source == "stream.txt"
    assert (parsed.rows.indptr.dtype, parsed.rows.indices.dtype) == (np.uint64, np.uint32)
    assert (parsed.rows.values.dtype, parsed.rows.lines.dtype) == (np.float64, np.uint64)


def test_labels_may_be_absent() -> None:
    assert agree(b"1:2 3:4\nqid:3 5:6\n").y is None
    mixed = agree(b"1:2 3:4\n7 5:6\n")
    assert mixed.y is not None and np.isnan(mixed.y[0]) and mixed.y[1] == 7
    assert agree(b"-1 3:4\n1 5:6\n").y.dtype == np.int64  # type: ignore[union-attr]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# nothing\n  \r\n", b"bad\n"])
def test_no_rows(text: bytes) -> None:
    parsed = agree(text)
    assert len(parsed.rows) == 0 and parsed.y is not None and parsed.y.size == 0


@pytest.mark.parametrize(
    ("line", "column", "got", "must"),
    [
        (b"  one 3:4", 3, "'one'", "label must be a number"),
        (b"1,2 3:4", 1, "'1,2'", "label must be a number"),
        (b"nan 3:4", 1, "'nan'", "label must be finite"),
        (b"1 3:4 5", 7, "'5'", "INDEX:VALUE"),
        (b"1 3:4 -5:1", 7, "'-5:1'", "INDEX:VALUE"),
        (b"1 3:4 qid:1", 7, "'qid:1'", "INDEX:VALUE"),
        (b"1 :4", 3, "':4'", "INDEX:VALUE"),
        (b"1 3:4 2147483648:1", 7, "'2147483648:1'", "below 2^31"),
        (b"1 99999999999999999999999999:1", 3, "'99999999999999999999999999:1'", "below 2^31"),
        (b"1 3: 4", 3, "'3:'", "value must be a number"),
        (b"1 3:4x# 7", 3, "'3:4x'", "value must be a number"),
        (b"1 3:1_0", 3, "'3:1_0'", "value must be a number"),
        (b"1 3:4:5", 3, "'3:4:5'", "value must be a number"),
        (b"1 3:inf", 3, "'3:inf'", "value must be finite"),
        (b"1 3:1e999", 3, "'3:1e999'", "value must be finite"),
        (b"1 2:1 3:1e308 3:1e308", 3, "'2:1'", "finite sum"),
        (b"1 3:\xff\xfe", 3, r"'3:\\xff\\xfe'", "value must be a number"),
        (b"1 3:" + b"9" * 90 + b"x", 3, "'3:" + "9" * 55 + "...'", "value must be a number"),
    ],
)
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b" # comment\n"])
def test_malformed_lines_are_told_and_leave_the_others(
    line: bytes, column: int, got: str, must: str, ending: bytes
) -> None:
    parsed = agree(b"1 1:1\n" + line + ending)
    (fault,) = parsed.faults
    assert (fault.source, fault.line, fault.column, fault.got) == ("stream.txt", 2, column, got)
    assert must in fault.must
    assert fault.remedy
    assert len(parsed.rows) == 1
    followed = agree(b"1 1:1\n" + line + (ending if b"\n" in ending else b"\n") + b"-1 2:2")
    assert followed.rows.lines.tolist() == [1, 3]


def test_too_large_an_index_is_advised_to_be_hashed() -> None:
    (fault,) = agree(b"1 3000000000:1").faults
    assert "hash" in fault.remedy and "VW" in fault.remedy


def test_lines_are_counted_from_where_the_piece_begins() -> None:
    parsed = SvmlightParser(OPTIONS).parse(chunk_of(b"1 1:1\n\nx\n1 1:1\n"))
    assert parsed.rows.lines.tolist() == [1, 4]
    assert parsed.faults[0].line == 3
    assert parsed.rows.place(1) == "stream.txt, line 4"
    assert parsed.lines == 4


def test_long_rows_in_any_order() -> None:
    rng = np.random.default_rng(1)
    for size in (2, 3, 7, 8, 9, 100, 1023, 5000):
        indices = rng.integers(0, 2 * size, size).tolist()
        values = rng.normal(size=size).tolist()
        agree(b"1 " + " ".join(f"{i}:{v!r}" for i, v in zip(indices, values, strict=True)).encode())


def test_keeps_nothing_of_the_buffer() -> None:
    chunk = chunk_of(GOOD + b"\nbad")
    parsed = SvmlightParser(OPTIONS).parse(chunk)
    before = entries(parsed), parsed.rows.lines.tolist(), str(parsed.faults[0])
    chunk.data[:] = ord("7")
    assert before == (entries(parsed), parsed.rows.lines.tolist(), str(parsed.faults[0]))
    for array in (parsed.rows.indptr, parsed.rows.indices, parsed.rows.values, parsed.rows.lines, parsed.y):
        assert not np.shares_memory(array, MEMORY)
        assert array.base is None


def test_pieces_are_as_good_as_the_whole() -> None:
    parser = SvmlightParser(OPTIONS)
    lines = (GOOD + b"\n").splitlines(keepends=True)
    whole = entries(parser.parse(chunk_of(GOOD)))
    pieces = [parser.parse(chunk_of(line)) for line in lines]
    assert [row for piece in pieces for row in entries(piece)] == whole
    numbered = parsed_lines(iter([Chunk(np.frombuffer(line, np.uint8), "s") for line in lines]), lambda: parser, 1)
    assert [line for piece in numbered for line in piece.rows.lines.tolist()] == [2, 3, 6, 7, 8, 9]


def test_two_at_once() -> None:
    text = np.frombuffer(GOOD.replace(b"\n", b" \n") * 2000, np.uint8).copy()
    found: list[Parsed] = []
    threads = [
        threading.Thread(target=lambda: found.append(SvmlightParser(OPTIONS).parse(Chunk(text, "s")))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in found[1:]:
        assert entries(other) == entries(found[0])


@pytest.mark.parametrize("seed", range(4))
def test_damaged_lines_as_the_slow_parser_reads_them(seed: int) -> None:
    lines = [*GOOD.split(b"\n"), b"1:2 3:4", b"qid:1 2:3", b"1 2:1e308 2:1e308 3:1", b"-1 12345678:1 123456789:2"]
    parsed = agree(mutated(lines, ALPHABET, 10_000, seed))
    assert len(parsed.rows) > 3000 and len(parsed.faults) > 1000


@settings(max_examples=500)
@given(st.lists(st.sampled_from(list(ALPHABET)), max_size=80).map(bytes) | st.binary(max_size=60))
def test_any_bytes_as_the_slow_parser_reads_them(text: bytes) -> None:
    agree(text)


def test_every_way_to_cut_a_line_short() -> None:
    line = b"-1.5 qid:3 17:0.25 123456789:1e-5 5:123456789.123456789 #"
    for stop in range(len(line) + 1):
        agree(line[:stop])
        agree(line[stop:])
