"""Rows of svmlight and VW files without a label: they are not learned, and predicted without a truth."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from driftline.streams import read

LARGE = 2**53 + 1
FILES = {"svmlight": "{} 1:1\n2:1\n-1 1:1\n", "vw": "{} | a\n | b\n-1 | a\n"}


def labels(kind: str, first: int, **options: Any) -> list[Any]:
    stream = read(io.BytesIO(FILES[kind].format(first).encode()), format=kind, **options)
    return [label for _, y, *_ in stream for label in y.tolist()]


@pytest.mark.parametrize("first", [5, LARGE])
@pytest.mark.parametrize("kind", FILES)
def test_a_missing_label_is_left_out_or_none(kind: str, first: int) -> None:
    assert labels(kind, first) == [first, -1]
    found = labels(kind, first, labelled=False)
    assert found == [first, None, -1]
    assert [type(one) for one in found] == [int, type(None), int]


@pytest.mark.parametrize("kind", FILES)
def test_a_missing_label_does_not_change_which_label_is_positive(kind: str) -> None:
    assert labels(kind, 5, positive="5", labelled=False) == ["5", None, "other"]


@pytest.mark.parametrize("labelled", [True, False])
def test_large_and_missing_labels_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labelled: bool) -> None:
    path = tmp_path / "some.svm"
    path.write_text(FILES["svmlight"].format(LARGE))
    expected = [LARGE, -1] if labelled else [LARGE, None, -1]

    def found() -> list[Any]:
        stream = read(path, cache=True, labelled=labelled)
        return [label for _, y in stream for label in y.tolist()]

    assert found() == expected
    monkeypatch.setattr("driftline.streams.files.stream.pieces_of", lambda *_: pytest.fail("parsed again"))
    assert found() == expected
