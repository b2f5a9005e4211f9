"""The result of parsing a piece of a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import Fault


@dataclass
class Findings:
    """What a piece of a file showed besides its rows."""

    target: str | None = None
    """The label column."""
    kinds: dict[str, str] = field(default_factory=dict)
    """The kinds of columns that were decided with this piece."""
    notes: list[str] = field(default_factory=list)
    """Columns that were left out, and other things that the user should know."""
    missing: Counter[str] = field(default_factory=Counter)
    """The number of missing cells, by column."""
    unlabelled: int = 0
    """The number of rows without a label that were left out."""
    bad_cells: list[Fault] = field(default_factory=list)
    """Cells that did not have their column's kind and were taken as missing."""


class Parsed(NamedTuple):
    """Rows, their labels and sample weights (None if there are none), and the malformed examples.

    A line parser numbers the lines of every piece from 1, and returns their number in ``lines``.
    """

    rows: FileRows
    y: np.ndarray | None
    w: Floats | None
    faults: list[Fault]
    lines: int = 0
    findings: Findings | None = None
