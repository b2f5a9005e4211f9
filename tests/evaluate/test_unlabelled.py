"""Examples without a label are not learned, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from tests.support.bitwise import assert_same, snapshot

ROWS = np.random.default_rng(1).normal(size=(40, 3))
LABELS: list[Any] = ["a" if row[0] > 0 else "b" for row in ROWS]
GIVEN = [k % 5 != 2 for k in range(40)]
PARTLY = [label if given else None for label, given in zip(LABELS, GIVEN, strict=True)]
NAMES = ["u", "v", "w"]


def dicts(rows: np.ndarray) -> list[dict[str, float]]:
    return [dict(zip(NAMES, row, strict=True)) for row in rows.tolist()]


FORMS = {
    "array": lambda rows: rows,
    "CSR": csr_matrix,
    "dicts": dicts,
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
    "Arrow": lambda rows: pa.table({name: rows[:, k] for k, name in enumerate(NAMES)}),
}


@pytest.mark.parametrize("labels", [list, lambda y: np.array(y, object), lambda y: pd.Series(y, dtype=object)])
@pytest.mark.parametrize("form", FORMS)
def test_arrays_and_frames(form: str, labels: Any) -> None:
    partly, only = dl.PA1(), dl.PA1()
    run = dl.run(partly, (FORMS[form](ROWS), labels(PARTLY)), rows=7)
    expected = dl.run(only, (FORMS[form](ROWS[GIVEN]), [label for label in PARTLY if label is not None]))
    assert (run.unlabelled, run.examples, run.mistakes) == (8, 32, expected.mistakes)
    assert_same(snapshot(partly), snapshot(only))
    assert expected.unlabelled == 0


def test_single_examples_and_blocks_with_weights() -> None:
    run = dl.run(dl.PA1(), zip(dicts(ROWS), PARTLY, strict=True))
    assert (run.unlabelled, run.examples) == (8, 32)
    weights = np.arange(40.0)
    weighted, only = dl.PA1(), dl.PA1()
    dl.run(weighted, [(ROWS, PARTLY, weights)])
    only.learn_many(ROWS[GIVEN], [label for label in PARTLY if label is not None], weights[GIVEN])
    assert_same(snapshot(weighted), snapshot(only))


def test_a_comparison_and_a_stream_without_any_label() -> None:
    found = dl.compare([dl.PA1(), dl.Perceptron()], (ROWS, PARTLY))
    assert [run.unlabelled for run in found.runs] == [8, 8]
    assert dl.run(dl.PA1(), (ROWS, [None] * 40)).examples == 0


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,a\n2,\n3,b\n")
    assert dl.run(dl.PA1(), dl.streams.read(path, target="y")).unlabelled == 1


def test_a_resumed_run_counts_them_all(tmp_path: Path) -> None:
    stream = (ROWS, PARTLY)
    whole = dl.run(dl.PA1(), stream)
    dl.run(dl.PA1(), stream, rows=7, checkpoint=dl.Checkpoint(tmp_path / "c", every=10))
    resumed = dl.run(dl.PA1(), stream, checkpoint=dl.Checkpoint(tmp_path / "c", every=10, resume=True))
    assert (resumed.unlabelled, resumed.examples) == (8, 32)
    assert_same(snapshot(resumed.learner), snapshot(whole.learner))
