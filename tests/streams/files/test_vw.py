"""VW text: its meaning, malformed lines, stable names, and no read beyond the text."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files.formats import vw
from driftline.streams.files.formats.vw import VwParser
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.name_table import NameTable, wrong_utf8
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


def decoded(name: bytes, column: int) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise MalformedError(column, "UTF-8") from None


def named(name: bytes, column: int) -> bytes:
    """A name as VW reads it: one of digits is a number."""
    if name[:1] < b" " or name[-1:] < b" ":
        raise MalformedError(column, "control character")
    return b"%d" % int(name) if re.fullmatch(rb"[0-9]{1,4000}", name) else name


def read_line(line: bytes) -> tuple[float, float, dict[str, float]]:
    """One line, slowly. Raises where it is malformed: column, and a word of the message."""
    head, bar, body = line.partition(b"|")
    first = words(line, b"")[0][0]
    if not bar:
        raise MalformedError(first, "must have a |")
    if odd := re.search(rb"[\t\r]", head[first - 1 :]):
        raise MalformedError(first + odd.start(), "separated by spaces")
    cut = body.find(b"\r")
    if rest := cut >= 0 and body[cut:].strip(b" \t\r"):
        body = body[:cut]
    given = words(head, b"")
    tags = [k for k, (_, word) in enumerate(given) if word.startswith(b"'")]
    if given and (tags[:1] == [len(given) - 1] or (not tags and head[-1:] not in b" \t\r")):
        given.pop()
        tags = []
    numbers: list[float] = []
    for k, (column, word) in enumerate(given):
        if tags and k == tags[0]:
            raise MalformedError(column, "tag must be the last")
        value = number(word)
        if k == 0 and value is None:
            raise MalformedError(column, "label must be a number")
        if k == 0 and not finite(value or 0.0):
            raise MalformedError(column, "label must be finite")
        if k == 1 and (value is None or not 0 <= value < float("inf")):
            raise MalformedError(column, "importance")
        if k > 2 or (k == 2 and value is None):
            raise MalformedError(column, "words before the | must be")
        numbers.append(value or 0.0)
    row: dict[str, float] = {}
    column = len(head) + 2
    for part in body.split(b"|"):
        prefix, scale = b"", 1.0
        found = words(part, b"")
        if found and found[0][0] == 1:
            (_, space), *found = found
            prefix, colon, text = space.partition(b":")
            if len(prefix) > 255:
                raise MalformedError(column, "at most 255 bytes")
            decoded(prefix, column)
            prefix = named(prefix, column) if prefix else b""
            if b"^" in prefix:
                raise MalformedError(column, "must not contain ^")
            if colon and not prefix:
                raise MalformedError(column, "name before its scale")
            factor = number(text) if colon else 1.0
            if factor is None or not finite(factor):
                raise MalformedError(column, "scale")
            scale = factor
        for at, word in found:
            name, colon, text = word.partition(b":")
            if not name:
                raise MalformedError(column + at - 1, "name before its value")
            name = named(name, column + at - 1)
            value = number(text) if colon else 1.0
            if value is None:
                raise MalformedError(column + at - 1, "value must be a number")
            full = decoded(prefix + b"^" + name if prefix else name, column + at - 1)
            value *= scale
            row[full] = value + row[full] if full in row else value
            if not finite(row[full]):
                raise MalformedError(column + at - 1, "must be finite")
        column += len(part) + 1
    if rest:
        raise MalformedError(len(head) + 2 + cut, "carriage return must end")
    weight = numbers[1] if len(numbers) > 1 else float("nan")
    return numbers[0] if numbers else float("nan"), weight, row


def compare(text: bytes, parsed: Parsed, known: list[str]) -> None:
    expected = check(text, parsed, read_line, b"")
    names = parsed.rows.names
    assert names is not None
    rows = [[(names[k], repr(value)) for k, value in row] for row in entries(parsed)]
    assert rows == [[(name, repr(value)) for name, value in row.items()] for *_, row in expected]
    weights = np.array([weight for _, weight, _ in expected])
    if np.isnan(weights).all():
        assert parsed.w is None
    else:
        assert parsed.w is not None and parsed.w.tolist() == np.where(np.isnan(weights), 1.0, weights).tolist()
    # in order of appearance, once each, and none of a malformed line
    assert names == list(dict.fromkeys(known + [name for *_, row in expected for name in row]))
    assert parsed.rows.width == len(names)


def agree(text: bytes) -> Parsed:
    parsed = VwParser(OPTIONS).parse(chunk_of(text))
    compare(text, parsed, [])
    return parsed


GOOD = """1 | a:2 b c:-1e-3 a:0.5
-1 2.5 |user age:31 city=Bern |item:0.5 price:10 |\tplain x^y:1
1 0 0.25 'tag_with| nothing
1 'tag|f x
0.5 1.5 2 tag|f:2e0 x y:3 \t\r

