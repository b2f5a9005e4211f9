"""The learner that a command takes if none is named: a classifier, or a regressor for a continuous target."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.streams import FileStream

REGRESSOR = "arowregressor"
"""The regressor that is taken if no learner is named."""


def default_learner(stream: FileStream, classifier: str, slice: str | None = None) -> str:  # noqa: A002
    """Return the name of the learner for the target of the stream.

    If the first rows show that the target is continuous, this is said on stderr.

    Parameters
    ----------
    stream
        The files. Their first rows are read, unless an option says what the task is.
    classifier
        The learner for labels.
    slice
        The column by whose values the run is sliced; the stream must pass it on from the start.
    """
    from driftline.evaluate.metrics.settings import keep_slice
    from driftline.streams.schema.recipe import REGRESSION

    if stream.given.task is not None:
        return REGRESSOR if stream.given.task == REGRESSION else classifier
    if stream.given.positive is not None:
        return classifier
    keep_slice(stream, slice)
    why = stream.find_task()
    if not why:
        return classifier
    target = stream.recipe.target
    column = "the label" if target is None else f"the target {target}"
    said = f"{column} has {why}, so this is a regression with {REGRESSOR}"
    print(f"note: {visible(said)}. Pass --task classification if each number is a class", file=sys.stderr)
    return REGRESSOR
