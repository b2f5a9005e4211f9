"""Dates that are not ISO 8601 are categories or left out, with a note."""

from __future__ import annotations

from pathlib import Path

import pytest

import driftline as dl

SHAPES = ["{d:02d}.{m:02d}.2024", "{d}/{m}/2024 12:30", "2024/{m:02d}/{d:02d}", "{d:02d}-{m:02d}-2024"]


def found(path: Path, cells: list[str], **options: object) -> tuple[list[str], str]:
    path.write_text("day,y\n" + "".join(f"{cell},{'np'[k % 2]}\n" for k, cell in enumerate(cells)))
    stream = dl.streams.read(path, target="y", **options)
    list(stream)
    return stream.notes, stream.recipe.kinds["day"]


@pytest.mark.parametrize("shape", SHAPES)
def test_repeated_dates_give_categories_and_a_note(tmp_path: Path, shape: str) -> None:
    cells = [shape.format(d=1 + k % 28, m=1 + k % 3) for k in range(300)]
    notes, kind = found(tmp_path / "a.csv", cells)
    assert kind == "category"
    assert notes == [
        f"{tmp_path / 'a.csv'}: column day has dates that are not ISO 8601 and gives one feature per value. "
        "Write them as 2024-03-01 for times, or pass --drop day, or --kind day=category for one feature per value"
    ]


def test_distinct_dates_are_left_out_with_the_same_remedy(tmp_path: Path) -> None:
    cells = [f"{1 + k % 28}.{1 + k // 28}.2024" for k in range(200)]
    notes, kind = found(tmp_path / "a.csv", cells)
    assert kind == "ignore"
    assert len(notes) == 1 and "not ISO 8601 and is left out. Write them as 2024-03-01" in notes[0]


@pytest.mark.parametrize("kind", ["category", "ignore"])
def test_a_declared_kind_needs_no_note(tmp_path: Path, kind: str) -> None:
    assert found(tmp_path / "a.csv", ["31.01.2024"] * 9, kinds={"day": kind}) == ([], kind)


@pytest.mark.parametrize("cell", ["1.10.12", "10/12", "1.2/2024", "12-34-56", "1.2.20245", "192.168.2024.1"])
def test_other_numbers_with_separators_are_no_dates(tmp_path: Path, cell: str) -> None:
    assert found(tmp_path / "a.csv", [cell] * 9) == ([], "category")
