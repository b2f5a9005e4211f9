"""``driftline run`` with ``--costs``, ``--precision`` and ``--recall``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.streams import read

BASE = ["run", "a.csv", "--target", "y"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    rows = [f"{a:.3f},{b:.3f},{'fraud' if a + b > 1.5 else 'ok'}" for a, b in rng.normal(size=(400, 2))]
    Path("a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")


def run_of(decision: dl.Decision) -> dl.Decision:
    found = dl.run(dl.Tracker(), read("a.csv", target="y"), decision=decision).decision
    assert found is not None
    return found


def test_costs_in_json_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--costs", "fraud:ok=20,ok:fraud=1"]
    assert main([*BASE, *options, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    due = run_of(dl.Decision({"fraud": {"ok": 20}, "ok": {"fraud": 1}}))
    assert run["decision"] == json.loads(json.dumps(due.to_dict()))
    assert run["decision"]["threshold"] == 1 / 21 and run["decision"]["achieved"]["cost"] == due.achieved.cost
    assert main([*BASE, *options]) == 0
    out = capsys.readouterr().out
    assert "decision: least cost of 2 labels, threshold 0.04762\n" in out
    assert f"cost {due.achieved.cost:g} ({due.achieved.cost_per_example:.4g} per example), expected from" in out


@pytest.mark.parametrize("name", ["precision", "recall"])
def test_targets_in_json_and_text(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = [f"--{name}", "0.8", "--labels", "ok,fraud"]
    assert main([*BASE, *options, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["decision"]["positive"] == "fraud" and run["decision"]["target"] == {name: 0.8}
    assert run["decision"]["ready"] and run["decision"]["achieved"]["examples"] == 400
    assert main([*BASE, *options]) == 0
    out = capsys.readouterr().out
    assert f"decision: 'fraud' with {name} 0.8, threshold {run['decision']['threshold']:.4g}\n" in out
    achieved = run["decision"]["achieved"]
    assert f"precision {achieved['precision']:.4f}, recall {achieved['recall']:.4f}, recently " in out


def test_the_positive_label_of_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--recall", "0.8", "--positive", "fraud", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["decision"]["positive"] == "fraud" and run["labels"] == ["other", "fraud"]


def test_a_resumed_run(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--recall", "0.8", "--positive", "fraud", "--json"]
    assert main([*BASE, *options]) == 0
    whole = json.loads(capsys.readouterr().out)["runs"][0]["decision"]
    for resume in ([], ["--resume"]):
        assert main([*BASE, *options, "--checkpoint", "c", "--every", "150", *resume]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["decision"] == whole


def test_without_options_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--learner", "pa1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["decision"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--precision", "0.9"], "--precision must come with the positive label, got none. Add --positive LABEL"),
        (["--precision", "0.9", "--recall", "0.5"], "--precision must come without --recall, got both. Choose one"),
        (["--recall", "1.5", "--positive", "fraud"], "Decision: recall must be between 0 and 1, got 1.5"),
        (["--costs", "fraud=20"], "--costs must be TRUTH:DECIDED=COST, separated by commas, got 'fraud=20'. Example:"),
        (["--costs", "fraud:ok=x"], "--costs must be TRUTH:DECIDED=COST"),
        (["--costs", "a:b:c=1"], "--costs must be TRUTH:DECIDED=COST"),
        (["--costs", "a:b=1,a:b=2"], "--costs must have one cost of a:b, got two in 'a:b=1,a:b=2'. Leave one out"),
        (["--costs", "fraud:ok=20"], "Decision: costs must have the cost of every wrong decision, got none of"),
        (
            ["--costs", "fraud:ok=-1,ok:fraud=1"],
            "Decision: the cost of deciding 'ok' where 'fraud' is true must be >= 0",
        ),
        (["--costs", "a:b=1,b:a=1"], "Decision: "),
    ],
)
def test_bad_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"driftline: {message}") and error.count("\n") == 1
