"""Runs and comparisons: the ledger equals a plain loop, and the curve stays short."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import driftline as dl
from driftline.evaluate.blocks import blocks

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3000, 6)) * (RNG.random((3000, 6)) < 0.7)
Y = np.where(X @ RNG.normal(size=6) + 0.3 * RNG.normal(size=3000) > 0, 1.0, -1.0)
DICTS = [{f"f{j}": float(row[j]) for j in np.flatnonzero(row)} for row in X]


def by_hand(learner: dl.Learner) -> dict[str, float]:
    """The ledger by a loop of learn_one."""
    margin = learner.rule.margin
    scores = np.array([learner.learn_one(x, y) for x, y in zip(DICTS, Y, strict=True)])
    m = Y * scores
    return {
        "mistakes": int((m <= 0).sum()),
        "label_errors": int(((scores >= 0) != (Y > 0)).sum()),
        "margin_errors": int((m <= margin).sum()),
        "hinge": float(np.maximum(0, 1 - m).sum()),
        "updates": learner.updates,
        "infeasible": learner.infeasible,
        "examples": len(Y),
    }


@pytest.mark.parametrize("make", [dl.PA1, lambda: dl.L2PA(0.7, bias=False, when="margin"), dl.NORMA])
def test_ledger_equals_a_plain_loop(make: object) -> None:
    expected = by_hand(make())  # type: ignore[operator]
    run = dl.run(make(), zip(DICTS, Y, strict=True))  # type: ignore[operator]
    assert {name: getattr(run, name) for name in expected} == pytest.approx(expected, rel=1e-12)
    assert run.error == expected["label_errors"] / 3000


SHAPES = {
    "arrays": lambda: (X, Y),
    "CSR": lambda: (sp.csr_matrix(X), Y),
    "CSC": lambda: (sp.csc_array(X), Y),
    "examples": lambda: zip(X, Y, strict=True),
    "a list of examples": lambda: list(zip(X, Y, strict=True)),
    "sparse rows": lambda: ((sp.csr_array(X[i : i + 1]), Y[i]) for i in range(3000)),
    "blocks": lambda: ((X[i : i + 700], Y[i : i + 700]) for i in range(0, 3000, 700)),
    "lists": lambda: (X.tolist(), Y.tolist()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_stream_gives_the_same_run(shape: str) -> None:
    expected = dl.run(dl.PA1(), (X, Y))
    run = dl.run(dl.PA1(), SHAPES[shape](), rows=137)
    assert (run.mistakes, run.updates, run.examples) == (expected.mistakes, expected.updates, 3000)
    assert run.hinge == pytest.approx(expected.hinge, rel=1e-9)


def test_frames_and_dicts_are_streams() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    names = [f"f{j}" for j in range(6)]
    frame = pd.DataFrame(X, columns=names)
    expected = dl.run(dl.PA1(), (frame.to_dict("records"), Y))
    for stream in (
        (frame, pd.Series(Y)),
        (pl.DataFrame(X, schema=names), pl.Series(Y)),
        (pa.Table.from_pandas(frame), Y),
    ):
        run = dl.run(dl.PA1(), stream, rows=100)
        assert (run.mistakes, run.updates) == (expected.mistakes, expected.updates)
        assert run.hinge == pytest.approx(expected.hinge, rel=1e-12)


@pytest.mark.parametrize("rows", [2, 64, 999, 8192])
@pytest.mark.parametrize("points", [7, 100, 5000])
def test_the_curve_is_exact_where_it_has_points(rows: int, points: int) -> None:
    run = dl.run(dl.PA1(), (X, Y), rows=rows, points=points)
    curve = run.curve
    assert len(curve["examples"]) <= points + 2
    assert curve["examples"][0] == 0 and curve["examples"][-1] == 3000
    scores = dl.PA1().learn_many(X, Y)
    mistakes = np.concatenate([[0], np.cumsum(Y * scores <= 0)])
    assert (curve["mistakes"] == mistakes[curve["examples"].astype(int)]).all()
    assert (np.diff(curve["updates"]) >= 0).all() and curve["updates"][-1] == run.updates


def test_windowed_error() -> None:
    run = dl.run(dl.PA1(), (X, Y), points=5000)
    at, error = run.windowed(500)
    scores = dl.PA1().learn_many(X, Y)
    wrong = (scores >= 0) != (Y > 0)
    assert error[-1] == pytest.approx(wrong[-500:].mean())
    assert error[99] == pytest.approx(wrong[:100].mean()) and at[99] == 100
    with pytest.raises(ValueError, match=r"Run.windowed: window must be a whole number >= 1, got 0"):
        run.windowed(0)


def test_compare_feeds_every_learner_from_one_pass() -> None:
    once = ((X[i : i + 500], Y[i : i + 500]) for i in range(0, 3000, 500))
    comparison = dl.compare({"a": dl.PA1(), "b": dl.Perceptron()}, once)
    assert comparison["a"].mistakes == dl.run(dl.PA1(), (X, Y)).mistakes
    assert comparison["b"].mistakes == dl.run(dl.Perceptron(), (X, Y)).mistakes
    table = str(comparison).splitlines()
    assert (
        len(table) == 5
        and table[3].startswith("error = errors / examples")
        and table[0].startswith("learner")
        and table[1].startswith("a ")
    )
    with pytest.raises(KeyError, match="no run named 'c'; there are a, b"):
        comparison["c"]


def test_a_learner_that_was_used_before_starts_a_fresh_ledger() -> None:
    learner = dl.PA1()
    learner.learn_many(X[:1000], Y[:1000])
    run = dl.run(learner, (X[1000:], Y[1000:]))
    assert run.examples == 2000 and learner.n_seen == 3000


def test_plot_and_frame() -> None:
    run = dl.run(dl.PA1(), (X, Y))
    figure = run.plot(window=200)
    left, right = figure.axes
    assert left.get_ylabel() == "mistakes" and right.lines[0].get_ydata()[-1] == run.windowed(200)[1][-1]
    assert list(run.to_frame().columns) == ["examples", "mistakes", "label_errors", "updates", "hinge"]


def test_progress_is_shown_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    dl.run(dl.PA1(), (X, Y))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (42, r"run: a stream must be a pair \(X, y\) or an iterable .*, got int"),
        ("text", r"got str\. Pass dl\.streams\.read\(data, target=\.\.\.\) for a file"),
        ([1, 2], r"run: a stream must yield pairs .*, got 1 as item 0"),
        ([{"a": 1, "y": 0}], r"got {'a': 1, 'y': 0} as item 0\. .* dl\.streams\.read\(data, "),
        ([(X[0], 1.0), 5], r"run: a stream must yield pairs .*, got 5 as item 1"),
        ((X, (label for label in Y)), r"run: X and y must have a length, got ndarray and generator"),
        ([([1.0, 2.0], 1), ([1.0], 0)], r"PA1: rows must be numbers and equally long"),
        ((X, Y[:5]), r"run: X and y must have the same length, got 3000 and 5"),
    ],
)
def test_what_is_no_stream(stream: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dl.run(dl.PA1(), stream)


def test_sparse_rows_may_grow() -> None:
    rows = [(sp.csr_array(X[i : i + 1, : 3 + i % 4]), Y[i]) for i in range(200)]
    learner = dl.PA1()
    for x, y in ((sp.csr_array(X[i : i + 1] * (np.arange(6) < 3 + i % 4)), Y[i]) for i in range(200)):
        learner.learn_one(x, y)
    assert dl.run(dl.PA1(), rows).mistakes == learner.mistakes


@pytest.mark.parametrize(("name", "value"), [("rows", 2.5), ("points", "a"), ("points", 1), ("rows", True)])
def test_sizes_are_whole_numbers(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"run: {name} must be a whole number >= [12], got"):
        dl.run(dl.PA1(), (X, Y), **{name: value})  # type: ignore[arg-type]


def test_the_ledger_does_not_depend_on_the_size_of_blocks() -> None:
    hinges = {dl.run(dl.PA1(), (X, Y), rows=rows).hinge for rows in (1, 7, 100, 8192)}
    assert len(hinges) == 1


def test_an_empty_stream_is_an_empty_run() -> None:
    run = dl.run(dl.PA1(), [])
    assert run.examples == 0 and np.isnan(run.error)
    assert run.curve["examples"].tolist() == [0.0]


def test_what_is_no_learner() -> None:
    with pytest.raises(ValueError, match=r"run: learner must be a driftline learner, got 3\. Pass dl\.PA1\(\)"):
        dl.run(3, (X, Y))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="compare: learners must be a non-empty list"):
        dl.compare([], (X, Y))
    with pytest.raises(ValueError, match="compare: every learner must be a driftline learner"):
        dl.compare([dl.PA1(), "pa2"], (X, Y))  # type: ignore[list-item]
    with pytest.raises(ValueError, match="run: rows must be a whole number >= 1, got 0"):
        dl.run(dl.PA1(), (X, Y), rows=0)


def test_blocks_are_of_the_size_asked_for() -> None:
    assert [len(y) for _, y, _ in blocks((X, Y), 1024)] == [1024, 1024, 952]


def test_those_beside_stop_by_themselves() -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    y = X[:, 0] > 0.0
    X[25, 1] = np.nan
    named = {"first": dl.PA1(), "all": dl.Tracker(), "last": dl.Perceptron()}
    whole = dl.compare({"a": dl.Tracker(), "b": dl.PA1()}, (X, y), beside=["b"], history=True)
    assert [run.examples for run in whole.runs] == [60, 25]  # however many are read at once
    found = dl.compare(named, (X, y), rows=10, beside=["last", "first"])
    assert [(run.name, run.examples) for run in found.runs] == [("first", 25), ("all", 60), ("last", 25)]
    assert [run.name for run in found.stopped] == ["first", "last"]
    assert "row 5, column 1 must be finite" in found["first"].stopped and not found["all"].stopped
    assert found["first"].learner.n_seen == 25 and "first stopped after 25 examples. PA1: row 5" in str(found)
    with pytest.raises(ValueError, match="row 5"):
        dl.compare(named, (X[20:], y[20:]), rows=10)
    for wrong in (list(named), ["nobody"]):
        with pytest.raises(ValueError, match=r"compare: beside must name some of the learners, .* Choose among"):
            dl.compare(named, (X, y), beside=wrong)
