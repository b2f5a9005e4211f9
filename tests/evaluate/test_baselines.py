"""The baselines of a run: the previous label, and the most frequent label so far."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftline as dl
from driftline.cli.main import main
from driftline.report import DataSummary, run_report
from tests.oracles.baselines import mistakes_of_baselines

TWO = [("no", "yes"), (1, 0), (True, False), (-1, 1), (0, 1)]
MAKERS = {
    "PA1": dl.PA1,
    "declared": lambda: dl.PA1(labels=("yes", "no")),
    "Tracker": dl.Tracker,
    "OneVsRest": lambda: dl.OneVsRest("pa1"),
    "MulticlassPA": dl.MulticlassPA,
    "LabelEfficient": lambda: dl.LabelEfficient("perceptron", b=0.1),
}


def rows(size: int) -> Any:
    return np.random.default_rng(0).normal(size=(size, 2))


def due(labels: list[Any]) -> tuple[float, float]:
    no_change, majority = mistakes_of_baselines(labels)
    return no_change / len(labels), majority / len(labels)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("pair", TWO)
def test_two_labels(name: str, pair: tuple[Any, Any]) -> None:
    if name == "declared" and pair != TWO[0]:
        pytest.skip("declares other labels")
    rng = np.random.default_rng(1)
    labels = [pair[k] for k in (rng.random(90) < np.linspace(0.0, 1.0, 90)).astype(int)]
    run = dl.run(MAKERS[name](), (rows(90), labels), rows=17)
    assert (run.no_change_error, run.majority_error) == due(labels)


@settings(max_examples=30)
@given(st.lists(st.sampled_from([1, 0, 7, 3]), min_size=1, max_size=60), st.integers(1, 60))
def test_a_tracker_that_meets_a_third_label(labels: list[int], size: int) -> None:
    run = dl.run(dl.Tracker(), (rows(len(labels)), labels), rows=size)
    assert (run.no_change_error, run.majority_error) == due(labels)


def test_ties_go_to_the_label_that_reached_the_count_first() -> None:
    labels = ["a", "b", "b", "a", "b", "a", "a"]
    #    predicts -    a    a    b    b    b    b
    run = dl.run(dl.PA1(), (rows(7), labels))
    assert run.majority_error == 6 / 7


def test_no_examples() -> None:
    run = dl.run(dl.PA1(), [])
    assert np.isnan([run.no_change_error, run.majority_error]).all()
    assert run.baselines == ""


def test_a_resumed_run_has_the_baselines_of_a_whole_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    labels = [*rng.integers(0, 2, 40).tolist(), *rng.integers(0, 4, 60).tolist()]
    labels[0] = 1  # its sign is +1, and its class number 0
    X = rows(100)
    for stop in (30, 40, 70):
        folder = tmp_path / str(stop)
        dl.run(dl.Tracker(), (X[:stop], labels[:stop]), checkpoint=dl.Checkpoint(folder, 10))
        run = dl.run(dl.Tracker(), (X, labels), checkpoint=dl.Checkpoint(folder, 10, resume=True))
        assert (run.no_change_error, run.majority_error) == due(labels)


def test_every_setting_of_a_sweep_has_the_same_baselines() -> None:
    labels = np.random.default_rng(3).integers(0, 2, 50).tolist()
    found = dl.sweep(dl.grid("pa1", C=[0.1, 1.0, 10.0]), (rows(50), labels), rows=7)
    assert {(one.run.no_change_error, one.run.majority_error) for one in found.settings} == {due(labels)}


# where they are shown -----------------------------------------------------------------------------------------------
LABELS = ["no"] * 6 + ["yes", "no", "yes", "yes"]
LINE = "baselines: no change 40.0 %, majority 40.0 %"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("y,a\n" + "".join(f"{y},{k}\n" for k, y in enumerate(LABELS)))


def test_a_comparison_shows_them_once() -> None:
    found = dl.compare([dl.PA1(), dl.PA()], (rows(10), LABELS))
    assert str(found).splitlines()[-1] == LINE and str(found).count("baselines") == 1
    assert str(dl.compare([dl.PA1()], [])).count("baselines") == 0


@pytest.mark.parametrize("command", [["run"], ["compare", "--learners", "pa1,pa"], ["sweep", "--C", "0.1,1"]])
def test_the_commands_print_them(command: list[str], table: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command[0], "a.csv", "--target", "y", *command[1:]]) == 0
    assert capsys.readouterr().out.splitlines().count(LINE) == 1
    assert main([command[0], "a.csv", "--target", "y", *command[1:], "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    for one in facts.get("runs", [facts]):
        assert (one["no_change_error"], one["majority_error"]) == (0.4, 0.4)


def test_the_report_names_them() -> None:
    found = dl.compare([dl.PA1()], (rows(10), LABELS))
    data = DataSummary("a.csv", "csv", 10, 2, [("no", 7), ("yes", 3)], 2.0, 0, (), None)
    page = run_report("t", found, data)
    assert "Predicting the label of the previous example would have been wrong on 40.00%" in page
    assert "the most frequent label so far on 40.00%." in page
