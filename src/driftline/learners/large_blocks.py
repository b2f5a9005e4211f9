"""Large blocks: the engine checks indices and values while it learns, so the block is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.engines import LinearEngine, RegressionEngine
from driftline.engines.calibration.recent_rounds import Learned
from driftline.engines.state import EVENT, LABEL, SCORE, WEIGHT, trial_rows
from driftline.internals.rows import DenseRows, FileRows, cut
from driftline.learners.learned_block import LearnedBlock

if TYPE_CHECKING:
    from driftline.learners.learner import Learner

# a block is large if it has at least LARGE_VALUES values, and at least VALUES_PER_WEIGHT values for
# each weight
LARGE_VALUES, VALUES_PER_WEIGHT = 1 << 13, 4
# it is learned in pieces of ROWS_PER_PIECE dense rows, or of sparse rows with about
# VALUES_PER_PIECE values
ROWS_PER_PIECE, VALUES_PER_PIECE = 1 << 14, 1 << 20


def is_large(learner: Learner, X: Any) -> bool:
    """Whether X is large compared with the weights, and the engine finds bad values itself."""
    engine = learner._engine
    plain = learner._never_stops and learner._skips_checks and type(engine) in (LinearEngine, RegressionEngine)
    return plain and _count_values(X) >= max(LARGE_VALUES, VALUES_PER_WEIGHT * engine.v.size)


def learn_large(learner: Learner, X: Any, y: Any, w: Any) -> LearnedBlock | None:
    """``learner.learn_block(X, y, w)`` for a large block; None if a row must be checked first.

    The block is read once: the engine checks indices and values while it learns. At a bad one
    it stops, and its arrays are restored from a copy. The caller then learns the block with
    ``_learn``, which raises the error or handles the row.
    """
    encoder, labels, engine = learner._encoder, learner._labels, learner._engine
    assert isinstance(engine, LinearEngine)
    known = len(labels.signs)
    encoder.mark = None
    before: list[tuple[np.ndarray, np.ndarray]] = []
    learned = False
    try:
        rows = encoder.many(X, True, unchecked=True)
        signs = labels.sign_many(y)
        size = len(signs)
        learner._check_length(rows, size)
        weights = None if w is None else np.broadcast_to(learner._sample_weights(w, size), size)
        learner._reserve()
        # no check for the rows of a file: readers never repeat an index
        below = 0 if isinstance(X, FileRows) else encoder.width
        if encoder.width == 0 and not (encoder.hashed or isinstance(X, FileRows)):
            return None  # no index is smaller than 0, which would mean no check
        before = [(array, array.copy()) for array in engine.arrays().values()]
        step = ROWS_PER_PIECE if isinstance(rows, DenseRows) else max(1, size * VALUES_PER_PIECE // _count_values(X))
        scores, events = np.empty(size), np.empty(size, np.uint8)
        if learner._recent is not None:
            learner._recent.expect(Learned(engine, learner._seen + size, signs, scores, weights, None))
        trials = np.ones((trial_rows(False), min(size, step)))
        start, rising = 0, True
        while start < size:
            stop = min(size, start + step)
            if stop - start != trials.shape[1]:
                trials = np.ones((trial_rows(False), stop - start))
            trials[LABEL] = signs[start:stop]
            if weights is not None:
                trials[WEIGHT] = weights[start:stop]
            done = engine.learn_unchecked(cut(rows, slice(start, stop)), below, trials, rising)
            scores[start : start + done] = trials[SCORE, :done]
            events[start : start + done] = trials[EVENT, :done]
            start += done
            if start < stop:
                if not rising or below == 0 or isinstance(rows, DenseRows):
                    return None
                rising = False  # rows from here on may have any order
        learned = True
        if learner._recent is not None:
            learner._recent.settle()
    finally:
        if not learned:
            for array, copy in before:
                array[...] = copy
            labels.forget(known)
            learner._take_back_features()
    return LearnedBlock(
        signs, scores, events, weights=weights, first_sign=labels.first_sign, regression=learner.rule.regresses
    )


def _count_values(X: Any) -> int:
    """The number of values in an array, a CSR matrix or a block of a file; 0 for anything else."""
    if type(X) is np.ndarray:
        return X.size
    if isinstance(X, FileRows):
        return X.values.size
    if hasattr(type(X), "tocsr") and X.format == "csr" and isinstance(X.data, np.ndarray):
        return X.data.size
    return 0
