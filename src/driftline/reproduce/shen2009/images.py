"""Figure 3 in numbers: on which pixels a model's weight lies, and on how many.

A pixel tells two digits apart by its information gain between them, over all their images. The old pixels are the
quarter of the image that tells P1 from N1 best (3 from 8) without those in the quarter that tells P2 from N2 best (7
from 9); the new pixels are the reverse. A model's share of either is the part of the sum of all |w_i| there.
"""

from __future__ import annotations

import numpy as np

from driftline.internals.compiled import Floats
from driftline.reproduce.shen2009 import gain
from driftline.reproduce.shen2009.data import Material

HELD = 0.9


def old_and_new(material: Material) -> tuple[np.ndarray, np.ndarray]:
    """The pixels that tell P1 from N1, and those that tell P2 from N2; none is both."""
    p1, p2, n1, n2 = material.classes
    quarter = material.features // 4
    first, second = (
        set(np.argsort(-_telling(material, *pair), kind="stable")[:quarter].tolist()) for pair in ((p1, n1), (p2, n2))
    )
    return np.array(sorted(first - second), int), np.array(sorted(second - first), int)


def spread(size: Floats, old: np.ndarray, new: np.ndarray) -> dict[str, float]:
    """The shares of |w| on old and on new pixels, and the share of all pixels that hold HELD of it."""
    total = float(size.sum())
    if total == 0.0:
        return {"old": 0.0, "new": 0.0, "pixels": 0.0}
    held = np.cumsum(np.sort(size)[::-1])
    needed = int(np.searchsorted(held, HELD * total)) + 1
    return {"old": float(size[old].sum()) / total, "new": float(size[new].sum()) / total, "pixels": needed / len(size)}


def of_stream(on: np.ndarray, y: Floats) -> Floats:
    """The information gain of each pixel over a whole stream."""
    return _gains(on[y > 0.0], on[y <= 0.0])


def _telling(material: Material, positive: str, negative: str) -> Floats:
    """The gain of each pixel between two classes."""
    X, y = material.collection.X, material.collection.y
    return _gains(material.on(X[y == positive]), material.on(X[y == negative]))


def _gains(positive: np.ndarray, negative: np.ndarray) -> Floats:
    return gain.of_features(
        positive.sum(axis=0, dtype=float), negative.sum(axis=0, dtype=float), len(positive), len(negative)
    )
