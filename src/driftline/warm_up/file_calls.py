"""Runs over files of every format, and everything that is computed from streams."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.drift import ADWIN, CUSUM, InputMonitor, LabelShares
from driftline.evaluate.decision.decision import Decision
from driftline.evaluate.grid import grid
from driftline.evaluate.label_tradeoff import tradeoff
from driftline.evaluate.run import compare, run
from driftline.evaluate.selection import select
from driftline.evaluate.sweep import sweep
from driftline.internals.rows import SparseRows
from driftline.keyed import Keyed
from driftline.learners import PA1, Learner, MulticlassPA, PA1Regressor, Tracker, TrackerRegressor
from driftline.streams import SEA, read
from driftline.warm_up.learner_calls import REFUSED

FORMATS = ("svm", "vw", "jsonl", "csv", "tsv", "arff", "parquet", "arrow")
COLUMNS = ("a", "b", "colour", "text", "when", "y")


def rows_of(count: int = 60) -> list[tuple[str, ...]]:
    """Rows of a table: numbers with an exponent or missing, categories, texts, times, labels."""
    return [
        (
            f"{k % 7}.{k % 10}e-1",
            "" if k % 9 == 8 else f"{k % 5 - 2}",
            ("red", "green", "blue")[k % 3],
            f"word{k % 4} and more {k % 6}",
            f"2024-01-{1 + k // 24:02d} {k % 24:02d}:00:00",
            "yes" if k * k % 3 % 2 else "no",
        )
        for k in range(count)
    ]


def files(kind: str) -> None:
    """Read a file of a format with every option, and train learners on it.

    Parameters
    ----------
    kind
        One of ``FORMATS``.
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"rows.{kind}"
        _write(path, kind)
        target = {} if kind in ("svm", "vw", "arff") else {"target": "y"}
        table = kind in ("jsonl", "csv", "tsv", "parquet", "arrow", "arff")
        more = {"time": "when", "text": ("text",), "ngrams": 2} if table else {}
        for learner in (PA1, Tracker, MulticlassPA):
            _run(learner(), path, **target)
        for options in ({"cache": True}, {"cache": True}, {"threads": 2}, {"on_error": "skip"}, {"labelled": False}):
            _run(PA1(), path, **target, **options)  # the second run reads the cache that the first has written
        if table:
            _run(Tracker(), path, **target, **more)
            _run(Tracker(), path, **target, kinds={"a": "category"})
            for regressor in (PA1Regressor, TrackerRegressor):
                _run(regressor(), path, target="a", task="regression", **more)


def _run(learner: Learner, path: Path, **options: Any) -> None:
    with suppress(*REFUSED):
        run(learner, read(path, **options), progress=False, alarms=True)


def _write(path: Path, kind: str) -> None:
    rows = rows_of()
    signs = {"yes": "+1", "no": "-1"}
    if kind == "svm":
        long = " ".join(f"{k}:{k}.25" for k in range(3, 30))
        path.write_text("".join(f"{signs[y]} 1:{a} 2:{b or 0} {long} # note\n" for a, b, _, _, _, y in rows))
    elif kind == "vw":
        path.write_text("".join(f"{signs[y]} 1.5 'tag|x a:{a} b {c} |t {text}\n" for a, _, c, text, _, y in rows))
    elif kind == "jsonl":
        records = [dict(zip(COLUMNS, row, strict=True)) | {"a": float(row[0])} for row in rows]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    elif kind == "arff":
        kinds = ("numeric", "numeric", "{red, green, blue}", "string", "date 'yyyy-MM-dd HH:mm:ss'", "{no, yes}")
        head = "".join(f"@attribute {name} {kind}\n" for name, kind in zip(COLUMNS, kinds, strict=True))
        lines = (f"{a},{b or '?'},{c},'{text}','{when}',{y}\n" for a, b, c, text, when, y in rows)
        path.write_text(f"@relation r\n{head}@data\n{''.join(lines)}")
    elif kind in ("csv", "tsv"):
        path.write_text("".join("\t,"[kind == "csv"].join(row) + "\n" for row in [COLUMNS, *rows]))
    else:
        _write_columns(path, kind)


def _write_columns(path: Path, kind: str) -> None:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    columns: dict[str, Any] = dict(zip(COLUMNS, zip(*rows_of(), strict=True), strict=True))
    columns["a"] = [float(a) for a in columns["a"]]
    columns["b"] = [float(b) if b else None for b in columns["b"]]
    columns["n"] = list(range(len(columns["a"])))
    table = pa.table(columns)
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, path)


def evaluations() -> None:
    """Comparisons, sweeps, decisions, selection and everything else that runs over a stream."""
    stream = SEA(300, seed=1)
    pairs = [({"a": float(k % 5), "b": float(k % 3)}, k % 2) for k in range(200)]
    with suppress(*REFUSED):
        compare([PA1(), Tracker(bank="light")], stream, progress=False, alarms=True, history=True)
    for spec in (grid("norma", alpha=[0.1, 1.0]), grid("arow", r=[0.1, 1.0]), grid("multiclasspa", C=[0.1, 1.0])):
        with suppress(*REFUSED):
            sweep(spec, stream, progress=False)
    decided = {"decision": Decision(positive=1, precision=0.6)}
    measured: tuple[dict[str, Any], ...] = (decided, {"delay": 5}, {"slice": "a"}, {"history": True})
    for options in measured:
        for learner in (PA1(), Tracker(bank="light")):
            with suppress(*REFUSED):
                run(learner, pairs, progress=False, **options)
    with suppress(*REFUSED):
        tradeoff(pairs, b=[1.0], seeds=1, progress=False)
    X, y = next(iter(stream))[:2]
    numbers = np.arange(60)
    Keyed(PA1(labels=(0, 1))).learn_many(np.ones((60, 3)), numbers % 2, keys=numbers % 7)
    for rule in ("last", "average", "vote", "penalised"):
        with suppress(*REFUSED):
            select(PA1(), (X, y), rule, assume="iid")
    detectors()


def detectors() -> None:
    """Update every detector with numbers one by one and together."""
    numbers = [k % 7 / 7 for k in range(100)]
    for detector in (ADWIN(), CUSUM()):
        for number in numbers:
            detector.update(number)
        detector.update_many(numbers)
    monitor = InputMonitor()
    for number in numbers:
        monitor.update({"a": number, "b": 1.0})
    monitor.update_many([{"a": number, "b": 1.0} for number in numbers])
    rows = csr_matrix([[number, 1.0] for number in numbers])
    InputMonitor().add(SparseRows(rows.indptr.astype(np.uint64), rows.indices.astype(np.uint32), rows.data))
    LabelShares().update_many([round(7 * number) % 3 for number in numbers])
