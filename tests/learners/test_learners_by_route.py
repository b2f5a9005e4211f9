"""The same table gives a learner the same bits by every route: files of all formats, frames, tables and dicts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

import driftline as dl
from driftline.streams import read
from tests.support.bitwise import assert_same, snapshot
from tests.support.table_routes import ROUTES, Table, features, source

ROWS = 240
WORDS = ["red", "Blue", "grün", "very", "not"]
OPTIONS: dict[str, Any] = {"target": "class", "text": ["note"], "ngrams": 2, "kinds": {"when": "time"}}


def mixed(classes: list[str], negative: bool = True) -> Table:
    """Numbers, integers, bools, categories, texts and times, with missing cells in each of them."""
    rng = Random(5)
    start = datetime(2024, 5, 31, 20)

    def some(share: float, draw: Callable[[], Any]) -> list[Any]:
        return [None if rng.random() < share else draw() for _ in range(ROWS)]

    columns: dict[str, list[Any]] = {
        "amount": some(0.2, lambda: rng.gauss(0, 3) if negative else rng.random()),
        "count": some(0.1, lambda: rng.randrange(4)),
        "paid, ok?": some(0.1, lambda: rng.random() < 0.5),
        "Land 中": some(0.2, lambda: rng.choice(["FR", "DE", 'Ö\'ster "reich"'])),
        "note": some(0.1, lambda: " ".join(rng.choices(WORDS, k=3))),
        "when": some(0.1, lambda: start + timedelta(hours=rng.randrange(5000))),
    }
    chosen = [classes[(count or 0) % len(classes)] for count in columns["count"]]
    columns["class"] = [*classes, *chosen[len(classes) :]]  # in their order, as a learner finds them one by one
    kinds = ["number", "integer", "bool", "category", "text", "time", "category"]
    return Table(columns, dict(zip(columns, kinds, strict=True)))


TWO, THREE, POSITIVE = mixed(["no", "yes"]), mixed(["b", "c", "ä"]), mixed(["no", "yes"], negative=False)
LEARNERS: dict[str, tuple[Callable[[], dl.Learner], Table]] = {
    "pa1": (lambda: dl.PA1(), TWO),
    "pa1 standard": (lambda: dl.PA1(scale="standard"), TWO),
    "pa1 hashing": (lambda: dl.PA1(hashing=dl.Hashing(8)), TWO),
    "l1pa": (lambda: dl.L1PA(), TWO),
    "arow": (lambda: dl.AROW(diagonal=True), TWO),
    "winnow": (lambda: dl.BalancedWinnow(), POSITIVE),
    "averaged": (lambda: dl.Averaged(dl.Perceptron()), TWO),
    "onevsrest": (lambda: dl.OneVsRest(dl.PA1()), THREE),
    "multiclass": (lambda: dl.MulticlassPA(), THREE),
    "tracker": (lambda: dl.Tracker(), TWO),
    "tracker of classes": (lambda: dl.Tracker(), THREE),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_route_gives_the_same_model(name: str, tmp_path: Path) -> None:
    make, table = LEARNERS[name]
    models, errors = {}, set()
    for route in ROUTES:
        run = dl.run(make(), read(source(table, route, tmp_path), **OPTIONS))
        path = tmp_path / f"{route}.dl"
        run.learner.save(path)
        models[route] = path.read_bytes()
        errors.add((run.mistakes, run.examples))
        stream = read(source(table, route, tmp_path), recipe=run.learner.recipe)
        predicted = [label for X, *_ in stream for label in run.learner.predict_many(X).tolist()]
        loaded = dl.load(path)
        records = [loaded.recipe.features(record) for record in table.records]  # type: ignore[union-attr]
        assert [loaded.predict_one(record) for record in records] == predicted
    different = [route for route in ROUTES if models[route] != models["csv"]]
    assert different == [] and len(errors) == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_files_are_learned_as_records_are(name: str, tmp_path: Path) -> None:
    """A learner that gets the records one by one, by the recipe, has the bits of the run over the file."""
    make, table = LEARNERS[name]
    learner = dl.run(make(), read(source(table, "csv", tmp_path), **OPTIONS)).learner
    assert learner.recipe is not None
    one_by_one = make()
    for record in table.records:
        one_by_one.learn_one(learner.recipe.features(record), record["class"])
    assert_same(snapshot(learner), snapshot(one_by_one))
    rows = features(read(source(table, "parquet", tmp_path), recipe=learner.recipe))
    records = [learner.recipe.features(record) for record in table.records]
    assert [{k: v for k, v in record.items() if v == v} for record in records] == rows


def test_a_model_of_one_route_reads_all_others(tmp_path: Path) -> None:
    for learned in ROUTES:
        learner = dl.run(dl.PA1(), read(source(TWO, learned, tmp_path), **OPTIONS)).learner
        found = set()
        for route in ROUTES:
            blocks = list(read(source(TWO, route, tmp_path), recipe=learner.recipe))
            found.add(tuple(score for X, *_ in blocks for score in learner.score_many(X).tolist()))
        assert len(found) == 1, learned
