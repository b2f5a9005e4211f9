"""The labels, times and sample weights of JSON objects."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.streams.files.column_kinds import ColumnKinds
from driftline.streams.files.faults import excerpt
from driftline.streams.files.formats.json_objects import NUMBERS, MalformedError, leaves, text_of
from driftline.streams.files.label_column import LARGEST_WHOLE, exact_array
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.time_column import order_remedy
from driftline.streams.schema.kinds import CATEGORY, NUMBER, TIME, number_or_truth
from driftline.streams.schema.record_values import float_of
from driftline.streams.schema.times import dates_of_numbers, seconds_of

Label = int | float | str | None
LARGEST_64_BITS = 2.0**63


class Roles:
    """Checks the values of keys with a role, and collects the labels and weights of a block."""

    def __init__(self, options: ReadOptions, kinds: ColumnKinds) -> None:
        self.options = options
        self.kinds = kinds
        self._latest: tuple[Any, Any] | None = None
        self.next_block()

    def next_block(self) -> None:
        """Forget the labels, weights and times so far."""
        self._labels: list[Label] = []
        self._weights: list[float] = []
        self._times: list[Any] = []
        self._target = str(self.options.target)
        self._usual = {CATEGORY: str, NUMBER: int}.get(self.kinds.known.get(self._target, ""))
        """The type of labels that need no check."""

    def take(self, aside: dict[str, Any], line: bytes | None) -> bool:
        """Add the label and weight of an object; return False if it has no label and needs one.

        Raise MalformedError for a bad value.
        """
        options = self.options
        if options.time is None and options.weight is None:
            label = aside.get(self._target)
            if type(label) is not self._usual:
                label = self._label_if_wanted(aside, line)
        else:
            time = self._time(aside.get(options.time)) if options.time is not None and options.labelled else None
            weight = self._weight(aside.get(options.weight)) if options.weight is not None else 1.0
            label = self._label_if_wanted(aside, line)
            self._latest = time or self._latest
            if label is not None or not options.labelled:
                self._weights.append(weight)
                self._times.append(None if time is None else time[0])
        if label is None and options.labelled:
            return False
        self._labels.append(label)
        return True

    def labels(self) -> np.ndarray | None:
        """Return the labels of the block; objects with None where some are missing."""
        labels = self._labels
        if not self.options.labelled and all(label is None for label in labels):
            return None
        if None in labels:
            found = np.empty(len(labels), object)
            found[:] = [_whole(label) for label in labels]
            return found
        if labels and type(labels[0]) is str:
            return np.array(labels, np.str_)
        numbers = [label for label in labels if label is not None and not isinstance(label, str)]
        if any(type(label) is int and abs(label) >= LARGEST_WHOLE for label in numbers):
            return exact_array(numbers)
        return np.array(numbers, np.float64)

    def weights(self) -> Floats | None:
        """Return the sample weights of the block; None if there are none."""
        return np.array(self._weights, np.float64) if self.options.weight is not None else None

    def times(self) -> Floats | None:
        """Return the seconds since 1970 of the block, NaN where there is no date; None without a key of times."""
        if self.options.time is None:
            return None
        found = np.array([float_of(time) if type(time) in NUMBERS else math.nan for time in self._times], np.float64)
        return found if self.kinds.known.get(self.options.time) == TIME else dates_of_numbers(found)

    def _label_if_wanted(self, aside: dict[str, Any], line: bytes | None) -> Label:
        """Return the label; where labels are optional, a malformed one is missing."""
        if self.options.target is None:
            return None
        try:
            return self._label(aside.get(self.options.target), line)
        except MalformedError:
            if self.options.labelled:
                raise
            return None

    # label --------------------------------------------------------------------------------------------------
    def _label(self, label: Any, line: bytes | None) -> Label:
        path, kind = str(self.options.target), self.kinds.known.get(str(self.options.target))
        if label is None:
            return None
        if type(label) is float and abs(label) >= LARGEST_64_BITS:
            label = self._unrounded(line, path, label)
        if type(label) is not str and type(label) not in NUMBERS:
            must = "a label must be a number, a boolean or a string"
            raise MalformedError(path, must, excerpt(str(label)), "Name another key with --target")
        if type(label) is float and not math.isfinite(label):
            raise MalformedError(path, "a label must be finite", str(label), "Correct it")
        if kind is None:
            kind = CATEGORY if type(label) is str else NUMBER
            self.kinds.set(path, kind)
        if (type(label) is str) != (kind == CATEGORY):
            label = self._converted(path, label, kind)
        if type(label) is str:
            return label
        return label if type(label) is int and abs(label) >= LARGEST_WHOLE else float(label)

    def _converted(self, path: str, label: Any, kind: str) -> Any:
        """Convert a label to the kind of the model's labels; without a model it is malformed."""
        found = text_of(label) if kind == CATEGORY else number_or_truth(label)
        if not self.options.closed or found is None:
            must = f"labels must be {'strings' if kind == CATEGORY else 'numbers'}, as in the first rows"
            raise MalformedError(path, must, excerpt(str(label)), "Write all of them in quotes, or none")
        return found

    def _unrounded(self, line: bytes | None, path: str, label: float) -> Any:
        """Return the label of a line; orjson rounds whole numbers of more than 64 bits to floats."""
        if line is None:
            return label
        return dict(leaves("", json.loads(line))).get(path)

    # time and weight ----------------------------------------------------------------------------------------
    def _time(self, time: Any) -> tuple[Any, Any]:
        """Return the time, for comparison and as it was written; raise if it goes backwards."""
        path = str(self.options.time)
        if type(time) not in (int, float, str):
            raise MalformedError(path, "a time must be a number or a string", excerpt(str(time)), "Fill it in")
        kind = self.kinds.known.get(path)
        if kind == TIME:
            found = seconds_of(time)
            if found is None:
                must = "a time must be a date or time such as 2024-03-01T12:30:00"
                raise MalformedError(path, must, excerpt(str(time)), "Correct it")
        elif (type(time) is str) != (kind == CATEGORY):
            must = f"times must be {'strings' if kind == CATEGORY else 'numbers'}, as in the first rows"
            raise MalformedError(path, must, excerpt(str(time)), "Write all of them in quotes, or none")
        else:
            found = time
        if self._latest is not None and found < self._latest[0]:
            remedy = order_remedy(isinstance(found, str), "key")
            got = f"{time!r} after {self._latest[1]!r}"
            raise MalformedError(path, "the time must not go backwards", got, remedy)
        return found, time

    def _weight(self, weight: Any) -> float:
        if type(weight) not in (int, float) or not 0.0 <= float_of(weight) < math.inf:
            got = "none" if weight is None else excerpt(str(weight))
            raise MalformedError(
                self.options.weight, "a weight must be a number >= 0", got, "Fill it in, or leave the line out"
            )
        return float(weight)


def _whole(label: Label) -> Label:
    """Return a whole number as an int."""
    return int(label) if type(label) is float and label == int(label) else label
