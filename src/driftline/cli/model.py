"""Open a saved model, and read files by its recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.cli.options import FileOptions

if TYPE_CHECKING:
    from driftline import Learner
    from driftline.streams import FileStream

WITHOUT_COLUMNS = {"svmlight", "vw"}


def opened(
    model: str, files: tuple[str, ...], reading: FileOptions, *, labelled: bool, keep: tuple[str, ...] = ()
) -> tuple[Learner, FileStream, list[str]]:
    """Return the model, the files as a stream that reads them by its recipe, and notes.

    The cells of the columns ``keep`` are passed through.
    """
    import driftline as dl

    learner = dl.load(model)
    stream = reading.stream(files, labelled=labelled, keep=keep)
    if learner.recipe is not None:
        stream.use(learner.recipe)
    return learner, stream, notes_of(model, learner, stream)


def notes_of(model: str, learner: Learner, stream: FileStream) -> list[str]:
    """Return a note if the options alone decide how the columns of the files are read."""
    if learner.recipe is not None or not learner.n_seen or set(stream.formats) <= WITHOUT_COLUMNS:
        return []
    return [
        f"{model} does not say how its examples were made, so the files are read by the options alone. "
        "Give the options with which the model was trained"
    ]