-1 1 1 'id |a b^c:2 | a^b^c:4 |012 0012 |12 12:2 |00 00
 1 |ümlaut größe:1.75 日本語 \U0001f600:2
2 | a_name_that_is_rather_long:1 another_name_that_is_rather_long another_name_that_is_rather_lone
1 |
1 ||| a|b c|d:3 e:1""".encode()


def test_means_what_it_says() -> None:
    parsed = agree(GOOD)
    assert parsed.faults == []
    names = parsed.rows.names
    assert names is not None
    rows = [{names[k]: value for k, value in row} for row in entries(parsed)]
    assert rows[0] == {"a": 2.5, "b": 1.0, "c": -1e-3}
    assert rows[1] == {"user^age": 31.0, "user^city=Bern": 1.0, "item^price": 5.0, "plain": 1.0, "x^y": 1.0}
    assert rows[4] == {"f^x": 2.0, "f^y": 6.0}
    assert rows[5] == {"a^b^c": 6.0, "12^12": 3.0, "0^0": 1.0}
    assert rows[-1] == {"a": 1.0, "b^c": 1.0, "d^e": 3.0}
    assert parsed.y is not None and parsed.y.tolist() == [1, -1, 1, 1, 0.5, -1, 1, 2, 1, 1]
    assert parsed.w is not None and parsed.w.tolist() == [1, 2.5, 0, 1, 1.5, 1, 1, 1, 1, 1]
    assert parsed.rows.lines.tolist() == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert (parsed.rows.indptr.dtype, parsed.rows.indices.dtype) == (np.uint64, np.uint32)
    assert (parsed.rows.values.dtype, parsed.rows.lines.dtype, parsed.w.dtype) == (np.float64, np.uint64, np.float64)


def test_labels_may_be_absent() -> None:
    assert agree(b"| a\n'tag | b\n1|c\n").y is None
    mixed = agree(b"| a\n3 | b\n")
    assert mixed.y is not None and np.isnan(mixed.y[0]) and mixed.y[1] == 3


@pytest.mark.parametrize("text", [b"", b"\n\n", b"  \r\n\t\n", b"bad\n"])
def test_no_rows(text: bytes) -> None:
    parsed = agree(text)
    assert len(parsed.rows) == 0 and parsed.y is not None and parsed.y.size == 0 and parsed.w is None


@pytest.mark.parametrize(
    ("line", "column", "got", "must"),
    [
        (b"1 3:4 5:6", 1, "'1'", "must have a |"),
        (b"spam |f a", 1, "'spam'", "label must be a number"),
        (b"1:2.5 |f a", 1, "'1:2.5'", "label must be a number"),
        (b"-inf |f a", 1, "'-inf'", "label must be finite"),
        (b"1 -1 |f a", 3, "'-1'", "importance"),
        (b"1 nan |f a", 3, "'nan'", "importance"),
        (b"1 1 x |f a", 5, "'x'", "words before the | must be"),
        (b"1 1 1 1 |f a", 7, "'1'", "words before the | must be"),
        (b"1 'tag 2 |f a", 3, '"\'tag"', "tag must be the last"),
        (b"1 |:2 a", 4, "':2'", "name before its scale"),
        (b"1 |f:x a", 4, "'f:x'", "scale"),
        (b"1 |f:inf a", 4, "'f:inf'", "scale"),
        (b"1 |f: a", 4, "'f:'", "scale"),
        (b"1 |" + b"n" * 256 + b" a", 4, "'" + "n" * 57 + "...'", "at most 255 bytes"),
        (b"1 |f a :3|g", 8, "':3'", "name before its value"),
        (b"1 |f a: b", 6, "'a:'", "value must be a number"),
        (b"1 |f a:b:1", 6, "'a:b:1'", "value must be a number"),
        (b"1 |f b a:1x|g", 8, "'a:1x'", "value must be a number"),
        (b"1 |f a:nan", 6, "'a:nan'", "must be finite"),
        (b"1 |f:1e300 b a:1e300", 14, "'a:1e300'", "must be finite"),
        (b"1 | a:1e308 b a:1e308", 15, "'a:1e308'", "must be finite"),
        (b"1 | b a\xff\xfe:1", 7, r"'a\\xff\\xfe:1'", "UTF-8"),
        (b"1 |n\xe4me a", 4, r"'n\\xe4me'", "UTF-8"),
        (b"1 |f \xed\xa0\x80", 6, r"'\\xed\\xa0\\x80'", "UTF-8"),
        (b"1\t2 |f a", 2, r"'\t2'", "separated by spaces"),
        (b"1 \t|f a", 3, r"'\t'", "separated by spaces"),
        (b"1\r|f a", 2, r"'\r'", "separated by spaces"),
        (b"1 |f a \rb c", 8, r"'\rb'", "carriage return must end"),
        (b"1 |f\r|g a", 5, r"'\r'", "carriage return must end"),
        (b"1 |f a\x0b:2", 6, r"'a\x0b:2'", "control character"),
        (b"1 |f \0a", 6, r"'\x00a'", "control character"),
        (b"1 |f\x1f a", 4, r"'f\x1f'", "control character"),
        (b"1 |a^b c", 4, "'a^b'", "must not contain ^"),
    ],
)
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n", b" \t\n"])
def test_malformed_lines_are_told_and_leave_the_others(
    line: bytes, column: int, got: str, must: str, ending: bytes
) -> None:
    parsed = agree(b"1 | first\n" + line + ending)
    (fault,) = parsed.faults
    assert (fault.source, fault.line, fault.column, fault.got) == ("stream.txt", 2, column, got)
    assert must in fault.must
    assert fault.remedy
    assert parsed.rows.names == ["first"]
    followed = agree(b"1 | first\n" + line + (ending if b"\n" in ending else b"\n") + b"-1 | a b")
    assert followed.rows.lines.tolist() == [1, 3]


def test_names_keep_their_numbers_from_piece_to_piece() -> None:
    parser = VwParser(OPTIONS)
    first = parser.parse(chunk_of(b"1 | b a\n")).rows
    second = parser.parse(chunk_of(b"1 | c a\nbad | d\n1 | e:x f\n1 | b")).rows
    assert second.names is first.names
    assert second.names == ["b", "a", "c"]
    assert first.width == 2 and second.width == 3
    assert second.indices.tolist() == [2, 1, 0]
    assert second.lines.tolist() == [1, 4]


def test_a_twin_knows_the_names_up_to_a_piece_and_goes_its_own_way() -> None:
    parser = VwParser(OPTIONS)
    first = parser.parse(chunk_of(b"1 | b a 7:1\n"))
    twin = parser.copy_after(first)
    other = twin.parse(chunk_of(b"1 | a 7:2 9:1 long_name_of_twin\n")).rows
    mine = parser.parse(chunk_of(b"1 | x 7:2 9:1\n")).rows
    assert other.names == ["b", "a", "7", "9", "long_name_of_twin"] and other.indices.tolist() == [1, 2, 3, 4]
    assert mine.names == ["b", "a", "7", "x", "9"] and mine.indices.tolist() == [3, 2, 4]
    late = parser.copy_after(first).parse(chunk_of(b"1 | 9:1 long_name_of_twin x b\n")).rows
    assert late.names == ["b", "a", "7", "9", "long_name_of_twin", "x"] and late.indices.tolist() == [3, 4, 5, 0]


def many_names(size: int, seed: int) -> bytes:
    """Short and long names, known and new ones, alike but for their namespace; some lines are malformed."""
    rng = np.random.default_rng(seed)
    lines = []
    for k in range(size):
        ids = rng.integers(0, 1 + 20 * k, 15).tolist()
        named = [f"{'word' * (i % 4)}{i}:{i}" if i % 3 else f"x{i}" for i in ids]
        space = ("", "space", "place", "space" * 3, "sevenof")[k % 5]
        lines.append(f"1 |{space} {' '.join(named)} space_x{k} space^x{k} {':1' if k % 50 == 7 else ''}")
    return "\n".join(lines).encode()


@pytest.mark.parametrize("seed", range(20))
def test_names_that_are_numbers(seed: int) -> None:
    """In any order, several times, with zeros before them, too large for the plain array, beside other names."""
    random = np.random.default_rng(seed)
    names = [*map(str, range(12)), "00", "07", "262143", "262144", "9999999", "12345678", "1x", "-1", "5.", "n^3", "x"]
    lines = []
    for _ in range(60):
        words = random.choice(names, random.integers(0, 9))
        if random.integers(2):
            words = sorted(words, key=lambda word: (len(word), word))
        pairs = " ".join(f"{word}:{random.integers(1, 9)}" if random.integers(3) else word for word in words)
        space = random.choice(["|", "|", "|n", "|:2", "| 3 |"])
        lines.append(f"1 {space} {pairs}{random.choice(['', '', '', ' 4:x'])}")
    agree("\n".join(lines).encode())


def test_the_table_grows() -> None:
    parser = VwParser(OPTIONS)
    known: list[str] = []
    for seed in range(3):
        text = many_names(4000, seed)
        parsed = parser.parse(chunk_of(text))
        compare(text, parsed, known)
        assert parsed.rows.names is not None
        known = list(parsed.rows.names)
    assert len(known) > 100_000


def test_the_table_grows_within_a_line() -> None:
    agree(b"1 |a " + b" ".join(b"%d" % k for k in range(50_000)) + b" 7:2 49999:3")
    agree(b"1 |" + b"n" * 255 + b" " + b" ".join(b"%d" % (k % 3000) for k in range(5000)))
    agree(b"1 | " + b"x" * 1_000_000 + b":2 y " + b"x" * 1_000_000)


def test_names_that_meet_are_told_apart() -> None:
    """With these secrets every name is looked for in the same place, and all long ones have the same key."""
    text = many_names(60, seed=1)
    parser = VwParser(OPTIONS)
    parser._table._secrets = 0, 0
    compare(text, parser.parse(chunk_of(text)), [])


def test_nobody_knows_where_a_name_goes() -> None:
    assert len({NameTable()._secrets for _ in range(5)}) == 5
    assert all(factor % 2 for _, factor in (NameTable()._secrets for _ in range(5)))


@pytest.mark.parametrize("limit", ["MOST_NAMES", "MOST_BYTES"])
def test_a_new_table_begins_when_one_is_full(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vw, limit, 4)
    parser = VwParser(OPTIONS)
    texts = [b"1 | a b c d", b"1 | b e", b"1 | f b", b"1 | b"]
    rows = [parser.parse(chunk_of(text)).rows for text in texts]
    assert rows[0].names is rows[1].names
    assert rows[0].names == ["a", "b", "c", "d", "e"]
    assert rows[2].names is not rows[1].names
    assert rows[2].names == ["f", "b"]
    assert rows[3].indices.tolist() == [1]


def test_keeps_nothing_of_the_buffer() -> None:
    parser = VwParser(OPTIONS)
    chunk = chunk_of(GOOD + b"\nbad")
    parsed = parser.parse(chunk)
    before = entries(parsed), parsed.rows.lines.tolist(), str(parsed.faults[0]), list(parsed.rows.names or [])
    chunk.data[:] = ord("7")
    assert before == (entries(parsed), parsed.rows.lines.tolist(), str(parsed.faults[0]), parsed.rows.names)
    for array in (parsed.rows.indptr, parsed.rows.indices, parsed.rows.values, parsed.rows.lines, parsed.y, parsed.w):
        assert not np.shares_memory(array, MEMORY)
        assert array.base is None
    assert parser.parse(chunk_of(GOOD)).rows.indices.tolist() == parsed.rows.indices.tolist()


def test_two_at_once() -> None:
    text = np.frombuffer(many_names(5000, seed=9), np.uint8).copy()
    found: list[Parsed] = []
    threads = [
        threading.Thread(target=lambda: found.append(VwParser(OPTIONS).parse(Chunk(text, "s")))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in found[1:]:
        assert other.rows.names == found[0].rows.names
        assert entries(other) == entries(found[0])


@pytest.mark.parametrize("seed", range(4))
def test_damaged_lines_as_the_slow_parser_reads_them(seed: int) -> None:
    lines = [*GOOD.split(b"\n"), b"| a b", b"'tag|f c:1e308 c:1e308 d", b"-1 |a:1e200 b:1e200 c:1", b"1 12345678|x y"]
    parsed = agree(mutated(lines, ALPHABET + b"|||''^ab", 10_000, seed))
    assert len(parsed.rows) > 3000 and len(parsed.faults) > 1000


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from(list(ALPHABET + b"|||''^:ab")), max_size=80).map(bytes) | st.binary(max_size=60),
)
def test_any_bytes_as_the_slow_parser_reads_them(text: bytes) -> None:
    agree(text)
    agree(b"1 | " + text)


def test_every_way_to_cut_a_line_short() -> None:
    line = "-1.5 2 0.5 'tag|space:2.5 name:0.25 größe |x a_name_that_is_long:1e-5 b:123456789.123456789 |".encode()
    for stop in range(len(line) + 1):
        agree(line[:stop])
        agree(line[stop:])


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_utf8_is_told_as_python_tells_it(size: int) -> None:
    """Every sequence of bytes from the borders of UTF-8's ranges, behind and before plain text."""
    borders = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE]
    borders += [0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]
    sequences = np.array(np.meshgrid(*[borders] * size)).reshape(size, -1).T.astype(np.uint8)
    if size == 4:
        sequences = sequences[sequences[:, 0] >= 0xE0]
    for around in (b"", b"plain text") if size < 4 else (b"",):
        for sequence in sequences:
            text = np.frombuffer(around + sequence.tobytes() + around, np.uint8)
            wrong = wrong_utf8(np.uint64(text.ctypes.data), np.uint64(0), np.uint64(text.size))
            try:
                text.tobytes().decode()
                assert wrong == text.size
            except UnicodeDecodeError as error:
                assert wrong == error.start
