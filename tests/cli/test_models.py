"""Saved models on the command line: they read files as they learned them; evaluate and predict."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.streams import read
from tests.support.word_order_mails import mails

TRAIN = ["--target", "kind", "--text", "body", "--ngrams", "2", "--drop", "id", "--learner", "pa1"]


def write(path: str, rows: list[dict[str, str]], leave_out: tuple[str, ...] = ()) -> None:
    rows = [{name: value for name, value in row.items() if name not in leave_out} for row in rows]
    with Path(path).open("w", newline="") as file:
        if path.endswith("jsonl"):
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)


@pytest.fixture(params=["jsonl", "csv"])
def ending(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with mails to learn from and to predict, and a model; the ending of its files."""
    monkeypatch.chdir(tmp_path)
    chosen: str = request.param
    write(f"old.{chosen}", mails(400, 1))
    write(f"new.{chosen}", mails(300, 2))
    assert main(["run", f"old.{chosen}", *TRAIN, "--save", "m.dl"]) == 0
    return chosen


def said(capsys: pytest.CaptureFixture[str], *command: str) -> dict[str, object]:
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


# reading as the model did ---------------------------------------------------------------------------------------------
def test_a_model_predicts_without_the_options_of_its_training(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same words stand in both classes: without pairs of words, half of the labels would be wrong."""
    capsys.readouterr()
    assert main(["predict", "m.dl", f"new.{ending}"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["line", "label", "score"]
    assert [row["label"] for row in rows] == [row["kind"] for row in mails(300, 2)]
    write(f"bare.{ending}", mails(300, 2), leave_out=("kind", "id"))
    assert main(["predict", "m.dl", f"bare.{ending}"]) == 0
    out, error = capsys.readouterr()
    assert [row["label"] for row in csv.DictReader(io.StringIO(out))] == [row["label"] for row in rows]
    assert error == ""


def test_run_goes_on_with_a_model(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = said(capsys, "run", f"new.{ending}", "--model", "m.dl", "--save", "both.dl")
    assert facts["runs"][0]["error"] == 0.0  # type: ignore[index]
    due = dl.load("m.dl")
    dl.run(due, read(f"new.{ending}", target="kind", text=["body"], ngrams=2))
    due.save("due.dl")
    assert Path("both.dl").read_bytes() == Path("due.dl").read_bytes()


CONTRADICTIONS = {
    "--target body": "--target must be 'kind' as in the model, got 'body'. Leave the option out",
    "--ngrams 1": "--ngrams must be 2 as in the model, got 1. Leave the option out",
    "--kind body=category": "the kind of column body must be 'text' as in the model, got 'category'. Leave the option",
    "--positive spam": "--positive must be None as in the model, got 'spam'. Leave the option out",
}


@pytest.mark.parametrize("option", CONTRADICTIONS)
@pytest.mark.parametrize("command", ["predict m.dl FILE", "evaluate m.dl FILE", "run FILE --model m.dl --save m.dl"])
def test_an_option_that_contradicts_the_model(
    ending: str, command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("m.dl").read_bytes()
    capsys.readouterr()
    assert main([*command.replace("FILE", f"new.{ending}").split(), *option.split()]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"driftline: {CONTRADICTIONS[option]}") and error.count("\n") == 1
    assert Path("m.dl").read_bytes() == before


def test_options_that_agree_with_the_model_are_allowed(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = TRAIN[: TRAIN.index("--learner")]
    assert said(capsys, "evaluate", "m.dl", f"new.{ending}", *options)["errors"] == 0


def test_a_saved_model_has_its_options(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--scale unit", "--hash-bits 3", "--labels a,b", "--no-bias", "--C 3"):
        capsys.readouterr()
        assert main(["run", f"new.{ending}", "--model", "m.dl", *option.split()]) == 2
        name = option.split()[0].replace("--no-", "--")
        due = f"driftline: --model must come without {name}, got both. A saved model has its own parameters\n"
        assert capsys.readouterr().err == due


def test_inspect_prints_the_columns(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = dl.load("m.dl").recipe
    assert recipe is not None
    assert said(capsys, "inspect", "m.dl")["recipe"] == recipe.to_dict()
    assert main(["inspect", "m.dl", "--top", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = lines[lines.index("files:") + 1 :]
    assert {"  target: kind", "  text: body", "  ngrams: 2", "  ignore: id"} <= set(shown)
    assert "  category: kind" not in shown


def test_an_old_model_is_read_by_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    learner = dl.PA1()
    learner.learn_many([{"a": 1.0}, {"a": -1.0}], ["yes", "no"])
    learner.save("old.dl")
    Path("a.csv").write_text("a,y\n1,yes\n-1,no\n")
    note = (
        "note: old.dl does not say how its examples were made, so the files are read by the options alone. "
        "Give the options with which the model was trained\n"
    )
    assert main(["predict", "old.dl", "a.csv", "--target", "y"]) == 0
    out, error = capsys.readouterr()
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["yes", "no"] and error == note
    facts = said(capsys, "run", "a.csv", "--model", "old.dl", "--target", "y", "--save", "new.dl")
    assert facts["notes"] == [note[len("note: ") : -1]]
    assert main(["predict", "new.dl", "a.csv"]) == 0
    assert "old.dl" not in capsys.readouterr().err and dl.load("new.dl").recipe is not None


# evaluate -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files with numbers, and a model."""
    monkeypatch.chdir(tmp_path)
    rows = [(k % 5 - 2, k % 3, "up" if k % 5 > 1 else "down") for k in range(200)]
    Path("old.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    Path("new.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{'up' if a > 0 else 'down'}\n" for a, b, _ in rows[::-1]))
    assert main(["run", "old.csv", "--target", "y", "--learner", "pa1", "--save", "m.dl"]) == 0
    return tmp_path


def test_a_frozen_model_does_not_learn(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("m.dl").read_bytes()
    facts = said(capsys, "evaluate", "m.dl", "new.csv")
    learner = dl.load("m.dl")
    ((X, y),) = read("new.csv", recipe=learner.recipe)
    errors = int((learner.predict_many(X) != y).sum())
    assert (facts["examples"], facts["errors"], facts["error"]) == (200, errors, errors / 200) and errors > 0
    labels = y.tolist()
    changes = 1 + sum(a != b for a, b in pairwise(labels))
    assert facts["no_change_error"] == changes / 200
    assert Path("m.dl").read_bytes() == before
    assert main(["evaluate", "m.dl", "new.csv"]) == 0
    head, row, *metrics = capsys.readouterr().out.splitlines()
    assert head.split() == ["learner", "examples", "errors", "error", "no", "change", "majority"]
    assert row.split()[:4] == ["PA1", "200", f"{errors}", f"{errors / 200:.4f}"]
    assert any(line.split() == ["accuracy", f"{1 - errors / 200:.4f}"] for line in metrics)


def test_evaluate_and_learn(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = said(capsys, "evaluate", "m.dl", "new.csv", "--learn", "--save", "newer.dl")
    due = dl.load("m.dl")
    run = dl.run(due, read("new.csv"))
    assert (facts["examples"], facts["errors"]) == (200, run.label_errors)
    frozen = said(capsys, "evaluate", "m.dl", "new.csv")
    for name in ("no_change_error", "majority_error"):
        assert facts[name] == frozen[name] == getattr(run, name)
    due.save("due.dl")
    assert Path("newer.dl").read_bytes() == Path("due.dl").read_bytes()
    assert main(["evaluate", "m.dl", "new.csv", "--save", "newer.dl"]) == 2
    assert capsys.readouterr().err == (
        "driftline: --save must come with --learn, got it alone. Add --learn, or leave it out\n"
    )


@pytest.mark.parametrize("learn", [[], ["--learn"]], ids=["frozen", "learning"])
def test_rows_without_a_label_are_counted_but_are_no_errors(
    table: Path, learn: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    full = said(capsys, "evaluate", "m.dl", "new.csv", *learn)
    lines = Path("new.csv").read_text().splitlines()
    Path("holes.csv").write_text("\n".join([lines[0], *(f"{line}\n1,,\n2,0," for line in lines[1:])]) + "\n")
    facts = said(capsys, "evaluate", "m.dl", "holes.csv", *learn)
    assert {name: facts[name] for name in ("examples", "errors", "no_change_error")} == {
        name: full[name] for name in ("examples", "errors", "no_change_error")
    }
    assert facts["unlabelled"] == 400
    assert main(["evaluate", "m.dl", "holes.csv", *learn]) == 0
    assert "note: rows without a label: 400\n" in capsys.readouterr().err


def test_a_label_that_the_model_does_not_know_is_an_error_of_the_model(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("other.csv").write_text("a,b,y\n2,1,up\n2,1,sideways\n")
    facts = said(capsys, "evaluate", "m.dl", "other.csv")
    assert (facts["examples"], facts["errors"]) == (2, 1)


# predict --------------------------------------------------------------------------------------------------------------
def test_predict_with_truth_and_probabilities(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learner = dl.load("m.dl")
    ((X, y),) = read("new.csv", recipe=learner.recipe)
    proba = learner.predict_proba_many(X)
    capsys.readouterr()
    assert main(["predict", "m.dl", "new.csv", "--truth", "--proba"]) == 0
    header, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert header == ["line", "label", "score", "truth", "probability_down", "probability_up"]
    assert [row[3] for row in rows] == y.tolist()
    assert [[float(cell) for cell in row[4:]] for row in rows] == proba.tolist()
    assert main(["predict", "m.dl", "new.csv", "--truth", "--proba", "--output", "jsonl"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert list(first) == ["line", "label", "score", "truth", "probabilities"]
    assert first["probabilities"] == {"down": proba[0, 0], "up": proba[0, 1]}


def test_a_row_without_a_label_has_no_truth(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("some.csv").write_text("a,b,y\n2,1,up\n2,1,\n")
    Path("none.csv").write_text("a,b\n2,1\n2,1\n")
    capsys.readouterr()
    for name, due in (("some.csv", ["up", None]), ("none.csv", [None, None])):
        assert main(["predict", "m.dl", name, "--truth", "--output", "jsonl"]) == 0
        assert [json.loads(line)["truth"] for line in capsys.readouterr().out.splitlines()] == due
        assert main(["predict", "m.dl", name, "--truth"]) == 0
        assert [row["truth"] or None for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == due


def test_probabilities_need_a_model_with_labels(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dl.PA1().save("empty.dl")
    assert main(["predict", "empty.dl", "new.csv", "--proba"]) == 2
    assert "--proba must come with a model that knows its labels, got none in empty.dl" in capsys.readouterr().err
    assert main(["evaluate", "empty.dl", "new.csv", "--target", "y"]) == 2
    assert "empty.dl: a model must know its labels, got none. Train it first" in capsys.readouterr().err


# options of readers, and notes ----------------------------------------------------------------------------------------
def test_options_for_reading_columns(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(
        f"{k % 4},{'-' if k % 9 == 0 else k % 7},{1 + k % 2},{'yes' if k % 7 > 3 else 'no'}\n" for k in range(90)
    )
    Path("bare.csv").write_text(rows)
    options = ["--no-header", "--target", "c4", "--kind", "c1=category", "--na", "-", "--weight", "c3"]
    facts = said(capsys, "run", "bare.csv", *options, "--task", "classification", "--save", "bare.dl")
    assert facts["missing"] == {"c2": 10}
    recipe = dl.load("bare.dl").recipe
    assert recipe is not None and recipe.kinds["c1"] == "category" and recipe.kinds["c2"] == "number"
    assert (recipe.weight, recipe.target, "-" in recipe.na) == ("c3", "c4", True)
    assert main(["run", "bare.csv", *options]) == 0
    assert "note: missing cells: 10 in 'c2'\n" in capsys.readouterr().err
    for marker in ("-99.5", "9"):
        Path("bare.csv").write_text(rows.replace("-", marker))
        assert said(capsys, "run", "bare.csv", *options, "--na", marker)["missing"] == {"c2": 10}


@pytest.mark.parametrize("text", ["a", "a=colour", "=number", ""])
def test_a_kind_is_a_column_and_a_kind(table: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["run", "old.csv", "--target", "y", f"--kind={text}"]) == 2
    error = capsys.readouterr().err
    assert "COLUMN=KIND" in error and error.count("\n") == 1


def test_the_first_label_of_sorted_files_is_negative_with_a_note(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sorted.csv").write_text("a,y\n" + "1,up\n" * 1500 + "-1,down\n" * 1500)
    capsys.readouterr()
    start = ["run", "sorted.csv", "--target", "y", "--learner", "pa1"]
    assert main(start) == 0
    due = (
        "note: the first rows have only the label 'up', so 'down' is positive. "
        "Set the order with --labels NEGATIVE,POSITIVE\n"
    )
    assert due in capsys.readouterr().err
    assert main([*start, "--labels", "down,up"]) == 0
    assert due not in capsys.readouterr().err


# what a model remembers of its files ----------------------------------------------------------------------------------
def test_a_file_without_a_header_is_read_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bare.csv").write_text("".join(f"{k % 7},{'ab'[k % 2]},{'xy'[k % 2]}\n" for k in range(40)))
    assert main(["run", "bare.csv", "--no-header", "--target", "c3", "--learner", "pa1", "--save", "m.dl"]) == 0
    assert dl.load("m.dl").recipe == dl.streams.Recipe(
        target="c3", kinds={"c1": "number", "c2": "category", "c3": "category"}, header=False
    )
    capsys.readouterr()
    assert main(["evaluate", "m.dl", "bare.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] == 40


def test_labels_that_the_model_does_not_know_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    Path("new.csv").write_text("x,y\n1,a\n2,c\n3,0.5\n")
    assert main(["run", "old.csv", "--target", "y", "--learner", "pa1", "--save", "m.dl"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "m.dl", "new.csv"]) == 0
    note = "note: 2 examples with labels that the model does not know: 'c' and '0.5'. They count as errors"
    assert note in capsys.readouterr().err
