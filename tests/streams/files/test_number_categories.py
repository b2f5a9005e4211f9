"""Numbers in a column of categories: whole numbers have no decimal point, by every route."""

from __future__ import annotations

import pandas as pd
import pytest

from driftline.streams import Recipe, read
from tests.support.example_files import flat

KINDS = {"c": "category"}
RECORDS = [{"c": 7.0, "y": 0}, {"c": 0.5, "y": 1}, {"c": None, "y": 0}, {"c": True, "y": 1}, {"c": 2.0**60, "y": 1}]
EXPECTED = [{"c=7": 1.0}, {"c=0.5": 1.0}, {}, {"c=true": 1.0}, {"c=1.152921504606847e+18": 1.0}]


def test_records() -> None:
    assert [features for features, *_ in flat(read(RECORDS, target="y", kinds=KINDS))] == EXPECTED
    recipe = Recipe(target="y", kinds={"c": "category", "y": "number"})
    assert [recipe.features(record) for record in RECORDS] == EXPECTED


@pytest.mark.parametrize("kind", ["float64", "Float64", "float32"])
def test_frames(kind: str) -> None:
    frame = pd.DataFrame({"c": pd.array([7.0, 0.5, None, 7.0], kind), "y": [0, 1, 0, 1]})
    found = [features for features, *_ in flat(read(frame, target="y", kinds=KINDS))]
    assert found == [{"c=7": 1.0}, {"c=0.5": 1.0}, {}, {"c=7": 1.0}]
