"""Files that do not fit the options or the model are answered, not silently taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from driftline.cli.counted import counted, listed_labels
from driftline.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table("a.csv", "yes", "no")


def table(name: str, *labels: str, header: str = "day,x,y") -> None:
    columns = header.split(",")
    rows = [{"day": k, "x": k % len(labels), "y": labels[k % len(labels)]} for k in range(40)]
    lines = [",".join(str(row[column]) for column in columns) for row in rows]
    Path(name).write_text("\n".join([header, *lines]) + "\n")


def train() -> None:
    assert main(["run", "a.csv", "--target", "y", "--time", "day", "--learner", "pa1", "--save", "m.dl"]) == 0


@pytest.mark.parametrize(("pattern", "said"), [("Yes", "matches none of 'no', 'yes'"), ("*", "matches all of")])
def test_a_positive_pattern_must_split_the_labels(capsys: Any, pattern: str, said: str) -> None:
    assert main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--positive", pattern, "--save", "m.dl"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("m.dl").exists()


def test_a_model_reads_a_file_in_which_its_pattern_matches_nothing(capsys: Any) -> None:
    assert main(["run", "a.csv", "--target", "y", "--learner", "pa1", "--positive", "yes", "--save", "m.dl"]) == 0
    table("b.csv", "no")
    assert main(["evaluate", "m.dl", "b.csv"]) == 0


def test_evaluate_names_labels_that_the_model_does_not_know(capsys: Any) -> None:
    train()
    table("b.csv", "YES", "no")
    assert main(["evaluate", "m.dl", "b.csv"]) == 0
    err = capsys.readouterr().err
    assert "note: 20 examples with labels that the model does not know: 'YES'. They count as errors. " in err
    assert "The model knows 'no' and 'yes'" in err
    assert main(["evaluate", "m.dl", "b.csv", "--json"]) == 0
    assert "'YES'" in json.loads(capsys.readouterr().out)["notes"][0]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("x,y", "a file must have the time column of the model, 'day', got only 'x', 'y'. "),
        ("day,x", "a file must have the label column of the model, 'y', got only 'day', 'x'. "),
    ],
)
def test_a_missing_column_of_the_model_is_not_called_an_option(capsys: Any, header: str, said: str) -> None:
    train()
    table("b.csv", "yes", "no", header=header)
    assert main(["evaluate", "m.dl", "b.csv"]) == 2
    assert said in capsys.readouterr().err


def test_predict_prints_no_header_if_the_file_cannot_be_read(capsys: Any) -> None:
    train()
    capsys.readouterr()
    assert main(["predict", "m.dl", "a.csv", "--column", "id"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_column_that_is_passed_through_has_no_note(capsys: Any, ending: str) -> None:
    train()
    Path("b.csv").write_text("id,x,z\n7,1,2\n")
    Path("b.jsonl").write_text('{"id": 7, "x": 1, "z": 2}\n')
    capsys.readouterr()
    assert main(["predict", "m.dl", f"b.{ending}", "--column", "id"]) == 0
    assert capsys.readouterr().err == f"note: b.{ending}: 1 column is unknown to the model and left out: 'z'\n"


def test_counts_and_lists_of_labels() -> None:
    assert (counted(1, "feature"), counted(1200, "feature")) == ("1 feature", "1,200 features")
    assert listed_labels([]) == ""
    assert listed_labels(["a"]) == "a"
    assert listed_labels([-1, 1]) == "-1 and 1"
    assert listed_labels(["a", "b", "c"]) == "a, b and c"
    assert listed_labels(list(range(1500))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1,490 more"
