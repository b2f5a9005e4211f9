"""Two labels instead of many: one that matches a pattern, and "other" for the rest."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np

from driftline.streams.files.faults import ReadError

OTHER = "other"
LISTED = 20
"""Maximum number of labels that an error lists."""


class PositiveLabel:
    """The labels that match a pattern, and those that do not.

    Parameters
    ----------
    pattern : str
        A label, or a pattern such as ``"spam*"``.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._sides: set[str] = set()
        """The labels that were made so far."""
        self._seen: dict[str, None] = {}
        """Some labels of the files, until two have been made of them."""

    def two(self, y: np.ndarray) -> np.ndarray:
        """Return the pattern for labels that match it, "other" for the rest; None stays."""
        pattern = self.pattern
        labels = {one: pattern if fnmatchcase(str(one), pattern) else OTHER for one in set(y.tolist()) - {None}}
        if len(self._sides) < 2:
            self._sides.update(labels.values())
            self._seen.update(dict.fromkeys(sorted(map(str, labels))[:LISTED]))
        found = [labels.get(one) for one in y.tolist()]
        return np.array(found, object if None in found else np.str_)

    def check(self, source: str) -> None:
        """Raise ``ReadError`` if all labels of the source match, or none does."""
        if len(self._sides) == 1:
            side = "none" if OTHER in self._sides else "all"
            raise ReadError(
                f"{source}: --positive must match some labels and not others, got {self.pattern!r}, which matches "
                f"{side} of {', '.join(map(repr, self._seen))}. Check its spelling"
            )
