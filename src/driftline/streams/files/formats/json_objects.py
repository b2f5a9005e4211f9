"""Convert JSON objects to features."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from driftline.internals.compiled import Floats, Indices
from driftline.streams.files.faults import excerpt
from driftline.streams.files.scan.feature_names import Names
from driftline.streams.files.scan.words import words

DEEPEST = 64
NUMBERS = (int, float, bool)
ONCE = array("d", [1.0])


class MalformedError(Exception):
    """A malformed line; the arguments are column, condition, text found and remedy."""


class Objects:
    """The features of the objects so far. ``purposes`` maps paths to "target", "time" etc."""

    def __init__(self, names: Names, purposes: dict[str, str], ngrams: int) -> None:
        self.names = names
        self.purposes = purposes
        self.ngrams = ngrams
        self._indices = array("I")
        self._values = array("d")
        self._aside: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._indices)

    def take(self, example: dict[str, Any]) -> dict[str, Any]:
        """Add the features of an object; return its "target" and "time".

        If it raises, the caller must remove the partial features with ``cut``.
        """
        self._aside = {}
        self._walk("", example, 1)
        return self._aside

    def cut(self, size: int, known: int) -> None:
        """Keep only the first ``size`` features and ``known`` names."""
        del self._indices[size:], self._values[size:]
        self.names.forget(known)

    def arrays(self) -> tuple[Indices, Floats]:
        """Return the indices and values of the features."""
        return np.array(self._indices, np.uint32), np.array(self._values, np.float64)

    def _walk(self, beginning: str, example: dict[str, Any], depth: int) -> None:
        indices, values, numbers = self._indices, self._values, self.names.after("")
        for key, value in example.items():
            path = beginning + key
            kind = type(value)
            if path in self.purposes:
                self._put_aside(path, value)
            elif kind in NUMBERS:
                indices.append(numbers[path])
                values.append(value)
            elif kind is str:
                indices.append(self.names.after(path + "=")[value])
                values.append(1.0)
            elif kind is dict:
                if depth == DEEPEST:
                    must = f"objects must be nested at most {DEEPEST} deep"
                    raise MalformedError(path[:200], must, "a deeper one", "Pass --drop with a key above it")
                self._walk(path + ".", value, depth + 1)
            elif kind is list:
                self._list(path, value)

    def _list(self, path: str, items: list[Any]) -> None:
        for place, item in enumerate(items):
            if type(item) is str:
                self._indices.append(self.names.after(path + "=")[item])
                self._values.append(1.0)
            elif type(item) in NUMBERS:
                self._indices.append(self.names[f"{path}[{place}]"])
                self._values.append(item)
            elif item is not None:
                must, got = "a list must hold strings or numbers", excerpt(str(item))
                raise MalformedError(path, must, got, f"Pass --drop {path}, or write the list as an object")

    def _put_aside(self, path: str, value: Any) -> None:
        purpose = self.purposes[path]
        if purpose in ("target", "time"):
            self._aside[purpose] = value
        elif purpose == "text" and value is not None:
            if type(value) is not str:
                raise MalformedError(path, "text must be a string", excerpt(str(value)), "Write it in quotes")
            found = words(value, self.ngrams)
            self._indices.extend(map(self.names.after(path + ":").__getitem__, found))
            self._values.extend(ONCE * len(found))
