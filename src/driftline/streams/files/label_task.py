"""Whether labels look like classes or like the numbers of a regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftline.streams.files.faults import ReadError
from driftline.streams.schema.kinds import SAMPLE

MOST_CLASSES = 100
"""Number of different numbers above which a target looks like regression."""


def check_task(source: str, target: str | None, labels: Sequence[Any]) -> None:
    """Raise if the first labels look like the targets of a regression."""
    numbers = {label for label in labels if not isinstance(label, str)}
    fraction = next((label for label in numbers if label != int(label)), None)
    if fraction is not None:
        got = f"the fraction {fraction!r}"
    elif len(numbers) > MOST_CLASSES:
        got = f"{len(numbers)} different numbers in the first {min(len(labels), SAMPLE):,} rows"
    else:
        return
    column = "the label" if target is None else f"the target {target}"
    raise ReadError(
        f"{source}: {column} must be a class, got {got}, which looks like regression. Regression is not available "
        "yet, and nothing was learned. Pass --task classification if every number is a class"
    )
