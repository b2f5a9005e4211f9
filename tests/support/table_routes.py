"""One table of mixed cells, handed to the readers by every route: files of all formats, frames, tables and dicts."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import driftline as dl
from tests.support.read_files import as_dicts

ARROW_TYPES = {
    "number": pa.float64(),
    "integer": pa.int64(),
    "category": pa.string(),
    "text": pa.string(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us"),
    "date": pa.date32(),
}
POLARS_TYPES = {
    "number": pl.Float64,
    "integer": pl.Int64,
    "category": pl.String,
    "text": pl.String,
    "bool": pl.Boolean,
    "time": pl.Datetime("us"),
    "date": pl.Date,
}


@dataclass(frozen=True)
class Table:
    """Columns of Python values; None is a missing cell.

    ``types`` gives the type of each column: number, integer, category, text, bool, time or date.
    """

    columns: dict[str, list[Any]]
    types: dict[str, str]
    markers: dict[str, str] = field(default_factory=dict)
    """Column to the text of its missing cells in CSV, TSV and ARFF, where it is not the empty cell or ?."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """A dict for each row, with None where a cell is missing."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def without(self, *names: str) -> Table:
        """The table without these columns."""
        kept = {name: cells for name, cells in self.columns.items() if name not in names}
        return Table(kept, {name: self.types[name] for name in kept}, self.markers)


def plain(value: Any) -> Any:
    """A value as JSON has it: times are ISO texts, numbers that JSON lacks are missing."""
    if isinstance(value, date):
        return value.isoformat()
    return None if isinstance(value, float) and math.isnan(value) else value


def written(value: Any, missing: str) -> str:
    """A value as text of a delimited file."""
    if value is None:
        return missing
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(plain(value))


def delimited(table: Table, path: Path, delimiter: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, delimiter=delimiter)
        rows.writerow(table.columns)
        for record in table.records:
            rows.writerow([written(value, table.markers.get(name, "")) for name, value in record.items()])


def jsonl(table: Table, path: Path) -> None:
    lines = [json.dumps({k: plain(v) for k, v in r.items()}, ensure_ascii=False) + "\n" for r in table.records]
    path.write_text("".join(lines), encoding="utf-8")


def json_array(table: Table, path: Path) -> None:
    rows = [{name: plain(value) for name, value in record.items()} for record in table.records]
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")


def arrow_table(table: Table) -> pa.Table:
    """The table as an Arrow table with a type for each column."""
    return pa.table({name: pa.array(cells, ARROW_TYPES[table.types[name]]) for name, cells in table.columns.items()})


def parquet(table: Table, path: Path) -> None:
    pq.write_table(arrow_table(table), path, row_group_size=64)


def arrow(table: Table, path: Path) -> None:
    whole = arrow_table(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole, 90)


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def attribute(table: Table, name: str) -> str:
    """The type of a column in ARFF."""
    kind, cells = table.types[name], table.columns[name]
    if kind in ("number", "integer"):
        return "numeric"
    if kind == "bool":
        return "{0, 1}"
    if kind == "category":
        return "{" + ", ".join(quoted(value) for value in sorted({cell for cell in cells if cell is not None})) + "}"
    return "string" if kind == "text" else "date 'yyyy-MM-dd''T''HH:mm:ss'"


def arff(table: Table, path: Path) -> None:
    lines = ["@relation r", *(f"@attribute {quoted(name)} {attribute(table, name)}" for name in table.columns), "@data"]
    for record in table.records:
        cells = []
        for name, value in record.items():
            value = int(value) if isinstance(value, bool) else value
            text = written(value, table.markers.get(name, "?"))
            bare = value is None or table.types[name] in ("number", "integer", "bool")
            cells.append(text if bare else quoted(text))
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def pandas(table: Table) -> pd.DataFrame:
    """A frame as a user makes one: missing numbers are NaN, missing bools, integers and strings None, times NaT."""
    columns = {}
    for name, cells in table.columns.items():
        kind = table.types[name]
        if kind == "number":
            columns[name] = pd.Series([math.nan if cell is None else cell for cell in cells], dtype="float64")
        elif kind in ("time", "date"):
            columns[name] = pd.Series(pd.to_datetime(pd.Series(cells, dtype=object)))
        elif kind == "integer":
            columns[name] = pd.Series(cells, dtype="Int64")
        elif kind == "bool":
            columns[name] = pd.Series(cells, dtype="boolean")
        else:
            columns[name] = pd.Series(cells, dtype="str")
    return pd.DataFrame(columns)


def polars(table: Table) -> pl.DataFrame:
    return pl.DataFrame({n: pl.Series(n, c, dtype=POLARS_TYPES[table.types[n]]) for n, c in table.columns.items()})


FILES: dict[str, Callable[[Table, Path], None]] = {
    "csv": lambda table, path: delimited(table, path, ","),
    "tsv": lambda table, path: delimited(table, path, "\t"),
    "jsonl": jsonl,
    "json": json_array,
    "parquet": parquet,
    "arrow": arrow,
    "arff": arff,
}
"""Ending of a file to a function that writes the table to it."""

MEMORY: dict[str, Callable[[Table], Any]] = {
    "pandas": pandas,
    "polars": polars,
    "table": arrow_table,
    "dicts": lambda table: table.records,
}
"""Name of a form in memory to a function that returns the table in this form."""

ROUTES = [*FILES, *MEMORY]
UNTYPED = ["csv", "tsv"]
TYPED = [route for route in ROUTES if route not in ("csv", "tsv", "arff")]


def source(table: Table, route: str, folder: Path, name: str = "t") -> Any:
    """What ``dl.streams.read`` takes: the path of the file, or the object in memory."""
    if route in MEMORY:
        return MEMORY[route](table)
    path = folder / f"{name}.{route}"
    FILES[route](table, path)
    return str(path)


def features(stream: Any) -> list[dict[str, float]]:
    """The features of every row, without missing ones."""
    return [row for X, *_ in stream for row in as_dicts(X)]


def labels(stream: Any) -> list[Any]:
    """The label of every row."""
    return [label for _, y, *_ in stream for label in y.tolist()]


def trained(learner: dl.Learner, given: Any, **options: Any) -> dl.Learner:
    """The learner after a run over the source."""
    return dl.run(learner, dl.streams.read(given, **options)).learner
