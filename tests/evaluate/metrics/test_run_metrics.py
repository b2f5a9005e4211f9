"""The metrics of runs: blocks, resumption, third labels, slices, and what is undefined."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import driftline as dl
from driftline.evaluate.metrics import Metrics, MetricsObserver
from driftline.evaluate.metrics.slices import MISSING, MOST_VALUES, OTHERS
from driftline.learners import LearnedBlock
from tests.evaluate.metrics.streams import Named, drawn, measured

RNG = np.random.default_rng(5)
X = RNG.normal(size=(900, 4))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=900) > 0.0, 1, 0)
THREE = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.3 * RNG.normal(size=(900, 3)), axis=1)]


def bits(metrics: Metrics | None) -> tuple[str, list[Any]]:
    """Everything that the metrics tell, with all bits."""
    assert metrics is not None
    return repr(metrics.to_dict()), [(name, column.tobytes()) for name, column in metrics.series.items()]


def test_a_run_counts_what_its_ledger_counts() -> None:
    run = dl.run(dl.PA1(), (X, Y))
    metrics = run.metrics
    assert metrics is not None
    assert (metrics.examples, metrics.errors, metrics.error) == (900, run.label_errors, run.error)
    assert metrics.no_change_error == run.no_change_error and metrics.majority_error == run.majority_error
    no_change = 1.0 - metrics.no_change_error
    assert metrics.kappa_temporal == pytest.approx((metrics.accuracy - no_change) / (1.0 - no_change), rel=1e-12)
    assert metrics.labels == [0, 1]


@pytest.mark.parametrize("rows", [1, 7, 300])
@pytest.mark.parametrize("several", [False, True])
def test_blocks_change_no_bit(rows: int, several: bool) -> None:
    def run(rows: int) -> Metrics | None:
        learner = dl.OneVsRest(dl.PA1()) if several else dl.PA1()
        return dl.run(learner, (X, THREE if several else Y), rows=rows, slice=None).metrics

    assert bits(run(rows)) == bits(run(900))


@pytest.mark.parametrize("seed", [0, 3, 8, 11])
def test_blocks_change_no_bit_of_probabilities(seed: int) -> None:
    stream = drawn(seed)
    assert bits(measured(stream, 1)) == bits(measured(stream, 1000))


@pytest.mark.parametrize("several", [False, True])
def test_a_resumed_run_has_the_same_bits(several: bool, tmp_path: Path) -> None:
    y = THREE if several else Y
    rows = [{**{str(k): v for k, v in enumerate(x)}, "day": str(int(5 * x[3]))} for x in X.tolist()]

    def run(size: int, checkpoint: dl.Checkpoint | None) -> dl.Run:
        learner = dl.OneVsRest(dl.PA1()) if several else dl.PA1()
        stream = list(zip(rows[:size], y[:size].tolist(), strict=True))
        return dl.run(learner, stream, slice="day", window=100, checkpoint=checkpoint, progress=False)

    run(530, dl.Checkpoint(tmp_path, 100))
    resumed = run(900, dl.Checkpoint(tmp_path, 100, resume=True)).metrics
    assert bits(resumed) == bits(run(900, None).metrics)
    again = run(900, dl.Checkpoint(tmp_path, 100, resume=True)).metrics  # nothing is left to learn
    assert bits(again) == bits(resumed)


def test_a_run_is_resumed_with_the_same_options(tmp_path: Path) -> None:
    dl.run(dl.PA1(), (X, Y), checkpoint=dl.Checkpoint(tmp_path, 100), progress=False)
    with pytest.raises(dl.ModelError, match="wrong metrics"):
        dl.run(dl.PA1(), (X, Y), slice=3, checkpoint=dl.Checkpoint(tmp_path, 100, resume=True), progress=False)


@pytest.mark.parametrize("first", [-1.0, 1.0])
def test_a_third_label_keeps_the_counts_of_the_first_two(first: float) -> None:
    """Class numbers become those of the order of appearance."""
    rng = np.random.default_rng(2)
    y = np.where(rng.random(300) < 0.3, 1.0, -1.0)
    y[0] = first
    scores = rng.normal(size=300) + y
    p = 1.0 / (1.0 + np.exp(-scores))
    events = np.zeros(300, np.uint8)
    two = LearnedBlock(y, scores, events, first_sign=first, probabilities=np.column_stack([1.0 - p, p]))
    classes, predicted = (y != first).astype(float), (np.where(scores >= 0.0, 1.0, -1.0) != first).astype(float)
    order = [0, 1] if first < 0.0 else [1, 0]
    shares = np.column_stack([np.column_stack([1.0 - p, p])[:, order], np.zeros(300)])
    same = LearnedBlock(np.ones(300), scores, events, True, classes=classes, predicted=predicted, probabilities=shares)
    third = LearnedBlock(
        np.ones(2),
        np.zeros(2),
        events[:2],
        True,
        classes=np.array([2.0, 0.0]),
        predicted=np.array([0.0, 2.0]),
        probabilities=np.array([[0.6, 0.4, 0.0], [0.2, 0.3, 0.5]]),
    )
    three: Any = Named(("x", "y", "z"))
    found = []
    for before in (two, same):
        observer = MetricsObserver(50, probabilities=True)
        observer.add(before, None, Named(("x", "y")))  # type: ignore[arg-type]
        observer.add(third, None, three)
        observer.name_classes(three)
        found.append(observer.metrics)
    switched, whole = found
    assert np.array_equal(np.asarray(switched.confusion), np.asarray(whole.confusion))
    assert switched.auc == pytest.approx(whole.auc, abs=1e-12)
    assert switched.log_loss == pytest.approx(whole.log_loss, rel=1e-12)
    assert switched.brier == pytest.approx(whole.brier, rel=1e-12)
    assert switched.calibration_error == pytest.approx(whole.calibration_error, rel=1e-12)
    assert np.array_equal(switched.series["shares"], whole.series["shares"])
    assert switched.window.to_dict()["confusion"] == whole.window.to_dict()["confusion"]
    assert switched.no_change_error == whole.no_change_error


def test_the_probabilities_of_a_tracker_are_measured() -> None:
    metrics = dl.run(dl.Tracker(), (X, Y)).metrics
    assert metrics is not None and 0.0 < metrics.log_loss < 0.5 and 0.85 < metrics.auc <= 1.0
    assert metrics.calibration is not None and metrics.calibration.examples.sum() == len(Y)
    off = dl.run(dl.Tracker(), (X, Y), probabilities=False).metrics
    assert off is not None and math.isnan(off.log_loss) and off.confusion is not None
    assert np.array_equal(off.confusion, np.asarray(metrics.confusion))


# slices -----------------------------------------------------------------------------------------
KEYS = ["x", "y", None, "z"]
CELLS = [KEYS[k % 4] for k in range(900)]
FRAME = pd.DataFrame(X, columns=list("pqrs")).assign(key=CELLS)


def dicts() -> list[tuple[dict[str, Any], int]]:
    return [({"p": x[0], "key": cell}, y) for x, cell, y in zip(X.tolist(), CELLS, Y.tolist(), strict=True)]


def file() -> Any:
    text = "p,key,label\n" + "".join(f"{x['p']},{x['key'] or ''},{y}\n" for x, y in dicts())
    return dl.streams.read(io.BytesIO(text.encode()), format="csv", target="label")


@pytest.mark.parametrize(
    "stream",
    [
        dicts,
        lambda: (FRAME, Y),
        lambda: (pl.from_pandas(FRAME), Y),
        lambda: (pl.from_pandas(FRAME).to_arrow(), Y),
        file,
    ],
    ids=["dicts", "pandas", "polars", "arrow", "csv"],
)
def test_slices_of_a_named_column(stream: Any) -> None:
    metrics = dl.run(dl.PA1(), stream(), slice="key").metrics
    assert metrics is not None and list(metrics.slices) == ["x", "y", MISSING, "z"]
    assert [one.examples for one in metrics.slices.values()] == [225] * 4
    assert sum(one.errors for one in metrics.slices.values()) == metrics.errors
    total = sum(np.asarray(one.confusion) for one in metrics.slices.values())
    assert np.array_equal(total, np.asarray(metrics.confusion))


def test_slices_of_numbered_columns() -> None:
    numbers = np.column_stack([X[:, 0], np.arange(900) % 3])
    for rows in (numbers, csr_array(numbers)):
        metrics = dl.run(dl.PA1(), (rows, Y), slice=1).metrics
        assert metrics is not None and sorted(metrics.slices) == ["0", "1", "2"]


def test_many_values_share_a_slice() -> None:
    stream = [({"a": 1.0, "b": k % 70}, k % 2) for k in range(700)]
    metrics = dl.run(dl.PA1(), stream, slice="b").metrics
    assert metrics is not None and len(metrics.slices) == MOST_VALUES + 1
    assert metrics.slices[OTHERS].examples == 200 and metrics.slices["7"].examples == 10


@pytest.mark.parametrize(
    ("stream", "column", "words"),
    [
        ((X, Y), 4, "slice must be a column number from 0 to 3 for an array, got 4"),
        ((X, Y), "key", "slice must be a column number from 0 to 3"),
        ((FRAME, Y), "kee", "slice must be one of the columns 'p', 'q', 'r', 's', 'key', got 'kee'"),
        ([({"a": [1]}, 0)], "a", "'a'"),
        ([({"a": 1.0, "t": np.datetime64("2024-01-01")}, 0)], "t", "'t'"),
        ((X, Y), True, "slice must be the name or the number of a column, got True"),
    ],
)
def test_bad_slices(stream: Any, column: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dl.run(dl.Tracker() if isinstance(stream, list) else dl.PA1(), stream, slice=column)


# undefined --------------------------------------------------------------------------------------
def test_a_run_of_no_examples() -> None:
    metrics = dl.run(dl.PA1(), []).metrics
    assert metrics is not None and metrics.examples == 0
    assert math.isnan(metrics.accuracy) and metrics.why["accuracy"] == "no examples"
    plain = json.loads(json.dumps(metrics.to_dict(), allow_nan=False))
    assert plain["accuracy"] is None and plain["window"]["auc"] is None
    assert plain["undefined"]["auc"] == "no examples"


@pytest.mark.parametrize(("label", "absent"), [(1, "negative"), (0, "positive")])
def test_one_label(label: int, absent: str) -> None:
    metrics = dl.run(dl.PA1(), (X, np.full(900, label))).metrics
    assert metrics is not None and metrics.balanced_accuracy > 0.9
    assert math.isnan(metrics.auc) and metrics.why["auc"] == f"no example of the {absent} label"
    json.dumps(metrics.to_dict(), allow_nan=False)


def test_scores_that_are_not_numbers() -> None:
    metrics = Metrics(("a", "b"))
    metrics.add(["a", "b", "b"], score=[math.nan, math.inf, -math.inf])
    assert metrics.accuracy == pytest.approx(2 / 3)
    assert math.isnan(metrics.auc) and metrics.why["auc"] == "1 scores are not numbers"
    assert math.isnan(metrics.window.auc)


def test_bad_probabilities() -> None:
    metrics = Metrics(("a", "b"), probabilities=True)
    metrics.add(["a", "b", "b"], probability=[0.1, math.nan, 0.7])
    assert math.isnan(metrics.log_loss) and math.isnan(metrics.auc) and math.isnan(metrics.calibration_error)
    assert metrics.why["brier"] == "1 examples have a probability that is not a number from 0 to 1"


def test_kappas_without_a_denominator() -> None:
    metrics = Metrics(("a", "b"), window=2)
    metrics.add(["a", "a", "a"], ["a", "a", "a"])
    assert math.isnan(metrics.kappa) and metrics.why["kappa"] == "all labels and predictions are of one class"
    assert metrics.window.why["kappa_temporal"] == "the no-change baseline makes no error"
    assert metrics.kappa_temporal == 1.0


def test_many_classes_have_no_matrix() -> None:
    metrics = Metrics(window=10)
    metrics.add(list(range(150)), list(range(150)))
    assert metrics.confusion is None and metrics.why["confusion"] == "more than 100 labels"
    assert metrics.accuracy == 1.0 and len(metrics.per_class) == 150


# the public class -------------------------------------------------------------------------------
def test_labels_and_probabilities_of_another_model() -> None:
    metrics = Metrics(probabilities=True)
    metrics.add("a", probability={"a": 0.5, "b": 0.5})
    metrics.add(["b", "c"], ["b", None], probability=[{"a": 0.2, "b": 0.8}, {"a": 1.0}])
    assert metrics.labels == ["a", "b", "c"] and metrics.unpredicted == 1
    assert metrics.log_loss == pytest.approx((math.log(2) - math.log(0.8) + 52 * math.log(2)) / 3)
    assert [one.examples for one in metrics.per_class] == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Metrics(("a",)), "labels must be two or more different labels"),
        (lambda: Metrics(window=0), "window must be a whole number >= 1, got 0"),
        (lambda: Metrics(("a", "b")).add(["a"], ["c"]), r"a label must be one of \['a', 'b'\], got 'c'"),
        (lambda: Metrics(("a", "b")).add(["a"], ["a", "b"]), "predicted must have 1 entries"),
        (lambda: Metrics(("a", "b")).add(["a"]), "predicted must be given"),
        (lambda: Metrics(("a", "b")).add(["a"], probability=[0.3]), "probability must be given if and only if"),
        (lambda: Metrics(("a", "b")).add(None), "y must be a label, got None"),
    ],
)
def test_bad_calls(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
