"""The base class of all learners: how they learn. Scoring is in ``scoring_learner``."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any, Self

import numpy as np

from driftline.encode import Standard
from driftline.encode.arrays import masked
from driftline.encode.faults import RowError, shortened
from driftline.engines.calibration.recent_rounds import Learned, RecentRounds
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import (
    EVENT,
    LABEL,
    REFUSED,
    SCORE,
    UNASKED,
    WEIGHT,
    trial_rows,
)
from driftline.internals.compiled import Floats
from driftline.internals.one_call import claims, whole_call
from driftline.internals.rows import Rows, cut, length
from driftline.learners.explaining_learner import ExplainingLearner
from driftline.learners.large_blocks import is_large, learn_large
from driftline.learners.learned_block import LearnedBlock, RoundRecorder
from driftline.learners.probability_trace import ClassTrace, TwoLabelTrace
from driftline.learners.scoring_learner import pieces
from driftline.learners.tuning import prescribed
from driftline.rules.kernel.random_fourier import Waves

ONE = 1.0
LARGEST_WEIGHT = 1e9  # of an example
_pack_label_and_weight: Callable[..., None] = struct.Struct("2d").pack_into


class Learner(ExplainingLearner):
    """An online classifier: one rule, one engine, and the encoding of its examples.

    A call learns either all its examples or, if it raises, none. After an error the learner has
    the same bits as before the call. After a keyboard interrupt it has learned all examples of the
    call or none. ``learn_many(X, y)`` gives the same bits as ``learn_one`` row by row. Any number
    of threads may use one learner: its calls run one at a time.

    One example is a dict of features, a 1-d array, a pandas Series or a sparse row. Many examples
    are a list of dicts, a 2-d array, a pandas or polars frame, an Arrow table or a sparse matrix.
    The columns of a sparse row need not be sorted, and duplicate columns are added up. Features
    are either named or numbered by column: a learner cannot mix the two, unless it hashes them.

    None, NaN, NA and null are missing values in dicts, Series, frames, Arrow tables and files: the
    feature is absent from the example. ``Tracker``, and learners made of Trackers alone, know that
    the value is missing, unless the feature has had no value so far. In arrays and sparse matrices
    NaN is refused, except by these learners.

    Infinite values are refused. An example of length 1e60 or more (1e15 with float32 weights) is
    refused too, unless ``scale="unit"``. An example shorter than 1e-60 (1e-15 with float32 weights)
    counts as zero.

    ``recipe`` says how the records of files became examples: the label column, the kind of each
    column, the length of n-grams. ``driftline.run`` sets it from a stream of files, and reads
    further files by it. ``recipe.features(record)`` converts a raw record to an example. It is None
    for a learner that has not learned from files.

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
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, which multiply the sample weights. A dict may name some labels;
        others have the weight 1. With weight 0, examples are scored and counted, but not learned.
        "balanced" gives label c the weight (n + K) / (K (n_c + 1)), where n_c is the discounted
        number of examples with label c, n is the sum of these numbers, at most 10,000, and K is
        the number of labels so far. Every example counts once, whatever its sample weight.
    **unknown : object
        Refused with the names of the parameters.
    """

    # learning ----------------------------------------------------------------------------------
    @claims
    def learn_one(self, x: Any, y: Any, w: float = ONE) -> float:
        """Learn one example.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.
        y
            Its label, or the target of a regressor.
        w
            Its sample weight. It multiplies the step of the rule, but not the shrinking of the
            weights. With weight 0 the example is scored and counted, but not learned. L1PA moves
            that fraction of the way to its solution.

        Returns
        -------
        float
            The score before learning, as ``score_one`` returns it. With several classes it is the
            margin: the score of the right class less the highest score of another class, or less
            0 if there is no other class.
        """
        busy = True
        try:
            busy, self._busy = self._busy, True  # see internals/one_call.py
            if busy:
                return self._wait_and_learn(x, y, w)
            if type(x) is not dict or not self._skips_checks or (w is not ONE and not (type(w) is float and w == ONE)):
                return self._learn(x, y, w, one=True).item(SCORE)
            try:
                sign = self._labels.signs[y]
            except (KeyError, TypeError):
                return self._learn(x, y, w, one=True).item(SCORE)
            encoder, seen = self._encoder, None
            try:
                rows = encoder.one_dict(x, True)
                if encoder.mark is not None or rows is not self._row_buffer:
                    seen = self._seen
                    self._prepare_row_calls(rows)
                score = self._learn_row_call(sign)
                if score != score and self._single_round[EVENT, 0] == REFUSED:
                    seen = self._seen
                    self._take_back_features()
                    return self._learn(x, y, w, one=True).item(SCORE)  # leaves missing values out, or raises
            except BaseException:
                if seen is None or seen == self._seen:  # an interrupt may come after the learning
                    self._take_back_features()
                raise
            return score
        finally:
            if not busy:
                self._busy = False

    @whole_call
    def _wait_and_learn(self, x: Any, y: Any, w: float) -> float:
        """``learn_one`` after the running call of another thread."""
        return self._learn(x, y, w, one=True).item(SCORE)

    @whole_call
    def learn_many(self, X: Any, y: Any, w: Any = None) -> Floats:
        """Learn the rows of X in order.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        y
            A label, or a target, for each row.
        w
            A sample weight for each row, or one number for all rows; None means weights of 1.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The value that ``learn_one`` returns for each row.
        """
        learned = learn_large(self, X, y, w) if is_large(self, X) else None
        return self._learn(X, y, w, one=False)[SCORE] if learned is None else learned.scores

    @whole_call
    def learn_block(
        self,
        X: Any,
        y: Any,
        w: Any = None,
        *,
        keep_rows: bool = False,
        keep_votes: bool = False,
        keep_probabilities: bool = False,
    ) -> LearnedBlock:
        """Learn the rows of X in order, and record every round.

        Parameters
        ----------
        X, y, w
            Rows, labels and sample weights, as for ``learn_many``.
        keep_rows
            Whether the record holds the rows as the engine saw them: encoded and scaled.
        keep_votes
            Whether the record holds the vote of every expert, for learners that have experts.
        keep_probabilities
            Whether the record holds the probability of each label before the round was learned.

        Returns
        -------
        LearnedBlock
            The record: labels, scores and events of each round.
        """
        if keep_probabilities:
            self._require_labels("learn_block(keep_probabilities=True)")
        start, recorder = self._seen, None
        if keep_rows or keep_votes or keep_probabilities:
            recorder = RoundRecorder(rows=keep_rows, votes=keep_votes, probabilities=keep_probabilities)
        return replace(self._learn_block(X, y, w, recorder), start=start)

    def _learn_block(self, X: Any, y: Any, w: Any, recorder: RoundRecorder | None) -> LearnedBlock:
        if recorder is not None:
            return self._recorded_block(self._learn(X, y, w, one=False, recorder=recorder), w, recorder)
        learned = learn_large(self, X, y, w) if is_large(self, X) else None
        if learned is not None:
            return replace(learned, y=learned.y.copy())  # y may be the caller's array
        return self._recorded_block(self._learn(X, y, w, one=False), w, None)

    def _recorded_block(self, trials: Floats, w: Any, recorder: RoundRecorder | None) -> LearnedBlock:
        """The record of learned rounds, given the sample weights of the call."""
        several, first = self.rule.several, self._labels.first_sign
        block = LearnedBlock.of_trials(trials, several, self._is_weighted(w), recorder, first)
        return replace(block, regression=True) if self.rule.regresses else block

    @whole_call
    def set_weights(self, weights: Mapping[Any, float]) -> None:
        """Set all weights of a linear learner, in the form in which ``weights`` returns them.

        Use it to continue from weights that were learned elsewhere, such as the mean of several
        learners. Features that are not given get the weight 0, new ones are added. Counters stay
        as they are. The probabilities are calibrated anew.

        Additive learners that learn nothing but weights have this method: the learners of
        two-number rules, with any p-norm, and ``L1PA``. A rule with a ball refuses weights outside
        it.

        Parameters
        ----------
        weights
            Feature to weight. A feature is a name, or the number of a column or of a hashed
            feature. The constant feature is "(bias)".

        Examples
        --------
        >>> import driftline as dl
        >>> learner = dl.PA1()
        >>> learner.set_weights({"a": 0.5, "(bias)": -1.0})
        >>> learner.score_one({"a": 4.0})
        1.0
        """
        from driftline.learners.given_weights import set_named_weights  # it imports this module

        set_named_weights(self, weights)

    def test_then_train(self, X: Any, y: Any, w: Any = None) -> LearnedBlock:
        """Learn the rows of X in order, and record every round: ``learn_block`` without options.

        Parameters
        ----------
        X, y, w
            Rows, labels and sample weights, as for ``learn_many``.

        Returns
        -------
        LearnedBlock
            The record: labels, scores and events of each round.
        """
        return self.learn_block(X, y, w)

    def _learn(self, x: Any, y: Any, w: Any, *, one: bool, recorder: RoundRecorder | None = None) -> Floats:
        """Encode, check, scale and learn; after an error nothing has changed."""
        encoder, labels, seen = self._encoder, self._labels, self._seen
        known = len(labels.signs)
        counts = None if self._class_weights is None else self._class_weights.counts
        encoder.mark = None
        try:
            rows = encoder.one(x, True) if one else encoder.many(x, True)
            trials = self._trials(y, w, one)
            size = trials.shape[1]
            self._check_length(rows, size)
            trace = None if recorder is None else self._trace(recorder, known, size)
            if size == 0:
                if recorder is not None and recorder.keeps_probabilities and trace is None:
                    recorder.probabilities = np.zeros((0, max(2, len(labels.signs))))
                self._take_back_features()
                return trials
            if self._recent is not None:
                self._recent.make_room(size)
            self._reserve()
            done = self._learn_and_trace(rows, trials, recorder, trace)
            if done < size:
                raise self._refusal(None if one else done)
        except BaseException:  # including interrupts: every known feature needs a weight
            if self._seen == seen:
                labels.forget(known)
                if counts is not None and self._class_weights is not None:
                    self._class_weights.counts = counts
                self._take_back_features()
            raise
        return trials

    def _remember(self, recent: RecentRounds, trial: Floats) -> None:
        """Add one learned round to the recent ones, unless its weight is 0 or no label was asked for."""
        if trial.item(WEIGHT) != 0.0 and trial.item(EVENT) < UNASKED:
            recent.add_one(trial.item(SCORE), trial.item(LABEL))

    def _trace(self, recorder: RoundRecorder, known: int, size: int) -> TwoLabelTrace | ClassTrace | None:
        """What computes the probabilities of a block; None if the engine does, or none are kept."""
        if not recorder.keeps_probabilities or self._engine.calibrates:
            return None
        signs = list(self._labels.signs.values())
        trace: TwoLabelTrace | ClassTrace
        if isinstance(self._engine, ClassesEngine):
            trace = ClassTrace(self._engine.recent, known, len(signs), size)
        else:
            trace = TwoLabelTrace(signs[:known], size)
        recorder.probabilities = trace.found
        return trace

    def _learn_and_trace(
        self, rows: Rows, trials: Floats, recorder: RoundRecorder | None, trace: TwoLabelTrace | ClassTrace | None
    ) -> int:
        """Learn many rows, compute the probabilities that are kept, and remember the rounds."""
        recent, size = self._recent, trials.shape[1]
        if recent is None:
            done = self._learn_rows(rows, trials, recorder)
            if done == size and isinstance(trace, ClassTrace) and recorder is not None:
                trace.compute(self, recorder.tested, trials)
            return done
        events = trials[EVENT] if self.rule.asks else None
        learned = Learned(self._engine, self._seen + size, trials[LABEL], trials[SCORE], trials[WEIGHT], events)
        recent.expect(learned)
        done = self._learn_rows(rows, trials, recorder)
        if done == size:
            if isinstance(trace, TwoLabelTrace):
                trace.compute(self, recent, learned)
            recent.settle()
        return done

    def _is_weighted(self, w: Any) -> bool:
        """Whether examples may have other weights than 1, given the sample weights of a call."""
        return w is not None or self._class_weights is not None

    def _trials(self, y: Any, w: Any, one: bool) -> Floats:
        """A column for each round: its label and weight, and space for its score and event."""
        if one or (type(y) is np.ndarray and y.shape == (1,)):
            trials = np.empty((trial_rows(self.rule.several), 1))
            sign = self._labels.sign(y if one else y.item())
            plain = type(w) is float and 0.0 <= w <= LARGEST_WEIGHT
            weight = 1.0 if w is None else w if plain else self._sample_weights(w, 1).item()
            if self._class_weights is not None:
                weight = self._with_class_weights(np.array([weight]), np.array([sign])).item()
            _pack_label_and_weight(trials, 0, sign, weight)
            trials[EVENT] = UNASKED  # until the engine has learned the row
            return trials
        signs = self._labels.sign_many(y)
        trials = np.empty((trial_rows(self.rule.several), len(signs)))
        trials[LABEL] = signs
        trials[EVENT] = UNASKED  # until the engine has learned the row
        trials[WEIGHT] = 1.0 if w is None else self._sample_weights(w, len(signs))
        if self._class_weights is not None:
            trials[WEIGHT] = self._with_class_weights(trials[WEIGHT], signs)
        return trials

    def _with_class_weights(self, weights: Floats, signs: Floats) -> Floats:
        """The sample weights, multiplied by the weights of the classes."""
        assert self._class_weights is not None
        found: Floats = weights * self._class_weights.of(signs, self._labels, self.rule.several)
        self._check_weights(found)
        return found

    def _check_length(self, rows: Rows, size: int) -> None:
        if size != length(rows):
            raise ValueError(
                f"{self._encoder.where}: X and y must have the same length, got {length(rows)} and {size}. "
                f"Give each row one {self._labels.noun}"
            )

    def _take_back_features(self) -> None:
        """Forget the features that a failed call added to the encoder and the engine."""
        self._encoder.undo()
        self._engine.reserve(self._width)

    def _learn_rows(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Scale and learn; return how many rows were learned.

        If the engine stops before the last row, everything that was learned is undone.
        """
        scaler = self._scaler
        if self._never_stops:
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
        """Learn rows that need no scaling; return how many were learned."""
        if recorder is None:
            return self._engine.learn(rows, trials)
        if recorder.keeps_rows:
            recorder.rows.append(self._recorded(rows))
        return recorder.learn(self._engine, rows, trials)

    def _recorded(self, rows: Rows) -> Rows:
        """The rows in the form in which a ``LearnedBlock`` stores them."""
        return rows

    def _learn_pieces(self, scaler: Waves, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Learn rows in pieces, to limit the memory of their random features.

        Return how many rows were learned.
        """
        done = 0
        for part in pieces(rows, scaler.step):
            own = np.ascontiguousarray(trials[:, part])
            done += self._learn_scaled(scaler.scale(cut(rows, part), self._encoder.features, True), own, recorder)
            trials[:, part] = own
            if done < part.stop:
                break
        return done

    def _undo(self, rows: Rows) -> Callable[[], None]:
        """A function that undoes the learning of these rows, also if only some were learned."""
        scaler, engine, seen = self._scaler, self._engine, self._seen
        pieces = isinstance(scaler, Waves) and length(rows) > scaler.step
        take_back = engine.snapshot(length(rows)) if self.rule.refuses or pieces else None
        statistics = None
        if isinstance(scaler, Standard):
            scaler.reserve(self._encoder.features)
            statistics = scaler.snapshot(rows)

        def undo() -> None:
            if take_back is not None:
                take_back()
            if isinstance(scaler, Standard) and statistics is not None and self._seen == seen:
                scaler.restore(statistics)

        return undo

    def _sample_weights(self, w: Any, size: int) -> Floats:
        """The checked sample weights: one for each example, or one number for all."""
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
        wrong = ~((weights >= 0.0) & (weights <= LARGEST_WEIGHT))
        if wrong.any():
            where, row = self._encoder.where, int(np.argmax(wrong))
            what = (
                f"a sample weight must be >= 0 and at most {LARGEST_WEIGHT:g}, got {weights[wrong][0]}. "
                "Rescale the weights, or drop the example"
            )
            raise RowError(where, row, what) if weights.size > 1 else ValueError(f"{where}: {what}")

    def _refusal(self, row: int | None) -> ValueError:
        """The error for the row at which the engine stopped; ``row`` is None for ``learn_one``."""
        what, where = self._engine.refusal(), self._encoder.where
        return ValueError(f"{where}: x {what}") if row is None else RowError(where, row, what, joined=" ")

    # theory ------------------------------------------------------------------------------------
    def tune(self, **known: float) -> Self:
        """Make a new learner with the parameters that the mistake bound of the rule prescribes.

        Parameters
        ----------
        **known
            What is known about the stream: the inputs of the theorem, by name. ``driftline bounds
            NAME`` lists them, and prints the resulting bound on the mistakes.

        Returns
        -------
        Learner
            A new learner of the same class, with the same options.

        Examples
        --------
        >>> import driftline as dl
        >>> dl.NORMA(bias=False).tune(X=1, B=5, D1=3, D2=0.02, T=1000, mu=1, K=10)
        NORMA(alpha=0.875..., lam=0.00102..., rho=0.561..., p=2.0, bias=False)
        """
        return type(self)(**prescribed(self.rule, f"{type(self).__name__}.tune", known), **self.options)

    # saving ------------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the learner to a file.

        ``driftline.load`` reads it back. The loaded learner continues with the same bits. Labels
        must be str, int, float or bool. If saving fails, an existing file is left unchanged.

        Parameters
        ----------
        path
            The file to write.
        """
        from driftline.saved import save  # a higher layer, imported late

        save(self, path)

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that ``save`` writes, for example for a database.

        ``driftline.from_bytes`` makes the same learner from them, which continues with the same
        bits. The same learner gives the same bytes.

        Returns
        -------
        bytes
            The content of a model file, with a checksum over every byte.
        """
        from driftline.saved import to_bytes  # a higher layer, imported late

        return to_bytes(self)
