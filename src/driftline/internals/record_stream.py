"""The interface of a stream of records in files: places of rows, progress, and resuming."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from driftline.internals.rows import FileRows


class RecordStream(ABC):
    """A stream whose examples are records of files: every row has a place that an error can name.

    If a learner refuses a row, the stream skips the row or raises an error. It also reports how
    far it has been read, and can be resumed.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """The blocks ``(X, y)`` or ``(X, y, w)``; X is a ``FileRows``."""

    @property
    @abstractmethod
    def fraction(self) -> float | None:
        """How much of the files has been read, from 0 to 1; None if their sizes are not known."""

    unlabelled: int = 0
    """The number of rows without a label so far."""
    first_labels: Sequence[Any] = ()
    """The different labels of the first rows, once the first block has been read."""

    @property
    def kept(self) -> Sequence[str]:
        """The columns whose cells are passed through in ``FileRows.kept``."""
        return ()

    @property
    def recipe(self) -> Any:
        """How records become examples (``streams.schema.recipe``); None if there is no recipe."""
        return None

    def use(self, recipe: Any) -> None:  # noqa: B027
        """Read the files by this recipe from the next iteration on.

        Raise ``ReadError`` if an option of the stream contradicts it.
        """

    def hold(self, kinds: Mapping[str, str]) -> None:  # noqa: B027
        """Read these columns as these kinds from the next iteration on. Other columns may appear."""

    def keep(self, column: str) -> None:  # noqa: B027
        """Pass on the cells of this column from the next iteration on, in ``FileRows.kept``."""

    def expect(self, task: str, learner: str) -> None:  # noqa: B027
        """Yield labels or targets for this task, "classification" or "regression", from now on.

        Raise ``ReadError`` if an option of the stream contradicts it.

        Parameters
        ----------
        task
            The task.
        learner
            The name of the learner, for error messages.
        """

    @property
    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Names, formats and options: they must be the same when a run is resumed."""

    @abstractmethod
    def identity_like(self, saved: Any) -> dict[str, Any]:
        """The identity, in the form in which an earlier version saved it if ``saved`` has that form."""

    @abstractmethod
    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a learner refuses, and count it.

        Raise ``ReadError`` if refused rows stop the stream.

        Parameters
        ----------
        rows
            The block that the learner was given.
        row
            The refused row of that block, counted from 0.
        what
            Why it was refused.
        """

    @abstractmethod
    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a baseline refuses; ``ReadError`` if the main learner took it."""

    @abstractmethod
    def refusals(self) -> dict[str, Any]:
        """The rows left out so far, as plain values that a checkpoint can hold."""

    @abstractmethod
    def resume_refusals(self, refusals: dict[str, Any]) -> None:
        """Start the next iteration with these rows counted as left out."""
