"""The speed of feeding PA-I from a CSV and from a Parquet file: driftline, pandas, polars and river.

All feed the same learner. The time runs from opening the file, which is already in memory, to the
last learned row. river reads fewer rows; its time is scaled.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import text_files
from columns import align

import driftline as dl

ROWS, FEW, CHUNK = 200_000, 10_000, 20_000
MOST_REPEATS = 3  # a repeat takes most of a minute
NUMBERS = [f"x{k}" for k in range(8)]
CATEGORIES = {"country": 30, "device": 8, "hour": 24}
TARGET = "clicked"
OURS = "driftline: dl.run of dl.streams.read"
PANDAS_CSV, PANDAS_PARQUET = "pandas: read_csv in chunks, learn_many", "pandas: read_parquet, learn_many"
POLARS_CSV, POLARS_PARQUET = "polars: read_csv in slices, learn_many", "polars: read_parquet in slices, learn_many"
RIVER = "river: iter_csv, learn_one"
WANTED = {("CSV", PANDAS_CSV): 3.0, ("CSV", POLARS_CSV): 1.0, ("Parquet", POLARS_PARQUET): 1.0}
"""The least ratio of the median time of a peer to that of driftline."""


def write(folder: Path, rows: int) -> tuple[Path, Path]:
    """Write the same rows as CSV and as Parquet; return both files."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(rows, len(NUMBERS))).round(4)
    codes = {name: rng.integers(0, size, rows) for name, size in CATEGORIES.items()}
    score = numbers @ rng.normal(size=len(NUMBERS)) + rng.normal(size=CATEGORIES["country"])[codes["country"]]
    columns: dict[str, Any] = {name: numbers[:, k] for k, name in enumerate(NUMBERS)}
    columns |= {name: np.array([f"{name}{k}" for k in range(CATEGORIES[name])])[codes[name]] for name in CATEGORIES}
    columns[TARGET] = np.where(score + rng.normal(size=rows) > 0.0, "yes", "no")
    table = pa.table(columns)
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"{rows}.csv", folder / f"{rows}.parquet"
    pyarrow.csv.write_csv(table, paths[0], pyarrow.csv.WriteOptions(quoting_style="none"))
    pyarrow.parquet.write_table(table, paths[1])
    return paths


def measure(folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Return the tasks with the times of all repeats, after one round that warms up."""
    text, parquet = write(folder, ROWS)
    few, _ = write(folder, FEW)
    for file in (text, parquet, few):
        text_files.into_memory(file)
    tasks: list[tuple[str, str, int, Callable[[], dl.Learner]]] = [
        ("CSV", OURS, ROWS, lambda: _read(text)),
        ("CSV", PANDAS_CSV, ROWS, lambda: _frames(_pandas_csv(text))),
        ("CSV", POLARS_CSV, ROWS, lambda: _frames(_polars_csv(text))),
        ("CSV", RIVER, FEW, lambda: _dicts(few)),
        ("Parquet", OURS, ROWS, lambda: _read(parquet)),
        ("Parquet", PANDAS_PARQUET, ROWS, lambda: _frames(_pandas_parquet(parquet))),
        ("Parquet", POLARS_PARQUET, ROWS, lambda: _frames(_polars_parquet(parquet))),
    ]
    told: list[dict[str, Any]] = [{"kind": kind, "name": name, "seconds": []} for kind, name, *_ in tasks]
    for turn in range(min(repeats, MOST_REPEATS) + 1):
        for at in range(len(tasks)):
            k = (at + turn) % len(tasks)  # in rotating order
            _, _, rows, run = tasks[k]
            start = time.perf_counter()
            learner = run()
            seconds = time.perf_counter() - start
            assert learner.n_seen == rows
            told[k]["mistakes"] = learner.mistakes if rows == ROWS else None
            if turn:
                told[k]["seconds"].append(seconds * ROWS / rows)
    return told


def lines(told: list[dict[str, Any]]) -> list[str]:
    """Return the times, the ratios to driftline and the verdicts as lines of text."""
    ours = {one["kind"]: statistics.median(one["seconds"]) for one in told if one["name"] == OURS}
    head = ["file", "contestant", "median", "min - max", "rows/s", "x driftline", "target", "", "mistakes"]
    rows = [head]
    for one in told:
        median = statistics.median(one["seconds"])
        ratio, least = median / ours[one["kind"]], WANTED.get((one["kind"], one["name"]))
        rows.append(
            [
                one["kind"],
                one["name"],
                f"{median:.3f} s",
                f"{min(one['seconds']):.3f} - {max(one['seconds']):.3f}",
                f"{ROWS / median:,.0f}",
                f"{ratio:.2f}",
                "" if least is None else f">= {least:g}",
                "" if least is None else "met" if ratio >= least else "missed",
                "" if one["mistakes"] is None else f"{one['mistakes']:,}",
            ]
        )
    about = (
        f"PA-I from a file of {ROWS:,} rows, {len(NUMBERS)} numbers, {len(CATEGORIES)} categories and a label, "
        f"at most {MOST_REPEATS} repeats:"
    )
    return [about, *align(rows, words=2)]


def _read(file: Path) -> dl.Learner:
    return dl.run(dl.PA1(), dl.streams.read(file, target=TARGET), progress=False).learner


def _frames(frames: Iterator[tuple[Any, Any]]) -> dl.Learner:
    learner = dl.PA1()
    for X, y in frames:
        learner.learn_many(X, y)
    return learner


def _pandas_csv(file: Path) -> Iterator[tuple[Any, Any]]:
    import pandas as pd

    for frame in pd.read_csv(file, chunksize=CHUNK):
        yield frame.drop(columns=TARGET), frame[TARGET]


def _pandas_parquet(file: Path) -> Iterator[tuple[Any, Any]]:
    import pandas as pd

    frame = pd.read_parquet(file)
    yield frame.drop(columns=TARGET), frame[TARGET]


def _polars_csv(file: Path) -> Iterator[tuple[Any, Any]]:
    import polars as pl

    for frame in pl.read_csv(file).iter_slices(CHUNK):
        yield frame.drop(TARGET), frame[TARGET]


def _polars_parquet(file: Path) -> Iterator[tuple[Any, Any]]:
    import polars as pl

    for frame in pl.read_parquet(file).iter_slices(CHUNK):
        yield frame.drop(TARGET), frame[TARGET]


def _dicts(file: Path) -> dl.Learner:
    from river import stream

    learner = dl.PA1()
    for x, y in stream.iter_csv(str(file), target=TARGET, converters=dict.fromkeys(NUMBERS, float)):
        learner.learn_one(x, y)
    return learner
