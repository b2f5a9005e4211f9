"""Check how a model file is loaded, and what the loaded learner then does."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from judge import READ, REFUSED, WrongError, check_message
from model_mutants import file_of, mutant_of
from peak_memory import peak_memory
from scipy.sparse import issparse
from seed_models import CASES, OPTIONS, feed_of, rows_in, seed_numbered

import driftline as dl
from driftline.learners import Learner

WARM = len(CASES) * len(OPTIONS)
"""The number of inputs that warm up a worker."""
MULTIPLE, CONSTANT = 64, 64 << 20
"""Loading takes at most MULTIPLE times the size of the file and CONSTANT bytes."""


RECORD = {"a": "1.5", "b": "red", "body": "free money now", "when": "2024-03-01T12:30:00", "y": "spam", "more": [1, {}]}


class Input(NamedTuple):
    """A mutant, and the form of the examples that its learner takes."""

    kind: str
    data: bytes
    form: str
    feed: str
    costly: bool
    name: str = "mutant.dl"


def input_of(seed: int, number: int) -> Input:
    """Return the input with this number; with a seed below 0 a valid model."""
    rng = Random(f"model {seed} {number}")
    chosen = seed_numbered(number if seed < 0 else rng.randrange(30 * len(CASES)))
    data, costly = file_of(chosen.meta, chosen.arrays) if seed < 0 else mutant_of(chosen, rng)
    return Input(chosen.meta["learner"], data, chosen.form, chosen.feed, costly)


def judged(given: Input) -> tuple[str | None, str | None]:
    """Return the outcome, READ or REFUSED, and the violation; one of them is None."""
    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / given.name
        path.write_bytes(given.data)
        try:
            with np.errstate(all="ignore"):
                return _judged(given, path), None
        except WrongError as wrong:
            return None, str(wrong)
        except Exception as error:
            return None, f"{type(error).__name__}: {' '.join(str(error).split())}"


def _judged(given: Input, path: Path) -> str:
    try:
        with peak_memory() as peak:
            learner = dl.load(path)
    except dl.ModelError as error:
        check_message(str(error))
        return REFUSED
    finally:
        if peak.grown > MULTIPLE * len(given.data) + CONSTANT:
            raise WrongError(f"loading {len(given.data):,} bytes took {peak.grown:,} bytes")
    again = path.with_name("again.dl")
    learner.save(again)
    if dl.load(again).n_seen != learner.n_seen:
        raise WrongError("a learner with another number of examples after it was saved")
    # with other parameters, a fit or a grid may take as long as they say
    if not given.costly or learner.kind not in ("BatchOnline", "GridHalving"):
        use(learner, given.form, given.feed, learns=not given.costly)
    learner.save(again)
    try:
        dl.load(again)
    except dl.ModelError as error:  # numbers of a mutant may overflow as it learns
        if "not finite" not in str(error):
            raise
    return READ


def use(learner: Learner, form: str, feed: str, learns: bool = True) -> None:
    """Score and learn in every way; an error must be a ValueError of one line."""
    X, y = feed_of(feed)
    X, y = X[:7], y[:7]
    labels = [label for label in learner.labels for _ in range(2)][:7] or [0, 1]
    for rows in (rows_in(form, X), rows_in("dicts", X), rows_in("dense", X), rows_in("csr", X)):
        one = rows[[0]] if issparse(rows) else rows[0]
        for score in (learner.score_many, learner.predict_many):
            attempt(score, rows)
        attempt(learner.scores_one, one)
        if learns:
            attempt(learner.learn_many, rows, (labels * 7)[:7])
            attempt(learner.learn_many, rows, y, np.linspace(0.0, 2.0, 7))
            attempt(learner.learn_one, one, labels[0])
    one = rows_in("dicts", X)[1]
    attempt(learner.score_one, one)
    attempt(learner.predict_proba_one, {**one, "new": 1.0})
    if learns:
        for label in labels[:3]:
            attempt(learner.learn_one, {**one, "newer": 1.0}, label)
    if learner.recipe is not None:
        attempt(learner.recipe.features, RECORD)
    attempt(learner.weights)
    attempt(learner.largest, 3)
    attempt(repr, learner)


def attempt(call: Callable[..., Any], *given: Any) -> None:
    """Make a call; a ValueError of one line is allowed."""
    try:
        call(*given)
    except ValueError as error:
        check_message(str(error))
