"""Commands on files with a continuous target: the task is found, said, stored in the model and followed."""

from __future__ import annotations

import csv
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.evaluate.regression.result import RegressionRun
from driftline.streams import ReadError, read

FRACTION = "note: the target price has the fraction"


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table of homes with a price, as CSV, JSON lines and svmlight."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    rows = []
    for _ in range(300):
        town, area, rooms = draw.choice(["north", "south"]), draw.uniform(10, 100), draw.randint(1, 6)
        price = 200.0 + 3.0 * area + 20.0 * rooms + 15.0 * (town == "north") + draw.gauss(0, 5)
        rows.append({"town": town, "area": round(area, 1), "rooms": rooms, "price": round(price, 2)})
    lines = [",".join(map(str, row.values())) for row in rows]
    Path("homes.csv").write_text("\n".join(["town,area,rooms,price", *lines]) + "\n")
    Path("homes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("homes.svm").write_text("".join(f"{row['price']} 1:{row['area']} 2:{row['rooms']}\n" for row in rows))
    return "homes.csv"


def command(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    out, err = capsys.readouterr()
    return out, err


def facts(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command(capsys, *words, "--json")[0])
    return found


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    error = command(capsys, *words, code=2)[1]
    assert error.splitlines()[-1].startswith("driftline: ")
    return error.splitlines()[-1]


# run ------------------------------------------------------------------------------------------------------------------
def test_run_chooses_regression_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    out, error = command(capsys, "run", "homes.csv", "--target", "price", "--slice", "town", "--window", "100")
    assert error.startswith(FRACTION) and "so this is a regression. The learner is --learner trackerregressor." in error
    assert "Pass --task classification if each number is a class" in error
    assert out.splitlines()[0].split() == ["learner", "MAE", "RMSE", "R2", "bias", "updates", "examples/s"]
    assert "300 examples, 4 features, regression, " in out and "last 100" in out and "MAE of no change" in out
    assert not any(word in out for word in ("mistake", "label", "AUC", "majority"))
    assert [line.split()[0] for line in out.splitlines()[-3:]] == ["slice", *sorted(["north", "south"], key=out.rindex)]


def test_json_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "run", "homes.csv", "--target", "price")
    run = found["runs"][0]
    assert run["learner"] == "TrackerRegressor" and run["task"] == "regression" and run["labels"] == []
    python = dl.run(dl.TrackerRegressor(), read("homes.csv", target="price"))
    assert isinstance(python, RegressionRun) and python.metrics is not None
    assert run["mae"] == python.mae and run["r2"] == python.r2
    assert run["metrics"] == python.metrics.to_dict()
    assert run["no_change_mae"] == python.figures.no_change_mae
    assert not {"mistakes", "label_errors", "error", "hinge", "majority_error"} & run.keys()
    assert "labels" not in run["parameters"]


@pytest.mark.parametrize("name", ["homes.jsonl", "homes.svm"])
def test_other_formats(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = ["--target", "price"] if name.endswith("jsonl") else []
    out, error = command(capsys, "run", name, *target, "--save", "m.dl")
    assert "so this is a regression" in error and "MAE" in out
    assert dl.load("m.dl").kind == "TrackerRegressor"
    command(capsys, "sweep", name, *target, "--r", "1", "--save", "s.dl")
    assert dl.load("s.dl").parameters["diagonal"] is name.endswith("svm")
    assert "MAE" in command(capsys, "evaluate", "m.dl", name)[0]


def test_stdin_is_read_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    due = facts(capsys, "run", "homes.csv", "--target", "price", "--slice", "town")["runs"][0]["metrics"]
    piped = io.TextIOWrapper(io.BytesIO(Path("homes.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", piped)
    found = facts(capsys, "run", "-", "--format", "csv", "--target", "price", "--slice", "town")
    assert found["runs"][0]["metrics"] == due


def test_task_overrides(capsys: pytest.CaptureFixture[str]) -> None:
    out, error = command(capsys, "run", "homes.csv", "--target", "rooms", "--task", "regression")
    assert "MAE" in out and error == ""
    found = facts(capsys, "run", "homes.csv", "--target", "price", "--scale", "unit")
    assert found["runs"][0]["parameters"]["scale"] == "unit"
    out, _ = command(capsys, "run", "homes.csv", "--target", "rooms")
    assert "mistakes" in out
    words = ["--task", "classification", "--learner", "onevsrest(pa1)"]
    assert "mistakes" in command(capsys, "run", "homes.csv", "--target", "price", *words)[0]


def test_a_named_regressor_needs_no_task(capsys: pytest.CaptureFixture[str]) -> None:
    out, error = command(capsys, "run", "homes.csv", "--target", "rooms", "--learner", "pa1regressor", "--C", "0.1")
    assert "PA1Regressor" in out and error == ""


def test_errors_name_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "homes.csv", "--target"]
    error = refusal(capsys, *run, "price", "--learner", "pa1", "--save", "m.dl")
    assert "the target price must be a class, got the fraction" in error and "such as trackerregressor" in error
    assert "--task classification" in error and not Path("m.dl").exists()
    error = refusal(capsys, *run, "town", "--learner", "pa1regressor")
    assert "the target town must be a number for a regression, got '" in error and "such as tracker" in error
    assert "got 'north'" in error or "got 'south'" in error
    error = refusal(capsys, *run, "town", "--task", "regression")
    assert "must be a number for a regression" in error
    error = refusal(capsys, *run, "price", "--learner", "pa1", "--task", "regression")
    assert "--task must be classification for PA1, got regression. Choose a regressor such as trackerregressor" in error
    error = refusal(capsys, *run, "price", "--learner", "pa1regressor", "--task", "classification")
    assert "--task must be regression for PA1Regressor, got classification. Choose a classifier" in error
    assert "certify must be False for a regressor" in refusal(capsys, *run, "price", "--certify")
    assert "probabilities must be None or False" in refusal(capsys, *run, "price", "--probabilities")
    costs = ["--costs", "a:b=1,b:a=2"]
    assert "decision must be None for a regressor" in refusal(capsys, *run, "price", *costs)
    assert "looks like regression" in refusal(capsys, "labels", "homes.csv", "--target", "price")
    assert "labels must be None: targets are real" in refusal(
        capsys, *run, "price", "--learner", "pa1regressor", "--labels", "a,b"
    )


def test_positive_makes_labels_of_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    out, error = command(capsys, "run", "homes.csv", "--target", "price", "--positive", "4*")
    assert "mistakes" in out and "regression" not in error
    stream = read("homes.csv", target="price", positive="4*")
    with pytest.raises(ReadError, match="--positive must come with a classifier, got PA1Regressor, which predicts"):
        dl.run(dl.PA1Regressor(), stream)


def test_a_report_has_no_baselines_of_labels(capsys: pytest.CaptureFixture[str]) -> None:
    command(capsys, "run", "homes.csv", "--target", "price", "--report", "run.html", "--alarms")
    page = Path("run.html").read_text()
    assert "Perceptron" not in page and "standard deviation" in page and "MAE" in page


def test_resume(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "homes.csv", "--target", "price", "--checkpoint", "saved", "--every", "100"]
    due = facts(capsys, *words)["runs"][0]["metrics"]
    assert facts(capsys, *words, "--resume")["runs"][0]["metrics"] == due


# models ---------------------------------------------------------------------------------------------------------------
def test_a_model_remembers_its_task(capsys: pytest.CaptureFixture[str]) -> None:
    command(capsys, "run", "homes.csv", "--target", "price", "--save", "m.dl")
    learner = dl.load("m.dl")
    assert learner.recipe is not None and learner.recipe.task == "regression"

    out, error = command(capsys, "predict", "m.dl", "homes.csv", "--truth", "--column", "rooms")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["line", "prediction", "truth", "rooms"] and error == "" and len(rows) == 300
    X, truth = next(iter(read("homes.csv", target="price")))
    assert [float(row["prediction"]) for row in rows] == learner.predict_many(X).tolist()
    assert [float(row["truth"]) for row in rows] == truth.tolist()
    first = json.loads(command(capsys, "predict", "m.dl", "homes.csv", "--output", "jsonl")[0].splitlines()[0])
    assert list(first) == ["line", "prediction"]
    assert "--proba must come with a classifier, got TrackerRegressor in m.dl" in refusal(
        capsys, "predict", "m.dl", "homes.csv", "--proba"
    )

    found = facts(capsys, "evaluate", "m.dl", "homes.csv", "--slice", "town")
    metrics = dl.RegressionMetrics()
    metrics.add(truth, learner.predict_many(X))
    assert (found["task"], found["examples"], found["mae"]) == ("regression", 300, metrics.mae)
    assert found["metrics"]["r2"] == metrics.r2 and list(found["metrics"]["slices"]) and "errors" not in found
    out, _ = command(capsys, "evaluate", "m.dl", "homes.csv")
    assert out.splitlines()[0].split()[:5] == ["learner", "examples", "MAE", "RMSE", "R2"] and "label" not in out
    learned = facts(capsys, "evaluate", "m.dl", "homes.csv", "--learn", "--save", "n.dl")
    assert learned["mae"] != found["mae"] and dl.load("n.dl").n_seen == 600

    assert facts(capsys, "run", "homes.csv", "--model", "m.dl")["runs"][0]["task"] == "regression"
    for words in (["evaluate", "m.dl", "homes.csv"], ["run", "homes.csv", "--model", "m.dl"]):
        error = refusal(capsys, *words, "--task", "classification")
        assert "--task must be 'regression' as in the model, got 'classification'" in error


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    command(capsys, "run", "homes.csv", "--target", "price", "--learner", "pa1regressor", "--save", "m.dl")
    out, _ = command(capsys, "inspect", "m.dl")
    assert "task: regression" in out and "outside_tube: " in out
    assert not any(word in out for word in ("mistakes", "label", "class_weight"))
    found = facts(capsys, "inspect", "m.dl")
    assert found["task"] == "regression" and found["recipe"]["task"] == "regression"
    assert list(found["counters"]) == ["n_seen", "outside_tube", "updates", "infeasible"]


# compare, sweep, learners ---------------------------------------------------------------------------------------------
def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "homes.csv", "--target", "price", "--learners", "pa1regressor:C=0.1,arowregressor"]
    out, error = command(capsys, *words, "--slice", "town", "--report", "c.html")
    assert out.splitlines()[1].startswith("arowregressor") and "R2" in out and error == ""
    assert out.count("MAE of no change") == 2
    assert [run["task"] for run in facts(capsys, *words)["runs"]] == ["regression"] * 2
    error = refusal(capsys, "compare", "homes.csv", "--target", "price", "--learners", "pa1,pa1regressor")
    assert "learners must all be regressors, or all be classifiers" in error


def test_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "homes.csv", "--target", "price", "--r", "0.1,1"]
    out, error = command(capsys, *words, "--save", "best.dl", "--report", "s.html")
    assert out.splitlines()[0].split() == ["learner", "MAE", "RMSE", "R2", "updates", "infeasible"]
    assert (
        "baselines (MAE): mean so far" in out
        and "so this is a regression. The learner is --learner arowregressor --scale standard." in error
    )
    assert dl.load("best.dl").kind == "AROWRegressor"
    found = facts(capsys, *words)
    assert found["task"] == "regression" and found["settings"][0]["MAE"] <= found["settings"][1]["MAE"]
    assert "mistakes" not in found["settings"][0] and found["mean_mae"] > 0.0


def test_learners(capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {one["name"]: one["task"] for one in facts(capsys, "learners")}  # type: ignore[attr-defined]
    assert tasks["arowregressor"] == "regression" and tasks["arow"] == "classification"
    assert "task: regression" in command(capsys, "learners", "arowregressor")[0]


# streams --------------------------------------------------------------------------------------------------------------
def test_a_stream_without_a_learner_follows_its_labels() -> None:
    stream = read("homes.csv", target="price")
    _, y = next(iter(stream))
    assert y.dtype == float and stream.recipe.task == "regression"
    assert read("homes.csv", target="town").recipe.task == "classification"
    with pytest.raises(ReadError, match="read: task must be one of classification, regression, got 'ranking'"):
        read("homes.csv", target="price", task="ranking")


def test_rows_without_a_target_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("homes.csv").read_text()
    Path("homes.csv").write_text(text + "north,50,3,\n")
    out, error = command(capsys, "run", "homes.csv", "--target", "price")
    assert "note: rows without a target: 1" in error and "300 examples" in out


def test_a_refused_target_can_be_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    Path("homes.csv").write_text(Path("homes.csv").read_text() + "north,50,3,1e300\nnorth,50,3,500\n")
    assert "a target must be finite and at most 1e+15" in refusal(capsys, "run", "homes.csv", "--target", "price")
    out, error = command(capsys, "run", "homes.csv", "--target", "price", "--on-error", "skip")
    assert "301 examples" in out and "1 example was skipped" in error
