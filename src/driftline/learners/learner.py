"""What every learner can do: learn, score and predict, one example at a time or many, in one and the same way."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict

import numpy as np

from driftline.compiled import Floats
from driftline.encode import Encoder, Hashing, Labels, Standard, Unit
from driftline.encode.encoder import LONGEST
from driftline.engines import engine_for
from driftline.engines.state import (
    EVENT,
    FIRST,
    INFEASIBLE,
    INFEASIBLES,
    LABEL,
    LABEL_ERRORS,
    MARGIN_ERRORS,
    MISTAKES,
    SCORE,
    SEEN,
    UPDATED,
    UPDATES,
    WEIGHT,
)
from driftline.rows import DenseRows, Rows, SparseRows, length
from driftline.rules import Rule
from driftline.rules.check import require

BIAS_NAME = "(bias)"
_pack_trial = struct.Struct("2d").pack_into


class Options(TypedDict, total=False):
    """Keyword arguments that every learner takes."""

    bias: bool
    """Whether a constant feature is added (default True)."""
    scale: Literal["unit", "standard"] | None
    """None as in the papers (default), "unit": each example to length 1, "standard": running mean and deviation."""
    labels: tuple[Any, Any] | None
    """(negative, positive); without it -1/+1, 0/1 and False/True are known, others taken in order of appearance."""
    hashing: Hashing | None
    """Hash feature names into a fixed number of weights; without it the vocabulary grows."""
    dtype: Literal["float64", "float32"]
    """Type of the weights (default "float64")."""


@dataclass(frozen=True)
class Trials:
    """What happened in each round of one block: the label as -1 or +1, the score before learning, and the events."""

    y: Floats
    scores: Floats
    updated: np.ndarray
    infeasible: np.ndarray


class Learner:
    """An online classifier: one rule, one engine, and the encoding of what it is fed.

    Every call either learns from all its examples or, when it raises, from none: the learner is then bit for bit as before.
    ``learn_many(X, y)`` leaves the same bits as ``learn_one`` row by row.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        bias: bool = True,
        scale: Literal["unit", "standard"] | None = None,
        labels: tuple[Any, Any] | None = None,
        hashing: Hashing | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        where = type(self).__name__
        require(isinstance(bias, bool), where, "bias must be True or False", bias)
        require(scale in (None, "unit", "standard"), where, "scale must be None, 'unit' or 'standard'", scale)
        require(
            hashing is None or isinstance(hashing, Hashing), where, "hashing must be None or a Hashing", hashing
        )
        require(str(dtype) in ("float64", "float32"), where, "dtype must be 'float64' or 'float32'", dtype)
        self.rule = rule
        self.options = Options(bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        longest = LONGEST if dtype == "float64" else 1e15
        self._encoder = Encoder(where, hashing, math.inf if scale == "unit" else longest)
        self._labels = Labels(where, labels)
        self._scaler = {None: None, "unit": Unit(bias), "standard": Standard()}[scale]
        constant = 0.0 if not bias else math.sqrt(0.5) if scale == "unit" else 1.0
        self._engine = engine_for(rule, constant, np.dtype(dtype))
        self._engine.reserve(self._encoder.features)
        self._trial = np.ones((4, 1))
        self._score = np.zeros(1)

    def __repr__(self) -> str:
        given = {f.name: getattr(self.rule, f.name) for f in fields(self.rule)}
        plain = Options(bias=True, scale=None, labels=None, hashing=None, dtype="float64")
        given |= {name: value for name, value in self.options.items() if value != plain.get(name)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # learning ----------------------------------------------------------------------------------------------------
    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> float:
        """Learn one example with label y and sample weight w; return its score before that."""
        if type(x) is not dict or self._scaler is not None:
            return float(self._learn(x, y, w, one=True)[SCORE, 0])
        try:
            _pack_trial(self._trial, 0, self._labels.signs[y], w)
        except (KeyError, TypeError, struct.error):
            return float(self._learn(x, y, w, one=True)[SCORE, 0])
        encoder = self._encoder
        try:
            rows = encoder.one_dict(x, True)
            if encoder.mark is not None:
                self._engine.reserve(encoder.features)
            if not 0.0 <= w < math.inf:
                raise self._bad_weight(w)
            if not self._engine.learn_sparse(*rows, self._trial):
                raise self._refusal(rows, 0)
        except BaseException:
            encoder.undo()
            raise
        return self._trial.item(SCORE)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> Floats:
        """Learn the rows of X with labels y and sample weights w, in order; return each score before its learning."""
        return self._learn(X, y, w, one=False)[SCORE]

    def test_then_train(self, X: Any, y: Any, w: Any = None) -> Trials:
        """``learn_many``, with all that happened in each round."""
        trials = self._learn(X, y, w, one=False)
        events = trials[EVENT].astype(np.int8)
        return Trials(trials[LABEL], trials[SCORE], (events & int(UPDATED)) > 0, (events & int(INFEASIBLE)) > 0)

    def _learn(self, x: Any, y: Any, w: Any, *, one: bool) -> Floats:
        """Encode, check, scale, learn; on any error nothing has changed."""
        encoder, labels = self._encoder, self._labels
        labels_before = labels.snapshot()
        encoder.mark = None
        try:
            signs = np.array([labels.sign(y)]) if one else labels.sign_many(y)
            rows = encoder.one(x, True) if one else encoder.many(x, True)
            trials = np.empty((4, len(signs)))
            trials[LABEL] = signs
            trials[WEIGHT] = self._weights_of(w, len(signs))
            if length(rows) != len(signs):
                raise ValueError(
                    f"{encoder.where}: X and y must have the same length, got {length(rows)} and {len(signs)}"
                )
            if one and isinstance(rows, SparseRows):
                encoder.check_one(rows)
            self._engine.reserve(encoder.features)
            self._learn_rows(rows, trials)
        except BaseException:
            labels.restore(labels_before)
            encoder.undo()
            raise
        return trials

    def _learn_rows(self, rows: Rows, trials: Floats) -> None:
        """Scale and learn; a rule that refuses infeasible steps may stop half-way, and is then set back."""
        scaler, engine = self._scaler, self._engine
        if self.rule.refuses:
            arrays = {name: array.copy() for name, array in engine.arrays().items()}
            statistics = (scaler.moments.copy(), scaler.seen) if isinstance(scaler, Standard) else None
        if scaler is not None:
            rows = scaler.scale(rows, self._encoder.features, True)
        done = engine.learn(rows, trials)
        if done < trials.shape[1]:
            engine.restore(arrays)
            if isinstance(scaler, Standard) and statistics is not None:
                scaler.moments, scaler.seen = statistics
            raise self._refusal(rows, done)

    def _weights_of(self, w: Any, size: int) -> Floats:
        if w is None:
            return np.ones(size)
        weights = np.asarray(w)
        if weights.dtype.kind not in "biuf" or weights.ndim > 1 or (weights.ndim == 1 and len(weights) != size):
            raise ValueError(f"{self._encoder.where}: w must be a number or one number per example, got {w!r}")
        weights = weights.astype(np.float64)
        if not ((weights >= 0.0) & (weights < np.inf)).all():
            raise self._bad_weight(w if weights.ndim == 0 else weights[~((weights >= 0.0) & (weights < np.inf))][0])
        return weights

    def _bad_weight(self, w: Any) -> ValueError:
        return ValueError(f"{self._encoder.where}: a sample weight must be >= 0 and finite, got {w!r}")

    def _refusal(self, rows: Rows, row: int) -> ValueError:
        """Why the engine stopped at this row."""
        x = rows.X[row] if isinstance(rows, DenseRows) else rows.values[rows.indptr[row] : rows.indptr[row + 1]]
        if not (np.isfinite(x).all() and math.hypot(*x.tolist()) <= self._encoder.longest):
            return self._encoder.explain_one(rows)
        return ValueError(
            f"{self._encoder.where}: row {row} is infeasible: no weights within beta = {getattr(self.rule, 'beta', None)} "
            f"reach margin 1 on it. Raise beta, or choose infeasible='skip', 'relax' or 'best'"
        )

    # scoring -----------------------------------------------------------------------------------------------------
    def score_one(self, x: Any) -> float:
        """The score of one example: positive for the positive label."""
        encoder = self._encoder
        rows = encoder.one_dict(x, False) if type(x) is dict else encoder.one(x, False)
        if self._scaler is not None:
            if isinstance(rows, SparseRows):
                encoder.check_one(rows)
            rows = self._scaler.scale(rows, encoder.features, False)
        if isinstance(rows, SparseRows):
            self._engine.score_sparse(*rows, self._score)
        elif encoder.width == 0:
            return 0.0
        else:
            self._engine.score_dense(rows.X, self._score)
        score = self._score.item()
        if not math.isfinite(score):
            raise encoder.explain_one(rows)
        return score

    def score_many(self, X: Any) -> Floats:
        """The score of each row of X."""
        encoder = self._encoder
        rows = encoder.many(X, False)
        scores = np.zeros(length(rows))
        if isinstance(rows, DenseRows) and encoder.width == 0:
            return scores
        if self._scaler is not None:
            rows = self._scaler.scale(rows, encoder.features, False)
        self._engine.score(rows, scores)
        return scores

    def predict_one(self, x: Any) -> Any:
        """The label of one example; None as long as no label is known."""
        return self._labels.of(self.score_one(x))

    def predict_many(self, X: Any) -> np.ndarray:
        """The label of each row of X."""
        return self._labels.of_many(self.score_many(X))

    # what it knows -----------------------------------------------------------------------------------------------
    def weights(self) -> dict[Any, float]:
        """Name (or column, or hashed index) to weight, where it is not 0; the bias feature is "(bias)"."""
        w = self._engine.weights()
        names = self._encoder.names.names() if self._encoder.named or self._encoder.hashed else None
        known: dict[Any, float] = {BIAS_NAME: float(w[0])} if w[0] != 0.0 else {}
        for index in np.flatnonzero(w[FIRST:]).tolist():
            known[index if names is None else names[index]] = float(w[FIRST + index])
        return known

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels seen or declared so far, negative first."""
        return self._labels.known()

    @property
    def n_features(self) -> int:
        """How many features it knows, the bias feature not counted."""
        return self._encoder.features

    @property
    def n_seen(self) -> int:
        """Examples learned."""
        return int(self._engine.state[SEEN])

    @property
    def mistakes(self) -> int:
        """Rounds with y * score <= 0."""
        return int(self._engine.state[MISTAKES])

    @property
    def label_errors(self) -> int:
        """Rounds whose displayed label was wrong; differs from ``mistakes`` at a score of exactly 0."""
        return int(self._engine.state[LABEL_ERRORS])

    @property
    def margin_errors(self) -> int:
        """Rounds with y * score <= the rule's margin."""
        return int(self._engine.state[MARGIN_ERRORS])

    @property
    def updates(self) -> int:
        """Rounds in which an example was added to the weights."""
        return int(self._engine.state[UPDATES])

    @property
    def infeasible(self) -> int:
        """Rounds that fired but had no solution."""
        return int(self._engine.state[INFEASIBLES])
