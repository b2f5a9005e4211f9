"""Scores and predictions of a ``Keyed``. Scoring changes nothing and adds no key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from driftline.encode.faults import shortened
from driftline.encode.labels import array_of
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.keyed.keys import Key
from driftline.keyed.rows import Parts, check_lengths, keys_and_rows, own_row, places_of, raise_named
from driftline.keyed.states import KeyedStates
from driftline.learners import Learner


class KeyedScores(KeyedStates):
    """A ``Keyed`` that scores and predicts but cannot learn yet."""

    def _reader(self, key: Key) -> Learner:
        """The learner of a key; that with which a new key would start if the key is unknown."""
        one = self._use(key)
        return self._start if one is None else one.learner

    @whole_call
    def score_one(self, x: Any, *, key: Any = None) -> float:
        """The score of one example, by the learner of its key.

        Parameters
        ----------
        x
            The example. If it is a dict, it may hold the key.
        key
            The key, if x does not hold it.

        Returns
        -------
        float
            The score. An unknown key has the score of a new key.
        """
        return float(self._ask_one("score_one", x, key))

    @whole_call
    def predict_one(self, x: Any, *, key: Any = None) -> Any:
        """Predict the label of one example, by the learner of its key.

        Parameters
        ----------
        x
            The example. If it is a dict, it may hold the key.
        key
            The key, if x does not hold it.

        Returns
        -------
        label
            The label, or the number that a regressor predicts; None if the learner knows no label.
        """
        return self._ask_one("predict_one", x, key)

    @whole_call
    def predict_proba_one(self, x: Any, *, key: Any = None) -> dict[Any, float]:
        """The probability of each label that the learner of the key knows.

        Parameters
        ----------
        x
            The example. If it is a dict, it may hold the key.
        key
            The key, if x does not hold it.

        Returns
        -------
        dict
            Label to probability, the most likely label first.
        """
        found: dict[Any, float] = self._ask_one("predict_proba_one", x, key)
        return found

    def _ask_one(self, method: str, x: Any, key: Any) -> Any:
        own, x = own_row(x, self.key, key)
        learner = self._reader(own)
        try:
            return getattr(learner, method)(x)
        except BaseException as error:
            raise_named(f"key {shortened(own)}", error)
        finally:
            self._store.trim(self._slack)

    @whole_call
    def score_many(self, X: Any, *, keys: Any = None) -> Floats:
        """The score of each row, as ``score_one`` returns it.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        keys
            A key for each row. None takes the keys from the dicts or the frame.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The scores.
        """
        found, X = keys_and_rows(X, self.key, keys)
        scores = np.empty(len(found))
        for rows, own in self._answers(found, X, lambda learner, part: learner.score_many(part)):
            scores[rows] = own
        return scores

    @whole_call
    def predict_many(self, X: Any, *, keys: Any = None) -> np.ndarray:
        """Predict the label of each row, as ``predict_one`` does.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        keys
            A key for each row. None takes the keys from the dicts or the frame.

        Returns
        -------
        numpy.ndarray of shape (rows,)
            The labels. It is an array of objects if some are None.
        """
        found, X = keys_and_rows(X, self.key, keys)
        labels: list[Any] = [None] * len(found)
        for rows, own in self._answers(found, X, self._labels):
            for row, label in zip(rows, own, strict=True):
                labels[row] = label
        return array_of(labels) if labels else np.empty(0)

    def _labels(self, learner: Learner, X: Any) -> list[Any]:
        """The label of each row; None if the learner knows no label."""
        if self._template.regresses or learner.labels:
            labels: list[Any] = learner.predict_many(X).tolist()
            return labels
        return [None] * len(learner.score_many(X))  # checks the rows

    def _answers(
        self, keys: list[Key], X: Any, answer: Callable[[Learner, Any], Any]
    ) -> Iterator[tuple[list[int], Any]]:
        """Row numbers and answers of each key."""
        check_lengths(keys, X, None, None)
        places = places_of(keys)
        self._store.fetch(key for key in places if key not in self._used)
        try:
            for key, rows, part, _, _ in Parts(X, None, None, places):
                try:
                    found = answer(self._reader(key), part)
                except BaseException as error:
                    raise_named(f"key {shortened(key)}", error, rows)
                yield rows, found
        finally:
            self._store.trim()
