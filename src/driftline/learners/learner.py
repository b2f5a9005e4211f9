"""What every learner can do: learn, score and predict, one example at a time or many, in the same way."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, Self, TypedDict

import numpy as np

from driftline.encode import Classes, Encoder, Hashing, Labels, Standard, Unit
from driftline.encode.arrays import masked
from driftline.encode.encoder import LONGEST, LONGEST_32
from driftline.encode.faults import RowError, shortened
from driftline.encode.features import BIAS_NAME
from driftline.engines import LinearEngine, engine_for
from driftline.engines.state import (
    EVENT,
    FIRST,
    INFEASIBLES,
    LABEL,
    LABEL_ERRORS,
    MARGIN_ERRORS,
    MISTAKES,
    REFUSED,
    SCORE,
    SEEN,
    UPDATES,
    WEIGHT,
)
from driftline.internals.compiled import Floats
from driftline.internals.require import require, whole
from driftline.internals.rows import DenseRows, FileRows, Rows, SparseRows, cut, length
from driftline.internals.writable import writable
from driftline.learners.learned_block import LearnedBlock, RoundRecorder
from driftline.learners.tuning import prescribed
from driftline.rules import RandomFourier, Rule
from driftline.rules.kernel.random_fourier import Waves

ONE = 1.0
HEAVIEST = 1e9
# a block is bulk if it has BULK values, and WORTH times as many values as there are weights
BULK, WORTH = 1 << 13, 4
# it is learned in pieces of ROWS dense rows, or of sparse rows with PIECE values
ROWS, PIECE = 1 << 14, 1 << 20
AS_DUE: Any = object()  # stands for a bias that is not given
Scale = Literal["unit", "standard"] | RandomFourier | None
_pack_trial: Callable[..., None] = struct.Struct("2d").pack_into


class Options(TypedDict, total=False):
    """Keyword arguments that every learner takes."""

    bias: bool
    """Whether a constant feature is added (default True, where the rule has use for it)."""
    scale: Scale
    """None as in the papers (default), "unit": each to length 1, "standard": running mean and deviation.

    Arrays are centred by "standard"; dicts, frames and sparse rows, in which what is absent is 0, are not.
    ``RandomFourier(n, gamma)`` makes n waves of whatever comes; the weights are then theirs, named 0 to n - 1.
    """
    labels: tuple[Any, ...] | None
    """(negative, positive); without it -1/+1, 0/1, False/True are known, others taken as they appear.

    For learners of several classes any number of them, in the order in which ties are decided; others may still come.
    """
    hashing: Hashing | None
    """Hash feature names into a fixed number of weights; without it the vocabulary grows."""
    dtype: Literal["float64", "float32"]
    """Type of the weights (default "float64")."""


class Learner:
    """An online classifier: one rule, one engine, and the encoding of its examples.

    Every call either learns from all its examples or, when it raises, from none: the learner is
    then bit for bit as before. (Interrupted from the keyboard, it has learned from all or from
    none.) ``learn_many(X, y)`` leaves the same bits as ``learn_one`` row by row.

    One example is a dict of features, a 1-d array, a pandas Series or a sparse row; many are a
    list of dicts, a 2-d array, a pandas or polars frame, an Arrow table or a sparse matrix. Where
    a sparse row has a column twice the two are added up; its columns need not be sorted. Features
    either have names or are columns: a learner stays with one kind, unless it hashes them.
    Missing and infinite values are refused, and so is an example of length 1e60 or more (1e15
    with float32 weights), unless ``scale="unit"``. An example shorter than 1e-60 (1e-15 with
    float32 weights) counts as zero. Only ``Tracker``, and what consists of it alone, has a use
    for missing values.

    Parameters
    ----------
    rule : Rule
        The rule, with its parameters.
    bias : bool, default=True
        Whether a constant feature is added.
    scale : {"unit", "standard"}, RandomFourier or None, default=None
        None uses examples as they are, as the papers do. "unit" scales each to length 1.
        "standard" divides by the running standard deviation, and centres arrays (not dicts,
        frames or sparse rows). ``RandomFourier(n, gamma)`` replaces an example by n random
        features, named 0 to n - 1.
    labels : tuple or None, default=None
        (negative, positive). None knows -1/+1, 0/1 and False/True, and takes others as they
        appear.
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    dtype : {"float64", "float32"}, default="float64"
        Type of the weights.
    """

    def __init__(
        self,
        rule: Rule,
        *,
        bias: bool = AS_DUE,
        scale: Scale = None,
        labels: tuple[Any, ...] | None = None,
        hashing: Hashing | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        where = type(self).__name__
        bias = rule.biased if bias is AS_DUE else bias
        require(isinstance(bias, bool), where, "bias must be True or False", bias)
        what = "bias must be False: a constant is of no use to it"
        require(rule.biased or not bias, where, what, bias, "Leave it out")
        known = scale is None or isinstance(scale, RandomFourier)
        known = known or (isinstance(scale, str) and scale in ("unit", "standard"))
        require(known, where, "scale must be None, 'unit', 'standard' or a RandomFourier", scale)
        kept = rule.signed or scale is None or scale == "unit"
        require(kept, where, "scale must be None or 'unit': features must not become negative", scale)
        require(
            hashing is None or isinstance(hashing, Hashing),
            where,
            "hashing must be None or a Hashing",
            hashing,
        )
        require(str(dtype) in ("float64", "float32"), where, "dtype must be 'float64' or 'float32'", dtype)
        remedy = "Leave it out, or take a learner whose weights may be float32, such as PA1"
        require(rule.single or str(dtype) == "float64", where, "dtype must be 'float64'", dtype, remedy)
        self.rule = rule
        self.options = Options(bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype)
        longest: float | None = LONGEST if dtype == "float64" else LONGEST_32
        if rule.takes_missing and scale is None:
            longest = None
        self._encoder = Encoder(where, hashing, math.inf if scale == "unit" else longest)
        self._encoder.clips = not isinstance(scale, RandomFourier)
        self._labels = Classes(where, labels) if rule.several else Labels(where, labels)
        self._scaler = _scaler_of(scale, bias)
        constant = 0.0 if not bias else math.sqrt(0.5) if scale == "unit" else 1.0
        self._engine = engine_for(rule, constant, np.dtype(dtype))
        self._engine.reserve(self._width)
        # _straight: checked rows cannot stop the engine half-way, so nothing has to be kept for setting it back
        self._straight = scale is None and not rule.refuses
        # _direct: values may go to the engine unchecked, because it finds by itself what the checks would find
        self._direct = scale is None and dtype == "float64" and self._engine.finds_bad_values
        self._trial = np.ones((4, 1))
        self._score = np.zeros(1)
        self._bound: SparseRows | None = None

    def __getstate__(self) -> dict[str, Any]:
        own = {k: v for k, v in self.__dict__.items() if k not in ("_learn_slate", "_score_slate")}
        return own | {"_bound": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(writable(state))

    @property
    def kind(self) -> str:
        """What such learners are called."""
        return type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of its rule, by name."""
        return {one.name: getattr(self.rule, one.name) for one in fields(self.rule)}

    def __repr__(self) -> str:
        given = self.parameters
        plain = Options(bias=self.rule.biased, scale=None, labels=None, hashing=None, dtype="float64")
        given |= {name: value for name, value in self.options.items() if value != plain.get(name)}
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # learning -----------------------------------------------------------------------------------------------
    def learn_one(self, x: Any, y: Any, w: float = ONE) -> float:
        """Learn one example.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.
        y
            Its label.
        w
            Its sample weight, which multiplies the step of the rule, not its shrinking. A weight
            of 0 only tests. L1PA goes the weight's part of the way to its solution.

        Returns
        -------
        float
            The score before learning, as ``score_one`` gives it. For several classes the margin:
            the score of the right class less the highest other one (less 0 where there is no
            other).
        """
        if type(x) is not dict or not self._direct or (w is not ONE and not (type(w) is float and w == ONE)):
            return self._learn(x, y, w, one=True).item(SCORE)
        try:
            sign = self._labels.signs[y]
        except (KeyError, TypeError):
            return self._learn(x, y, w, one=True).item(SCORE)
        encoder, seen = self._encoder, None
        try:
            rows = encoder.one_dict(x, True)
            if encoder.mark is not None or rows is not self._bound:
                seen = self.n_seen
                self._bind(rows)
            score = self._learn_slate(sign)
            if score != score and self._trial[EVENT, 0] == REFUSED:
                encoder.checked(rows, x)
                raise self._refusal(None)
        except BaseException:
            if seen is None or seen == self.n_seen:  # not if it was interrupted after it had learned
                self._take_back_features()
            raise
        return score

    def _bind(self, rows: SparseRows) -> None:
        """Make ready to learn and score the one dict that is written into these rows."""
        self._reserve()
        self._learn_slate = self._engine.learner_of(rows, self._trial)
        self._score_slate = self._engine.scorer_of(rows)
        self._bound = rows

    def learn_many(self, X: Any, y: Any, w: Any = None) -> Floats:
        """Learn the rows of X in order.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        y
            A label for each row.
        w
            A sample weight for each row, or one for all; None stands for weights of 1.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            What ``learn_one`` returns for each row.
        """
        learned = self._learn_bulk(X, y, w) if self._is_bulk(X) else None
        return self._learn(X, y, w, one=False)[SCORE] if learned is None else learned.scores

    def learn_block(
        self, X: Any, y: Any, w: Any = None, *, keep_rows: bool = False, keep_votes: bool = False
    ) -> LearnedBlock:
        """``learn_many``; return the record of what happened in each round.

        Parameters
        ----------
        X, y, w
            Rows, labels and sample weights, as for ``learn_many``.
        keep_rows
            Whether the record holds the rows as the engine saw them: encoded and scaled.
        keep_votes
            Whether the record holds the vote of every expert, for learners that have experts.
        """
        if keep_rows or keep_votes:
            recorder = RoundRecorder(rows=keep_rows, votes=keep_votes)
            trials = self._learn(X, y, w, one=False, recorder=recorder)
            return LearnedBlock.of_trials(trials, self.rule.several, w is not None, recorder)
        learned = self._learn_bulk(X, y, w) if self._is_bulk(X) else None
        if learned is not None:
            return replace(learned, y=learned.y.copy())  # labels of -1 and +1 are still the caller's array
        trials = self._learn(X, y, w, one=False)
        return LearnedBlock.of_trials(trials, self.rule.several, w is not None)

    def test_then_train(self, X: Any, y: Any, w: Any = None) -> LearnedBlock:
        """``learn_many``, with all that happened in each round."""
        return self.learn_block(X, y, w)

    def _is_bulk(self, X: Any) -> bool:
        """Whether X has far more values than there are weights, and the engine can find bad values by itself."""
        engine = self._engine
        plain = self._straight and self._direct and type(engine) is LinearEngine
        return plain and _values(X) >= max(BULK, WORTH * engine.v.size)

    def _learn_bulk(self, X: Any, y: Any, w: Any) -> LearnedBlock | None:
        """``learn_block`` of far more values than there are weights; None if a row needs the careful way.

        The block is not read twice, for a check and for learning: the engine stops at bad indices and values, and a
        copy of the weights takes back what came before. The careful way then says what is wrong, or puts it right.
        """
        encoder, labels, engine = self._encoder, self._labels, self._engine
        assert isinstance(engine, LinearEngine)
        known = len(labels.signs)
        encoder.mark = None
        before: list[tuple[np.ndarray, np.ndarray]] = []
        learned = False
        try:
            rows = encoder.many(X, True, unchecked=True)
            signs = labels.sign_many(y)
            size = len(signs)
            self._check_length(rows, size)
            weights = None if w is None else np.broadcast_to(self._weights_of(w, size), size)
            self._reserve()
            below = 0 if isinstance(X, FileRows) else encoder.width  # a reader gives no index twice
            before = [(array, array.copy()) for array in engine.arrays().values()]
            step = ROWS if isinstance(rows, DenseRows) else max(1, size * PIECE // _values(X))
            scores, events = np.empty(size), np.empty(size, np.uint8)
            trials = np.ones((4, min(size, step)))
            for start in range(0, size, step):
                part = slice(start, min(size, start + step))
                if part.stop - start < trials.shape[1]:
                    trials = np.ones((4, part.stop - start))
                trials[LABEL] = signs[part]
                if weights is not None:
                    trials[WEIGHT] = weights[part]
                if engine.learn_unchecked(cut(rows, part), below, trials) < trials.shape[1]:
                    return None
                scores[part] = trials[SCORE]
                events[part] = trials[EVENT]
            learned = True
        finally:
            if not learned:
                for array, copy in before:
                    array[...] = copy
                labels.forget(known)
                self._take_back_features()
        return LearnedBlock(signs, scores, events, weights=weights)

    def _learn(self, x: Any, y: Any, w: Any, *, one: bool, recorder: RoundRecorder | None = None) -> Floats:
        """Encode, check, scale, learn; on any error nothing has changed."""
        encoder, labels, seen = self._encoder, self._labels, self.n_seen
        known = len(labels.signs)
        encoder.mark = None
        try:
            rows = encoder.one(x, True) if one else encoder.many(x, True)
            trials = self._trials(y, w, one)
            size = trials.shape[1]
            self._check_length(rows, size)
            if size == 0:
                self._take_back_features()
                return trials
            self._reserve()
            done = self._learn_rows(rows, trials, recorder)
            if done < size:
                raise self._refusal(None if one else done)
        except BaseException:  # also when interrupted: names without room for their weights must not stay
            if self.n_seen == seen:
                labels.forget(known)
                self._take_back_features()
            raise
        return trials

    def _trials(self, y: Any, w: Any, one: bool) -> Floats:
        """The labels and sample weights of the rounds, with room for what happens in them."""
        if one or (type(y) is np.ndarray and y.shape == (1,)):
            trials = np.empty((4, 1))
            sign = self._labels.sign(y if one else y.item())
            plain = type(w) is float and 0.0 <= w <= HEAVIEST
            weight = 1.0 if w is None else w if plain else self._weights_of(w, 1).item()
            _pack_trial(trials, 0, sign, weight)
            return trials
        signs = self._labels.sign_many(y)
        trials = np.empty((4, len(signs)))
        trials[LABEL] = signs
        trials[WEIGHT] = 1.0 if w is None else self._weights_of(w, len(signs))
        return trials

    def _check_length(self, rows: Rows, size: int) -> None:
        if size != length(rows):
            raise ValueError(
                f"{self._encoder.where}: X and y must have the same length, got {length(rows)} and {size}. "
                "Give each row one label"
            )

    def _reserve(self) -> None:
        """Room for all features known by now."""
        self._bound = None
        try:
            self._engine.reserve(self._encoder.features if self._scaler is None else self._width)
        except MemoryError:
            raise ValueError(
                f"{self._encoder.where}: the weights must fit into memory, got {self._encoder.features} features. "
                "Set hashing=Hashing()"
            ) from None

    def _take_back_features(self) -> None:
        """Know the features that were known before a call that learned nothing, in the encoder and in the engine."""
        self._encoder.undo()
        self._engine.reserve(self._width)

    def _learn_rows(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Scale and learn; return how many rows were done. What stops half-way is set back to its start."""
        scaler = self._scaler
        if self._straight:
            return self._learn_scaled(rows, trials, recorder)
        undo = self._undo(rows)
        done = 0
        try:
            if isinstance(scaler, Waves) and length(rows) > scaler.step:
                done = self._learn_pieces(scaler, rows, trials, recorder)
            else:
                if scaler is not None:
                    rows = scaler.scale(rows, self._encoder.features, True)
                done = self._learn_scaled(rows, trials, recorder)
        finally:
            if done < trials.shape[1]:
                undo()
        return done

    def _learn_scaled(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Learn rows as they are; return how many were done."""
        if recorder is None:
            return self._engine.learn(rows, trials)
        if recorder.keeps_rows:
            recorder.rows.append(self._recorded(rows))
        return recorder.learn(self._engine, rows, trials)

    def _recorded(self, rows: Rows) -> Rows:
        """The rows as the record of a block holds them."""
        return rows

    def _learn_pieces(self, scaler: Waves, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Learn rows that would be too many at once when they are waves; return how many were done."""
        done = 0
        for part in _pieces(rows, scaler.step):
            own = np.ascontiguousarray(trials[:, part])
            done += self._learn_scaled(scaler.scale(cut(rows, part), self._encoder.features, True), own, recorder)
            trials[:, part] = own
            if done < part.stop:
                break
        return done

    def _undo(self, rows: Rows) -> Callable[[], None]:
        """A function that takes back whatever learning these rows, wholly or in part, changes."""
        scaler, engine, seen = self._scaler, self._engine, self.n_seen
        pieces = isinstance(scaler, Waves) and length(rows) > scaler.step
        take_back = engine.snapshot(length(rows)) if self.rule.refuses or pieces else None
        statistics = None
        if isinstance(scaler, Standard):
            scaler.reserve(self._encoder.features)
            statistics = scaler.snapshot(rows)

        def undo() -> None:
            if take_back is not None:
                take_back()
            if isinstance(scaler, Standard) and statistics is not None and self.n_seen == seen:
                scaler.restore(statistics)

        return undo

    def _weights_of(self, w: Any, size: int) -> Floats:
        """One sample weight for each example, or one for all."""
        try:
            weights = np.asarray(float(w) if isinstance(w, Real | Decimal) else w)
            good = weights.dtype.kind in "biuf" and weights.shape in ((), (size,)) and not masked(w)
        except Exception:
            good = False
        if not good:
            raise ValueError(
                f"{self._encoder.where}: w must be a number or an array of {size} numbers, "
                f"got {shortened(w)}. Leave it out for weights of 1"
            )
        with np.errstate(over="ignore"):
            weights = weights.astype(np.float64)
        self._check_weights(weights)
        return weights

    def _check_weights(self, weights: Floats) -> None:
        wrong = ~((weights >= 0.0) & (weights <= HEAVIEST))
        if wrong.any():
            where, row = self._encoder.where, int(np.argmax(wrong))
            what = (
                f"a sample weight must be >= 0 and at most {HEAVIEST:g}, got {weights[wrong][0]}. "
                "Rescale the weights, or drop the example"
            )
            raise RowError(where, row, what) if weights.size > 1 else ValueError(f"{where}: {what}")

    def _refusal(self, row: int | None) -> ValueError:
        """Why the engine stopped at this row, or at an example that came alone."""
        what, where = self._engine.refusal(), self._encoder.where
        return ValueError(f"{where}: x {what}") if row is None else RowError(where, row, what, joined=" ")

    # theory -------------------------------------------------------------------------------------------------
    def tune(self, **known: float) -> Self:
        """A new learner with the parameters that the rule's theorem prescribes for what is known of the stream.

        ``driftline bounds NAME`` says what that has to be, and how many mistakes are then made at most.

        >>> import driftline as dl
        >>> dl.NORMA(bias=False).tune(X=1, B=5, D1=3, D2=0.02, T=1000, mu=1, K=10)
        NORMA(alpha=0.875..., lam=0.00102..., rho=0.561..., p=2.0, bias=False)
        """
        return type(self)(**prescribed(self.rule, f"{type(self).__name__}.tune", known), **self.options)

    # scoring ------------------------------------------------------------------------------------------------
    def score_one(self, x: Any) -> float:
        """The score of one example; it is always a float, whatever labels have been seen.

        While at most two labels are known this is the score of the positive label, ``labels[1]``
        where both are known. At a score of exactly 0 the positive label is predicted. Learners of
        several classes give the lead of the predicted label instead: see ``SeveralClasses``.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        float
            The score.
        """
        encoder = self._encoder
        if self._scaler is None and type(x) is dict:
            rows = encoder.one_dict(x, False)
            if rows is not self._bound:
                self._bind(rows)
            score = self._score_slate()
        else:
            example = encoder.one(x, False)
            if self._scaler is not None:
                example = self._scaler.scale(example, encoder.features, False)
            self._engine.score(example, self._score)
            score = self._score.item()
        if score == 0.0 or not -LONGEST < score < LONGEST:
            encoder.one(x, False)
            if not math.isfinite(score):
                raise self._overflow(None)
        return score

    def score_many(self, X: Any) -> Floats:
        """The score of each row, as ``score_one`` gives it.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The scores.
        """
        return self._score_rows(X)

    def scores_one(self, x: Any) -> dict[Any, float]:
        """The score of each known label.

        Of two labels, the positive one has the score s of ``score_one``, and the negative one has
        -s. If only one label is known, the other one is left out. The predicted label has the
        highest score; of two labels with score 0 it is the positive one.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to score, in the order of ``labels``.
        """
        score, signs = self.score_one(x), self._labels.signs
        return {label: score if signs[label] > 0.0 else 0.0 - score for label in self.labels}

    def scores_many(self, X: Any) -> Floats:
        """The score of each known label for each row, as ``scores_one`` gives them.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows, labels)
            The scores, with a column for each label, in the order of ``labels``.
        """
        scores, signs, labels = self.score_many(X), self._labels.signs, self.labels
        each = np.empty((len(scores), len(labels)))
        for k, label in enumerate(labels):
            each[:, k] = scores if signs[label] > 0.0 else 0.0 - scores
        return each

    def _score_rows(self, X: Any) -> Floats:
        """The scores of the engine: one for each row, or one for each class if the rule has several."""
        encoder = self._encoder
        rows = encoder.many(X, False)
        scores = self._blank(length(rows))
        scaler = self._scaler
        if isinstance(scaler, Waves):
            for part in _pieces(rows, scaler.step):
                self._engine.score(scaler.scale(cut(rows, part), encoder.features, False), scores[part])
        else:
            if scaler is not None:
                rows = scaler.scale(rows, encoder.features, False)
            self._engine.score(rows, scores)
        wrong = ~np.isfinite(scores)
        if wrong.any():
            raise self._overflow(int(np.argmax(wrong)) // scores[0].size)
        return scores

    def _blank(self, size: int) -> Floats:
        """What the engine fills with the scores of so many rows."""
        return np.zeros(size)

    def _overflow(self, row: int | None) -> ValueError:
        """Why the score of this row, or of an example that came alone, is not finite."""
        what, where = self._engine.unscorable(), self._encoder.where
        if what:
            return ValueError(f"{where}: x {what}") if row is None else RowError(where, row, what, joined=" ")
        return ValueError(
            f"{where}: a score must be finite, got weights that have overflowed. "
            "Take smaller parameters, or set scale='unit'"
        )

    def predict_one(self, x: Any) -> Any:
        """Predict the label of one example.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        label
            The positive label if the score is >= 0, else the negative one; the known label if
            there is only one; None if no label is known.
        """
        labels = self._labels
        score = self.score_one(x)
        label = labels.positive if score >= 0.0 else labels.negative
        return labels.of(score) if label is None else label

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of each known label, which has not been calibrated.

        The positive label has 1 / (1 + exp(-s)), where s is the score. Where the score is a vote
        between -1 and 1 (experts, committees, Tracker), it has its share, (1 + s) / 2. A label
        that is the only one known has 1.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        dict
            Label to probability; the label of ``predict_one`` comes first.

        >>> import driftline as dl
        >>> dl.FixedShare(labels=("ham", "spam")).predict_proba_one([1.0, 1.0, 1.0, -1.0])
        {'spam': 0.75, 'ham': 0.25}
        """
        score, labels = self.score_one(x), self.labels
        if len(labels) < 2:
            return dict.fromkeys(labels, 1.0)
        odds = math.exp(-abs(score))
        less = (1.0 - min(1.0, abs(score))) / 2.0 if self.rule.voting else odds / (1.0 + odds)
        negative, positive = labels
        first, second = (positive, negative) if score >= 0.0 else (negative, positive)
        return {first: 1.0 - less, second: less}

    def predict_many(self, X: Any) -> np.ndarray:
        """Predict the label of each row.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The labels, as ``predict_one`` gives them. A label must be known.
        """
        return self._labels.of_many(self.score_many(X))

    # keeping ------------------------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that it knows to a file; what ``driftline.load`` makes of it learns on bit for bit as this one.

        Labels must be a str, int, float or bool. Where saving fails, a file that was there before is untouched.
        """
        from driftline.saved import save  # which stands above the learners

        save(self, path)

    # what it knows ------------------------------------------------------------------------------------------
    def weights(self) -> dict[Any, float]:
        """Name (or column, or hashed index) to weight, where it is not 0; the bias feature is "(bias)".

        With ``scale=RandomFourier(n)`` these are the weights of the waves, named 0 to n - 1.
        """
        return self._named(self._engine.weights())

    def _named(self, weights: Floats) -> dict[Any, float]:
        """``weights`` of some that are laid out as v."""
        w = weights[: FIRST + self._width]
        names = self._names()
        known: dict[Any, float] = {BIAS_NAME: float(w[0])} if w[0] != 0.0 else {}
        for index in np.flatnonzero(w[FIRST:]).tolist():
            known[names[index]] = float(w[FIRST + index])
        return known

    def _names(self) -> Sequence[Any]:
        """What the weights are called."""
        encoder = self._encoder
        named = (encoder.named or encoder.hashed) and not isinstance(self._scaler, Waves)
        return encoder.names.names() if named else range(self._width)

    @property
    def _width(self) -> int:
        """How many features the engine sees: those that are known, or those that RandomFourier makes of them."""
        return self._scaler.width if isinstance(self._scaler, Waves) else self._encoder.features

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k weights furthest from 0 by name, as in ``weights``: the furthest first, of equal ones the older.

        >>> import driftline as dl
        >>> learner = dl.PA(bias=False)
        >>> _ = learner.learn_one({"a": 0.6, "b": -0.8}, True)
        >>> learner.largest(1)
        [('b', -0.8)]
        """
        whole(f"{type(self).__name__}.largest", "k", k, 1)
        return self._furthest(self._engine.weights(), k)

    def _furthest(self, weights: Floats, k: int) -> list[tuple[Any, float]]:
        """``largest`` of some weights, laid out as v."""
        w = weights[: FIRST + self._width]
        found = np.flatnonzero(w)
        size = np.abs(w[found])
        if found.size > k:
            least = np.partition(size, -k)[-k]
            chosen = np.concatenate([np.flatnonzero(size > least), np.flatnonzero(size == least)])[:k]
            found, size = found[chosen], size[chosen]
        ranked = found[np.lexsort((found, -size))].tolist()
        names = self._names()
        return [(BIAS_NAME if index == 0 else names[index - FIRST], float(w[index])) for index in ranked]

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels known so far: the negative one first; several classes in order of appearance."""
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


def _scaler_of(scale: Scale, bias: bool) -> Unit | Standard | Waves | None:
    """What scales the examples."""
    if isinstance(scale, RandomFourier):
        return Waves(scale)
    return None if scale is None else Unit(bias) if scale == "unit" else Standard()


def _pieces(rows: Rows, step: int) -> Iterator[slice]:
    """The rows, some at a time."""
    size = length(rows)
    return (slice(start, min(size, start + step)) for start in range(0, size, step))


def _values(X: Any) -> int:
    """How many values an array, CSR matrix or block of a file has; 0 for anything else."""
    if type(X) is np.ndarray:
        return X.size
    if isinstance(X, FileRows):
        return X.values.size
    if hasattr(type(X), "tocsr") and X.format == "csr" and isinstance(X.data, np.ndarray):
        return X.data.size
    return 0
