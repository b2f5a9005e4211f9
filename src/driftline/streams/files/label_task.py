"""Whether labels look like classes or like the targets of a regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.streams.files.faults import ReadError
from driftline.streams.schema.kinds import SAMPLE

MOST_CLASSES = 100
"""Number of different numbers above which a target looks like regression."""


def continuous(labels: Sequence[Any]) -> str:
    """Return what makes the first labels look like the targets of a regression; empty if nothing does.

    >>> continuous([1, 0, 1]), continuous([1.0, 0.5])
    ('', 'the fraction 0.5')
    """
    numbers = dict.fromkeys(label for label in labels if not isinstance(label, str))
    fraction = next((label for label in numbers if label != int(label)), None)
    if fraction is not None:
        return f"the fraction {fraction!r}"
    if len(numbers) > MOST_CLASSES:
        return f"{len(numbers)} different numbers in the first {min(len(labels), SAMPLE):,} rows"
    return ""


def check_classes(source: str, target: str | None, labels: Sequence[Any]) -> None:
    """Raise if the first labels look like the targets of a regression."""
    got = continuous(labels)
    if got:
        raise ReadError(
            f"{source}: {_column(target)} must be a class, got {got}, which looks like regression, and nothing was "
            "learned. Choose a regressor such as trackerregressor, or pass --task classification if each number is "
            "a class"
        )


def check_targets(source: str, target: str | None, labels: Sequence[Any]) -> None:
    """Raise if one of the first labels is not a number, as the targets of a regression are."""
    for label in labels:
        if isinstance(label, str | bool):
            raise ReadError(
                f"{source}: {_column(target)} must be a number for a regression, got {label!r}, and nothing was "
                "learned. Check --target, or choose a classifier such as tracker"
            )


def _column(target: str | None) -> str:
    return "the label" if target is None else f"the target {target}"
