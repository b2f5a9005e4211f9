"""Score and learn by turns: rows are predicted while the labels of earlier rows are still open.

Both blocks are encoded once, and the engine then scores and learns them row by row, in the given
order. The result has the bits of a loop of ``score_one`` and ``learn_one``. In such a loop a row is
scored with the features that are known at its turn. Features get their indices in order of
appearance, so the number of features known after each learned row shows which ones those are.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from driftline.encode import Targets
from driftline.engines.state import LABEL, WEIGHT, trial_rows
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.rows import DenseRows, Rows, SparseRows, length
from driftline.learners.learned_block import LearnedBlock
from driftline.learners.learner import Learner


@dataclass
class LateRounds:
    """How far ``late_rounds`` came, and what it found.

    Attributes
    ----------
    learned
        The record of the rows that were learned.
    scores
        The scores of the rows that were scored. With several classes, a row of class scores each.
    probabilities
        The probabilities of the rows that were scored, with a column for each label in the order of
        ``labels``. None unless they were asked for.
    """

    learned: LearnedBlock
    scores: Floats
    probabilities: Floats | None


class Records(Protocol):
    """The records of rows that wait for their labels."""

    def of(self, k: int) -> Floats | None:
        """The record of row k of X; None if there is none."""

    def keep(self, at: int, record: Floats) -> None:
        """Keep the record of row ``at`` of the rows that are scored, for the moment when its label comes."""


@whole_call
def late_rounds(
    learner: Learner,
    X: Any,
    y: Any,
    w: Any,
    asked: Any,
    due: np.ndarray,
    *,
    keep_probabilities: bool = False,
    records: Records | None = None,
) -> LateRounds:
    """Learn the rows of X in order, and score each row of ``asked`` at its turn.

    The learner must have learned a row before. The call stops, without an error, before a row that
    would be refused or has a new label. All rows before it are done. Learn or score that row with
    another call, and go on after it.

    Parameters
    ----------
    learner
        The learner.
    X, y, w
        Rows, labels and sample weights, as for ``learn_many``.
    asked
        The rows to score.
    due
        For each row of ``asked``, the number of rows of X that are learned before it is scored.
        It does not decrease.
    keep_probabilities
        Whether the probabilities of the rows of ``asked`` are found too.
    records
        The records of the rows. A row of X may be one of ``asked`` that was scored before.

    Returns
    -------
    LateRounds
        How far it came, and the scores.
    """
    engine, encoder = learner._engine, learner._encoder
    signs = _known_signs(learner, y)
    start, before, named, width = learner._seen, encoder.features, encoder.named, encoder.width
    encoder.mark = None
    done = scored = 0
    known = np.array([before])
    trials = np.empty((trial_rows(learner.rule.several), len(signs)))
    scores = learner._empty_scores(len(due))
    shares = np.zeros((len(due), len(learner._labels.known()))) if keep_probabilities else None
    try:
        weights = None if w is None else np.broadcast_to(learner._sample_weights(w, len(y)), len(y))
        trials[LABEL] = signs
        trials[WEIGHT] = 1.0 if weights is None else weights[: len(signs)]
        rows = encoder.many(X, True)
        known = _known_features(rows, before, encoder.features, bool(encoder.named and not encoder.hashed))
        learner._reserve()
        lessons = _single_rows(rows)
        waiting = _OneByOne(learner, encoder.many(asked, False), known) if len(due) else None
        for at, turn in enumerate((*due.tolist(), len(y))):
            while done < min(turn, len(signs)):
                trial = trials[:, done : done + 1].copy()
                record = None if records is None else records.of(done)
                if not _learn_row(learner, lessons[done], trial, record):
                    break
                trials[:, done : done + 1] = trial
                done += 1
            if done < turn or at == len(due):
                break
            assert waiting is not None
            row = waiting.row(at, done)
            if records is not None and keeps_records(learner):
                records.keep(at, engine.score_late(row, scores[at : at + 1])[0])
            else:
                engine.score(row, scores[at : at + 1])
            if not np.isfinite(scores[at]).all():
                break
            if shares is not None:
                shares[at : at + 1] = learner._probabilities_of_row(row, scores[at : at + 1])
            scored += 1
    except ValueError:
        pass  # the row that caused it is learned or scored on its own, which raises the error again
    finally:
        _keep_features(learner, named, width, int(known[min(done, len(known) - 1)]), done)
    learned = learner._recorded_block(np.ascontiguousarray(trials[:, :done]), w, None)
    return LateRounds(replace(learned, start=start), scores[:scored], None if shares is None else shares[:scored])


def keeps_records(learner: Learner) -> bool:
    """Whether the engine judges its experts by what they said when a row was predicted."""
    return learner._engine.judges_late


@whole_call
def record_of(learner: Learner, x: Any) -> Floats | None:
    """The record of one example, for the moment when its label comes; None if the learner keeps none."""
    if not keeps_records(learner):
        return None
    row = learner._encoder.one(x, False)
    if learner._scaler is not None:
        row = learner._scaler.scale(row, learner._encoder.features, False)
    record: Floats = learner._engine.score_late(row, learner._empty_scores(1))[0]
    return record


@whole_call
def score_with_records(learner: Learner, X: Any) -> tuple[Floats, list[Floats]]:
    """The scores of some rows, as in ``LateRounds``, and their records."""
    if not keeps_records(learner):
        return (learner._scores_many(X) if learner.rule.several else learner._score_many(X)), []
    records: list[Floats] = []
    scores = learner._write_rows(X, lambda rows, found: records.extend(learner._engine.score_late(rows, found)))
    return scores, records


@whole_call
def learn_late_block(learner: Learner, X: Any, y: Any, w: Any, record: Floats | None) -> LearnedBlock:
    """``learn_block`` of one row that was predicted earlier, with the record of that moment."""
    start = learner._seen
    with nullcontext() if record is None else learner._engine.judged_as(record):
        return replace(learner._learn_block(X, y, w, None), start=start)


@whole_call
def learn_late(learner: Learner, x: Any, y: Any, record: Floats) -> None:
    """``learn_one`` of an example that was predicted earlier, with the record of that moment."""
    with learner._engine.judged_as(record):
        learner._learn(x, y, 1.0, one=True)


def _learn_row(learner: Learner, row: Rows, trial: Floats, record: Floats | None = None) -> bool:
    """Learn one encoded row as ``learn_one`` does; return False and change nothing if it is refused."""
    if record is not None:
        with learner._engine.judged_as(record):
            return _learn_row(learner, row, trial)
    balance = learner._class_weights
    counts = None if balance is None else balance.counts
    learned = False
    if learner._recent is not None:
        learner._recent.expect_one()
    try:
        if balance is not None:
            trial[WEIGHT] = learner._with_class_weights(trial[WEIGHT], trial[LABEL])
        learned = learner._learn_rows(row, trial, None) == 1
    finally:
        if not learned and balance is not None and counts is not None:
            balance.counts = counts
    if learned and learner._recent is not None:
        learner._remember(learner._recent, trial)
    return learned


@dataclass
class Predictions:
    """The predictions of some rows at their turns; each array has one entry per row.

    Attributes
    ----------
    scores
        The score, as ``score_one`` returns it. With several classes it is the margin.
    margins
        The margin of the right label: its score less the highest other score. With two labels it
        is the label times the score. A label that is not known yet has a margin of at most 0. For a
        regressor it is the score.
    labels
        The predicted label; None if no label is known, and for a regressor.
    """

    scores: Floats
    margins: Floats
    labels: list[Any]


@whole_call
def predictions_of(learner: Learner, scores: Floats, y: Any) -> Predictions:
    """The predictions that the scores of some rows give, with the labels known now.

    Parameters
    ----------
    learner
        The learner that gave the scores.
    scores
        The scores of ``late_rounds``: with several classes, a row of class scores each.
    y
        The right labels of the rows.
    """
    if learner.rule.regresses:
        return Predictions(scores, scores, [None] * len(scores))
    known = learner._labels.signs
    own = [_sign(known, label) for label in learner._labels.listed(y)]
    if not learner.rule.several:
        both = [learner._labels.of(-1.0), learner._labels.of(0.0)]
        rivals = [max([0.0, *(sign * score for sign in known.values())]) for score in scores.tolist()]
        pairs = zip(own, scores.tolist(), rivals, strict=True)
        margins = [0.0 - rival if sign is None else sign * score for sign, score, rival in pairs]
        return Predictions(scores, np.array(margins), [both[score >= 0.0] for score in scores.tolist()])
    labels, found = list(known), np.zeros(len(scores))
    for row, (number, each) in enumerate(zip(own, scores.tolist(), strict=True)):
        if number is None:
            found[row] = 0.0 - max([0.0, *each])
        else:
            right = each.pop(int(number))
            found[row] = right - max(each, default=0.0)
    best = np.argmax(scores, axis=1).tolist() if labels else []
    return Predictions(found, found, [labels[k] for k in best] if labels else [None] * len(scores))


def _sign(known: dict[Any, float], label: Any) -> float | None:
    """The sign or class number of a label; None if it is not known."""
    try:
        return known.get(label)
    except TypeError:
        return None


class _OneByOne:
    """The rows to score, as the learner sees them when it knows some of the features only."""

    def __init__(self, learner: Learner, rows: Rows, known: np.ndarray) -> None:
        encoder = learner._encoder
        self._scaler = learner._scaler
        self._rows = _single_rows(rows)
        self._known = known
        self._drops_missing = bool(encoder.named) and encoder.missing
        has_unknown = isinstance(rows, SparseRows) and rows.indices.size and int(rows.indices.max()) >= known[0]
        self._clips = bool(has_unknown) and not encoder.hashed and (bool(encoder.named) or encoder.clips)

    def row(self, at: int, learned: int) -> Rows:
        """Row ``at``, after ``learned`` rows."""
        row, features = self._rows[at], int(self._known[learned])
        if self._clips and isinstance(row, SparseRows):
            row = self._clipped(row, features)
        return row if self._scaler is None else self._scaler.scale(row, features, False)

    def _clipped(self, row: SparseRows, features: int) -> SparseRows:
        """The row, with the next free index for all unknown features."""
        indptr, indices, values = row
        if self._drops_missing:
            kept = (indices < features) | (values == values)
            indices, values = indices[kept], values[kept]
            indptr = np.array([0, len(indices)], np.uint64)
        return SparseRows(indptr, np.minimum(indices, np.uint32(features)), values)


def _single_rows(rows: Rows) -> list[Rows]:
    """Each row on its own, without a copy of its values."""
    size = length(rows)
    if isinstance(rows, DenseRows):
        return [DenseRows(rows.X[i : i + 1]) for i in range(size)]
    ends = np.zeros((size, 2), np.uint64)
    ends[:, 1] = np.diff(rows.indptr)
    places = rows.indptr.tolist()
    return [
        SparseRows(ends[i], rows.indices[places[i] : places[i + 1]], rows.values[places[i] : places[i + 1]])
        for i in range(size)
    ]


def _known_signs(learner: Learner, y: Any) -> list[float]:
    """The signs or class numbers of the labels, up to the first new label; or the valid targets."""
    signs: list[float] = []
    if isinstance(learner._labels, Targets):
        for target in learner._labels.listed(y):
            try:
                signs.append(learner._labels.sign(target))
            except ValueError:
                break
        return signs
    for label in learner._labels.listed(y):
        sign = _sign(learner._labels.signs, label)
        if sign is None:
            break
        signs.append(sign)
    return signs


def _known_features(rows: Rows, before: int, after: int, named: bool) -> np.ndarray:
    """The number of known features after each number of learned rows, from 0 on."""
    size = length(rows)
    known = np.full(size + 1, after, np.int64)
    known[0] = before
    if after > before and named and isinstance(rows, SparseRows):
        known[1:] = before
        owner = np.repeat(np.arange(1, size + 1), np.diff(rows.indptr).astype(np.int64))
        np.maximum.at(known, owner, rows.indices.astype(np.int64) + 1)
        known = np.maximum.accumulate(known)
    return known


def _keep_features(learner: Learner, named: bool | None, width: int, features: int, done: int) -> None:
    """Take back the features of rows that were encoded but not learned."""
    encoder = learner._encoder
    if encoder.features > features:
        encoder.mark = (encoder.named, encoder.width, features) if done else (named, width, features)
        learner._take_back_features()
