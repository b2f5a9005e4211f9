"""Comparators for theorems that ask for margin 1 on every round that updated, and say nothing of losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from driftline.certify.comparators.candidates import Comparator, separating
from driftline.certify.evidence import Evidence


def separated(evidence: Evidence, moving: bool = True) -> Iterator[tuple[float, Comparator]]:
    """The longest example, and comparators scaled to margin 1 on every round that updated or was a mistake.

    A mistake may be no update: on an example of zeros, or where no step was feasible.
    """
    chosen = evidence.updated | (evidence.margins <= 0.0)
    struck, among = evidence.part(chosen), np.cumsum(chosen)
    R = float(struck.lengths().max(initial=0.0))
    for one in separating(struck):
        if one.moves and not moving:
            return
        least = float(one.path.margins.min(initial=np.inf))
        if 0.0 < least < np.inf and R > 0.0:
            yield R, replace(one, scale=(1.0 + 1e-12) / least, among=among)
