"""Train a learner for each key of a Spark frame; the learners are model files in a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from driftline.internals.require import require
from driftline.learners import Learner
from driftline.saved import from_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WHERE = "spark.train_keyed"
MODEL, ROWS = "model", "rows"


def train_keyed(
    frame: DataFrame, states: DataFrame | None, *, key: str, target: str, order: str, learner: Learner
) -> DataFrame:
    """Let a learner for each key learn the rows of a frame.

    The result is a new table of states: pass it as ``states`` with the next frame. A key learns its
    rows in the order of a column, because Spark keeps no order, with the bits of one process. The
    function changes nothing, so tasks that Spark repeats do no harm; but write the result to a
    table before the next frame, or Spark learns all earlier frames again.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. All columns but ``key``, ``target`` and ``order`` are features, as in pandas
        frames: texts are categories, nulls are missing. Rows without a label are left out.
    states : pyspark.sql.DataFrame or None
        The result for the frames before, read from a table; None at the start.
    key, target, order : str
        The columns of the key, the label and the position of a row. No two rows of a key may have
        the same position.
    learner : Learner
        What a new key starts from.

    Returns
    -------
    pyspark.sql.DataFrame
        The key, its learner as ``model`` (``dl.from_bytes`` opens it), and ``rows``, the number of
        rows that it has learned here. Keys without new rows are included.

    Examples
    --------
    >>> from driftline import spark  # doctest: +SKIP
    >>> states = spark.train_keyed(
    ...     session.read.parquet("monday"), None, key="customer", target="buys", order="time", learner=dl.PA1()
    ... )  # doctest: +SKIP
    >>> states.write.parquet("states-monday")  # doctest: +SKIP
    """
    from pyspark.sql.types import BinaryType, LongType, StructField, StructType

    require(isinstance(learner, Learner), WHERE, "learner must be a driftline learner", learner)
    for name, column in (("key", key), ("target", target), ("order", order)):
        if column not in frame.columns:
            raise ValueError(f"{WHERE}: {name} must be one of {', '.join(frame.columns)}, got {column!r}")
    if len({key, target, order}) < 3 or key in (MODEL, ROWS):
        raise ValueError(
            f"{WHERE}: key, target and order must be different columns, and the key not {MODEL!r} or {ROWS!r}, got "
            f"{key!r}, {target!r} and {order!r}. Rename a column"
        )
    schema = StructType([frame.schema[key], StructField(MODEL, BinaryType()), StructField(ROWS, LongType())])
    train = _trainer(learner.to_bytes(), key, target, order)
    if states is None:
        return frame.groupBy(key).applyInPandas(lambda rows: train(rows, None), schema)
    if states.columns != schema.fieldNames():
        raise ValueError(
            f"{WHERE}: states must have the columns {', '.join(schema.fieldNames())}, got {', '.join(states.columns)}. "
            "Pass an earlier result"
        )
    return frame.groupBy(key).cogroup(states.groupBy(key)).applyInPandas(train, schema)


def _trainer(new: bytes, key: str, target: str, order: str) -> Callable[[Any, Any], Any]:
    """The function that learns the rows of one key in a worker."""

    def train(rows: Any, state: Any) -> Any:
        import pandas as pd  # in the worker

        known = state is not None and len(state)
        if not len(rows):
            return state
        name = rows[key].iloc[0]
        if known and len(state) > 1:
            raise ValueError(
                f"{WHERE}: states must have one row for the key {name!r}, got {len(state)}. Remove repeats"
            )
        if rows[order].isna().any() or rows[order].duplicated().any():
            raise ValueError(
                f"{WHERE}: {order} must have a different value in each row of the key {name!r}, got repeats or nulls. "
                "Number the rows"
            )
        learner = from_bytes(bytes(state[MODEL].iloc[0]) if known else new)
        rows = rows[rows[target].notna()].sort_values(order)
        if len(rows):
            learner.learn_many(rows.drop(columns=[key, target, order]), rows[target].tolist())
        done = len(rows) + (int(state[ROWS].iloc[0]) if known else 0)
        return pd.DataFrame({key: [name], MODEL: [learner.to_bytes()], ROWS: [done]})

    return train
