"""VW text here and in VW: the readings of VW 9.11 are literals, made with ``-b 30 --noconstant``."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.streams.files.formats.vw import VwParser
from tests.support.line_parsers import OPTIONS, chunk_of, entries

SAME = [
    # line, then in VW: label, importance, {index: sum of the values}; here: {name: value}
    ("1 | a b:2", 1, 1, {1009084850: 1, 366902787: 2}, {"a": 1, "b": 2}),
    ("1 2 | a", 1, 2, {1009084850: 1}, {"a": 1}),
    ("1 2 0.5 | a", 1, 2, {1009084850: 1}, {"a": 1}),
    ("1 'tag | a", 1, 1, {1009084850: 1}, {"a": 1}),
    ("1 2 'tag| a", 1, 2, {1009084850: 1}, {"a": 1}),
    ("1 tag| a", 1, 1, {1009084850: 1}, {"a": 1}),
    ("1|a b", None, 1, {644756112: 1}, {"a^b": 1}),
    ("| a", None, 1, {1009084850: 1}, {"a": 1}),
    ("'tag | a", None, 1, {1009084850: 1}, {"a": 1}),
    ("  1   2   |  a  ", 1, 2, {1009084850: 1}, {"a": 1}),
    ("\t1 | a", 1, 1, {1009084850: 1}, {"a": 1}),
    ("1 |a x |b:0.5 y:2 | z", 1, 1, {156817544: 1, 867848914: 1, 32938519: 1}, {"a^x": 1, "b^y": 1, "z": 1}),
    ("1 |a:-2 x:3 |a x", 1, 1, {156817544: -5}, {"a^x": -5}),
    ("1 ||| a|b c|d:3 e", 1, 1, {1009084850: 1, 899453298: 1, 237857758: 3}, {"a": 1, "b^c": 1, "d^e": 3}),
    ("1 |", 1, 1, {}, {}),
    ("1 |a", 1, 1, {}, {}),
    ("1 | a:0 b", 1, 1, {366902787: 1}, {"a": 0, "b": 1}),
    ("1 | a a:2", 1, 1, {1009084850: 3}, {"a": 3}),
    (
        "1 | a:+1 b:1e+2 c:.5 d:5. e:1E-2",
        1,
        1,
        {1009084850: 1, 366902787: 100, 556979807: 0.5, 655955059: 5, 627852135: 0.009999999776482582},
        {"a": 1, "b": 100, "c": 0.5, "d": 5, "e": 0.01},
    ),
    ("1 | 12", 1, 1, {12: 1}, {"12": 1}),
    ("1 | 0012", 1, 1, {12: 1}, {"12": 1}),
    ("1 |n 007:2 7", 1, 1, {106027187: 3}, {"n^7": 3}),
    ("1 |012 a |12 a", 1, 1, {736041744: 2}, {"12^a": 2}),
    (
        "1 | 0x12 12a -12 +12 12.0",
        1,
        1,
        {758088423: 1, 837690667: 1, 368391041: 1, 318016142: 1, 1008526678: 1},
        {"0x12": 1, "12a": 1, "-12": 1, "+12": 1, "12.0": 1},
    ),
    ("1 | 99999999999999999999", 1, 1, {588251135: 1}, {"99999999999999999999": 1}),
    ("1 | größe 日本語:2", 1, 1, {601069119: 1, 631534231: 2}, {"größe": 1, "日本語": 2}),
    ("1 |日本 a", 1, 1, {918510939: 1}, {"日本^a": 1}),
    ("1 | a\u00a0b", 1, 1, {625717352: 1}, {"a\u00a0b": 1}),
    ("1 | m\u0001m \u007fa", 1, 1, {660834257: 1, 503199304: 1}, {"m\u0001m": 1, "\u007fa": 1}),
    ("1 | a\r", 1, 1, {1009084850: 1}, {"a": 1}),
    ("1 | a \r\r", 1, 1, {1009084850: 1}, {"a": 1}),
    ("01 | a", 1, 1, {1009084850: 1}, {"a": 1}),
    ("1 |a ^", 1, 1, {847008736: 1}, {"a^^": 1}),
    ("1 |a b", 1, 1, {644756112: 1}, {"a^b": 1}),
    ("1 |a b^c", 1, 1, {180776822: 1}, {"a^b^c": 1}),
]
REFUSED = [
    # line, then in VW: label, importance, {index: sum of the values}; here: the violated condition
    ("1 |a^b c", 1, 1, {319683209: 1}, "a namespace must not contain ^"),
    ("1\t2 | a", 2, 1, {1009084850: 1}, "words before the | must be separated by spaces"),
    ("1\t| a", None, 1, {1009084850: 1}, "words before the | must be separated by spaces"),
    ("1 2\t| a", None, 1, {1009084850: 1}, "words before the | must be separated by spaces"),
    ("1 \t'tag | a", None, 1, {1009084850: 1}, "words before the | must be separated by spaces"),
    ("1\r| a", None, 1, {1009084850: 1}, "words before the | must be separated by spaces"),
    ("1 | a\rb", 1, 1, {1009084850: 1}, "a carriage return must end its line"),
    ("1 |a\r|b c", 1, 1, {}, "a carriage return must end its line"),
    ("1 | \u000ba", 1, 1, {1009084850: 1}, "a name must not begin or end with a control character"),
    ("1 | a\u0001", 1, 1, {1009084850: 1}, "a name must not begin or end with a control character"),
    ("1 |n\u000b a", 1, 1, {748476466: 1}, "a name must not begin or end with a control character"),
    ("1 |:2 a", 1, 1, {}, "a namespace must have a name before its scale"),
    ("1 | :2", 1, 1, {0: 2}, "a feature must have a name before its value"),
    ("1 | a:", 1, 1, {1009084850: 1}, "a value must be a number"),
    ("1 | a: 3", 1, 1, {1009084850: 3}, "a value must be a number"),
    ("1 | a:b", 1, 1, {644756112: 1}, "a value must be a number"),
    ("1 | a:1:2", 1, 1, {1009084850: 1}, "a value must be a number"),
    ("1 | a:1x b", 1, 1, {1009084850: 1}, "a value must be a number"),
    ("1 | a:1_0", 1, 1, {1009084850: 1}, "a value must be a number"),
    ("1 | a:0x10", 1, 1, {1009084850: 16}, "a value must be a number"),
    ("1 | a:nan", 1, 1, {}, "a value, scaled and summed over its name, must be finite"),
    ("1 | a:inf", 1, 1, {1009084850: float("inf")}, "a value, scaled and summed over its name, must be finite"),
    ("1 |a: b", 1, 1, {}, "the scale of a namespace must be a finite number"),
    ("1 |a:x b", 1, 1, {}, "the scale of a namespace must be a finite number"),
    ("1 |a:nan b", 1, 1, {644756112: 1}, "the scale of a namespace must be a finite number"),
    ("1 |a:2x b", 1, 1, {}, "the scale of a namespace must be a finite number"),
    ("spam | a", 0, 1, {1009084850: 1}, "a label must be a number"),
    ("1:2 | a", 1, 1, {1009084850: 1}, "a label must be a number"),
    ("0x10 | a", 16, 1, {1009084850: 1}, "a label must be a number"),
    ("nan | a", 0, 1, {1009084850: 1}, "a label must be finite"),
    ("1 x | a", 1, 0, {1009084850: 1}, "an importance must be a finite number >= 0"),
    ("1 -1 | a", 1, -1, {1009084850: 1}, "an importance must be a finite number >= 0"),
    ("1 2 x | a", 1, 2, {1009084850: 1}, "the words before the | must be a label, an importance, a base and a tag"),
    (
        "1 2 3 4 | a",
        None,
        1,
        {1009084850: 1},
        "the words before the | must be a label, an importance, a base and a tag",
    ),
    ("1 'tag 2 | a", 1, 0, {1009084850: 1}, "a tag must be the last word before the |"),
    ("1 2", 1, 1, {}, "a line must have a | before its features"),
    ("1", None, 1, {}, "a line must have a | before its features"),
]


def read(line: str) -> tuple[float | None, float, dict[str, float]]:
    parsed = VwParser(OPTIONS).parse(chunk_of(line.encode()))
    assert not parsed.faults and parsed.rows.names is not None
    label = None if parsed.y is None else parsed.y.tolist()[0]
    weight = 1.0 if parsed.w is None else parsed.w.tolist()[0]
    return label, weight, {parsed.rows.names[k]: value for k, value in entries(parsed)[0]}


@pytest.mark.parametrize(("line", "label", "weight", "indices", "names"), SAME, ids=[repr(case[0]) for case in SAME])
def test_the_same_meaning(
    line: str, label: float | None, weight: float, indices: dict[int, float], names: dict[str, float]
) -> None:
    """Zeros are absent in VW. It has float32 values, and keeps a name that occurs twice as two entries."""
    assert read(line) == (label, weight, names)
    present = [float(np.float32(value)) for value in names.values() if value != 0.0]
    assert present == list(indices.values())


def test_two_names_are_two_features_and_one_name_is_one() -> None:
    pairs = set()
    for *_, indices, names in SAME:
        pairs |= set(zip(indices, (name for name, value in names.items() if value != 0.0), strict=True))
    assert len(pairs) == len({index for index, _ in pairs}) == len({name for _, name in pairs}) == 28


@pytest.mark.parametrize(
    ("line", "label", "weight", "indices", "must"), REFUSED, ids=[repr(case[0]) for case in REFUSED]
)
def test_refused_with_the_reason(
    line: str, label: float | None, weight: float, indices: dict[int, float], must: str
) -> None:
    """VW drops a part of the line, takes a word for 0, or takes it for what it does not say."""
    (fault,) = VwParser(OPTIONS).parse(chunk_of(line.encode())).faults
    assert must in fault.must and fault.remedy


def test_a_caret_in_the_nameless_namespace_names_a_namespace() -> None:
    """In VW ``| a^b`` and ``|a b`` are two features, here one."""
    assert read("1 | a^b")[2] == read("1 |a b")[2] == {"a^b": 1.0}


def test_numbers_have_double_precision() -> None:
    """VW rounds labels and values to float32: to 16777216, 0 and infinity."""
    assert read("16777217 | a:16777217 b:1e-50 c:1e40") == (16777217, 1.0, {"a": 16777217.0, "b": 1e-50, "c": 1e40})


def test_names_of_digits_are_numbers_in_every_order() -> None:
    for names in ("12 0012 7", "0012 12 7", "7 12:2", "007 0000012:2 ", "12 7 00000000000000000000000012"):
        assert read(f"1 | {names}")[2] == {"12": 2.0, "7": 1.0}, names
    assert read("1 | 000 00 0 01x 0x1 1") == (1, 1.0, {"0": 3.0, "01x": 1.0, "0x1": 1.0, "1": 1.0})
    assert math.isclose(read("1 |00:0.5 262144 0262144 | 262144 0262144")[2]["0^262144"], 1.0)
