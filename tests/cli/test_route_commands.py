"""Commands on files of every format: models remember their columns, and traps of tables are told or refused."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.streams import read
from tests.support.table_routes import FILES, Table, source
from tests.support.word_order_mails import mails

ENDINGS = list(FILES)
FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "v0.1" / "models").glob("*.dl"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    """Standard output and standard error of a command that must end with this code."""
    capsys.readouterr()
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    return out, err


def facts(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(command(capsys, *words, "--json")[0])
    return found


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of an error."""
    error = command(capsys, *words, code=2)[1]
    assert error.startswith("driftline: ") and error.count("\n") == 1
    return error


def mail_table(count: int, seed: int) -> Table:
    rows = mails(count, seed)
    sizes: list[Any] = [None if k % 5 == 0 else float(k % 7) for k in range(count)]
    columns = {"size": sizes, "text": [row["body"] for row in rows], "kind": [row["kind"] for row in rows]}
    return Table(columns, {"size": "number", "text": "text", "kind": "category"})


def table(name: str, targets: list[Any], kind: str = "category", **more: list[Any]) -> str:
    """A file with the column x, the label y and more columns; return its path."""
    columns: dict[str, list[Any]] = {"x": [k % 5 - 2.0 for k in range(len(targets))], "y": targets, **more}
    types = {"x": "number", "y": kind, **dict.fromkeys(more, "number")}
    stem, ending = name.split(".")
    path: str = source(Table(columns, types), ending, Path(), stem)
    return path


