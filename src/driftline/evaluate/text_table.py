"""Rows of text as a table: text columns are aligned left, number columns right."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(cells: Sequence[Sequence[str]], words: int = 1) -> str:
    """One line per row; the first ``words`` columns hold text, the others numbers.

    >>> print(aligned([("learner", "mistakes"), ("PA1", "12")]))
    learner  mistakes
    PA1            12
    """
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if k < words else cell.rjust(w) for k, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    )
