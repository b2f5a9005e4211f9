"""What a parser makes of a piece of a file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.internals.compiled import Floats
from driftline.internals.rows import FileRows
from driftline.streams.files.faults import Fault


class Parsed(NamedTuple):
    """Rows, their labels and sample weights (None: there are none), and what was malformed and has no row.

    A parser of lines numbers them from 1 on in every piece, and says how many there are.
    """

    rows: FileRows
    y: np.ndarray | None
    w: Floats | None
    faults: list[Fault]
    lines: int = 0
