"""Text tables."""

from __future__ import annotations


def align(rows: list[list[str]], words: int) -> list[str]:
    """Pad the columns.

    The first `words` columns are aligned to the left, the others to the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = list(zip(row, widths, strict=True))
        left = [cell.ljust(width) for cell, width in cells[:words]]
        right = [cell.rjust(width) for cell, width in cells[words:]]
        lines.append("  ".join(left + right).rstrip())
    return lines
