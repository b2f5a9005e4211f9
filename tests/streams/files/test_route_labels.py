"""Labels by every route: targets of a regression, rows without a label, and the order of labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import driftline as dl
from driftline.streams import ReadError, read
from tests.support.table_routes import ROUTES, Table, features, labels, source


def table(kind: str, targets: list[Any]) -> Table:
    """A table with these labels."""
    columns = {"x": [k % 5 - 2.0 for k in range(len(targets))], "y": targets}
    return Table(columns, {"x": "number", "y": kind})


# regression -----------------------------------------------------------------------------------------------------------
TARGETS: dict[str, tuple[str, list[Any]]] = {
    "fractions": ("number", [k / 4 for k in range(40)]),
    "two fractions": ("number", [0.5, 1.5] * 20),
    "one fraction": ("number", [float(k % 2) for k in range(900)] + [0.25]),
    "many numbers": ("integer", [k % 101 for k in range(1000)]),
    "many floats": ("number", [float(k) for k in range(200)]),
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("route", ROUTES)
def test_a_target_that_looks_like_regression(route: str, name: str, tmp_path: Path) -> None:
    kind, targets = TARGETS[name]
    given = source(table(kind, targets), route, tmp_path)
    learner = dl.OneVsRest(dl.PA1())
    with pytest.raises(ReadError, match=r"looks like regression.*nothing was learned.*--task classification"):
        dl.run(learner, read(given, target="y"))
    assert learner.n_seen == 0 and learner.recipe is None
    stream = read(given, target="y")
    regressor = dl.run(dl.PA1Regressor(), stream).learner
    assert regressor.n_seen == len(targets) and stream.recipe.task == "regression" and labels(stream) == targets
    stream = read(given, target="y", task="classification")
    assert dl.run(learner, stream).examples == len(targets)
    assert labels(stream) == targets


@pytest.mark.parametrize(
    "kind, targets",
    [
        ("integer", [k % 100 for k in range(1000)]),
        ("number", [0.0, 1.0] * 500),
        ("category", [f"c{k}" for k in range(300)]),
    ],
    ids=["100 numbers", "whole floats", "300 words"],
)
@pytest.mark.parametrize("route", ROUTES)
def test_a_target_of_classes(route: str, kind: str, targets: list[Any], tmp_path: Path) -> None:
    stream = read(source(table(kind, targets), route, tmp_path), target="y")
    assert labels(stream) == targets


# rows without a label -------------------------------------------------------------------------------------------------
PARTLY: dict[str, tuple[str, list[Any]]] = {
    "words": ("category", [None, "a", "b", None, "a", "b"]),
    "integers": ("integer", [None, 1, 0, None, 1, 0]),
    "numbers": ("number", [None, 1.0, 0.0, None, 1.0, 0.0]),
    "bools": ("bool", [None, True, False, None, True, False]),
}


@pytest.mark.parametrize("name", PARTLY)
@pytest.mark.parametrize("route", ROUTES)
def test_rows_without_a_label(route: str, name: str, tmp_path: Path) -> None:
    kind, targets = PARTLY[name]
    given = source(table(kind, targets), route, tmp_path)
    stream = read(given, target="y")
    run = dl.run(dl.PA1(), stream)
    assert (run.examples, run.learner.n_seen, stream.unlabelled) == (4, 4, 2)
    assert stream.missing.get("y", 0) == 0 and stream.skipped == 0
    assert labels(read(given, target="y")) == [label for label in targets if label is not None]
    known = [
        row
        for row, label in zip(features(read(given, target="y", labelled=False)), targets, strict=True)
        if label is not None
    ]
    assert known == features(read(given, target="y"))
    assert labels(read(given, target="y", labelled=False)) == targets
    predicted = [
        run.learner.predict_many(X).tolist() for X, _ in read(given, recipe=run.learner.recipe, labelled=False)
    ]
    assert sum(map(len, predicted)) == 6


@pytest.mark.parametrize("rows", [4, 3000])
@pytest.mark.parametrize("route", ROUTES)
def test_a_stream_without_any_label(route: str, rows: int, tmp_path: Path) -> None:
    stream = read(source(table("category", [None] * rows), route, tmp_path), target="y")
    learner = dl.PA1()
    with pytest.raises(ReadError, match=rf"at least one example must have a label, got none in {rows:,} examples"):
        dl.run(learner, stream)
    assert learner.n_seen == 0


# the order of labels --------------------------------------------------------------------------------------------------
ORDERS: dict[str, tuple[str, list[Any]]] = {
    "words": ("category", ["no", "yes"]),
    "numbers": ("integer", [0, 1]),
    "signs": ("integer", [-1, 1]),
    "bools": ("bool", [False, True]),
    "numbers by value": ("integer", [9, 10]),
    "unicode": ("category", ["z", "ä"]),
    "cases": ("category", ["Z", "a"]),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("route", ROUTES)
def test_two_labels_have_the_same_order_whichever_comes_first(route: str, name: str, tmp_path: Path) -> None:
    kind, pair = ORDERS[name]
    for targets in (pair * 10, pair[::-1] * 10):
        learner = dl.run(dl.PA1(), read(source(table(kind, targets), route, tmp_path), target="y")).learner
        assert list(learner.labels) == pair
        scores = learner.score_many([{"x": 3.0}, {"x": -3.0}])
        due = [pair[int(score > 0)] for score in scores]
        assert learner.predict_many([{"x": 3.0}, {"x": -3.0}]).tolist() == due


@pytest.mark.parametrize("route", ROUTES)
def test_positive_makes_two_labels_of_many(route: str, tmp_path: Path) -> None:
    targets = ["spam-a", "ham", "spam-b", "eggs"] * 5
    stream = read(source(table("category", targets), route, tmp_path), target="y", positive="spam*")
    learner = dl.run(dl.PA1(), stream).learner
    assert list(learner.labels) == ["other", "spam*"]
    assert learner.recipe is not None and learner.recipe.positive == "spam*"


# no header ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("route, delimiter", [("csv", ","), ("tsv", "\t")])
def test_files_without_a_header(route: str, delimiter: str, tmp_path: Path) -> None:
    rows = [["1.5", "u", "no"], ["", "v", "yes"], ["2", "u", ""]]
    path = tmp_path / f"t.{route}"
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    stream = read(path, target="c3", header=False)
    assert features(stream) == [{"c1": 1.5, "c2=u": 1.0}, {"c2=v": 1.0}]
    assert labels(stream) == ["no", "yes"] and stream.unlabelled == 1 and stream.missing == {"c1": 1}
