"""Evidence in a feature space: the examples of a run in coordinates of the space of a kernel or of
products.

Comparators are vectors in these coordinates, and the theorems on linear learners apply to them. If
the space is too large, some coordinates are kept. The margins and lengths of comparators in these
coordinates are exact, and the lengths of examples are those in the whole space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix

from driftline.certify.evidence import Evidence
from driftline.internals.compiled import Floats, Indices, Offsets

NO_INDICES: Indices = np.zeros(0, np.uint32)
MOST = 1 << 23
"""The largest number of values that are kept: coordinates times rounds."""


@dataclass(frozen=True)
class Mapped(Evidence):
    """Evidence with dense rows of ``width`` values; ``indices`` is empty."""

    norms: dict[float, Floats] = field(default_factory=dict)
    """For each p, |x_t|_p of every round in the whole space."""

    def dense(self) -> Floats:
        """Return a row for each round."""
        return self.values.reshape(len(self), self.width)

    def sparse(self) -> csr_matrix:
        """Return the rows as a sparse matrix."""
        return csr_matrix(self.dense())

    def part(self, chosen: np.ndarray) -> Mapped:
        """Return the chosen rounds, in order."""
        norms = {p: lengths[chosen] for p, lengths in self.norms.items()}
        return mapped(self, self.dense()[chosen], norms, chosen)

    def lengths(self, p: float = 2.0) -> Floats:
        """Return |x_t|_p of every round in the whole space, including coordinates that are not
        kept.
        """
        return self.norms[p]


def mapped(rounds: Evidence, X: Floats, norms: dict[float, Floats], chosen: np.ndarray | slice = slice(None)) -> Mapped:
    """Return evidence with the rows X and the outcomes of the chosen rounds."""
    ends: Offsets = np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(X.shape[1])
    values = np.ascontiguousarray(X).reshape(-1)
    outcomes = rounds.y[chosen], rounds.margins[chosen], rounds.updated[chosen]
    return Mapped(ends, NO_INDICES, values, X.shape[1], *outcomes, norms=norms)
