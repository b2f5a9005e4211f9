"""Explanations on the command line: ``predict --explain``, ``inspect`` of a Tracker, ``--keep-names``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main

HEADER = "amount,colour,y\n"
NAMED = {"(waves)", "(neighbours)"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"{k % 17},{('red', 'blue', '')[k % 3]},{'high' if k % 17 > 8 else 'low'}\n" for k in range(120)]
    Path("a.csv").write_text(HEADER + "".join(rows))
    Path("a.svm").write_text("".join(f"{1 if k % 5 > 2 else -1} 1:{k % 5} 4:{k % 3}\n" for k in range(60)))
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("learner", ["pa1", "tracker", "onevsrest"])
@pytest.mark.parametrize("file", ["a.csv --target y", "a.svm"])
def test_predict_explains(place: Path, capsys: pytest.CaptureFixture[str], learner: str, file: str) -> None:
    name, *reading = file.split()
    said(capsys, "run", name, *reading, "--learner", learner, "--save", "m.dl")
    out = said(capsys, "predict", "m.dl", name, "--explain", "2", "--output", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    model = dl.load("m.dl")
    if name == "a.csv":
        x = {"amount": 1.0, "colour": "blue"}
        expected = model.explain_one(x).largest(2)
        assert [tuple(one) for one in rows[1]["explanation"]] == expected
        allowed = {"amount", "colour=blue", "colour=red", "(bias)", *(NAMED if learner == "tracker" else ())}
        assert {feature for feature, _ in rows[1]["explanation"]} <= allowed
    if learner == "tracker":
        whole = said(capsys, "predict", "m.dl", name, "--explain", "9", "--output", "jsonl")
        assert dict(json.loads(whole.splitlines()[1])["explanation"]).keys() >= NAMED
    if learner == "pa1":
        whole = said(capsys, "predict", "m.dl", name, "--explain", "9", "--output", "jsonl")
        for row in map(json.loads, whole.splitlines()):
            assert sum(value for _, value in row["explanation"]) == pytest.approx(row["score"], abs=1e-12)
    cells = list(csv.DictReader(io.StringIO(said(capsys, "predict", "m.dl", name, "--explain", "2"))))
    for cell, row in zip(cells, rows, strict=True):
        assert cell["explanation"] == "; ".join(f"{feature} {value:+.6g}" for feature, value in row["explanation"])
    assert "explanation" not in said(capsys, "predict", "m.dl", name)


def test_a_negative_number_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "run", "a.svm", "--learner", "pa1", "--save", "m.dl")
    assert main(["predict", "m.dl", "a.svm", "--explain", "-1"]) == 2
    assert capsys.readouterr().err == "driftline: --explain must be >= 0, got -1\n"


def test_inspect_shows_the_features_of_a_tracker(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "run", "a.csv", "--target", "y", "--learner", "tracker", "--save", "m.dl")
    model = dl.load("m.dl")
    assert isinstance(model, dl.Tracker)
    facts = json.loads(said(capsys, "inspect", "m.dl", "--top", "2", "--json"))
    assert [tuple(one) for one in facts["feature_weights"]] == model.feature_weights(2)
    assert facts["feature_weights"][0][0] == "amount" and len(facts["weights"]) == 2
    text = said(capsys, "inspect", "m.dl", "--top", "2")
    assert "largest weights of voters:\n" in text
    shown = text.split("largest weights of features, per standard deviation:\n")[1]
    assert shown.splitlines()[0] == f"  {model.feature_weights(1)[0][1]:+.6g}  amount"
    assert json.loads(said(capsys, "inspect", "m.dl", "--top", "0", "--json"))["feature_weights"] == []


def test_names_behind_hashes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "a.csv", "--target", "y", "--learner", "pa1", "--hash-bits", "16", "--save"]
    said(capsys, *command, "m.dl", "--keep-names")
    facts = json.loads(said(capsys, "inspect", "m.dl", "--json"))
    assert {name for name, _ in facts["weights"]} == {"amount", "colour=red", "colour=blue", "(bias)"}
    assert facts["parameters"]["keep_names"] is True and facts["feature_weights"] is None
    said(capsys, *command, "plain.dl")
    plain = json.loads(said(capsys, "inspect", "plain.dl", "--json"))
    assert [value for _, value in plain["weights"]] == [value for _, value in facts["weights"]]
    assert "keep_names" not in plain["parameters"]