# the options of a model -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_model_predicts_as_it_has_learned(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = mail_table(400, 1), mail_table(300, 2)
    train = source(old, ending, Path(), "old")
    options = ["--target", "kind", "--text", "text", "--ngrams", "2"]
    command(capsys, "run", train, *options, "--learner", "pa1", "--save", "m.dl")
    in_python = dl.run(dl.PA1(hashing=dl.Hashing(20)), read(train, target="kind", text=["text"], ngrams=2)).learner
    for other in ENDINGS:
        path = source(new, other, Path(), "new")
        stream = read(path, target="kind", text=["text"], ngrams=2)
        due = [label for X, _ in stream for label in in_python.predict_many(X).tolist()]
        out, error = command(capsys, "predict", "m.dl", path)
        assert [row["label"] for row in csv.DictReader(io.StringIO(out))] == due
        assert error == "note: missing cells: 60 in 'size'\n"
        found = facts(capsys, "evaluate", "m.dl", path)
        wrong = sum(label != truth for label, truth in zip(due, new.columns["kind"], strict=True))
        assert (found["errors"], found["examples"]) == (wrong, 300) and wrong < 15


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_that_differ_from_those_of_the_model(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = 30
    columns: dict[str, list[Any]] = {
        "amount": [k % 7 - 3.0 for k in range(size)],
        "land": ["FR" if k % 3 else "DE" for k in range(size)],
        "y": ["no" if k % 7 < 3 else "yes" for k in range(size)],
    }
    types = {"amount": "number", "land": "category", "y": "category"}
    start = source(Table(columns, types), ending, Path(), "a")
    command(capsys, "run", start, "--target", "y", "--learner", "pa1", "--save", "m.dl")

    def other(name: str, types: dict[str, str], **columns: list[Any]) -> str:
        path: str = source(Table(columns, types), ending, Path(), name)
        return path

    nothing = other("none", {"p": "number", "q": "category"}, p=[1.0] * 4, q=["u", "v"] * 2)
    for words in (["predict", "m.dl", nothing], ["evaluate", "m.dl", nothing], ["run", nothing, "--model", "m.dl"]):
        assert nothing in refusal(capsys, *words)
    lacking = other("lacking", {"amount": "number", "extra": "number"}, amount=[1.0] * 4, extra=[2.0] * 4)
    error = command(capsys, "predict", "m.dl", lacking)[1]
    assert f"note: {lacking}: 1 column of the model is missing here: 'land'" in error
    assert f"note: {lacking}: 1 column is unknown to the model and left out: 'extra'" in error
    changed = other("changed", {"amount": "number", "land": "number"}, amount=[1.0] * 4, land=[3.5, 4.5] * 2)
    assert (
        "column land is a category in the model, but looks like a number here"
        in command(capsys, "predict", "m.dl", changed)[1]
    )
    words = other("words", {"amount": "category", "land": "category"}, amount=["big", "low"] * 2, land=["FR"] * 4)
    assert "column amount" in refusal(capsys, "predict", "m.dl", words)
    skipped = command(capsys, "predict", "m.dl", words, "--on-error", "skip")
    assert len(skipped[0].splitlines()) == 5
    assert "column amount is a number in the model, but looks like a category here" in skipped[1]
    for option in ("--target land", "--drop land", "--kind amount=category", "--text land", "--ngrams 2", "--na -9"):
        before = Path("m.dl").read_bytes()
        assert "as in the model" in refusal(capsys, "evaluate", "m.dl", start, *option.split())
        assert "as in the model" in refusal(capsys, "predict", "m.dl", start, *option.split())
        assert "as in the model" in refusal(capsys, "run", start, "--model", "m.dl", *option.split(), "--save", "m.dl")
        assert Path("m.dl").read_bytes() == before


def test_models_of_the_first_version_have_no_recipe() -> None:
    assert len(FIXTURES) > 100
    for path in FIXTURES:
        assert dl.load(path).recipe is None, path.name


# labels ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_classifier_refuses_regression(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, targets in (("number", [k / 2 for k in range(40)]), ("integer", [k % 150 for k in range(1000)])):
        path = table(f"t.{ending}", targets, kind)
        assert facts(capsys, "run", path, "--target", "y")["runs"][0]["task"] == "regression"
        error = refusal(capsys, "run", path, "--target", "y", "--save", "m.dl", "--learner", "pa1")
        assert "looks like regression" in error and "nothing was learned" in error and "--task classification" in error
        assert not Path("m.dl").exists()
        found = facts(capsys, "run", path, "--target", "y", "--task", "classification", "--learner", "onevsrest(pa1)")
        assert found["runs"][0]["examples"] == len(targets)


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_without_a_label(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(f"t.{ending}", [None, "a", "b", None, "a", "b"] * 4)
    found = facts(capsys, "run", path, "--target", "y", "--learner", "pa1", "--save", "m.dl")
    assert found["unlabelled"] == 8 and found["runs"][0]["examples"] == 16
    assert facts(capsys, "evaluate", "m.dl", path)["unlabelled"] == 8
    out, error = command(capsys, "predict", "m.dl", path)
    assert len(out.splitlines()) == 25 and error == ""
    out, _ = command(capsys, "predict", "m.dl", path, "--truth")
    assert [row["truth"] for row in csv.DictReader(io.StringIO(out))] == ["", "a", "b", "", "a", "b"] * 4
    empty = table(f"e.{ending}", [None] * 6)
    for words in (["run", empty, "--target", "y"], ["evaluate", "m.dl", empty], ["run", empty, "--model", "m.dl"]):
        assert "at least one example must have a label, got none in 6 examples" in refusal(capsys, *words)
    assert len(command(capsys, "predict", "m.dl", empty)[0].splitlines()) == 7


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_order_of_labels(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    for targets in (["no", "yes"] * 8, ["yes", "no"] * 8):
        path = table(f"t.{ending}", targets)
        command(capsys, "run", path, "--target", "y", "--learner", "pa1", "--save", "m.dl")
        assert list(dl.load("m.dl").labels) == ["no", "yes"]


# options --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ENDINGS)
def test_sample_weights(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    weights = [float(k % 3) for k in range(24)]
    path = table(f"t.{ending}", ["a", "b"] * 12, w=weights)
    command(capsys, "run", path, "--target", "y", "--weight", "w", "--learner", "pa1", "--save", "m.dl")
    due = dl.PA1(labels=("a", "b"))
    due.learn_many([{"x": k % 5 - 2.0} for k in range(24)], ["a", "b"] * 12, weights)
    assert dl.load("m.dl").weights() == due.weights()
    bare = table(f"b.{ending}", ["a", "b"] * 12)
    assert len(command(capsys, "predict", "m.dl", bare)[0].splitlines()) == 25


@pytest.mark.parametrize("ending", ENDINGS)
def test_times(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    moments = [datetime(2024, 1, 1) + timedelta(hours=5 * k) for k in range(24)]
    columns: dict[str, list[Any]] = {"when": moments, "x": [k % 5 - 2.0 for k in range(24)], "y": ["a", "b"] * 12}
    path = source(Table(columns, {"when": "time", "x": "number", "y": "category"}), ending, Path())
    start = ["run", path, "--target", "y", "--learner", "pa1", "--save", "m.dl"]
    note = f"note: {path}: column when holds times and is left out. Pass --time when if the rows are in its order"
    assert note in command(capsys, *start)[1]
    assert dl.load("m.dl").weights().keys() == {"(bias)", "x"}
    assert command(capsys, *start, "--time", "when")[1] == ""
    assert command(capsys, *start, "--kind", "when=time")[1] == ""
    parts = {f"when.hour={m.hour}" for m in moments} | {f"when.weekday={m.isoweekday()}" for m in moments}
    assert dl.load("m.dl").weights().keys() == {"(bias)", "x", "when.month=1"} | parts


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_files_without_a_header(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(f"t.{ending}", ["a", "b"] * 12)
    bare = Path(f"bare.{ending}")
    bare.write_text("".join(Path(path).read_text().splitlines(keepends=True)[1:]))
    found = facts(capsys, "run", str(bare), "--no-header", "--target", "c2", "--learner", "pa1", "--save", "m.dl")
    assert found["runs"][0]["examples"] == 24 and dl.load("m.dl").weights().keys() == {"(bias)", "c1"}
    assert facts(capsys, "evaluate", "m.dl", str(bare), "--no-header")["examples"] == 24


@pytest.mark.parametrize("ending", ENDINGS)
def test_nested_learners_by_text(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(f"t.{ending}", ["a", "b", "c", "d"] * 6)
    command(capsys, "run", path, "--target", "y", "--learner", "onevsrest(pa1(C=0.5))", "--save", "m.dl")
    due = dl.run(dl.OneVsRest(dl.PA1(C=0.5)), read(path, target="y")).learner
    due.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_and_wrong_cells_are_told(ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(f"t.{ending}", ["a", "b"] * 12, z=[None if k % 4 == 0 else float(k) for k in range(24)])
    assert facts(capsys, "run", path, "--target", "y", "--learner", "pa1", "--save", "m.dl")["missing"] == {"z": 6}
    assert "note: missing cells: 6 in 'z'\n" in command(capsys, "run", path, "--target", "y", "--learner", "pa1")[1]
    assert facts(capsys, "evaluate", "m.dl", path)["missing"] == {"z": 6}
