"""Every public call of a learner, on each kind of rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from driftline.encode import Hashing
from driftline.evaluate.run import run
from driftline.learners import Learner
from driftline.learners.answered_rounds import answer_of, learn_label, open_round
from driftline.rules import RandomFourier
from driftline.saved import from_bytes
from driftline.warm_up.settings import Array, Setting, examples

REFUSED = (ValueError, TypeError, NotImplementedError, AttributeError, ImportError)
"""What a learner raises for a call, an option or rows that it does not take."""
OPTIONS: tuple[dict[str, Any], ...] = (
    {"dtype": "float32"},
    {"scale": "unit"},
    {"scale": "standard"},
    {"scale": RandomFourier(8, 0.3)},
    {"class_weight": "balanced"},
    {"hashing": Hashing(8)},
    {"bias": False},
)
MEASURED: tuple[dict[str, Any], ...] = (
    {"history": True, "alarms": True, "window": 10},
    {"probabilities": True},
    {"delay": 3},
)
CERTIFIED: tuple[dict[str, Any], ...] = ({}, {"bias": False}, {"scale": "unit"})


def calls(setting: Setting) -> None:
    """Make every call of a learner; with its default parameters, also with every option.

    Parameters
    ----------
    setting
        The learner and its parameters.
    """
    _use(setting.learner)
    for options in OPTIONS if not setting.parameters else OPTIONS[:1]:
        with suppress(*REFUSED):
            _use(partial(setting.learner, **options))


def kinds_of_rows(X: Array) -> Iterator[Any]:
    """The rows as an array, a sparse matrix with either type of index, and dicts."""
    yield X
    sparse = csr_matrix(X)
    yield sparse
    yield csr_matrix((sparse.data, sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)), sparse.shape)
    yield [{f"f{k}": value for k, value in enumerate(row) if value} for row in X.tolist()]


def _use(make: Callable[[], Learner]) -> None:
    X, y = examples(make())
    for rows in kinds_of_rows(X):
        with suppress(*REFUSED):
            _learn(make(), rows, y)
    with suppress(*REFUSED):
        _learn(make(), np.where(X > 1.0, np.nan, X), y)
    if not make().rule.regresses:
        with suppress(*REFUSED):  # the Tracker takes several classes, too
            _learn(make(), X, np.argmax(X[:, :3], axis=1))


def _learn(learner: Learner, rows: Any, y: Array) -> None:
    """Learn and score in blocks and one by one, store the learner, and go on."""
    one, label = rows[0], y[0].item()
    _try(learner.learn_one, one, label)
    for weights in (None, np.full(len(y), 0.5)):
        _try(learner.learn_many, rows, y, weights)
    _try(learner.test_then_train, rows, y)
    for keep in ("keep_rows", "keep_votes", "keep_probabilities"):
        with suppress(*REFUSED):
            learner.learn_block(rows, y, **{keep: True})
    for at in range(3):
        _try(learner.learn_one, rows[at], y[at].item())
    for name in ("score", "scores", "predict", "predict_proba", "predict_interval"):
        _try(getattr(learner, f"{name}_many", _refuse), rows)
        _try(getattr(learner, f"{name}_one", _refuse), one)
    for name in ("weights", "experts", "feature_weights"):
        _try(getattr(learner, name, _refuse))
    _try(learner.largest, 2)
    _try(learner.explain_one, one)
    _answer(learner, one, label)
    with suppress(*REFUSED):
        again = from_bytes(learner.to_bytes())
        again.learn_many(rows, y)
        again.score_one(one)


def _answer(learner: Learner, one: Any, label: Any) -> None:
    """Answer an example, and learn its label later."""
    with suppress(*REFUSED):
        answer = answer_of(learner, one)
        if open_round(learner, one, answer.record):
            learn_label(learner, one, label, answer.record)


def runs(setting: Setting) -> None:
    """Run the learner with everything that a run can measure, certify it, and write the report.

    Parameters
    ----------
    setting
        The learner and its parameters.
    """
    X, y = examples(setting.learner())
    for rows in list(kinds_of_rows(X))[:2]:
        for options in MEASURED:
            with suppress(*REFUSED):
                run(setting.learner(), (rows, y), **options, progress=False)
        for options in CERTIFIED:
            with suppress(*REFUSED):
                run(setting.learner(**options), (rows, y), certify=True, progress=False).certificate()
    with suppress(*REFUSED), tempfile.TemporaryDirectory() as folder:
        run(setting.learner(), (X, y), progress=False).report(f"{folder}/report.html")


def _try(call: Callable[..., object], *arguments: object) -> None:
    with suppress(*REFUSED):
        call(*arguments)


def _refuse(*_: object) -> None:
    """Stands for a call that a learner does not have."""
