"""The features of one record, by the recipe of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftline.streams.files.column_kinds import ColumnKinds
from driftline.streams.files.formats.json_objects import MalformedError, Objects
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.schema.kinds import NUMBER, TIME
from driftline.streams.schema.recipe import Recipe
from driftline.streams.schema.record_values import plain_record


def record_features(recipe: Recipe, record: Mapping[str, Any]) -> dict[str, float]:
    """Return the features of a record; see ``Recipe.features``."""
    if not isinstance(record, Mapping):
        raise ValueError(f"recipe: a record must be a dict, got {type(record).__name__}. Pass the cells by column")
    options = ReadOptions(
        target=recipe.target,
        time=recipe.time,
        weight=recipe.weight,
        held=tuple(recipe.kinds.items()),
        closed=not recipe.open,
    )
    cells = plain_record(record)
    for name, cell in cells.items():
        if type(cell) is str and recipe.kinds.get(name) in (NUMBER, TIME) and cell.strip() in recipe.na:
            cells[name] = None
    names = Names()
    objects = Objects(names, ColumnKinds("recipe", options), recipe.ngrams, False)
    try:
        objects.take(cells)
    except MalformedError as error:
        column, must, got, remedy = error.args
        raise ValueError(f"recipe, column {column}: {must}, got {got}. {remedy}") from None
    found: dict[str, float] = {}
    for index, value in zip(*(array.tolist() for array in objects.arrays()), strict=True):
        name = names.list[index]
        found[name] = found[name] + value if name in found else value
    return found
