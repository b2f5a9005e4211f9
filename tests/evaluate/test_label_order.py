"""A run on sorted labels has a warning; drift, persistent labels and rare labels have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.report import DataSummary, run_report, sweep_report

START = "the labels are sorted: 1 change in 100 examples, where about 50 are expected in random order"
SORTED = ["no"] * 50 + ["yes"] * 50
DATA = DataSummary("a.csv", "csv", 100, 2, [("no", 50), ("yes", 50)], 2.0, 0, (), None)


def run(labels: Any, learner: Any = None) -> dl.Run:
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    return dl.run(dl.PA1() if learner is None else learner, (X, labels))


def persistent(size: int, change: float) -> np.ndarray:
    """Labels that change with this probability, as prices of electricity do with 0.15."""
    return np.cumsum(np.random.default_rng(1).random(size) < change) % 2


def test_sorted_labels() -> None:
    (warning,) = run(SORTED).warnings
    assert warning.startswith(START)
    assert "errs on 2 %, so the error of this run says little. Shuffle the examples" in warning


def test_sorted_classes() -> None:
    labels = np.repeat(np.arange(10), 100)
    (warning,) = run(labels, dl.OneVsRest("pa1")).warnings
    assert "9 changes in 1,000 examples, where about 900 are expected" in warning


def test_blocks_of_labels_that_are_in_fact_few_long_runs() -> None:
    assert run(np.arange(2000) // 100 % 2).warnings
    assert not run(np.arange(2000) // 20 % 2).warnings


@pytest.mark.parametrize("change", [0.5, 0.15, 0.05])
def test_persistent_labels_are_not_sorted(change: float) -> None:
    assert run(persistent(5000, change)).warnings == []


@pytest.mark.parametrize("share", [0.5, 0.02, 0.002])
def test_rare_isolated_labels_are_not_sorted(share: float) -> None:
    assert run(np.random.default_rng(2).random(20_000) < share).warnings == []


def test_few_examples_are_not_judged() -> None:
    assert run(["no"] * 15 + ["yes"] * 15).warnings == []  # 15 changes are expected
    assert run(["no"] * 5000 + ["yes"] * 9).warnings == []
    assert dl.run(dl.PA1(), []).warnings == []


# where it is shown ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", [["run"], ["compare", "--learners", "pa1,pa"], ["sweep", "--C", "0.1,1"]])
def test_the_commands_print_it_once(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("y,a\n" + "".join(f"{y},{k % 7}\n" for k, y in enumerate(SORTED)))
    assert main([command[0], "a.csv", "--target", "y", *command[1:]]) == 0
    assert capsys.readouterr().err.startswith(f"warning: {START}")
    assert main([command[0], "a.csv", "--target", "y", *command[1:], "--json"]) == 0
    out, err = capsys.readouterr()
    facts = json.loads(out)
    assert err == ""
    for one in facts.get("runs", [facts]):
        assert one["warnings"][0].startswith(START)


def test_reports_show_it() -> None:
    assert f"Warning: {START}" in run_report("t", dl.evaluate.Comparison([run(SORTED)]), DATA)
    X = np.random.default_rng(0).normal(size=(100, 2))
    assert f"Warning: {START}" in sweep_report("t", dl.sweep(dl.grid("pa1", C=[0.1, 1.0]), (X, SORTED)), DATA)
