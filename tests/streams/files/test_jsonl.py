"""JSON lines: the same features as a slow reader with the json module, and faults."""

from __future__ import annotations

import io
import json
import lzma
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.streams.files.faults import ReadError
from driftline.streams.files.formats import jsonl
from driftline.streams.files.formats.jsonl import JsonReader, lines_of
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.scan import feature_names as names_file
from driftline.streams.files.scan.words import words
from driftline.streams.files.source import Source
from tests.support.read_files import Read, collected, read


def reader(source: Source, options: ReadOptions, size: int = 1 << 22) -> Any:
    return JsonReader(source.name, options).blocks(lines_of(source, size))


def read_json(data: bytes | str, /, **options: Any) -> Read:
    return read(reader, data.encode() if isinstance(data, str) else data, "t.jsonl", **{"target": "y"} | options)


def one(text: str, **options: Any) -> dict[str, float]:
    """The features of one object."""
    found = read_json(text, **{"target": None, "labelled": False} | options)
    assert found.faults == []
    return found.rows[0]


def scalars(example: dict[str, Any], beginning: str = "") -> list[tuple[str, Any]]:
    """The paths and values of an object, lists and nulls left out."""
    found = []
    for key, value in example.items():
        if isinstance(value, dict):
            found += scalars(value, f"{beginning}{key}.")
        elif value is not None and not isinstance(value, list):
            found.append((f"{beginning}{key}", value))
    return found


def numeric_keys(examples: list[dict[str, Any]]) -> set[str]:
    """The keys of which more than half of the values are numbers."""
    balance: Counter[str] = Counter()
    for example in examples:
        for path, value in scalars(example):
            balance[path] += -1 if isinstance(value, str) else 1
    return {path for path, excess in balance.items() if excess > 0}


def flat(example: dict[str, Any], numeric: set[str], beginning: str = "") -> Counter[str]:
    """Slowly: the features of an object and how much of each. ValueError for a text that is no number."""
    features: Counter[str] = Counter()
    for key, value in example.items():
        items = value if isinstance(value, list) else [value]
        for place, item in enumerate(items):
            name = f"{beginning}{key}"
            if isinstance(item, dict):
                features.update(flat(item, numeric, name + "."))
            elif item is not None and not isinstance(value, list) and (name in numeric) == isinstance(item, str):
                if isinstance(item, str):
                    truth = {"true": 1.0, "false": 0.0}.get(item.strip().lower())
                    if truth is None and ("_" in item or not item.isascii()):
                        raise ValueError(item)
                    features[name] += float(item) if truth is None else truth
                else:
                    features[f"{name}={str(item).lower() if isinstance(item, bool) else item!r}"] += 1
            elif isinstance(item, str):
                features[f"{name}={item}"] += 1
            elif item is not None:
                features[f"{name}[{place}]" if isinstance(value, list) else name] += float(item)
    return features


# the same as a slow reader --------------------------------------------------------------------------------------------
KEYS = st.text(st.sampled_from("ab.é="), min_size=1, max_size=3)
NUMBERS = st.floats(-1e300, 1e300) | st.integers(-(2**63), 2**64 - 1) | st.booleans()
STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
VALUES = st.recursive(
    NUMBERS | STRINGS | st.none(),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
EXAMPLES = st.dictionaries(KEYS, VALUES | st.lists(NUMBERS | STRINGS | st.none(), max_size=4), max_size=5)


@settings(max_examples=500)
@given(st.lists(st.tuples(EXAMPLES, st.integers(0, 1)), min_size=1, max_size=6), st.booleans(), st.integers(1, 60))
def test_as_the_json_module_reads_it(examples: list[tuple[dict[str, Any], int]], plain: bool, size: int) -> None:
    text = "\n".join(json.dumps(example | {"y": y}, ensure_ascii=plain) for example, y in examples)
    found = read_json(text)
    plain_examples = [json.loads(json.dumps(example)) for example, _ in examples]
    numeric, slow, lines = numeric_keys(plain_examples), [], []
    for number, example in enumerate(plain_examples, 1):
        try:
            slow.append(flat(example, numeric))
            lines.append(number)
        except ValueError:
            continue
    assert [row.keys() for row in found.rows] == [dict(features).keys() for features in slow]
    for row, features in zip(found.rows, slow, strict=True):
        assert all(np.isclose(row[name], features[name], rtol=1e-12, atol=0) for name in row)
    assert found.y == [examples[line - 1][1] for line in lines] and len(found.faults) == len(examples) - len(lines)
    assert found.lines == lines
    options = ReadOptions("y")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "MOST_WAITING", 1 << 20)
        cut = read(lambda source, _: reader(source, options, size), text.encode(), "t.jsonl")
    assert cut[:4] == found[:4]


