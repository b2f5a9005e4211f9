"""A heat map as inline SVG: a cell for each pair of values, darker for smaller ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.evaluate.heat_map import Heat, written
from driftline.report.html_table import MISSING, Row, table
from driftline.report.safe_text import brief, escaped

CELL, HEIGHT = 84, 34
LEFT, TOP, BOTTOM = 120, 26, 22
# opacities at which text on a cell is readable on light and dark pages
FAINTEST, DARKEST = 0.04, 0.55


@dataclass(frozen=True)
class HeatMap:
    """The mistakes or errors over two parameters, in ``examples`` examples."""

    heat: Heat
    examples: int

    @property
    def title(self) -> str:
        """The title."""
        return f"{self.heat.what.capitalize()} over {self.heat.x} and {self.heat.y}"

    def svg(self, identity: str) -> str:
        """Return the heat map as SVG. Its element ids start with ``identity``."""
        rows, columns = self.heat.values.shape
        width, height = LEFT + CELL * columns, TOP + HEIGHT * rows + BOTTOM
        top = "".join(
            f'<text class="axis" x="{LEFT + CELL * (k + 0.5):g}" y="{TOP + HEIGHT * rows + 16}" '
            f'text-anchor="middle">{escaped(brief(written(value)))}</text>'
            for k, value in enumerate(self.heat.xs)
        )
        side = "".join(
            f'<text class="axis" x="{LEFT - 8}" y="{self._y(k) + HEIGHT / 2:g}" dy=".35em" text-anchor="end">'
            f"{escaped(brief(written(value)))}</text>"
            for k, value in enumerate(self.heat.ys)
        )
        cells = "\n".join(self._cell(i, j) for i in range(rows) for j in range(columns))
        corner = f"{self.heat.y} (upwards), {self.heat.x} (to the right)"
        return (
            f'<svg class="heat" viewBox="0 0 {width} {height}" width="{width}" role="img" '
            f'aria-labelledby="{identity}-name"><title id="{identity}-name">{escaped(self.title)}</title>\n'
            f'<text class="axis" x="0" y="14">{escaped(corner)}</text>\n{top}{side}\n{cells}\n</svg>'
        )

    def twin(self) -> str:
        """Return the numbers as an HTML table."""
        rows = [
            Row([escaped(written(self.heat.ys[i])), *(self._text(i, j) for j in range(len(self.heat.xs)))])
            for i in reversed(range(len(self.heat.ys)))
        ]
        header = [f"{self.heat.y} \\ {self.heat.x}", *(written(value) for value in self.heat.xs)]
        return table(self.title, header, rows)

    def _y(self, row: int) -> float:
        """Return the y coordinate of the upper edge of a row. Row 0 is at the bottom."""
        return TOP + HEIGHT * (len(self.heat.ys) - 1 - row)

    def _text(self, row: int, column: int) -> str:
        value = self.heat.values[row, column]
        return MISSING if np.isnan(value) else self.heat.text(value)

    def _cell(self, row: int, column: int) -> str:
        values, x, y = self.heat.values, LEFT + CELL * column, self._y(row)
        value, known = values[row, column], values[~np.isnan(values)]
        low, high = known.min(initial=np.inf), known.max(initial=0.0)
        share = 0.0 if np.isnan(value) else (high - value) / (high - low) if high > low else 1.0
        opacity = 0.0 if np.isnan(value) else FAINTEST + (DARKEST - FAINTEST) * share
        least = ' class="least"' if (row, column) == self.heat.best and known.size else ""
        place = f"{self.heat.x} {written(self.heat.xs[column])}, {self.heat.y} {written(self.heat.ys[row])}"
        error = "" if np.isnan(value) else f": {self._text(row, column)} {self.heat.what} in {self.examples:,} examples"
        return (
            f'<g><title>{escaped(place + error)}</title><rect{least} x="{x + 1}" y="{y + 1:g}" width="{CELL - 2}" '
            f'height="{HEIGHT - 2}" rx="3" fill-opacity="{opacity:.3f}"/>'
            f'<text x="{x + CELL / 2:g}" y="{y + HEIGHT / 2:g}" dy=".35em" text-anchor="middle">'
            f"{self._text(row, column)}</text></g>"
        )
