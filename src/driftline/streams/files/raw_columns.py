"""Columns of a table as a format reads them, before their kinds are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from driftline.internals.compiled import Offsets
from driftline.streams.files.faults import Fault, excerpt
from driftline.streams.files.scan.arrow_cells import cells, is_text
from driftline.streams.files.scan.cells import Cells, Texts, Wrong, all_numbers, texts, without
from driftline.streams.schema.kinds import SAMPLE, TEXT, ColumnSample

MOST_VALUES_SHOWN = 20


class RawColumn(NamedTuple):
    """The cells of one column in a block."""

    name: str
    rows: Offsets
    """The row of each cell; increasing."""
    values: Any
    """The cells as an Arrow array, decoded."""
    natural: str | None
    """The kind that the type of the column stands for; None if a sample decides."""
    markers: Collection[str]
    """Texts that mean missing. They have no meaning in text columns."""
    untyped: bool
    """Whether the cells are texts that may stand for numbers."""
    allowed: Mapping[str, None] | None = None
    """The values of an ARFF nominal attribute, in order."""

    def cells(self, kind: str) -> Cells:
        """Return the cells as ones of this kind."""
        found = cells(self.values, kind, () if kind == TEXT else self.markers)
        if self.allowed is None:
            return found
        foreign = _foreign(texts(self.values, self.markers), self.allowed)
        places = {one.cell for one in foreign}
        wrong = foreign + [one for one in found.wrong if one.cell not in places]
        return replace(found, wrong=sorted(wrong, key=lambda one: one.cell))

    def add_to(self, sample: ColumnSample, most: int | None = None, size: int = SAMPLE) -> None:
        """Add the first ``size`` cells that are not missing to a sample: of the first ``most``, or of all."""
        values = self.values[:most]
        if not is_text(values.type):
            sample.add_numbers(min(size, len(values) - values.null_count))
            return
        present = (without(values, self.markers) if self.markers else values).drop_null()[:size]
        if self.untyped and len(present) and all_numbers(present) is not None:
            sample.add_numbers(len(present))
            return
        for value in present.to_pylist():
            sample.add(value)


class RawBlock(NamedTuple):
    """A block of rows: columns, line numbers of the rows, and the malformed rows."""

    columns: Sequence[RawColumn]
    lines: Offsets
    faults: list[Fault]


def _foreign(found: Texts, allowed: Mapping[str, None]) -> list[Wrong]:
    """Return the texts that a nominal attribute does not declare."""
    foreign = [code for code, text in enumerate(found.distinct) if text not in allowed]
    shown = ", ".join(list(allowed)[:MOST_VALUES_SHOWN])
    must, remedy = f"a value must be one of the declared values, {shown}", "Correct it, or declare it in the header"
    return [
        Wrong(cell, must, excerpt(found.distinct[found.codes[cell]]), remedy)
        for cell in np.flatnonzero(np.isin(found.codes, foreign)).tolist()
    ]
