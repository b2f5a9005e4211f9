"""A bad example, alone or as row 700 of a block, raises a clear error and changes no bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import driftline as dl
from tests.support.bitwise import REGISTRY, goes_on, refused, twins

ROWS, BAD, COLUMNS = 1000, 700, 6
NAMES = [f"f{k}" for k in range(COLUMNS)]
ARRAYS = ("dense", "csr")
KINDS = ("dicts", *ARRAYS, "pandas", "polars", "arrow")
SCALES = (None, "unit", "standard")
OPTIONS: list[dict[str, Any]] = [
    *({"scale": scale} for scale in SCALES),
    {"hashing": dl.Hashing(5)},
    {"dtype": "float32"},
    {"bias": False, "labels": (-1.0, 1.0)},
]


def block(seed: int, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS)) * (rng.random((rows, COLUMNS)) < 0.7)
    return X, np.where(X @ rng.normal(size=COLUMNS) + 0.3 * rng.normal(size=rows) > 0, 1.0, -1.0)


def as_kind(kind: str, X: np.ndarray) -> Any:
    if kind == "dense":
        return X.copy()
    if kind == "csr":
        return sparse.csr_matrix(X)
    if kind == "dicts":
        return [{name: float(x) for name, x in zip(NAMES, row, strict=True) if x != 0.0} for row in X]
    frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}[kind]
    return frame({name: X[:, k] for k, name in enumerate(NAMES)})


def row_of(kind: str, X: Any, row: int) -> Any:
    """One row of a block, as ``learn_one`` takes it."""
    if kind == "pandas":
        return X.iloc[row]
    if kind == "polars":
        return X.row(row, named=True)
    if kind == "arrow":
        return X.slice(row, 1).to_pylist()[0]
    return X[row]


def place(kind: str) -> str:
    return {"dicts": "feature 'f2'", "dense": "column 2", "csr": "column 2"}.get(kind, "column 'f2'")


GOOD, LABELS = block(0, 300)
LATER, LATER_LABELS = block(1, 200)


def learned(kind: str, X: np.ndarray, y: np.ndarray) -> Any:
    return lambda learner: learner.learn_many(as_kind(kind, X), y)


def check(make: Any, kind: str, used: bool, X: Any, y: Any, w: Any, words: tuple[str, ...]) -> None:
    """A block whose row 700 is bad, and that row alone."""
    learner, twin = twins(make, learned(kind, GOOD, LABELS) if used else None)
    with refused(learner, f"row {BAD}", *words):
        learner.learn_many(X, y, w)
    with refused(learner, *words):
        learner.learn_one(row_of(kind, X, BAD), y[BAD], 1.0 if w is None else w[BAD])
    goes_on(learner, twin, learned(kind, LATER, LATER_LABELS))


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
def test_a_bad_value(value: float, kind: str, options: dict[str, Any], used: bool) -> None:
    if np.isnan(value) and kind not in ARRAYS:
        return  # a missing value: see test_missing_values.py
    X, y = block(2)
    X[BAD, 2] = value
    if value == 1e200 and options.get("scale") == "unit":
        assert np.isfinite(dl.PA1(**options).learn_many(as_kind(kind, X), y)).all()
        return
    longest = "1e+15" if options.get("dtype") == "float32" else "1e+60"
    said = (f"must be shorter than {longest}", "1e+200") if value == 1e200 else ("must be finite", str(value))
    check(lambda: dl.PA1(**options), kind, used, as_kind(kind, X), y, None, said)


@pytest.mark.parametrize("kind", ["dicts", "dense", "csr", "pandas"])
@pytest.mark.parametrize("name", REGISTRY)
def test_a_bad_value_with_every_learner(name: str, kind: str) -> None:
    X, y = block(3)
    X[BAD, 2] = value = np.nan if kind in ARRAYS else np.inf
    check(dl.REGISTRY[name], kind, True, as_kind(kind, X), y, None, ("must be finite", str(value)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_says_where(kind: str) -> None:
    X, y = block(4)
    X[BAD, 2] = np.inf
    with refused(learner := dl.PA1(), f"row {BAD}, {place(kind)} must be finite, got inf. Clip it, or pass None"):
        learner.learn_many(as_kind(kind, X), y)
    if kind in ARRAYS:
        X[BAD, 2] = np.nan
        with refused(learner, f"row {BAD}, {place(kind)} must be finite, got nan. Fill in missing values, or pass"):
            learner.learn_many(as_kind(kind, X), y)
    X[BAD, 2] = -3e61
    with refused(learner, f"row {BAD} must be shorter than 1e+60", f"got length 3e+61 ({place(kind)} is -3e+61)"):
        learner.learn_many(as_kind(kind, X), y)


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_label(kind: str, options: dict[str, Any], used: bool) -> None:
    X, y = block(5)
    for label, words in ((2.0, ("must be -1.0 or 1.0, got 2.0", "labels=")), (np.nan, ("must be a value", "nan"))):
        y[BAD] = label
        learner, twin = twins(lambda: dl.PA1(**options), learned(kind, GOOD, LABELS) if used else None)
        with refused(learner, f"row {BAD}", *words):
            learner.learn_many(as_kind(kind, X), y)
        goes_on(learner, twin, learned(kind, LATER, LATER_LABELS))


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, 1e10])
@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", ["dicts", "dense", "csr", "pandas"])
def test_a_bad_sample_weight(kind: str, options: dict[str, Any], used: bool, weight: float) -> None:
    X, y = block(6)
    w = np.ones(ROWS)
    w[BAD] = weight
    words = ("sample weight must be >= 0 and at most 1e+09", f"got {weight}")
    check(lambda: dl.PA1(**options), kind, used, as_kind(kind, X), y, w, words)


@pytest.mark.parametrize(
    "w",
    ["1", [1.0] * 999, np.ones((ROWS, 1)), np.array(["a"] * ROWS), [1.0, [2.0]], 1j, object(), {}, 10**400,
     np.ma.array(np.ones(ROWS), mask=np.eye(1, ROWS)[0])],
    ids=lambda w: type(w).__name__,
)  # fmt: skip
def test_sample_weights_of_a_wrong_kind(w: Any) -> None:
    X, y = block(7)
    learner, _ = twins(dl.PA1, learned("dense", GOOD, LABELS))
    with refused(learner, "w must be a number or an array of 1000 numbers"):
        learner.learn_many(X, y, w)
    with refused(learner, "w must be a number or an array of 1 numbers"):
        learner.learn_one(X[0], 1.0, w)


def feasible(scale: str | None, kind: str) -> np.ndarray:
    """Rows that are long enough, but for row 700: near 0, or, where rows are centred, near their mean."""
    rng = np.random.default_rng(8)
    X = rng.choice([-1.0, 1.0], size=(ROWS, COLUMNS)) * rng.uniform(2.0, 3.0, size=(ROWS, COLUMNS))
    X[BAD] = 1e-3
    if scale == "standard" and kind == "dense":
        X[BAD] += X[:BAD].mean(axis=0)
    return X


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("scale", [None, "standard"])
@pytest.mark.parametrize("kind", ["dicts", "dense", "csr", "pandas"])
@pytest.mark.parametrize("learner_class", [dl.L2PA, dl.L1PA])
def test_an_infeasible_step_that_is_an_error(learner_class: Any, kind: str, scale: Any, used: bool) -> None:
    X = feasible(scale, kind)
    y = np.where(X[:, 0] > X[:, 1], 1.0, -1.0)

    def make() -> dl.Learner:
        return learner_class(beta=2.0, when="margin", infeasible="raise", bias=False, scale=scale)

    learner, twin = twins(make, learned(kind, X[:BAD], y[:BAD]) if used else None)
    with refused(learner, f"row {BAD} must be feasible", "beta = 2.0", "infeasible='skip'"):
        learner.learn_many(as_kind(kind, X), y)
    if used:
        with refused(learner, "x must be feasible", "Raise beta"):
            learner.learn_one(row_of(kind, as_kind(kind, X), BAD), y[BAD])
    goes_on(learner, twin, learned(kind, X[:BAD], y[:BAD]))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("infeasible", ["skip", "raise"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupt_leaves_all_or_nothing(
    monkeypatch: pytest.MonkeyPatch, when: str, infeasible: Any, scale: Any
) -> None:
    """Ctrl-C arrives while a compiled loop runs, and is raised when that returns."""
    X, y = feasible(None, "dense")[:500], block(9, 500)[1]

    def make() -> dl.Learner:
        return dl.L2PA(beta=100.0, infeasible=infeasible, scale=scale)

    learner, twin = twins(make, learned("dense", X[:100], y[:100]))
    real = learner._engine.learn

    def interrupted(rows: Any, trials: Any) -> int:
        if when == "after":
            real(rows, trials)
        raise KeyboardInterrupt

    monkeypatch.setattr(learner._engine, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(X[100:], y[100:])
    monkeypatch.undo()
    all_learned = when == "after" and infeasible == "skip"
    assert learner.n_seen == (500 if all_learned else 100)
    if all_learned:
        twin.learn_many(X[100:], y[100:])
    goes_on(learner, twin, learned("dense", X[::-1], y[::-1]))