@settings(max_examples=500)
@given(st.binary(max_size=30) | st.text(st.sampled_from('{}[]",:1ea\\u0d8 \n\r'), max_size=30).map(str.encode))
def test_any_bytes_are_rows_or_faults(body: bytes) -> None:
    found = read_json(b'{"y": 1}\n' + body, target="y", labelled=False)
    good = []
    for number, line in enumerate(body.split(b"\n"), 2):
        try:
            good += [number] * isinstance(json.loads(line.decode()), dict)
        except ValueError:
            continue
    assert set(found.lines) - {1} <= set(good)
    used = {int(fault.split("line ")[1].split(":")[0].split(",")[0]) for fault in found.faults} | set(found.lines)
    assert used == {1} | {k for k, line in enumerate(body.split(b"\n"), 2) if line.strip()}


# what is special ------------------------------------------------------------------------------------------------------
def test_values() -> None:
    assert one('{"a": 1.5, "b": "x", "c": true, "d": null, "e": false}') == {"a": 1.5, "b=x": 1.0, "c": 1.0, "e": 0.0}
    assert one('{"o": {"i": 2, "j": {"k": "z"}}, "p": {}}') == {"o.i": 2.0, "o.j.k=z": 1.0}
    assert one('{"l": ["p", "p", "q"], "m": [1, null, 2.5, true], "n": []}') == {
        "l=p": 2.0, "l=q": 1.0, "m[0]": 1.0, "m[2]": 2.5, "m[3]": 1.0,
    }  # fmt: skip
    assert one('{"a": 1, "a": 2}') == {"a": 2.0}
    assert one('{"a.b": 1, "a": {"b": 2}}') == {"a.b": 3.0}
    assert one('\ufeff{"big": 123456789012345678901234567890}\r\n') == {"big": 123456789012345678901234567890.0}


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ("1 0", [1, 0]),
        ("1.0 -1", [1, -1]),
        ("0.5 2", [0.5, 2.0]),
        ('"UP" "DOWN"', ["UP", "DOWN"]),
        ("true false", [1, 0]),
    ],
)
def test_labels(values: str, labels: list[Any]) -> None:
    found = read_json("".join(f'{{"y": {value}, "a": 1}}\n' for value in values.split()))
    assert found.y == labels and list(map(type, found.y or ())) == list(map(type, labels))
    nested = read_json("".join(f'{{"o": {{"y": {value}}}, "a": 1}}\n' for value in values.split()), target="o.y")
    assert nested[:2] == found[:2]


def test_labels_that_may_be_absent() -> None:
    assert read_json('{"a": 1}', labelled=False).y is None
    assert read_json('{"a": 1, "y": 2}', labelled=False).y == [2]
    for second in ("", ', "y": null', ', "y": "two"', ', "y": [2]'):
        found = read_json(f'{{"a": 1, "y": 2}}\n{{"a": 1, "y": 2}}\n{{"a": 1{second}}}', labelled=False)
        assert found.y == [2, 2, None] and found.rows == [{"a": 1.0}] * 3 and found.faults == []


