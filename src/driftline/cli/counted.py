"""Counts and lists of labels, as text for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.internals.visible_text import visible

MOST_LABELS = 10
"""Number of labels that are listed."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless the count is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def listed_labels(labels: Sequence[Any]) -> str:
    """Return labels as "a, b and c", shortened if there are many of them."""
    shown = [visible(label) for label in labels[:MOST_LABELS]]
    if len(labels) > MOST_LABELS:
        shown.append(f"{len(labels) - MOST_LABELS:,} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
