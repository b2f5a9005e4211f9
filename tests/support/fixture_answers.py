"""The answers of a learner, run or file stream as JSON values: stored in fixtures.

A float is stored as ``float.hex``. ``same`` compares bit for bit on hosts whose arithmetic is that
of the host on which the fixture was made, and within a relative tolerance elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from functools import cache
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
from llvmlite.binding import llvm_version_info
from numba.core.registry import cpu_target
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.internals.compiled import PLAIN_LOOPS

COUNTS = ("n_seen", "n_features", "mistakes", "label_errors", "margin_errors", "updates", "infeasible")
LEDGER = ("examples", "mistakes", "label_errors", "margin_errors", "updates", "infeasible", "asked")
ESTIMATORS = ("numpy", "scipy", "scikit-learn")


def made(text: str) -> Any:
    """The learner or stream that a text of Python makes."""
    return eval(text, {"dl": dl, "float": float})


# examples -------------------------------------------------------------------------------------------------------------
def decoded(kind: str, rows: list[Any], width: int = 0) -> Any:
    """Examples out of their JSON: "dicts", "pairs" (names that need not be strings), "arrays" or
    "sparse".
    """
    if kind == "dicts":
        return rows
    if kind == "pairs":
        return [dict(map(tuple, row)) for row in rows]
    if kind == "arrays":
        return np.array([[math.nan if value is None else value for value in row] for row in rows], np.float64)
    places = [(row, int(column), value) for row, one in enumerate(rows) for column, value in one.items()]
    at_row, at_column, values = zip(*places, strict=True)
    return csr_matrix((values, (at_row, at_column)), shape=(len(rows), width), dtype=np.float64)


def one_of(X: Any, k: int) -> Any:
    """Example k."""
    return X[k : k + 1] if isinstance(X, csr_matrix) else X[k]


def size_of(X: Any) -> int:
    return X.shape[0] if isinstance(X, csr_matrix) else len(X)


# what is answered -----------------------------------------------------------------------------------------------------
def answers(learner: dl.Learner, X: Any) -> dict[str, Any]:
    """Labels, counts, and for each example its scores (one per label if there may be several) and predicted label."""
    labels = [plain(label) for label in learner.labels]
    several = learner.rule.several
    at_once = learner.scores_many(X) if several else learner.score_many(X)
    scores, predicted = [], []
    for k in range(size_of(X)):
        if several:
            by_label = learner.scores_one(one_of(X, k))
            each = [[plain(label), float(score).hex()] for label, score in by_label.items()]
            assert [score for _, score in each] == [float(score).hex() for score in at_once[k]]
            scores.append(each)
        else:
            found = learner.score_one(one_of(X, k))
            assert float(found).hex() == float(at_once[k]).hex()
            scores.append(float(found).hex())
        predicted.append(plain(learner.predict_one(one_of(X, k))))
    if labels:
        assert [plain(label) for label in learner.predict_many(X)] == predicted
    counts = {name: int(getattr(learner, name)) for name in COUNTS}
    if isinstance(learner, dl.LabelEfficient):
        counts["asked"] = learner.asked
    if isinstance(learner, dl.Kernelized):
        counts["support"] = learner.support()
    found = {"labels": labels, "counts": counts, "scores": scores, "predicted": predicted}
    if isinstance(learner, dl.Bank):
        found["columns"] = [[float(score).hex() for score in row] for row in learner.column_scores_many(X)]
    return found


def learned(learner: dl.Learner, X: Any, y: list[Any], w: list[float] | None) -> list[str]:
    """Learn the first half one by one and the other at once; return what each call returned."""
    half = len(y) // 2
    found = [learner.learn_one(one_of(X, k), y[k], 1.0 if w is None else w[k]) for k in range(half)]
    found += learner.learn_many(X[half:], y[half:], None if w is None else w[half:]).tolist()
    return [float(score).hex() for score in found]


def run_answers(done: dl.Run, stream: Any, X: Any) -> dict[str, Any]:
    """What a finished run leaves: counts, curve, history, skipped lines, and the answers of its
    learner.
    """
    curve = {name: column.tolist() for name, column in done.curve.items()}
    curve["hinge"] = [value.hex() for value in curve["hinge"]]
    found: dict[str, Any] = {
        "counts": {name: int(getattr(done, name)) for name in LEDGER},
        "curve": curve,
        "learner": answers(done.learner, X),
        "skipped": getattr(stream, "skipped", 0),
        "reasons": list(getattr(stream, "reasons", [])),
        "history": None,
    }
    if done.history is not None:
        last = done.history.records[-1]
        found["history"] = {
            "examples": [record.examples for record in done.history.records],
            "norms": [float(record.norm).hex() for record in done.history.records],
            "nonzero": [record.nonzero for record in done.history.records],
            "last": [[plain(name), float(weight).hex()] for name, weight in last.largest],
        }
    return found


def rows_of(stream: Any) -> dict[str, Any]:
    """All examples of a file stream with their lines, labels, sample weights and values that are not
    missing, and what it skipped.
    """
    rows = []
    for X, y, *w in stream:
        for k in range(len(X)):
            start, stop = int(X.indptr[k]), int(X.indptr[k + 1])
            places = X.indices[start:stop].tolist()
            names = places if X.names is None else [X.names[place] for place in places]
            pairs = zip(names, X.values[start:stop].tolist(), strict=True)
            features = [[name, value.hex()] for name, value in pairs if value == value]
            weight = float(w[0][k]) if w else None
            rows.append([int(X.lines[k]), plain(y[k]), weight, features])
    return {"rows": rows, "skipped": stream.skipped, "reasons": list(stream.reasons)}


def plain(value: Any) -> Any:
    """A label or name as the Python value that it equals."""
    return value.item() if isinstance(value, np.generic) else value


# comparison -----------------------------------------------------------------------------------------------------------
@numba.njit(fastmath={"contract"})
def _multiplied_and_added(a: float, b: float, c: float) -> float:
    return a * b + c


@numba.njit
def _by_libm(values: np.ndarray, found: np.ndarray) -> None:
    for k in range(values.size):
        found[0, k] = math.exp(-values[k])
        found[1, k] = math.log(values[k])
        found[2, k] = math.log1p(values[k])
        found[3, k] = math.expm1(-values[k])
        found[4, k] = math.pow(values[k], 1.7)
        found[5, k] = math.cos(values[k])
        found[6, k] = math.asinh(values[k])


@cache
def arithmetic() -> str:
    """A digest of what compiled code gives here for what may differ between hosts.

    These are a multiplication and an addition, which may be fused, and functions of the C library. Plain loops, which
    replace code for LLVM if bounds are checked, sum in another order.
    """
    if PLAIN_LOOPS:
        return "plain loops"
    values = np.arange(1, 2001) / 300.0
    found = np.empty((7, values.size))
    _by_libm(values, found)
    fused = _multiplied_and_added(1.0 + 2.0**-30, 1.0 + 2.0**-30, -1.0 - 2.0**-29)
    return hashlib.sha256(found.tobytes() + np.array([fused]).tobytes()).hexdigest()


@cache
def target() -> list[str]:
    """The processor that loops are compiled for, and the LLVM that does it: the order of sums may
    depend on both.
    """
    triple, processor, features = cpu_target.target_context.codegen().magic_tuple()
    vectors = [one for one in features.split(",") if one.startswith(("+avx", "+fma"))]
    return [triple, processor, *vectors, f"LLVM {llvm_version_info[0]}"]


@cache
def versions() -> dict[str, str]:
    """The libraries that BatchOnline's estimators consist of."""
    return {name: version(name) for name in ESTIMATORS}


def same(found: Any, due: Any, close: float | None) -> None:
    """Assert that two answers are equal, types of labels included; floats in hex bit for bit
    unless ``close`` is given.

    ``close`` is the relative difference that is allowed, and the absolute one below 1.
    """
    assert type(found) is type(due), f"{found!r} must be of the type of {due!r}"
    if isinstance(due, dict):
        assert list(found) == list(due)
        for name in due:
            if name == "reasons":  # the place of each skipped line must be the same, not the wording
                assert [one.partition(": ")[0] for one in found[name]] == [one.partition(": ")[0] for one in due[name]]
            else:
                same(found[name], due[name], close)
    elif isinstance(due, list):
        assert len(found) == len(due)
        for one, other in zip(found, due, strict=True):
            same(one, other, close)
    elif close is not None and isinstance(due, str) and due.lstrip("-").startswith("0x"):
        a, b = float.fromhex(found), float.fromhex(due)
        assert abs(a - b) <= close * max(1.0, abs(a), abs(b)), f"{a!r} must be close to {b!r}"
    else:
        assert found == due
