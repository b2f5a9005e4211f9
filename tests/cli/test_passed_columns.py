"""``predict --column`` passes columns of the files through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from driftline.cli.main import main

RECORDS = [
    {"id": f"n{k}", "amount": float(k), "colour": "red" if k % 2 else "blue", "y": "ab"[k % 2], "note": None}
    for k in range(20)
]
KINDS = {"id": "string", "amount": "numeric", "colour": "string", "y": "{a,b}"}
ARFF = "@relation r\n" + "".join(f"@attribute {name} {kind}\n" for name, kind in KINDS.items()) + "@data\n"


def as_csv(records: list[dict[str, Any]]) -> bytes:
    lines = [",".join(records[0]), *(",".join("" if v is None else str(v) for v in one.values()) for one in records)]
    return "\n".join(lines).encode()


def as_parquet(records: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records), sink)
    return bytes(sink.getvalue())


FORMATS = {
    "new.csv": as_csv,
    "new.jsonl": lambda records: "\n".join(map(json.dumps, records)).encode(),
    "new.json": lambda records: json.dumps(records).encode(),
    "new.parquet": as_parquet,
    "new.arff": lambda records: (
        ARFF + "".join(f"{one['id']},{one['amount']},{one['colour']},{one['y']}\n" for one in records)
    ).encode(),
}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("train.csv").write_bytes(as_csv(RECORDS))
    assert main(["run", "train.csv", "--target", "y", "--drop", "id", "--learner", "pa1", "--save", "m.dl"]) == 0
    return "m.dl"


@pytest.mark.parametrize("name", FORMATS)
def test_cells_stay_with_their_rows(name: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_bytes(FORMATS[name](RECORDS))
    capsys.readouterr()
    assert main(["predict", model, name, "--column", "id", "--column", "colour", "--output", "jsonl"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["id"], one["colour"]) for one in found] == [(one["id"], one["colour"]) for one in RECORDS]
    assert main(["predict", model, name, "--column", "id"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header == "line,label,score,id" and [row.split(",")[3] for row in rows] == [one["id"] for one in RECORDS]


def test_a_skipped_row_takes_its_cells_with_it(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("id,amount,colour\na,1,red\nb,2\nc,3,blue\n")
    capsys.readouterr()
    assert main(["predict", model, "new.csv", "--column", "id", "--on-error", "skip"]) == 0
    assert [row.split(",")[3] for row in capsys.readouterr().out.splitlines()] == ["id", "a", "c"]


def test_a_column_that_is_named_twice_is_printed_once(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("id,amount,colour\na,1,red\n")
    capsys.readouterr()
    assert main(["predict", model, "new.csv", "--column", "id", "--column", "id"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header == "line,label,score,id" and row.count(",") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "new.csv --column idd",
            "must be one of the columns 'id', 'amount', 'colour', got 'idd'. Did you mean",
        ),
        ("new.csv --column id --cache", "--cache must come without --column, got both"),
        (
            "new.csv --column score",
            "--column must not be one of line, label, score, prediction, truth, probabilities, got score",
        ),
        ("new.csv --column explanation --explain 1", "probabilities, explanation, got explanation. Rename"),
        ("new.csv --column probability_a --proba", "probability_a, probability_b, got probability_a. Rename"),
    ],
)
def test_errors(arguments: str, message: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new.csv").write_text("id,amount,colour\na,1,red\n")
    capsys.readouterr()
    assert main(["predict", model, *arguments.split()]) == 2
    assert message in capsys.readouterr().err


def test_a_format_without_columns(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.svm").write_text("1 1:1\n-1 2:1\n")
    assert main(["run", "train.svm", "--learner", "pa1", "--save", "s.dl"]) == 0
    capsys.readouterr()
    assert main(["predict", "s.dl", "train.svm", "--column", "id"]) == 2
    assert "--column must name a column, got a svmlight file" in capsys.readouterr().err
