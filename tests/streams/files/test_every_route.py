"""A random table gives the same features, model and predictions by every route."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings

import driftline as dl
from driftline.streams import read
from tests.support.mixed_tables import Mixed, mixed_tables
from tests.support.table_routes import ROUTES, features, labels, source

EXAMPLES = int(os.environ.get("DRIFTLINE_ROUTE_EXAMPLES", "60"))
"""Number of random tables; set the variable for a longer search."""


def rows_of(mixed: Mixed) -> list[dict[str, object]]:
    """The labelled records, as a service would get them."""
    return [record for record in mixed.table.records if record[mixed.options["target"]] is not None]


@settings(max_examples=EXAMPLES)
@given(mixed_tables())
def test_every_route_is_the_same(mixed: Mixed) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sources = {route: source(mixed.table, route, place) for route in ROUTES}
        found = {}
        for route, given_ in sources.items():
            stream = read(given_, **mixed.options)
            rows = features(stream)
            learner = dl.run(dl.PA1(), read(given_, **mixed.options)).learner
            path = place / f"{route}.dl"
            learner.save(path)
            loaded = dl.load(path)
            again = read(given_, recipe=loaded.recipe)
            assert features(again) == rows, route
            assert loaded.recipe == learner.recipe == stream.recipe, route
            assert [clean(loaded.recipe.features(record)) for record in rows_of(mixed)] == rows, route
            predicted = [loaded.predict_many(X).tolist() for X, *_ in again]
            assert predicted == [learner.predict_many(X).tolist() for X, *_ in again], route
            found[route] = {
                "features": rows,
                "labels": labels(stream),
                "unlabelled": stream.unlabelled,
                "missing": dict(stream.missing),
                "notes": [note.split(": ", 1)[1] for note in stream.notes],
                "predictions": predicted,
                "recipe": learner.recipe,
                "model": path.read_bytes(),
            }
        first = found[ROUTES[0]]
        for route, values in found.items():
            for name, value in values.items():
                assert value == first[name], (route, name)


def clean(row: dict[str, float]) -> dict[str, float]:
    """Without missing values, as the rows of files are compared."""
    return {name: value for name, value in row.items() if value == value}
