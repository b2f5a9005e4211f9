"""Convert the recipe of a learner to plain values and back.

Column names are values and not keys, because a key cannot hold every text.
"""

from __future__ import annotations

from typing import Any

from driftline.encode.faults import shortened
from driftline.saved.fault import UnfitError
from driftline.streams.schema.recipe import Recipe


def described(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as plain values; the kinds of columns are a list of pairs."""
    values = recipe.to_dict()
    return {**values, "kinds": [[column, kind] for column, kind in values["kinds"].items()]}


def made(values: dict[str, Any]) -> Recipe:
    """Return the recipe that ``described`` converted; raise UnfitError if it is invalid."""
    pairs = values.get("kinds")
    if not isinstance(pairs, list) or not all(_is_pair(one) for one in pairs):
        raise UnfitError(f"a recipe with kinds {shortened(pairs)}")
    kinds = dict(pairs)
    if len(kinds) != len(pairs):
        raise UnfitError("a recipe with two kinds for one column")
    try:
        return Recipe.from_dict({**values, "kinds": kinds})
    except ValueError as error:
        raise UnfitError(f"a wrong recipe ({error})") from None


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value)
