"""A learner remembers how the records of files became its examples, and reads further files alike."""

from __future__ import annotations

import copy
import csv
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.streams import read
from tests.support.bitwise import assert_same, snapshot
from tests.support.word_order_mails import mails

OPTIONS: dict[str, Any] = {"target": "kind", "text": ["body"], "ngrams": 2}


@pytest.fixture(params=["jsonl", "csv"])
def files(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A file to learn from, and one to predict."""
    monkeypatch.chdir(tmp_path)
    names = []
    for name, seed in (("old", 1), ("new", 2)):
        path = Path(f"{name}.{request.param}")
        rows = mails(400, seed)
        with path.open("w", newline="") as file:
            if request.param == "jsonl":
                file.writelines(json.dumps(row) + "\n" for row in rows)
            else:
                table = csv.DictWriter(file, list(rows[0]))
                table.writeheader()
                table.writerows(rows)
        names.append(str(path))
    return names[0], names[1]


def taught(file: str) -> dl.Learner:
    learner = dl.PA1(hashing=dl.Hashing(16))
    assert dl.run(learner, read(file, **OPTIONS)).error < 0.1
    return learner


def test_a_saved_learner_reads_new_files_as_it_read_the_old_ones(files: tuple[str, str]) -> None:
    """Without the recipe, half of the predictions are wrong, as each class has the same words."""
    old, new = files
    learner = taught(old)
    assert learner.recipe is not None
    assert (learner.recipe.target, learner.recipe.ngrams) == ("kind", 2)
    assert learner.recipe.kinds["body"] == "text"
    learner.save("m.dl")
    loaded = dl.load("m.dl")
    assert loaded.recipe == learner.recipe
    assert dl.run(loaded, read(new)).error < 0.02
    assert loaded.recipe == learner.recipe


def test_an_option_that_contradicts_the_recipe_is_an_error(files: tuple[str, str]) -> None:
    learner = taught(files[0])
    before = snapshot(learner)
    for wrong in ({"target": "body"}, {"ngrams": 3}):
        with pytest.raises(ValueError, match=r"as in the model, got .*Leave the option out"):
            dl.run(learner, read(files[1], **wrong))
    assert_same(snapshot(learner), before)
    dl.run(learner, read(files[1], **OPTIONS))


def test_copies_and_pickles_keep_the_recipe(files: tuple[str, str]) -> None:
    learner = taught(files[0])
    for twin in (copy.copy(learner), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert twin.recipe == learner.recipe
    assert dl.PA1().recipe is None


def test_every_way_to_run_sets_the_recipe(files: tuple[str, str]) -> None:
    due = taught(files[0]).recipe
    learners = [dl.PA1(hashing=dl.Hashing(8)), dl.Perceptron(hashing=dl.Hashing(8))]
    dl.compare(learners, read(files[0], **OPTIONS))
    assert [one.recipe for one in learners] == [due, due]
    found = dl.sweep([dl.PA1(), dl.PA1(0.1), dl.Tracker()], read(files[0], **OPTIONS))
    assert [one.run.learner.recipe for one in found.settings] == [due] * 3


def test_a_checkpoint_has_the_recipe(files: tuple[str, str], tmp_path: Path) -> None:
    """A resumed run is read by it, also if the options are left out of the first model."""
    due = taught(files[0])
    whole = dl.run(dl.PA1(hashing=dl.Hashing(16)), read(files[0], **OPTIONS), checkpoint=dl.Checkpoint("c", every=150))
    resumed = dl.Checkpoint("c", every=150, resume=True)
    run = dl.run(dl.PA1(hashing=dl.Hashing(16)), read(files[0], **OPTIONS), checkpoint=resumed)
    assert run.learner.recipe == whole.learner.recipe == due.recipe
    assert_same(snapshot(run.learner), snapshot(due))


def test_learners_of_different_files_cannot_be_compared(files: tuple[str, str]) -> None:
    other = dl.Perceptron(hashing=dl.Hashing(8))
    dl.run(other, read(files[0], target="kind", text=["body"]))
    with pytest.raises(ValueError, match="must have learned from the same columns, got different recipes of PA1 and"):
        dl.compare([taught(files[0]), other], read(files[1]))
    dl.compare([taught(files[0]), dl.Perceptron(hashing=dl.Hashing(8))], read(files[1]))


# the order of labels ----------------------------------------------------------------------------------
LABELS = {
    "words": (["spam", "ham"], ("ham", "spam")),
    "numbers": ([7, 3], (3, 7)),
    "one is positive": ([1, 2], (2, 1)),
    "minus one": ([1, -1], (-1, 1)),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("make", [dl.PA1, dl.Tracker])
def test_the_sign_of_a_score_does_not_depend_on_the_first_row(name: str, make: Any, tmp_path: Path) -> None:
    given, due = LABELS[name]
    for labels in (given, given[::-1]):
        path = tmp_path / "a.csv"
        path.write_text("y,x\n" + "".join(f"{labels[k % 2]},{k % 2 - 0.5}\n" for k in range(20)))
        learner = make()
        dl.run(learner, read(str(path), target="y"))
        assert learner.labels == due


def test_the_label_that_is_called_positive_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,x\n" + "a1,-1\nb,1\nc,0\n" * 5)
    learner = dl.PA1()
    dl.run(learner, read(str(tmp_path / "a.csv"), target="y", positive="a*"))
    assert learner.labels == ("other", "a*")


def test_declared_labels_and_those_of_a_model_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,x\n" + "spam,1\nham,-1\n" * 5)
    declared = dl.PA1(labels=("spam", "ham"))
    dl.run(declared, read(str(tmp_path / "a.csv"), target="y"))
    assert declared.labels == ("spam", "ham")
    learned = dl.PA1()
    learned.learn_one({"x": 1.0}, "spam")
    dl.run(learned, read(str(tmp_path / "a.csv"), target="y"))
    assert learned.labels == ("spam", "ham")
    many = dl.OneVsRest("pa1")
    dl.run(many, read(str(tmp_path / "a.csv"), target="y"))
    assert many.labels == ("spam", "ham")


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_resumed_run_learns_columns_that_had_no_value_before_the_checkpoint(tmp_path: Path, kind: str) -> None:
    """The recipe in a checkpoint lists the columns so far; it must not leave out those that come later."""

    def lines(start: int, stop: int) -> str:
        rows = [{"a": k % 7, "late": None if k < 30 else k % 2, "y": "uv"[k % 2]} for k in range(start, stop)]
        if kind == "jsonl":
            return "".join(json.dumps({name: v for name, v in row.items() if v is not None}) + "\n" for row in rows)
        return "".join(f"{row['a']},{'' if row['late'] is None else row['late']},{row['y']}\n" for row in rows)

    header = "" if kind == "jsonl" else "a,late,y\n"
    path = tmp_path / f"growing.{kind}"
    path.write_text(header + lines(0, 30))
    dl.run(dl.PA1(), read(path, target="y"), checkpoint=dl.Checkpoint(tmp_path / "saved"))
    path.write_text(header + lines(0, 90))
    resumed = dl.run(dl.PA1(), read(path, target="y"), checkpoint=dl.Checkpoint(tmp_path / "saved", resume=True))
    whole = dl.run(dl.PA1(), read(path, target="y"))
    assert_same(snapshot(resumed.learner), snapshot(whole.learner))
    assert resumed.label_errors == whole.label_errors
    assert resumed.learner.recipe == whole.learner.recipe
    assert "late" in whole.learner.recipe.features_from
