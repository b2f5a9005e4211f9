"""The digest of rows depends on what the rows say, and on nothing else."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from driftline.evaluate.blocks import part
from driftline.streams import read
from driftline.streams.files.scan import feature_names
from driftline.streams.files.scan.row_digest import RowDigest

VW = "".join(f"{1 - 2 * (k % 3 > 1)} {1 + k % 2} |n f{k % 40}:{k / 7} g{k * k % 97}\n" for k in range(500)).encode()


def digest(data: bytes, kind: str, split: int | None = None, **options: Any) -> str:
    found = RowDigest()
    for X, y, *w in read(io.BytesIO(data), format=kind, **options):
        block = (X, y, w[0] if w else None)
        size = len(y) if split is None else split
        for start in range(0, len(y), size):
            found.add(*part(block, start, min(len(y), start + size)))
    return found.hexdigest()


@pytest.mark.parametrize("split", [1, 7, 499])
def test_the_split_into_blocks_is_no_matter(split: int) -> None:
    assert digest(VW, "vw", split) == digest(VW, "vw")


def test_the_numbers_of_names_are_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = digest(VW, "vw", threads=1)
    monkeypatch.setattr(feature_names, "MOST_NAMES", 20)
    from driftline.streams.files.source import Source

    chunks = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, _=0, **more: chunks(self, 700, **more))
    assert digest(VW, "vw", threads=1) == digest(VW, "vw", threads=3) == whole


def test_the_same_rows_in_another_form_are_the_same() -> None:
    assert digest(b"1 |a x:2 y:3\n-1 |a y:1\n", "vw") == digest(b"1 1 |a y:3 x:2\n-1 1.0 |a y\n", "vw")
    whole, mixed = b"y,a\n1,2\n0,3\n", b"y,a\n1,2\n0,3\n0.5,1\n"
    found = []
    for data in (whole, mixed):
        rows = RowDigest()
        X, y = next(iter(read(io.BytesIO(data), format="csv", target="y", task="classification")))
        rows.add(X[:2], y[:2], None)
        found.append((rows.hexdigest(), y.dtype.kind))
    assert found[0][0] == found[1][0] and (found[0][1], found[1][1]) == ("i", "f")


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        (b"1 |a x:2 y:3\n-1 |a y:1.5\n", "vw"),
        (b"1 |a x:2 y:3\n-1 |a z:1\n", "vw"),
        (b"1 |a x:2 y:3\n1 |a y:1\n", "vw"),
        (b"1 |a x:2 y:3\n-1 2 |a y:1\n", "vw"),
        (b"-1 |a y:1\n1 |a x:2 y:3\n", "vw"),
        (b"1 |a x:2\n-1 |a y:3 y:1\n", "vw"),
        (b"1 |a x:3 y:2\n-1 |a y:1\n", "vw"),
        (b"1 |a x:2 y:3\n", "vw"),
    ],
)
def test_every_part_of_a_row_counts(changed: bytes, kind: str) -> None:
    assert digest(changed, kind) != digest(b"1 |a x:2 y:3\n-1 |a y:1\n", "vw")


def test_every_part_of_a_row_without_names_counts() -> None:
    given = b"1 1:2 2:3\n-1 2:1\n"
    others = [b"1 1:3 2:2\n-1 2:1\n", b"1 1:2 2:3\n-1 3:1\n", b"1 1:2\n-1 2:4\n", b"1 1:2 2:3\n1 2:1\n", 2 * given]
    assert len({digest(one, "svmlight") for one in [given, *others]}) == 6


def test_labels_that_are_texts() -> None:
    made = [f"y,a\n{one},1\n{other},2\n".encode() for one in ("a", "b", "bb", "ä") for other in ("a", "no", "yes")]
    assert len({digest(data, "csv", target="y") for data in made}) == 12
    assert digest(made[0], "csv", 1, target="y") == digest(made[0], "csv", target="y")


def test_a_single_bit_of_a_value() -> None:
    X, y = next(iter(read(io.BytesIO(b"1 1:2 2:3\n-1 2:1\n"), format="svmlight")))
    found = set()
    for bit in range(64):
        rows = RowDigest()
        values = X.values.copy()
        values.view(np.uint64)[1] ^= np.uint64(1 << bit)
        rows.add(type(X)(X.indptr, X.indices, values, None, X.width, X.source, X.lines), y, None)
        found.add(rows.hexdigest())
    assert len(found) == 64
