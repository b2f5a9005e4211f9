"""The learner that a command takes if none is named: a classifier, or a regressor for a continuous target."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions, LearnerOptions
from driftline.internals.visible_text import visible

if TYPE_CHECKING:
    from driftline.streams import FileStream

TRACKER = "trackerregressor"
"""The regressor that ``run`` takes if no learner is named; it needs no scaling."""
TUNED = "arowregressor"
"""The regressor that ``sweep`` takes, because the other one has no parameters."""
OF_MANY_FEATURES = f"{TUNED}(diagonal=True)"
"""The same for text, svmlight and VW files, which may have more features than a matrix can hold."""
SCALE = "standard"
"""How the features of ``sweep`` are scaled, unless --scale is given."""
SPARSE = {"svmlight", "vw"}


def default_learner(
    stream: FileStream,
    reading: FileOptions,
    making: LearnerOptions,
    classifier: str,
    slice: str | None = None,  # noqa: A002
    *,
    tuned: bool = False,
) -> tuple[str, LearnerOptions]:
    """Return the name of the learner for the target of the stream, and its options.

    If the first rows show that the target is continuous, this is said on stderr.

    Parameters
    ----------
    stream
        The files. Their first rows are read, unless an option says what the task is.
    reading, making
        The options of the command. Features are scaled for a tuned regressor, unless --scale is
        given.
    classifier
        The learner for labels.
    slice
        The column by whose values the run is sliced; the stream must pass it on from the start.
    tuned
        Whether the learner must have parameters.
    """
    from driftline.evaluate.metrics.settings import keep_slice
    from driftline.streams.schema.recipe import REGRESSION

    why = ""
    if reading.task is None and reading.positive is None:
        keep_slice(stream, slice)
        why = stream.find_task()
    if not why and reading.task != REGRESSION:
        return classifier, making
    learner = TRACKER
    if tuned:
        learner = OF_MANY_FEATURES if reading.words or SPARSE & set(stream.formats) else TUNED
        if making.scale is None:
            making = replace(making, scale=SCALE)
    if why:
        target = stream.recipe.target
        column = "the label" if target is None else f"the target {target}"
        chosen = f"--learner {learner}" + (f" --scale {making.scale}" if making.scale else "")
        said = f"{column} has {why}, so this is a regression. The learner is {chosen}"
        print(f"note: {visible(said)}. Pass --task classification if each number is a class", file=sys.stderr)
    return learner, making
