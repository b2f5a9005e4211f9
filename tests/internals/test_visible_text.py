"""Untrusted text on a terminal: nothing acts on it, everything stays on its line, tables stay straight."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftline as dl
from driftline.internals.text_table import aligned
from driftline.internals.visible_text import JOINERS, columns, visible

HOSTILE = {
    "title \x1b]0;owned\x07": r"title \x1b]0;owned\x07",
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m",
    "\u202egnp.exe": r"\u202egnp.exe",
    "\u2066a\u2069": r"\u2066a\u2069",
    "\u200e\u200f\u061c": r"\u200e\u200f\u061c",
    "\x9b2J \x9d0;x\x9c \x85": r"\x9b2J \x9d0;x\x9c \x85",
    "two\nlines\r\tand a tab": r"two\nlines\r\tand a tab",
    "\ud800 \udcff": r"\ud800 \udcff",
    "\u2028\u2029\u00a0\u3000\ufeff\u00ad": r"\u2028\u2029\xa0\u3000\ufeff\xad",
    "\U000e0041\U0010ffff": r"\U000e0041\U0010ffff",
    "\x00\x7f": r"\x00\x7f",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_hostile_characters_are_escapes(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


@pytest.mark.parametrize("text", ["größe", "日本語", "שלום", PERSIAN, "👩\u200d🔬", "a b", r"C:\x1b"])
def test_scripts_and_emoji_are_kept(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(codec=None, categories=None), max_size=40))
def test_any_text_can_be_printed_on_one_line(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in shown)
    assert all(unicodedata.category(c) != "Cf" or c in JOINERS for c in shown)


def test_other_values_are_shown_as_text() -> None:
    assert [visible(one) for one in (1, 2.5, None, ("\x1b",))] == ["1", "2.5", "None", "('\\x1b',)"]


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("größe", 5), ("日本", 4), ("e\u0301", 1), ("\uff46", 2), ("a\u200cb", 2)]
)
def test_columns_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


def test_tables_are_straight_and_hold_one_row_per_line() -> None:
    names = ["plain", "日本語日本語", "e\u0301" * 3, "x\x1b[2J\ny", "\ud800", "\u202eabc"]
    lines = aligned([("name", "count"), *((name, "7") for name in names)]).split("\n")
    assert len(lines) == len(names) + 1
    assert len({columns(line) for line in lines}) == 1
    assert not any(c in line for line in lines for c in "\x1b\ud800\u202e")


def test_tables_of_a_run_and_of_voters() -> None:
    stream = [({"a": 1.0}, "\x1b[2J"), ({"b": 1.0}, "\u202ex"), ({"c": 1.0}, "line\nbreak")] * 4
    run = dl.run(dl.Tracker("light"), stream)
    learner = run.learner
    assert isinstance(learner, dl.Tracker)
    voters = learner.experts()
    assert r"\x1b[2J: " in str(voters) and "\x1b" not in str(voters) and "\u202e" not in repr(voters)
    assert len(str(voters).splitlines()) == len(voters) + 1
    found = dl.compare({"\x1b]0;x\x07": dl.PA1(), "日本": dl.Perceptron()}, [({"a": 1.0}, 1), ({"b": 1.0}, 0)])
    assert r"\x1b]0;x\x07" in str(found) and "\x1b" not in str(found)
    assert "\x1b" not in repr(found.runs[0])
