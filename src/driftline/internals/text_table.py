"""Rows of text as a table: text columns are aligned left, number columns right."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.internals.visible_text import columns, visible


def aligned(cells: Sequence[Sequence[str]], words: int = 1) -> str:
    """One line per row; the first ``words`` columns hold text, the others numbers.

    Cells may hold untrusted text. They are aligned by the columns that they take on a terminal.

    >>> print(aligned([("learner", "mistakes"), ("PA1", "12"), ("日本", "3")]))
    learner  mistakes
    PA1            12
    日本            3
    """
    shown = [[visible(cell) for cell in line] for line in cells]
    widths = [max(map(columns, column)) for column in zip(*shown, strict=True)]
    return "\n".join(
        "  ".join(_padded(cell, w, k < words) for k, (cell, w) in enumerate(zip(line, widths, strict=True)))
        for line in shown
    )


def _padded(cell: str, width: int, left: bool) -> str:
    blanks = " " * (width - columns(cell))
    return cell + blanks if left else blanks + cell
