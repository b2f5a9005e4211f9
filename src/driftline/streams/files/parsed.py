"""The result of parsing a piece of a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import Fault


class Parsed(NamedTuple):
    """Rows, their labels and sample weights (None if there are none), and the malformed examples.

    A line parser numbers the lines of every piece from 1, and returns their number in ``lines``.
    """

    rows: FileRows
    y: np.ndarray | None
    w: Floats | None
    faults: list[Fault]
    lines: int = 0
