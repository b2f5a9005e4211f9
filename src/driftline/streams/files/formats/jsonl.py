"""JSON lines: one object per line.

A number is a feature named by its key, a string is the feature ``key=value``. Nested objects give
names such as ``outer.inner``. A list of strings gives ``key=value`` for each item, a list of
numbers ``key[0]``, ``key[1]`` and so on. A null is a missing feature. Values of a name that occurs
twice in a line are summed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from driftline.streams.files.column_roles import purposes, settled
from driftline.streams.files.faults import Fault, excerpt
from driftline.streams.files.formats.json_objects import DEEPEST, NUMBERS, MalformedError, Objects
from driftline.streams.files.label_column import LARGEST_WHOLE, exact_array, whole_if_all_are
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.parsed import Parsed
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.row_entries import added_up, not_finite, without
from driftline.streams.files.source import Chunk

Load = Callable[[bytes], dict[str, Any]]
Label = int | float | str | None
LARGEST_64_BITS = 2.0**63


class JsonLinesParser:
    """Parses JSON lines to rows. Chunks must come in the order of the file.

    The keys named in the options must occur in the first chunk.
    """

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.names = Names()
        self.purposes: dict[str, str] = {}
        self.begun = False
        self.latest: float | str | None = None
        self.label_type: type | None = None

    def parse(self, chunk: Chunk) -> Parsed:
        """Parse a chunk of lines."""
        load = _loader()
        texts = chunk.data.tobytes().split(b"\n")
        lines = [(number, line) for number, line in enumerate(texts, 1) if line and not line.isspace()]
        if not self.begun:
            self._begin(chunk.source, (line for _, line in lines), load)
        self.names.next_block()
        objects = Objects(self.names, self.purposes, self.options.ngrams)
        numbers: list[int] = []
        labels: list[Label] = []
        ends = [0]
        faults = []
        for number, line in lines:
            size, known = len(objects), len(self.names.list)
            try:
                label = self._checked(objects.take(load(line)), line)
            except MalformedError as error:
                objects.cut(size, known)
                faults.append(Fault(chunk.source, number, *error.args))
                continue
            numbers.append(number)
            labels.append(label)
            ends.append(len(objects))
        offsets, places = np.array(ends, np.uint64), np.array(numbers, np.uint64)
        rows = added_up(offsets, *objects.arrays(), self.names, chunk.source, places)
        return _finished(Parsed(rows, self._label_array(labels), None, faults, len(texts) - 1))

    def _begin(self, source: str, lines: Iterable[bytes], load: Load) -> None:
        """Check that the keys named in the options occur; stop once all have been seen."""
        self.purposes = purposes(source, self.options)
        paths: dict[str, None] = {}
        for line in lines:
            try:
                _add_paths(paths, "", load(line), 1)
            except MalformedError:
                continue
            if self.purposes.keys() <= paths.keys():
                break
        if not paths:
            return
        absent = () if self.options.labelled else set(self.options.drop) - paths.keys()
        drop = tuple(path for path in self.options.drop if path not in absent)
        settled(source, list(paths), replace(self.options, drop=drop))
        self.begun = True

    # label and time -----------------------------------------------------------------------------------------
    def _checked(self, aside: dict[str, Any], line: bytes) -> Label:
        """Check the time and return the label of an object."""
        time = self._time(aside.get("time")) if self.options.time is not None else None
        label = aside.get("target")
        if type(label) is float and abs(label) >= LARGEST_64_BITS:
            label = self._unrounded(line)
        if self.options.labelled:
            label = self._label(label)
        elif type(label) not in (*NUMBERS, str):
            label = None
        self.latest = time
        return label

    def _label(self, label: Any) -> Label:
        path = self.options.target
        if label is None:
            raise MalformedError(path, "a label must be given", "none", "Fill it in, or leave the line out")
        kind = str if type(label) is str else float
        if kind is float and type(label) not in NUMBERS:
            must = "a label must be a number, a boolean or a string"
            raise MalformedError(path, must, excerpt(str(label)), "Name another key with --target")
        if self.label_type is None:
            self.label_type = kind
        elif kind is not self.label_type:
            must = f"labels must be {'numbers' if kind is str else 'strings'} as before"
            raise MalformedError(path, must, excerpt(str(label)), "Write all of them in quotes, or none")
        return label if type(label) is int and abs(label) >= LARGEST_WHOLE else kind(label)

    def _unrounded(self, line: bytes) -> Any:
        """Return the label of a line; orjson rounds whole numbers of more than 64 bits to floats."""
        purposes = {str(self.options.target): "target"}
        return Objects(Names(), purposes, 1).take(json.loads(line)).get("target")

    def _time(self, time: Any) -> float | str:
        path, latest = self.options.time, self.latest
        if type(time) not in (int, float, str):
            raise MalformedError(path, "a time must be a number or a string", excerpt(str(time)), "Fill it in")
        if latest is not None and (type(time) is str) != (type(latest) is str):
            must = f"times must be {'numbers' if type(time) is str else 'strings'} as before"
            raise MalformedError(path, must, excerpt(str(time)), "Write all of them in quotes, or none")
        if latest is not None and time < latest:
            remedy = "Sort the file by it, or name another key"
            raise MalformedError(path, "the time must not go backwards", f"{time!r} after {latest!r}", remedy)
        checked: float | str = time
        return checked

    def _label_array(self, labels: list[Label]) -> np.ndarray | None:
        """Return an array of labels; None if labels are optional and some are missing or mixed."""
        if not self.options.labelled:
            texts = sum(type(label) is str for label in labels)
            if None in labels or texts not in (0, len(labels)) or not labels:
                return None
        if labels and type(labels[0]) is str:
            return np.array(labels, np.str_)
        if any(type(label) is int and abs(label) >= LARGEST_WHOLE for label in labels):
            return exact_array(cast(list[int | float], labels))
        return np.array(labels, np.float64)


def _finished(parsed: Parsed) -> Parsed:
    """Drop rows in which the values of a name have a non-finite sum; return the final piece."""
    rows, y, w, faults, lines = parsed
    bad = not_finite(rows)
    if bad:
        for row, (name, value) in bad.items():
            line = int(rows.lines[row])
            must, remedy = "the values of a name must have a finite sum", "Give every name once in a line"
            faults.append(Fault(rows.source, line, name, must, f"{value}", remedy))
        faults.sort(key=lambda fault: fault.line or 0)
        rows, y = without(rows, list(bad)), None if y is None else np.delete(y, list(bad))
    return Parsed(rows, None if y is None else whole_if_all_are(y), w, faults, lines)


def _add_paths(paths: dict[str, None], beginning: str, example: dict[str, Any], depth: int) -> None:
    """Add the path of every key in an object, nested ones included."""
    for key, value in example.items():
        paths[beginning + key] = None
        if type(value) is dict and depth < DEEPEST:
            _add_paths(paths, f"{beginning}{key}.", value, depth + 1)


def _loader() -> Load:
    """Return a function that parses a line to an object, or raises MalformedError."""
    import orjson

    remedy = "Write one object per line, in UTF-8"

    def load(line: bytes) -> dict[str, Any]:
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            text, at, reason = _place(line, error.pos, error.msg)
            got = f"{reason} at {excerpt(text)}"
            raise MalformedError(at + 1, "a line must be a JSON object", got, remedy) from None
        if type(found) is not dict:
            raise MalformedError(None, "a line must be a JSON object", excerpt(line), remedy)
        return found

    return load


def _place(line: bytes, at: int, reason: str) -> tuple[bytes | str, int, str]:
    """Return the text, position and reason of the first JSON error in a line."""
    try:
        return line.decode()[at:], at, reason
    except UnicodeDecodeError as error:
        return line[error.start :], error.start, "invalid UTF-8"
