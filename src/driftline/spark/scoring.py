"""Score the rows of a Spark frame with a saved model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from driftline.learners import Learner
from driftline.learners.state import labels_for
from driftline.saved import from_bytes
from driftline.streams import read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

WHERE = "spark.score"
Batches = Iterator[Any]
"""Arrow record batches."""


def score(frame: DataFrame, model: str | os.PathLike[str] | bytes, columns: Sequence[str] = ()) -> DataFrame:
    """Score every row of a frame as ``driftline predict`` does.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The rows. Their columns are read by the recipe of the model, like an Arrow file.
    model : str, os.PathLike or bytes
        A saved model, as a path that this program can read or as bytes (``learner.to_bytes()``). It
        must have a recipe: train it with ``dl.run`` on files or frames, or with ``driftline run``.
    columns : sequence of str, default=()
        Columns of the frame to pass through, such as an id.

    Returns
    -------
    pyspark.sql.DataFrame
        The passed columns, ``label`` and ``score``; for a regressor ``prediction``. With more than
        two labels, ``score`` is that of the predicted label. Labels are long, double, boolean or,
        if they are of different types, string.

    Examples
    --------
    >>> from driftline import spark  # doctest: +SKIP
    >>> spark.score(session.read.parquet("today"), "model.dl", columns=["id"]).write.parquet("scored")  # doctest: +SKIP
    """
    from pyspark.sql.types import StructField, StructType

    data = model if isinstance(model, bytes) else Path(model).read_bytes()
    learner = from_bytes(data)
    if learner.recipe is None:
        raise ValueError(
            f"{WHERE}: the model must have a recipe, which says how columns become features, got {learner.kind} "
            "without one. Train it with dl.run on dl.streams.read(...), or with driftline run"
        )
    if not learner.n_seen:
        raise ValueError(f"{WHERE}: the model must have learned an example, got a new {learner.kind}. Train it first")
    own = _own_fields(learner)
    passed = list(dict.fromkeys(columns))
    for name in passed:
        if name not in frame.columns:
            raise ValueError(f"{WHERE}: columns must be among {', '.join(frame.columns)}, got {name!r}")
        if name in own.fieldNames():
            raise ValueError(f"{WHERE}: columns must not be {name!r}, which is a column of the result. Rename it")
    fields: list[StructField] = [*(frame.schema[name] for name in passed), *own]
    return frame.mapInArrow(_scorer(data, passed), StructType(fields))


def _scorer(data: bytes, passed: Sequence[str]) -> Callable[[Batches], Batches]:
    """The function that scores the batches of a partition in a worker."""

    def scored(batches: Batches) -> Batches:
        learner = from_bytes(data)
        for batch in batches:
            if batch.num_rows:
                yield _scored_batch(learner, batch, passed)

    return scored


def _scored_batch(learner: Learner, batch: Any, passed: Sequence[str]) -> Any:
    """The passed columns of a batch, and what the model says about its rows."""
    stream = read(pa.Table.from_batches([batch]), labelled=False, recipe=learner.recipe)
    several = learner.rule.several
    each = [learner.scores_many(X) if several else learner.score_many(X) for X, *_ in stream]
    scores = np.concatenate(each)
    if len(scores) != batch.num_rows:
        raise ValueError(f"{WHERE}: each of {batch.num_rows} rows must have a score, got {len(scores)} scores")
    arrays = [batch.column(batch.schema.get_field_index(name)) for name in passed]
    if learner.rule.regresses:
        return pa.RecordBatch.from_arrays([*arrays, pa.array(scores)], [*passed, "prediction"])
    kind = _label_type(learner)
    labels = labels_for(learner, scores).tolist()
    if kind is str:
        labels = [label if label is None else str(label) for label in labels]
    shown = scores.max(axis=1) if several else scores
    types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    return pa.RecordBatch.from_arrays(
        [*arrays, pa.array(labels, types[kind]), pa.array(shown)], [*passed, "label", "score"]
    )


def _label_type(learner: Learner) -> type:
    """The type of all labels; str if they have several types."""
    found = {type(label) for label in learner.labels}
    return found.pop() if len(found) == 1 and found <= {bool, int, float, str} else str


def _own_fields(learner: Learner) -> Any:
    """The schema of what the model says."""
    from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType, StructType

    if learner.rule.regresses:
        return StructType().add("prediction", DoubleType())
    types: dict[type, Any] = {bool: BooleanType(), int: LongType(), float: DoubleType(), str: StringType()}
    return StructType().add("label", types[_label_type(learner)]).add("score", DoubleType())