def test_a_line_without_a_label_is_counted() -> None:
    found = read_json('{"a": 1, "y": 2}\n{"a": 2}\n{"a": 3, "y": null, "b": 1}\n{"a": 4, "y": 3}')
    assert (found.y, found.lines, found.unlabelled, found.faults) == ([2, 3], [1, 4], 2, [])
    assert found.rows == [{"a": 1.0}, {"a": 4.0}]


def test_missing_values_are_counted() -> None:
    found = read_json('{"a": 1, "c": "x", "y": 2}\n{"a": null, "c": null, "y": 3}')
    assert found.rows == [{"a": 1.0, "c=x": 1.0}, {}] and found.missing == {"a": 1, "c": 1}


def test_drop_time_and_text() -> None:
    first = '{"y": 0, "id": 7, "o": {"in": 1, "out": 2}, "t": 1, "s": "To be or not to be", "x": {"q": 1}}'
    text = first + '\n{"y": 1, "t": 1}'
    found = read_json(text, drop=("id", "o.out", "x"), time="t", text=("s",))
    assert found.rows == [{"o.in": 1.0, "s:to": 2.0, "s:be": 2.0, "s:or": 1.0, "s:not": 1.0}, {}]


def test_many_names_begin_a_new_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_file, "MOST_NAMES", 10)
    lines = [f'{{"y": 1, "k": {number}, "s": "v{number}"}}\n'.encode() for number in range(1, 31)]
    lists = []
    for number, parsed in enumerate(reader(Source(io.BytesIO(b"".join(lines))), ReadOptions("y"), 30), 1):
        rows = parsed.rows
        assert rows.names is not None
        assert {rows.names[k] for k in rows.indices.tolist()} == {"k", f"s=v{number}"}
        if not lists or lists[-1] is not rows.names:
            lists.append(rows.names)
    assert [len(names) for names in lists] == [11, 11, 11]


