"""Information gain on a stream: running counts, in which older examples may count less.

The counts of example s at time t weigh ``forgetting^(t - s)``. They are kept divided by a common
scale, so that forgetting is one multiplication, as in the engines of linear rules.
"""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np

from driftline.encode import Hashing
from driftline.encode.class_labels import Classes
from driftline.encode.encoder import Encoder
from driftline.features.counted_gain import of_on_and_off, of_pairs_on_and_off
from driftline.internals.compiled import Floats
from driftline.internals.require import at_least, number, require, whole
from driftline.internals.rows import DenseRows, Rows

WHERE = "RunningGain"
SMALLEST = 1e-100
"""A smaller scale is multiplied into the counts."""
MOST_PAIRED = 4096
"""Largest number of features whose pairs are counted: 128 MB for each class."""


class RunningGain:
    """Information gain of features over a stream, from running counts.

    A feature is on or off in an example. Memory is bounded by the number of features and classes,
    not by the length of the stream: a float for each feature and class, with ``pairs`` a float for
    each pair of features and class. ``learn_many`` gives the same bits as a loop of ``learn_one``.

    Parameters
    ----------
    above : float, default=0.0
        A feature is on if its value is larger, >= 0. A feature that is missing in an example is
        off.
    forgetting : float, default=1.0
        Each example multiplies the weight of all earlier ones by this, > 0 and <= 1. With 0.99 the
        last 100 examples have most of the weight; 1 forgets nothing.
    pairs : bool, default=False
        Whether to count pairs of features too, for ``pair_gain`` and games. Then there may be at
        most 4,096 features.
    hashing : Hashing, optional
        Maps names to a fixed number of features. By default each new name is a new feature.

    Examples
    --------
    >>> gains = RunningGain()
    >>> for x, y in [({"free": 1, "the": 1}, "spam"), ({"the": 1}, "ham"), ({"free": 1}, "spam")]:
    ...     gains.learn_one(x, y)
    >>> {name: round(gain, 3) for name, gain in gains.gains().items()}
    {'free': 0.918, 'the': 0.252}
    >>> gains.best(1)
    ['free']
    """

    def __init__(
        self, *, above: float = 0.0, forgetting: float = 1.0, pairs: bool = False, hashing: Hashing | None = None
    ) -> None:
        at_least(WHERE, "above", above, 0.0)
        share = number(WHERE, "forgetting", forgetting)
        require(0.0 < share <= 1.0, WHERE, "forgetting must be in (0, 1]", forgetting)
        require(isinstance(pairs, bool), WHERE, "pairs must be True or False", pairs)
        fit = hashing is None or isinstance(hashing, Hashing)
        require(fit, WHERE, "hashing must be a Hashing or None", hashing)
        self.above, self.forgetting, self.pairs, self.hashing = float(above), share, pairs, hashing
        self.examples = 0
        self._inputs = Encoder(WHERE, hashing, None)
        self._classes = Classes(WHERE)
        self._scale = 1.0
        self._size = np.zeros(0)
        self._on = np.zeros((0, 0))
        self._together = np.zeros((0, 0, 0))
        self._size, self._on, self._together = self._grown()

    # learning ----------------------------------------------------------------------------------------------
    def learn_one(self, x: Any, y: Any) -> None:
        """Add one example to the counts.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.
        y
            Its label.
        """
        self._learn(lambda: self._inputs.one(x, True), [y])

    def learn_many(self, X: Any, y: Any) -> None:
        """Add many examples to the counts; an error leaves the counts unchanged.

        Parameters
        ----------
        X
            The examples: a 2-d array, a sparse matrix, a frame or a list of dicts.
        y
            Their labels.
        """
        self._learn(lambda: self._inputs.many(X, True), y)

    def _learn(self, encoded: Any, y: Any) -> None:
        known = len(self._classes.signs)
        try:
            rows: Rows = encoded()
            which = self._classes.sign_many(y).astype(np.intp)
            starts, features = self._features_on(rows)
            if len(which) != len(starts) - 1:
                raise ValueError(
                    f"{WHERE}: y must have one label for each of the {len(starts) - 1} rows, got {len(which)}"
                )
            grown = self._grown()
        except BaseException:
            self._inputs.undo()
            self._classes.forget(known)
            raise
        self._size, self._on, self._together = grown
        for row, label in enumerate(which.tolist()):
            self._add(features[starts[row] : starts[row + 1]], label)

    def _features_on(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Return the features that are on, row after row, and the start offsets of the rows."""
        if isinstance(rows, DenseRows):
            at, features = np.nonzero(self.above < rows.X)
            return np.searchsorted(at, np.arange(len(rows.X) + 1)), features
        on = rows.values > self.above
        before = np.concatenate([[0], np.cumsum(on)])
        return before[rows.indptr.astype(np.intp)], rows.indices[on].astype(np.intp)

    def _grown(self) -> tuple[Floats, Floats, Floats]:
        """Return the counts with room for all features and classes, and some more."""
        classes, features = len(self._classes.signs), self._inputs.features
        if self.pairs and features > MOST_PAIRED:
            raise ValueError(
                f"{WHERE}: with pairs=True there must be at most {MOST_PAIRED} features, got {features}. "
                "Select features by gain first, or set hashing=Hashing(12)"
            )
        rows, room = self._on.shape
        if classes <= rows and features <= room:
            return self._size, self._on, self._together
        rows = rows if classes <= rows else max(classes, 2 * rows)
        room = room if features <= room else max(features, 2 * room)
        size, on = np.zeros(rows), np.zeros((rows, room))
        together = np.zeros((rows, room, room) if self.pairs else (0, 0, 0))
        size[: len(self._size)] = self._size
        on[: self._on.shape[0], : self._on.shape[1]] = self._on
        together[tuple(slice(0, length) for length in self._together.shape)] = self._together
        return size, on, together

    def _add(self, features: np.ndarray, label: int) -> None:
        """Add one example, given by the features that are on and its class number."""
        self._scale *= self.forgetting
        if self._scale < SMALLEST:
            for counts in (self._size, self._on, self._together):
                counts *= self._scale
            self._scale = 1.0
        weight = 1.0 / self._scale
        self._size[label] += weight
        self._on[label, features] += weight
        if self.pairs:
            self._together[label][np.ix_(features, features)] += weight
        self.examples += 1

    # results -----------------------------------------------------------------------------------------------
    @property
    def features(self) -> list[Any]:
        """The names of the features in the order of the counts; their numbers if they have none."""
        names = self._inputs.named or self._inputs.hashed
        return list(self._inputs.names.names()) if names else list(range(self._inputs.features))

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels so far, in order of appearance."""
        return self._classes.known()

    def gains(self) -> dict[Any, float]:
        """Return the information gain of each feature in bits, by its name or number."""
        return dict(zip(self.features, self._gains().tolist(), strict=True))

    def best(self, k: int) -> list[Any]:
        """Return the features with the largest gains, largest first.

        Parameters
        ----------
        k : int
            How many, >= 1. Ties are broken by the order of appearance.

        Returns
        -------
        list
            The names or numbers of at most k features.
        """
        whole(f"{WHERE}.best", "k", k, 1)
        names = self.features
        return [names[place] for place in np.argsort(-self._gains(), kind="stable")[:k]]

    def pair_gain(self) -> Floats:
        """Return the information gain of each pair of features, in the order of ``features``.

        Returns
        -------
        array of shape (features, features)
            The gains in bits, as rewards for ``game``.
        """
        require(self.pairs, f"{WHERE}.pair_gain", "pairs must be True", self.pairs, "Set pairs=True before learning")
        size, on, together = self.counts()
        if not len(size):
            return np.zeros((on.shape[1], on.shape[1]))
        return of_pairs_on_and_off(list(together), list(on), list(size))

    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Return the counts behind the gains, in the order of ``labels`` and ``features``.

        Returns
        -------
        size : array of shape (labels,)
            The weight of the examples of each label.
        on : array of shape (labels, features)
            The weight of the examples in which each feature is on.
        together : array of shape (labels, features, features)
            The same for each pair of features; empty unless ``pairs``.
        """
        classes, features = len(self._classes.signs), self._inputs.features
        size, on = self._size[:classes], self._on[:classes, :features]
        together = self._together[:classes, :features, :features]
        return size * self._scale, on * self._scale, together * self._scale

    def _gains(self) -> Floats:
        size, on, _ = self.counts()
        return of_on_and_off(list(on), list(size)) if len(size) else np.zeros(on.shape[1])

    # files -------------------------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file; ``load`` continues bit for bit.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write; an existing one is replaced.
        """
        from driftline.features import gain_files

        gain_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read counts from a file that ``save`` wrote.

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Returns
        -------
        RunningGain
            The counts, as they were saved.

        Raises
        ------
        ModelError
            If the file is missing, damaged, or of another kind.
        """
        from driftline.features import gain_files

        loaded = cls()
        gain_files.load(loaded, path)
        return loaded
