"""The history of a run: the norm of the weights, and the largest weights by name.

A record is made at each multiple of a stride. The stride doubles when there are too many records,
so that their number is bounded for a stream of any length. The latest record is always kept. The
positions depend only on the number of examples: the history does not change if the run is cut into
other blocks, or stopped and resumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftline.internals.require import require
from driftline.learners import Learner
from driftline.learners.state import extent

FIRST_STRIDE = 16
COLUMNS = {"examples": np.int64, "norm": np.float64, "nonzero": np.int64, "listed": np.int64, "values": np.float64}


@dataclass(frozen=True)
class Record:
    """The weights after ``examples`` examples.

    ``largest`` holds (name, weight), the largest absolute value first.
    """

    examples: int
    norm: float
    nonzero: int
    largest: tuple[tuple[str | int, float], ...]

    @property
    def complete(self) -> bool:
        """Whether ``largest`` holds all non-zero weights."""
        return len(self.largest) >= self.nonzero


class History:
    """At most ``points`` records and the latest one, each with the ``top`` largest weights.

    Call ``record`` at the start and the end of the stream, and at every position that ``next``
    returns.

    Parameters
    ----------
    points
        The most records, without the latest one.
    top
        The number of weights in each record.

    Attributes
    ----------
    records
        The records in the order of the stream.

    >>> import driftline as dl
    >>> history, learner = History(), dl.PA()
    >>> history.record(0, learner)
    >>> history.next(0), history.next(16), history.next(40)
    (16, 32, 48)
    """

    def __init__(self, points: int = 64, top: int = 24) -> None:
        for name, value, least in (("points", points, 2), ("top", top, 1)):
            require(_whole(value, least), "History", f"{name} must be a whole number >= {least}", value)
        self.points = int(points)
        self.top = int(top)
        self.stride = FIRST_STRIDE
        self.records: list[Record] = []

    def next(self, done: int) -> int:
        """The position of the next record.

        Parameters
        ----------
        done
            The number of examples so far.

        Returns
        -------
        int
            A number of examples > ``done``.
        """
        return (done // self.stride + 1) * self.stride

    def record(self, done: int, learner: Learner) -> None:
        """Record the weights of the learner.

        Parameters
        ----------
        done
            The number of examples of the stream that the learner has learned.
        learner
            The learner.
        """
        while len(kept := self._kept(done)) >= self.points:
            self.stride *= 2
        self.records = [*kept, Record(done, *extent(learner), tuple(learner.largest(self.top)))]

    def _kept(self, done: int) -> list[Record]:
        """The records before this one that lie at multiples of the stride."""
        return [r for r in self.records if r.examples % self.stride == 0 and r.examples < done]

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """The history as plain values for JSON, and arrays."""
        names = [[name for name, _ in r.largest] for r in self.records]
        columns = {
            "examples": [r.examples for r in self.records],
            "norm": [r.norm for r in self.records],
            "nonzero": [r.nonzero for r in self.records],
            "listed": [len(r.largest) for r in self.records],
            "values": [value for r in self.records for _, value in r.largest],
        }
        arrays = {name: np.array(column, COLUMNS[name]) for name, column in columns.items()}
        return {"points": self.points, "top": self.top, "stride": self.stride, "names": names}, arrays

    @classmethod
    def from_state(cls, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> History:
        """Rebuild a history from its ``state``: ``meta`` and ``arrays``."""
        _check_state(meta, arrays)
        history = cls(meta["points"], meta["top"])
        history.stride = meta["stride"]
        examples, norm, nonzero, listed, values = (arrays[name].tolist() for name in COLUMNS)
        start = 0
        for k, names in enumerate(meta["names"]):
            largest = tuple(zip(names, values[start : start + listed[k]], strict=True))
            history.records.append(Record(examples[k], norm[k], nonzero[k], largest))
            start += listed[k]
        return history


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def _check_state(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError unless ``state`` can have returned these values."""
    where = "History.from_state"
    keys = ["points", "top", "stride", "names"]
    require(sorted(meta) == sorted(keys), where, f"the entries must be {keys}", sorted(meta))
    stride, names = meta["stride"], meta["names"]
    doubled = _whole(stride, FIRST_STRIDE) and stride % FIRST_STRIDE == 0
    doubled = doubled and (stride // FIRST_STRIDE).bit_count() == 1
    require(doubled, where, f"stride must be {FIRST_STRIDE} times a power of 2", stride)
    require(sorted(arrays) == sorted(COLUMNS), where, f"the arrays must be {list(COLUMNS)}", sorted(arrays))
    for name, dtype in COLUMNS.items():
        array = arrays[name]
        require(
            array.dtype == dtype and array.ndim == 1, where, f"{name} must be a 1-d array of {dtype.__name__}", array
        )
    good = isinstance(names, Sequence) and all(
        isinstance(some, Sequence) and all(isinstance(name, str | int) for name in some) for some in names
    )
    require(good, where, "names must be lists of str and int", names)
    listed = [len(some) for some in names]
    require(arrays["listed"].tolist() == listed, where, "names must have the lengths given by listed", listed)
    sizes = [arrays[name].size for name in ("examples", "norm", "nonzero")]
    require(sizes == [len(names)] * 3, where, f"every column must have {len(names)} records", sizes)
    require(
        arrays["values"].size == sum(listed), where, f"values must have {sum(listed)} entries", arrays["values"].size
    )
    examples = arrays["examples"]
    rising = examples.size == 0 or (examples[0] >= 0 and bool(np.all(np.diff(examples) > 0)))
    require(rising, where, "examples must be >= 0 and increasing", examples)
