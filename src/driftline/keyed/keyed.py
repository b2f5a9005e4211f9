"""``Keyed``: a learner for each key in one process. How it learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.encode.faults import RowError, shortened
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.keyed.blocks import learn_block
from driftline.keyed.in_use import KeyCounts
from driftline.keyed.keys import WHERE, Key
from driftline.keyed.rows import Parts, check_lengths, keys_and_rows, own_row, places_of, raise_named
from driftline.keyed.saving import SavedKeyed
from driftline.keyed.template import KeyLearner

if TYPE_CHECKING:
    from driftline.evaluate.keyed_run import KeyedRun


class Keyed(SavedKeyed):
    """A learner for each key, such as a customer, a device or a topic.

    The examples of a key are learned in order, with the same bits as by a separate learner that
    gets only these examples. At most a few hundred learners exist as objects at once. The other
    keys are stored as records of some hundred bytes each: in memory, or beyond
    ``max_keys_in_memory`` in a file.

    A key is a str, int or bytes. A call learns either all its examples or, if it raises, none.
    Any number of threads may use one object: its calls run one at a time.

    Parameters
    ----------
    learner : Learner
        A new learner. All keys share its parameters and options. Declare
        ``labels=(negative, positive)`` if there are two: otherwise the positive label may differ
        from key to key.
    key : str, int or None, default=None
        The feature of dicts, or the column of frames, that holds the key. It is not passed to the
        learner. None if every call gets keys.
    prior : Learner, "global" or None, default=None
        The state from which a new key starts. None: a new learner. A learner with the same
        parameters and options: a copy of its present state. "global": a copy of a learner that has
        learned all earlier rows of all keys. The copy includes counters, such as the number of
        updates, because some rules use them; ``counts`` does not include the counters of the prior.
    max_keys_in_memory : int or None, default=None
        The largest number of keys whose records are in memory after a call. The most recently used
        keys stay in memory, the others are in a temporary file. During a call, the records of all
        its keys are in memory too.
    spill : str, os.PathLike or None, default=None
        The folder of the temporary file. The file is removed with the object or at the end of the
        process.

    Examples
    --------
    >>> import driftline as dl
    >>> keyed = dl.Keyed(dl.PA1(), key="customer")
    >>> keyed.learn_one({"customer": "ada", "price": 2.0}, True)
    0.0
    >>> keyed.predict_one({"customer": "ada", "price": 1.0}), keyed.predict_one({"customer": "bob", "price": 1.0})
    (True, None)
    >>> len(keyed), "bob" in keyed, keyed["ada"].n_seen
    (1, False, 1)
    """

    def run(
        self,
        stream: Any,
        *,
        keys: Any = None,
        checkpoint: Any = None,
        every: int = 100_000,
        rows: int = 8192,
        progress: bool | None = None,
    ) -> KeyedRun:
        """Test, then train on every example of a stream.

        Parameters
        ----------
        stream
            As for ``driftline.run``. For files, keep the column of the key and exclude it from the
            features: ``dl.streams.read(..., keep=[key], drop=[key])``.
        keys
            A key for each row of the stream. None takes the keys from the rows.
        checkpoint
            A file for checkpoints; None for none. If this object was loaded from it, the rows that
            it has learned are skipped.
        every
            About the number of rows between two checkpoints.
        rows
            The number of examples per block, for arrays and single examples.
        progress
            Whether a progress line is shown on stderr; None shows it if stderr is a terminal.

        Returns
        -------
        KeyedRun
            The errors of all keys, the number of keys, and the worst keys.
        """
        from driftline.evaluate.keyed_run import run_keyed  # a higher layer, imported late

        return run_keyed(self, stream, keys, checkpoint, every, rows, progress)

    # learning --------------------------------------------------------------------------------------
    @whole_call
    def learn_one(self, x: Any, y: Any, w: float = 1.0, *, key: Any = None) -> float:
        """Learn one example of a key.

        Parameters
        ----------
        x
            The example. If it is a dict, it may hold the key.
        y
            Its label, or the target of a regressor.
        w
            Its sample weight.
        key
            The key, if x does not hold it.

        Returns
        -------
        float
            What ``learn_one`` of the learner returns: the score before learning.
        """
        own, x = own_row(x, self.key, key)
        one, before, start = None, None, b""
        if self.prior == "global":
            start = self._start_record()
        else:
            one = self._use(own)
        undoes, totals = one is None, self._totals
        was_changed, was_dropped = own in self._changed, own in self._dropped
        if one is None:
            before = self._begin(own)
        try:
            if one is None:
                one = self._use(own)
                assert one is not None
            score = self._learn_key_one(own, one, x, y, w)
            if start:
                self._start.learn_one(x, y, w)
        except BaseException as error:
            if undoes:
                self._take_back(own, before)
            self._totals = totals
            if undoes and not was_changed:
                self._changed.discard(own)
            if undoes and was_dropped:
                self._dropped.add(own)
            if start:
                self._take_back_start(start)
            raise_named(f"key {shortened(own)}", error)
        self._store.trim(self._slack)
        return score

    def _learn_key_one(self, key: Key, one: KeyLearner, x: Any, y: Any, w: float) -> float:
        one.changed = True
        self._touch(key)
        errors, loss = one.errors, one.loss
        score = one.learner.learn_one(x, y, w)
        if self._template.regresses:
            one.loss += abs(score - float(y))
        self._count(1, one.errors - errors, one.loss - loss)
        return score

    def _count(self, rows: int, errors: int, loss: float) -> None:
        """Add to the counts of all keys."""
        before = self._totals
        self._totals = KeyCounts(before.rows + rows, before.errors + errors, before.loss + loss)

    @whole_call
    def learn_many(self, X: Any, y: Any, w: Any = None, *, keys: Any = None) -> Floats:
        """Learn the rows of X in order, with the same bits as ``learn_one`` row by row.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        y
            A label, or a target, for each row.
        w
            A sample weight for each row, or one number for all rows; None means weights of 1.
        keys
            A key for each row. None takes the keys from the dicts or the frame.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The value that ``learn_one`` returns for each row.
        """
        found, X = keys_and_rows(X, self.key, keys)
        check_lengths(found, X, y, w)
        places = places_of(found)
        scores = np.empty(len(found))
        before: dict[Key, bytes | None] = {}
        totals = self._totals
        changed, dropped = set(self._changed & places.keys()), set(self._dropped & places.keys())
        start = self._start_record() if self.prior == "global" else b""
        try:
            self._store.fetch(key for key in places if key not in self._used)
            learned = learn_block(self, X, y, w, places)
            if learned is not None:
                return learned
            if start:
                self._learn_start(found, X, y, w, places, before)
            for key, rows, part, labels, weights in Parts(X, y, w, places):
                if key not in before:
                    before[key] = self._begin(key)
                one = self._use(key)
                assert one is not None
                scores[rows] = self._learn_key(key, one, part, labels, weights, rows)
        except BaseException:
            for key, record in before.items():
                self._take_back(key, record)
            self._totals = totals
            self._changed -= before.keys() - changed
            self._dropped |= dropped
            if start:
                self._take_back_start(start)
            raise
        finally:
            self._store.trim()
        return scores

    def _learn_key(self, key: Key, one: KeyLearner, X: Any, y: Any, w: Any, rows: list[int]) -> Any:
        """Learn the rows of one key."""
        errors, loss = one.errors, one.loss
        one.changed = True
        self._touch(key)
        learner = one.learner
        try:
            if type(X) is list and (w is None or np.ndim(w) == 0):
                scores: Any = _one_by_one(learner.learn_one, X, y, 1.0 if w is None else w)
            else:
                scores = learner.learn_many(X, y, w)
        except BaseException as error:
            raise_named(f"key {shortened(key)}", error, rows)
        if self._template.regresses:
            for score, target in zip(scores, y, strict=True):
                one.loss += abs(float(score) - float(target))
        self._count(len(rows), one.errors - errors, one.loss - loss)
        return scores

    def _learn_start(
        self,
        keys: list[Key],
        X: Any,
        y: Any,
        w: Any,
        places: dict[Key, list[int]],
        before: dict[Key, bytes | None],
    ) -> None:
        """Let the global learner learn all rows, and each new key start from its state before the key's first row."""
        new = [(rows[0], key) for key, rows in places.items() if key not in self._used and key not in self._store]
        starts = [row for row, _ in new]
        segments = zip([0, *starts], [*starts, len(keys)], strict=True)
        for place, (start, stop) in enumerate(segments):
            if place:
                before[new[place - 1][1]] = self._begin(new[place - 1][1])
            if start < stop:
                for _, rows, part, labels, weights in Parts(X, y, w, {WHERE: list(range(start, stop))}):
                    try:
                        self._start.learn_many(part, labels, weights)
                    except BaseException as error:
                        raise_named("the prior", error, rows)


def _one_by_one(learn: Callable[[Any, Any, float], float], X: list[Any], y: Any, w: float) -> list[float]:
    """The scores of rows that are learned one by one, which is faster for dicts."""
    scores: list[float] = []
    try:
        for x, label in zip(X, y, strict=True):
            scores.append(learn(x, label, w))
    except ValueError as error:
        if type(error) is ValueError:
            where, _, what = str(error).partition(": ")
            raise RowError(where, len(scores), what) from None
        raise
    return scores
