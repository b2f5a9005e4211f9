"""Keyed training on Spark with two threads, against one process on the same events.

Spark has started, and both ways have learned a batch, before anything is timed. The events are in a
Parquet file; the time of Spark includes reading it and writing the table of models, that of one
process includes reading it and writing a checkpoint.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import Any

import numpy as np

import driftline as dl

KEYS, ROWS, FEATURES = 1000, 20_000, 10


def measure(repeats: int) -> dict[str, float] | str:
    """Return rows a second of both; a text if Spark or Java is missing."""
    if find_spec("pyspark") is None or which("java") is None:
        return "Spark or Java is not installed"
    import pandas as pd
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "2")
    for name, value in {"ui.enabled": "false", "driver.bindAddress": "127.0.0.1", "driver.host": "127.0.0.1"}.items():
        made = made.config(f"spark.{name}", value)
    session = made.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    rng = np.random.default_rng(1)
    events = pd.DataFrame(rng.normal(size=(ROWS, FEATURES)), columns=[f"x{k}" for k in range(FEATURES)])
    events = events.assign(key=rng.integers(KEYS, size=ROWS), at=np.arange(ROWS), label=events["x0"] > 0.0)
    times: dict[str, list[float]] = {"one process": [], "Spark": []}
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "events.parquet")
            events.to_parquet(path)
            for turn in range(repeats + 1):
                for name, run in (("one process", _alone), ("Spark", lambda *where: _on_spark(session, *where))):
                    start = perf_counter()
                    run(path, Path(folder, f"{turn}-{name}"))
                    if turn:  # the first turn warms up
                        times[name].append(perf_counter() - start)
    finally:
        session.stop()
    return {name: ROWS / statistics.median(each) for name, each in times.items()}


def lines(found: dict[str, float] | str) -> list[str]:
    """Return the figures as lines of text."""
    if isinstance(found, str):
        return [f"scale: {found}"]
    return [
        f"scale: PA-I of {FEATURES} features for each of {KEYS:,} keys, {ROWS:,} rows from a file, models saved",
        *(f"  {name:<28} {one:12,.0f} rows/s" for name, one in found.items()),
    ]


def _alone(path: Path, saved: Path) -> None:
    import pandas as pd

    keyed = dl.Keyed(dl.PA1(), "key")
    frame = pd.read_parquet(path)
    keyed.learn_many(frame.drop(columns=["at", "label"]), frame["label"].tolist())
    keyed.checkpoint(saved, ROWS)


def _on_spark(session: Any, path: Path, saved: Path) -> None:
    from driftline import spark

    frame = session.read.parquet(str(path))
    states = spark.train_keyed(frame, None, key="key", target="label", order="at", learner=dl.PA1())
    states.write.parquet(str(saved))
