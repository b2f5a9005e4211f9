"""How much each entry of a row contributes to its score.

Three methods, from the most to the least exact:

    linear        the score is w.x: entry i contributes w_i x_i, the constant feature w_0 x_0
    proportional  the score is a function of one sum or of several: each value of the function is
                  distributed over the terms of its sum, in proportion to them
    occlusion     any score s: entry i contributes s(x) - s(x without i), the constant s(0), and
                  what is left of s(x) is not additive

With each of them, all contributions together add up to the score, up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from driftline.internals.compiled import Floats, Indices
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.internals.weight_layout import FIRST

Method = Literal["linear", "proportional", "occlusion"]
STEEPEST = 10.0
"""Upper limit of the sum of |contributions| of a vote of -1 or +1; see ``distributed``."""
AT_ONCE = 1 << 22
"""Upper limit of the numbers in the rows that ``occluded`` scores at once."""


@dataclass(frozen=True)
class Attribution:
    """The contributions to the score of one row.

    Attributes
    ----------
    entries
        The contribution of each entry of the row, in their order; of each column of a dense row.
    constant
        The contribution of the constant feature, of thresholds and of constant voters.
    absent
        Contributions of features that have no entry in the row: index to contribution.
    missing
        Indices of the features whose values are missing.
    named
        Contributions of parts that mix all features: name to contribution.
    rest
        What is left of the score: it belongs to no single feature.
    vote
        The score of the learner, if the contributions add up to a smooth counterpart of it.
    method
        How the contributions were computed.
    """

    entries: Floats
    constant: float = 0.0
    absent: dict[int, float] = field(default_factory=dict)
    missing: frozenset[int] = frozenset()
    named: dict[str, float] = field(default_factory=dict)
    rest: float = 0.0
    vote: float | None = None
    method: Method = "linear"

    def times(self, factor: float) -> Attribution:
        """All contributions multiplied by a factor."""
        return replace(
            self,
            entries=factor * self.entries,
            constant=factor * self.constant,
            absent={index: factor * value for index, value in self.absent.items()},
            named={name: factor * value for name, value in self.named.items()},
            rest=factor * self.rest,
            vote=None if self.vote is None else factor * self.vote,
        )

    def all(self) -> list[float]:
        """Every contribution."""
        return [self.constant, self.rest, *self.named.values(), *self.absent.values(), *self.entries.tolist()]


def entries_of(row: Rows) -> tuple[Indices, Floats]:
    """Indices and values of one row, zeros included."""
    if isinstance(row, DenseRows):
        return np.arange(row.X.shape[1], dtype=np.uint32), row.X[0]
    part = slice(int(row.indptr[0]), int(row.indptr[1]))
    return row.indices[part], row.values[part]


def of_weights(weights_at: Callable[[np.ndarray], Floats], bias: float, row: Rows) -> Attribution:
    """The terms of w.x; ``weights_at`` returns the weights at some places of an engine."""
    indices, values = entries_of(row)
    w = weights_at(np.concatenate([np.zeros(1, np.intp), FIRST + indices.astype(np.intp)]))
    return Attribution(w[1:] * values, bias * float(w[0]) if bias != 0.0 else 0.0)


def taken(w: Floats, places: np.ndarray) -> Floats:
    """The weights at these places, 0 beyond the last one."""
    found, known = np.zeros(places.size), places < w.size
    found[known] = w[places[known]]
    return found


def distributed(parts: Attribution, value: float) -> Attribution:
    """Distribute ``value`` in proportion to the contributions of ``parts``.

    The factor is 1 if ``value`` is their sum. If they almost cancel, the factor of a vote would
    be huge. It is therefore limited, and what is left of ``value`` is not additive.
    """
    every = parts.all()
    total, size = math.fsum(every), math.fsum(map(abs, every))
    factor = 0.0
    if total != 0.0:
        factor = min(abs(value / total), max(1.0, STEEPEST * abs(value) / size))
    scaled = parts.times(factor)
    left = math.fsum([value, *(-one for one in scaled.all())])
    if abs(left) <= 1e-12 * factor * size:  # rounding
        left = 0.0
    return replace(scaled, rest=scaled.rest + left, vote=None, method="proportional")


def added(parts: list[Attribution]) -> Attribution:
    """The sum of the attributions of one row."""
    absent: dict[int, float] = {}
    named: dict[str, float] = {}
    for part in parts:
        for index, value in part.absent.items():
            absent[index] = absent.get(index, 0.0) + value
        for name, value in part.named.items():
            named[name] = named.get(name, 0.0) + value
    return Attribution(
        entries=np.sum([part.entries for part in parts], axis=0),
        constant=math.fsum(part.constant for part in parts),
        absent=absent,
        missing=frozenset().union(*(part.missing for part in parts)),
        named=named,
        rest=math.fsum(part.rest for part in parts),
        method="proportional",
    )


def occluded(score: Callable[[Rows], Floats], row: Rows, most: int | None = None) -> Attribution:
    """Compare the score of a row with its scores without each entry; an entry left out is 0.

    ``score`` returns the scores of some rows, at most ``most`` at once.
    """
    indices, values = entries_of(row)
    size = values.size
    whole = float(score(row)[0])
    step = max(1, min(AT_ONCE // max(1, size), most or AT_ONCE))
    without = np.zeros(size)
    for start in range(0, size, step):
        left_out = np.arange(start, min(size, start + step))
        without[left_out] = score(_without_each(row, indices, values, left_out))
    nothing = DenseRows(np.zeros((1, size))) if isinstance(row, DenseRows) else _sparse(1, NO_INDICES, NO_VALUES)
    constant = float(score(nothing)[0])
    entries = whole - without
    rest = math.fsum([whole, -constant, *(-entries).tolist()])
    if abs(rest) <= 1e-12 * math.fsum([abs(whole), abs(constant), *np.abs(entries).tolist()]):  # rounding
        rest = 0.0
    return Attribution(entries, constant, rest=rest, method="occlusion")


NO_INDICES, NO_VALUES = np.zeros(0, np.uint32), np.zeros(0)


def _without_each(row: Rows, indices: Indices, values: Floats, left_out: np.ndarray) -> Rows:
    """A row for each entry of ``left_out``: all entries but that one."""
    if isinstance(row, DenseRows):
        X = np.tile(values, (left_out.size, 1))
        X[np.arange(left_out.size), left_out] = 0.0
        return DenseRows(X)
    kept = np.arange(values.size) != left_out[:, None]
    tiled = np.tile(indices, (left_out.size, 1)), np.tile(values, (left_out.size, 1))
    return _sparse(left_out.size, tiled[0][kept], tiled[1][kept])


def _sparse(rows: int, indices: Indices, values: Floats) -> SparseRows:
    """Sparse rows of equal length."""
    width = values.size // rows
    return SparseRows(np.arange(rows + 1, dtype=np.uint64) * np.uint64(width), indices, values)
