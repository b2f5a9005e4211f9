"""What a run has shown to a learner whose weights are not of features: the examples in coordinates of that space.

Comparators are then vectors of these coordinates, and all that is known of linear learners holds for them. Of a space
too large for a computer some coordinates are kept: what is said of comparators made of these is exact, and the lengths
of examples, which bounds ask for, are those in the whole space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix

from driftline.certify.evidence import Evidence
from driftline.internals.compiled import Floats, Indices, Offsets

NO_INDICES: Indices = np.zeros(0, np.uint32)
MOST = 1 << 23
"""Values that are kept: coordinates times rounds."""


@dataclass(frozen=True)
class Mapped(Evidence):
    """Rows of ``width`` values each, all of them kept, so that ``indices`` has nothing to say."""

    norms: dict[float, Floats] = field(default_factory=dict)
    """p to |x_t|_p of every round, in the whole space."""

    def dense(self) -> Floats:
        """A row for each round."""
        return self.values.reshape(len(self), self.width)

    def sparse(self) -> csr_matrix:
        """The rows as a matrix."""
        return csr_matrix(self.dense())

    def part(self, chosen: np.ndarray) -> Mapped:
        """The chosen rounds, in order."""
        norms = {p: lengths[chosen] for p, lengths in self.norms.items()}
        return mapped(self, self.dense()[chosen], norms, chosen)

    def lengths(self, p: float = 2.0) -> Floats:
        """|x_t|_p of every round, also of what is not among the coordinates."""
        return self.norms[p]


def mapped(rounds: Evidence, X: Floats, norms: dict[float, Floats], chosen: np.ndarray | slice = slice(None)) -> Mapped:
    """The chosen ones of these rounds, with other rows."""
    ends: Offsets = np.arange(len(X) + 1, dtype=np.uint64) * np.uint64(X.shape[1])
    values = np.ascontiguousarray(X).reshape(-1)
    outcomes = rounds.y[chosen], rounds.margins[chosen], rounds.updated[chosen]
    return Mapped(ends, NO_INDICES, values, X.shape[1], *outcomes, norms=norms)
