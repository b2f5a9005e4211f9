"""Columns of strings that look like numbers are read as categories, with a note."""

from __future__ import annotations

from pathlib import Path

import pytest

import driftline as dl


def notes_and_kinds(given: object) -> tuple[list[str], dict[str, str]]:
    stream = dl.streams.read(given, target="y")
    list(stream)
    return stream.notes, dict(stream.recipe.kinds)


def records(cells: list[str]) -> list[dict[str, str]]:
    return [{"a": cell, "y": "np"[k % 2]} for k, cell in enumerate(cells)]


def test_numbers_written_as_strings_are_categories_with_a_note() -> None:
    notes, kinds = notes_and_kinds(records([f"{k % 7}.5" for k in range(200)]))
    assert kinds["a"] == "category"
    assert notes == [
        "records: column a has numbers written as strings and gives one feature per value. "
        "Pass --kind a=number for numbers, or --kind a=category for one feature per value"
    ]


def test_distinct_numbers_written_as_strings_are_left_out_with_a_note() -> None:
    notes, kinds = notes_and_kinds(records([f"{k}.5" for k in range(200)]))
    assert kinds["a"] == "ignore"
    assert len(notes) == 1
    assert "column a has numbers written as strings and is left out. Pass --kind a=number" in notes[0]


def test_a_declared_kind_needs_no_note() -> None:
    for kind in ("number", "category"):
        stream = dl.streams.read(records(["1.5", "2.5"] * 9), target="y", kinds={"a": kind})
        list(stream)
        assert (stream.notes, stream.recipe.kinds["a"]) == ([], kind)


@pytest.mark.parametrize(("different", "kind"), [(7, "category"), (200, "ignore")])
def test_numbers_with_a_decimal_comma_are_mentioned(tmp_path: Path, different: int, kind: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a;y\n" + "".join(f"{k % different},25;{'np'[k % 2]}\n" for k in range(200)))
    notes, kinds = notes_and_kinds(path)
    assert kinds["a"] == kind
    assert len(notes) == 1
    assert "column a has numbers with a decimal comma and" in notes[0]


def test_some_numerals_among_words_need_no_note() -> None:
    notes, kinds = notes_and_kinds(records(["red", "4", "blue"] * 9))
    assert (notes, kinds["a"]) == ([], "category")
