"""Whole labels beyond 2^53, which floats cannot tell apart, stay exact from file to prediction."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.streams.files.label_column import exact_array

PAIRS = [
    (2**53, 2**53 + 1),
    (-(2**53), -(2**53) - 1),
    (2**63 - 1, 2**63),
    (2**64 - 2, 2**64 - 1),
    (2**64, 2**64 + 1),
    (-1, 2**63 + 5),
    (0.5, 2**53 + 1),
    (10**300, 10**300 + 1),
]
ARFF = "@relation r\n@attribute x numeric\n@attribute y {kind}\n@data\n"
TEXTS = {
    "svmlight": lambda a, b: f"{a} 1:1\n  {b} 2:1 # {a}\n+1 3:1\n",
    "vw": lambda a, b: f"{a} | p\n  {b} 2 'tag| q\n+1 | r\n",
    "jsonl": lambda a, b: f'{{"y": {a}, "x": 1}}\n{{"x": 2, "y": {b}}}\n{{"y": 1, "x": 3}}\n',
    "csv": lambda a, b: f"y,x\n{a},1\n {b} ,2\n1,3\n",
    "tsv": lambda a, b: f"y\tx\n{a}\t1\n{b}\t2\n1\t3\n",
    "arff": lambda a, b: ARFF.format(kind="numeric") + f"1,{a}\n2,{b}\n3,1\n",
}
ARFFS = [
    lambda a, b: ARFF.format(kind="numeric") + f"{{0 1, 1 {a}}}\n{{0 2, 1 {b}}}\n{{0 3, 1 1}}\n",
    lambda a, b: ARFF.format(kind=f"{{{a},{b},1}}") + f"1,{a}\n2,{b}\n3,1\n",
    lambda a, b: ARFF.format(kind=f"{{{a},{b},1}}") + f"1,'{a}'\n2,{b}\n3,1\n",
]
CASES = [*TEXTS.items(), *(("arff", one) for one in ARFFS)]


def options(kind: str) -> dict[str, Any]:
    return {"format": kind} | ({} if kind in ("svmlight", "vw") else {"target": "y"})


def labels(data: bytes, kind: str, **more: Any) -> list[Any]:
    return [
        label
        for block in dl.streams.read(io.BytesIO(data), **options(kind), task="classification", **more)
        for label in block[1].tolist()
    ]


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize(("kind", "text"), CASES)
def test_text_formats(kind: str, text: Any, a: Any, b: Any) -> None:
    found = labels(text(a, b).encode(), kind)
    assert found == [a, b, 1]
    assert [type(one) for one in found[:2]] == [type(a), type(b)]
    two = labels(text(a, b).encode(), kind, positive=str(b))
    assert two == ["other", str(b), "other"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**53, 2**53 + 1, 1], pa.int64()),
        pa.array([2**64 - 2, 2**64 - 1, 1], pa.uint64()),
        pa.array([-(2**63), -(2**63) + 1, 1], pa.int64()),
        pa.array([2**53, 2**53 + 1, 1], pa.int64()).dictionary_encode(),
        pa.array([Decimal(10**30), Decimal(10**30 + 1), Decimal(1)], pa.decimal128(38, 2)),
    ],
)
def test_typed_formats(kind: str, column: Any) -> None:
    table = pa.table({"y": column, "x": [1.0, 2.0, 3.0]})
    file = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, file)
    else:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert labels(file.getvalue(), kind) == [int(one) for one in column.to_pylist()]


def test_numbers_that_are_not_written_as_whole_ones_are_floats() -> None:
    assert labels(b"y,x\n9007199254740993.0,1\n9007199254740992.00,2\n", "csv") == [2**53 + 1, 2**53]
    assert labels(b"y,x\n1e300,1\n2.5,2\n", "csv") == [1e300, 2.5]
    assert labels(b"1e17 1:1\n2 1:1\n", "svmlight") == [10**17, 2]
    assert labels(b'{"y": 1e300}\n{"y": 1.5}\n', "jsonl") == [1e300, 1.5]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ([1, 2**53 + 1], np.int64),
        ([1.0, 2**53 + 1], np.int64),
        ([1, 2**64 - 1], np.uint64),
        ([-1, 2**64 - 1], object),
        ([0.5, 2**53 + 1], object),
        ([2**64], object),
        ([0.5, 1.0], np.float64),
        ([1e300, 1], np.float64),
        ([float("nan"), 0.5], np.float64),
    ],
)
def test_the_array_holds_every_number(given: list[Any], kind: Any) -> None:
    array = exact_array(given)
    assert array.dtype == kind
    assert array.tolist() == given or given[0] != given[0]


DROPPED = {
    "arff": lambda a: ARFF.format(kind="{0,1}") + f"1,0\n2,{a}\n3,'1'\n",
    "csv": lambda a: f"y,x\n0,1\n{a},2,2\n1,3\n",
    "jsonl": lambda a: f'{{"y": 0}}\n{{"y": {a}, "l": [[1]]}}\n{{"y": 1}}\n',
    "svmlight": lambda a: f"0 1:1\n{a} 1:x\n1 3:1\n",
    "vw": lambda a: f"0 | p\n{a} | p:x\n1 | r\n",
}


@pytest.mark.parametrize("large", [2**53 + 1, 2**63, 2**64])
@pytest.mark.parametrize(("kind", "text"), DROPPED.items())
def test_the_label_of_a_dropped_row_does_not_change_the_array(kind: str, text: Any, large: int) -> None:
    stream = dl.streams.read(io.BytesIO(text(large).encode()), **options(kind), on_error="skip")
    ((_, y),) = stream
    assert stream.skipped == 1
    assert y.dtype == np.int64 and y.tolist() == [0, 1]


@pytest.mark.parametrize(("kind", "text"), TEXTS.items())
@pytest.mark.parametrize(("a", "b"), [PAIRS[0], PAIRS[4], PAIRS[6]])
def test_from_a_file_to_a_prediction(
    kind: str, text: Any, a: Any, b: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Through the cache, the model, a checkpoint and both forms of output."""
    monkeypatch.chdir(tmp_path)
    lines = text(a, b).splitlines(keepends=True)
    Path("in.txt").write_text("".join(lines[:-1]))
    reading = ["--format", kind, *(["--target", "y"] if kind not in ("svmlight", "vw") else [])]
    reading += ["--task", "classification"]
    for _ in range(2):  # the second time from the cache
        saving = ["--save", "model.dl", "--cache"]
        assert main(["run", "in.txt", "--learner", "pa1", *reading, *saving]) == 0
        assert f"labels {a} and {b}," in capsys.readouterr().out
    assert Path("in.txt.dlcache").exists()
    assert dl.load("model.dl").labels == (a, b)
    assert main(["predict", "model.dl", "in.txt", *reading, "--output", "jsonl"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    predicted = [b if one["score"] >= 0 else a for one in found]
    assert [one["label"] for one in found] == predicted
    assert main(["predict", "model.dl", "in.txt", *reading]) == 0
    assert [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]] == [str(one) for one in predicted]
    for more in ([], ["--resume"]):
        keeping = ["--checkpoint", "kept", "--every", "1", *more, "--json"]
        assert main(["run", "in.txt", "--learner", "onevsrest", *reading, *keeping]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["labels"] == [a, b]
    declared = ["--labels", f"{b},{a}", "--json"]
    assert main(["run", "in.txt", "--learner", "pa1", *reading, *declared]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["labels"] == [b, a]


def test_a_cache_with_rounded_labels_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from driftline.streams.files import cache

    file = tmp_path / "in.svm"
    file.write_text(TEXTS["svmlight"](2**53, 2**53 + 1))

    def found() -> list[int]:
        return [label for block in dl.streams.read(file, cache=True) for label in block[1].tolist()]

    with monkeypatch.context() as before:
        before.setattr(cache, "has_large", lambda y: False)
        found()
    assert found() == found() == [2**53, 2**53 + 1, 1]
