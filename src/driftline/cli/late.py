"""The option --delay: a number of rows, or a column of arrival times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline.streams import FileStream


def late_stream(
    files: tuple[str, ...], reading: FileOptions, delay: str, model: str | None = None
) -> tuple[FileStream, int | str]:
    """The files as a stream, and the delay of its labels.

    A column of arrival times is passed through with the time column. It is not a feature.

    Parameters
    ----------
    files
        The files.
    reading
        How they are read.
    delay
        The text of the option.
    model
        A saved model; its recipe may name the time column.
    """
    if not delay.strip("+-0123456789.e "):
        if not delay.isdecimal():
            raise ValueError(f"--delay must be a whole number of rows >= 0 or a column, got {delay!r}. Example: 100")
        return reading.stream(files, labelled=True), int(delay)
    time = reading.time or _time_of(model)
    if time is None:
        raise ValueError(f"--delay {delay} must come with --time, got it alone. Add --time COLUMN, or give a number")
    if delay not in reading.drop:
        reading = replace(reading, drop=(*reading.drop, delay))
    stream = reading.stream(files, labelled=True, keep=(time,))
    stream.keep(delay, "delay")
    return stream, delay


def _time_of(model: str | None) -> str | None:
    """The time column in the recipe of a saved model, if there is one."""
    if model is None:
        return None
    import driftline as dl

    recipe = dl.load(model).recipe
    return None if recipe is None else recipe.time
