"""Alarms on the inputs, without labels: which feature changed its distribution, and how.

The first CHOOSING rows choose the features: those that are present most often. The next SAMPLING
rows give a sample of the values of each. From then on, three shares are watched for each feature:

    presence   the rows in which it has a value
    level      its values that are at least about the median of its sample
    spread     its values outside the middle half of its sample

A share is a mean of zeros and ones, so heavy tails and infinite values do no harm. Each share has a
window of ``ADWIN`` with alarms in both directions. After an alarm the three windows of the feature
are empty. The level delta is divided among all windows (Bonferroni), so the probability of an alarm
within n rows is at most n * delta if the rows are independent draws from one distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from driftline.drift import window
from driftline.drift.detector import check_delta
from driftline.drift.input_windows import KINDS, WIDTH, WINDOW, Counts, count_present, cuts_of, gather, watch
from driftline.internals.compiled import Floats
from driftline.internals.require import whole
from driftline.internals.rows import DenseRows, Rows, SparseRows, as_sparse, cut, length

CHOOSING, SAMPLING = 500, 500
LEAST_VALUES = 50
"""A feature with fewer values in the sample is watched for presence only."""
PIECE = 4096
MOST_FEATURES = 1024
MEASURES = ("presence", "level", "spread")


class InputChange(NamedTuple):
    """A change of the distribution of a feature.

    Attributes
    ----------
    feature
        The index of the feature, or its name if examples were dicts.
    measure
        What changed: "presence", the share of examples in which the feature has a value; "level",
        the share of its values that are at least ``low``; or "spread", the share of its values
        outside ``low`` to ``high``.
    at
        The number of examples at the alarm.
    since
        The number of examples before the change, estimated.
    before, after
        The share before and after the change.
    low, high
        The bounds of the measure; NaN for those that it does not have.
    """

    feature: Any
    measure: str
    at: int
    since: int
    before: float
    after: float
    low: float
    high: float

    @property
    def share(self) -> str:
        """What ``before`` and ``after`` are the share of, in words."""
        return {
            "presence": "the share of examples with a value",
            "level": f"the share of values of at least {self.low:.4g}",
            "spread": f"the share of values outside {self.low:.4g} to {self.high:.4g}",
        }[self.measure]


class InputMonitor:
    """Watch the inputs of a learner for changes of their distribution.

    The first 1,000 examples choose the features that are present most often, and the shares of
    their values that are watched. Features that appear later are not watched. If the examples are
    independent draws from one distribution, the probability of an alarm within n examples is at most
    n * delta. Inputs with a daily rhythm or a trend have more: these are changes.

    NaN and None are missing values. Infinite values are values.

    Parameters
    ----------
    features : int, default=64
        The most features that are watched, from 1 to 1,024.
    delta : float, default=1e-6
        The false alarms per example, of all features together: > 0, at most 0.01.
    every : int, default=64
        The number of values of a feature between two checks.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> X[2500:, 1] += 1.0
    >>> monitor = InputMonitor()
    >>> for change in monitor.update_many(X):
    ...     print(change.feature, change.at, change.share, round(change.before, 2), round(change.after, 2))
    1 2664 the share of values of at least -0.09355 0.54 0.85
    """

    def __init__(self, features: int = 64, delta: float = 1e-6, every: int = 64) -> None:
        whole("InputMonitor", "features", features, 1, MOST_FEATURES)
        check_delta("InputMonitor", delta)
        whole("InputMonitor", "every", every, 1, 1 << 16)
        self.parameters = {"features": int(features), "delta": float(delta), "every": int(every)}
        self.n_seen = 0
        """The number of examples so far."""
        self._names: dict[Any, int] | None = None
        """Name to index, if examples were dicts."""
        self._counts: Counts = np.zeros(0, np.int64)
        self._set_chosen(np.zeros(0, np.int64))

    def __repr__(self) -> str:
        return f"InputMonitor({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    @property
    def watched(self) -> list[Any]:
        """The features that are watched: indices, or names if examples were dicts."""
        return [self._feature(index) for index in self._chosen.tolist()]

    # adding examples ---------------------------------------------------------------------------
    def update(self, x: Any) -> list[InputChange]:
        """Add an example.

        Parameters
        ----------
        x
            A dict of numbers by name, or a 1-d array.

        Returns
        -------
        list of InputChange
            The changes that were found; mostly none.
        """
        return self.update_many([x] if isinstance(x, Mapping) else np.asarray(x, np.float64)[None])

    def update_many(self, X: Any) -> list[InputChange]:
        """Add many examples.

        Parameters
        ----------
        X
            A 2-d array, or a list of dicts of numbers by name. All calls must use the same form.

        Returns
        -------
        list of InputChange
            The changes that were found, in order.
        """
        named = isinstance(X, Sequence) and bool(X) and isinstance(X[0], Mapping)
        if named and self._names is None and self.n_seen:
            raise ValueError("InputMonitor: examples must be arrays as before, got dicts. Use one form")
        if named:
            return self.add(self._numbered(X))
        array = np.asarray(X, np.float64)
        if array.size == 0 and array.ndim == 1:
            return []
        if array.ndim != 2 or self._names is not None:
            what = "dicts, as before" if self._names is not None else "a 2-d array or a list of dicts"
            raise ValueError(f"InputMonitor: examples must be {what}, got an array of shape {array.shape}")
        return self.add(DenseRows(np.ascontiguousarray(array)))

    def add(self, rows: Rows) -> list[InputChange]:
        """Add examples in the form of engines.

        Parameters
        ----------
        rows
            Dense or sparse rows. A sparse row has a value where it has an entry.

        Returns
        -------
        list of InputChange
            The changes that were found, in order.
        """
        changes: list[InputChange] = []
        at, size = 0, length(rows)
        while at < size:
            ends = [end - self.n_seen for end in (CHOOSING, CHOOSING + SAMPLING) if end > self.n_seen]
            stop = min([size, at + PIECE, *(at + end for end in ends)])
            changes += self._add_piece(_plain(cut(rows, slice(at, stop))))
            at = stop
        return changes

    def _add_piece(self, rows: SparseRows) -> list[InputChange]:
        size = len(rows.indptr) - 1
        if self.n_seen < CHOOSING:
            missing = int(rows.indices.max(initial=0)) + 1 - len(self._counts)
            self._counts = np.concatenate([self._counts, np.zeros(max(0, missing), np.int64)])
            count_present(rows.indices, rows.values, self._counts)
            self.n_seen += size
            if self.n_seen == CHOOSING:
                self._choose()
            return []
        if self.n_seen < CHOOSING + SAMPLING:
            gather(rows.indices, rows.values, self._slots, self._sample, self._sizes)
            self.n_seen += size
            if self.n_seen == CHOOSING + SAMPLING:
                self._set_cuts()
            return []
        every, windows = self.parameters["every"], self._windows
        found = np.empty((len(windows) * (size // int(every) + 1) + 1, WIDTH))
        number = watch(*rows, self._slots, self._cuts, windows, int(every), self._limits, found)
        self.n_seen += size
        return [self._change(row) for row in found[:number]]

    def _change(self, row: Floats) -> InputChange:
        feature, kind = divmod(int(row[WINDOW]), KINDS)
        at, since = (CHOOSING + SAMPLING + int(row[k]) for k in (window.AT, window.SINCE))
        level, low, high = self._cuts[feature].tolist()
        bounds = ((np.nan, np.nan), (level, np.nan), (low, high))[kind]
        name = self._feature(int(self._chosen[feature]))
        return InputChange(
            name, MEASURES[kind], at, since, float(row[window.BEFORE]), float(row[window.AFTER]), *bounds
        )

    # features ----------------------------------------------------------------------------------
    def _feature(self, index: int) -> Any:
        if self._names is None:
            return index
        return next(name for name, own in self._names.items() if own == index)

    def _numbered(self, X: Sequence[Mapping[Any, Any]]) -> SparseRows:
        """Dicts as sparse rows; after the choice, names that are not watched are left out."""
        names = {} if self._names is None else dict(self._names)
        indptr, indices, values = [0], [], []
        for place, x in enumerate(X):
            for name, value in x.items():
                if value is None:
                    continue
                if not isinstance(value, Real | np.bool_):
                    raise ValueError(f"InputMonitor: {name!r} must be a number, got {value!r}. Encode it first")
                if self.n_seen + place < CHOOSING:
                    names.setdefault(name, len(names))
                if name in names:
                    indices.append(names[name])
                    values.append(float(value))
            indptr.append(len(indices))
        self._names = names
        return SparseRows(np.array(indptr, np.uint64), np.array(indices, np.uint32), np.array(values, np.float64))

    def _choose(self) -> None:
        """Choose the features that are present most often; of equals, those with the lower index."""
        counts = self._counts
        order = np.argsort(-counts, kind="stable")[: self.parameters["features"]]
        chosen = np.sort(order[counts[order] > 0])
        if self._names is not None:
            wanted = set(chosen.tolist())
            self._names = {name: index for name, index in self._names.items() if index in wanted}
        self._counts = np.zeros(0, np.int64)
        self._set_chosen(chosen)

    def _set_chosen(self, chosen: Counts) -> None:
        size = len(chosen)
        self._chosen = chosen
        self._slots = np.full(int(chosen.max(initial=-1)) + 1, -1, np.int64)
        self._slots[chosen] = np.arange(size)
        self._sample, self._sizes = np.zeros((size, SAMPLING)), np.zeros(size, np.int64)
        self._cuts, self._windows = np.full((size, 3), np.nan), np.zeros((KINDS * size, window.SIZE))
        level = self.parameters["every"] * self.parameters["delta"] / max(1, KINDS * size)
        self._limits = window.thresholds(min(1.0, level))

    def _set_cuts(self) -> None:
        for feature, size in enumerate(self._sizes.tolist()):
            if size >= LEAST_VALUES:
                self._cuts[feature] = cuts_of(self._sample[feature, :size])
        self._sample, self._sizes = np.zeros((0, SAMPLING)), np.zeros(0, np.int64)

    # state -------------------------------------------------------------------------------------
    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The state as plain values for JSON, and arrays. Names must be strings for JSON."""
        names = None if self._names is None else list(map(list, self._names.items()))
        meta = {"parameters": dict(self.parameters), "n_seen": self.n_seen, "names": names}
        return meta, {name: getattr(self, f"_{name}").copy() for name in ARRAYS}

    def restore(self, meta: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Take over a state.

        Parameters
        ----------
        meta, arrays
            What ``state`` of a monitor with the same parameters returned. ValueError if no such
            monitor can have it; nothing is changed then.
        """
        from driftline.drift.input_checks import checked_state

        n_seen, names, found = checked_state(self.parameters, meta, arrays)
        self.n_seen, self._names = n_seen, names
        self._set_chosen(found["chosen"])
        for name, array in found.items():
            setattr(self, f"_{name}", array)


ARRAYS = ("counts", "chosen", "sample", "sizes", "cuts", "windows")
"""The arrays of the state."""


def _plain(rows: Rows) -> SparseRows:
    """Sparse rows whose offsets begin at 0."""
    indptr, indices, values = as_sparse(rows)
    first, last = int(indptr[0]), int(indptr[-1])
    return SparseRows(indptr - indptr[0], indices[first:last], values[first:last])
