"""Scores on Spark are those of ``driftline predict``."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
pa = pytest.importorskip("pyarrow")
ROWS = 100_000


def table(rows: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    price = rng.normal(size=rows)
    missing = rng.random(rows) < 0.05
    colour = np.array(["red", "green", "blue"])[rng.integers(3, size=rows)]
    return pa.table(
        {
            "id": np.arange(rows),
            "price": pa.array(price, mask=missing),
            "count": rng.integers(5, size=rows),
            "colour": colour,
            "amount": 3.0 * price + rng.integers(2, size=rows) + 0.125,
            "label": np.where(price > (colour == "red"), "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("spark")
    found = folder / "train.parquet", folder / "rows.parquet"
    for path, rows in zip(found, (2000, ROWS), strict=True):
        pq.write_table(table(rows, rows), path, row_group_size=20_000)
    return found


@pytest.mark.parametrize(
    ("learner", "target"),
    [(dl.PA1(), "label"), (dl.OneVsRest("pa1"), "colour"), (dl.PA1Regressor(), "amount")],
    ids=repr,
)
def test_scores_are_those_of_predict(
    learner: dl.Learner, target: str, session: Any, files: tuple[Path, Path], tmp_path: Path, capsys: Any
) -> None:
    from driftline import spark

    model = tmp_path / "model.dl"
    dl.run(learner, dl.streams.read(files[0], target=target, drop=["id"])).learner.save(model)
    frame = session.read.parquet(str(files[1])).repartition(3)
    found = spark.score(frame, model, columns=["id"]).orderBy("id").toArrow()
    assert main(["predict", str(model), str(files[1]), "--column", "id"]) == 0
    expected = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert found.num_rows == len(expected) == ROWS
    assert found["id"].to_pylist() == [int(one["id"]) for one in expected]
    shown = "prediction" if target == "amount" else "score"
    assert found[shown].to_pylist() == [float(one[shown]) for one in expected]
    if target != "amount":
        assert found["label"].to_pylist() == [one["label"] for one in expected]


def test_what_is_refused(session: Any, files: tuple[Path, Path]) -> None:
    from driftline import spark

    frame = session.read.parquet(str(files[0]))
    learner = dl.PA1()
    learner.learn_one({"a": 1.0}, True)
    with pytest.raises(ValueError, match=r"the model must have a recipe.*got PA1 without one"):
        spark.score(frame, learner.to_bytes())
    data = dl.run(dl.PA1(), dl.streams.read(files[0], target="label", drop=["id"])).learner.to_bytes()
    with pytest.raises(ValueError, match=r"columns must be among id, price.*, got 'nobody'"):
        spark.score(frame, data, columns=["nobody"])
    with pytest.raises(ValueError, match="columns must not be 'label'"):
        spark.score(frame, data, columns=["label"])