# faults ---------------------------------------------------------------------------------------------------------------
OBJECT = "a line must be a JSON object"
FAULTS = {
    '{"y": 1, "a": nan}': f", column 15: {OBJECT}, got invalid literal, expected 'null' at 'nan}}'",
    '{"y": 1, "a": inf}': f", column 15: {OBJECT}, got unexpected",
    '{"y": 1e400, "a": 1}': ", column y: a label must be finite, got inf",
    '{"y": 1': f", column 8: {OBJECT}, got ",
    '{"y": 1} {"y": 2}': f", column 10: {OBJECT}, got unexpected content after document at '{{\"y\": 2}}'",
    '{"y": 1, "a": "\\ud800"}': f", column 16: {OBJECT}, got no low surrogate",
    "[1, 2]": f": {OBJECT}, got '[1, 2]'. Write one object per line, in UTF-8",
    "3": f": {OBJECT}, got '3'",
    '{"y": [1]}': ", column y: a label must be a number, a boolean or a string, got '[1]'",
    '{"y": "one"}': ", column y: labels must be numbers, as in the first rows, got 'one'. Write all",
    '{"y": 1, "l": [{"a": 1}]}': ", column l: a list must hold strings or numbers, got \"{'a': 1}\". Pass --drop l",
    '{"y": 1, "l": [[1]]}': ", column l: a list must hold strings or numbers, got '[1]'",
    '{"y": 1, "a": "one"}': ", column a: a value of this key must be a number, got 'one'. Correct it, write null",
    '{"y": 1, "s": 5}': ", column s: text must be a string, got '5'. Write it in quotes",
    '{"y": 1, "n": ' + '{"n":' * 70 + "1" + "}" * 71: ": objects must be nested at most 64 deep, got a deeper one",
    "{" * 3000: f", column 2: {OBJECT}",
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_costs_one_line(line: str) -> None:
    good = '{"y": 1, "a": 1, "s": "x"}'
    found = read_json(f"{good}\n\n{line}\n{good}\n", text=("s",))
    assert found.rows == [{"a": 1.0, "s:x": 1.0}] * 2 and found.lines == [1, 4] and found.y == [1, 1]
    assert len(found.faults) == 1 and found.faults[0].startswith("t.jsonl, line 3")
    assert FAULTS[line] in found.faults[0]


TIMES = {
    "1": "the time must not go backwards, got 1 after 2. Sort the file by it, or name another key",
    '"3"': "times must be numbers, as in the first rows, got '3'. Write all of them in quotes, or none",
    "null": "a time must be a number or a string, got 'None'. Fill it in",
    "true": "a time must be a number or a string, got 'True'",
}


@pytest.mark.parametrize("time", TIMES)
def test_a_time_that_is_wrong(time: str) -> None:
    found = read_json(f'{{"y": 1, "t": 2}}\n{{"y": 0, "t": {time}}}\n{{"y": 1, "t": 2}}\n', time="t")
    assert found.lines == [1, 3] and len(found.faults) == 1
    assert found.faults[0].startswith(f"t.jsonl, line 2, column t: {TIMES[time]}")


def test_times_that_are_not_iso_are_named_as_the_cause() -> None:
    found = read_json('{"y": 1, "t": "31/01/2024"}\n{"y": 0, "t": "01/02/2024"}\n', time="t")
    assert "got '01/02/2024' after '31/01/2024'. These are not ISO 8601 dates" in found.faults[0]
    assert found.faults[0].endswith("convert the key, or leave out --time if the rows are in order")


def test_not_utf8() -> None:
    found = read_json(b'{"y": 1}\n{"y": 1, "\xff": 2}\n')
    assert found.faults == [
        "t.jsonl, line 2, column 11: a line must be a JSON object, got invalid UTF-8 at '\\\\xff\": 2}'. "
        "Write one object per line, in UTF-8"
    ]


def test_a_faulty_line_names_no_feature() -> None:
    data = b'{"y": 1, "a": 1, "s": "u"}\n{"y": 1, "b": 1, "s": "v", "l": [[]]}\n{"y": 1, "c": 1, "s": "v"}\n'
    (parsed,) = reader(Source(io.BytesIO(data)), ReadOptions("y"))
    assert parsed.rows.names == ["a", "s=u", "c", "s=v"]


# errors ---------------------------------------------------------------------------------------------------------------
ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "no target": (
        {"target": None},
        "t.jsonl: the label column must be named, got no target. Pass --target, one",
    ),
    "unknown target": (
        {"target": "o.lable"},
        "--target must be one of the columns 'o', 'o.label', 'y', 'day', got 'o.lable'. Did you mean --target o.label?",
    ),
    "unknown drop": (
        {"drop": ("zzz",)},
        "--drop must be one of the columns 'o', 'o.label', 'y', 'day', got 'zzz'. Check",
    ),
    "unknown time": ({"time": "dya"}, "got 'dya'. Did you mean --time day?"),
    "two purposes": ({"drop": ("y",)}, "a column must have one purpose, got --target and --drop for 'y'"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    options, message = ERRORS[name]
    with pytest.raises(ReadError) as caught:
        read_json('not json\n{"o": {"label": 1}, "y": 1}\n{"y": 0, "day": 3}', **options)
    assert message in str(caught.value)


def test_a_key_to_drop_may_be_absent_where_labels_may() -> None:
    assert one('{"a": 1}', drop=("id",)) == {"a": 1.0}


@pytest.mark.skipif("DRIFTLINE_DATA" not in os.environ, reason="needs the folder DRIFTLINE_DATA")
def test_spamassassin() -> None:
    path = Path(os.environ["DRIFTLINE_DATA"]) / "spam" / "spamassassin_public_corpus.jsonl.xz"
    options = ReadOptions("label", drop=("id", "md5"), text=("text",))
    found = collected(reader(Source(path), options))
    examples = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
    assert found.y == [example["label"] for example in examples] and found.faults == []
    for row, example in zip(found.rows[::7], examples[::7], strict=True):
        slow = Counter(f"text:{word}" for word in words(example["text"]))
        assert row == slow | Counter({f"group={example['group']}": 1})
