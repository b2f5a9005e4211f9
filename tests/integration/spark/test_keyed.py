"""Keyed learners trained on Spark have the bits of one process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import driftline as dl

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


def rows(number: int, size: int = 1500) -> Any:
    import pandas as pd

    rng = np.random.default_rng(number)
    price = rng.normal(size=size)
    return pd.DataFrame(
        {
            "customer": [f"c{k}" for k in rng.integers(20 + number, size=size)],
            "at": np.arange(size) + number * size,
            "price": price,
            "day": [["mon", "tue", None][k] for k in rng.integers(3, size=size)],
            "buys": [None if k % 40 == 0 else bool(one > 0.0) for k, one in enumerate(price)],
        }
    )


def test_two_batches(session: Any, tmp_path: Any) -> None:
    from driftline import spark

    states: Any = None
    alone: dict[str, tuple[dl.Learner, int]] = {}
    for number in range(2):
        batch = rows(number)
        frame = session.createDataFrame(batch.sample(frac=1.0, random_state=0)).repartition(3)
        made = spark.train_keyed(frame, states, key="customer", target="buys", order="at", learner=dl.PA1())
        made.write.parquet(str(tmp_path / f"states-{number}"))
        states = session.read.parquet(str(tmp_path / f"states-{number}"))
        for customer, own in batch.groupby("customer"):
            learner, seen = alone.get(customer, (dl.PA1(), 0))
            own = own[own["buys"].notna()]
            if len(own):
                learner.learn_many(own[["price", "day"]], own["buys"].tolist())
            alone[customer] = learner, seen + len(own)
    found = {row["customer"]: (bytes(row["model"]), row["rows"]) for row in states.collect()}
    assert found == {customer: (learner.to_bytes(), seen) for customer, (learner, seen) in alone.items()}


def test_what_is_refused(session: Any) -> None:
    from driftline import spark

    frame = session.createDataFrame([(1, 1, 2.0, 0), (1, 1, 3.0, 1)], ["key", "at", "price", "label"])
    options: dict[str, Any] = {"key": "key", "target": "label", "order": "at", "learner": dl.PA1()}
    for changed, said in (
        ({"key": "nobody"}, "key must be one of key, at, price, label, got 'nobody'"),
        ({"order": "key"}, "must be different columns"),
        ({"learner": "pa1"}, "learner must be a driftline learner, got 'pa1'"),
    ):
        with pytest.raises(ValueError, match=said):
            spark.train_keyed(frame, None, **{**options, **changed})
    with pytest.raises(ValueError, match="states must have the columns key, model, rows"):
        spark.train_keyed(frame, frame, **options)
    with pytest.raises(Exception, match="at must have a different value in each row of the key"):
        spark.train_keyed(frame, None, **options).collect()
