"""Labels of class numbers: -1.0 and +1.0 for two classes, the numbers 0 to k - 1 for more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from driftline.streams.synthetic.stream import Labels


def as_labels(number: NDArray[np.int64], classes: int) -> Labels:
    """Return the label of each class number; with two classes, class 1 has the label +1.0."""
    return np.where(number == 1, 1.0, -1.0) if classes == 2 else number
