"""A stream that wraps another one and passes on what a run asks of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from driftline.internals.record_stream import RecordStream

if TYPE_CHECKING:
    from driftline.internals.rows import FileRows


class ForwardedStream(RecordStream):
    """All but the blocks comes from the wrapped stream."""

    def __init__(self, stream: RecordStream) -> None:
        self._wrapped = stream

    @property
    def fraction(self) -> float | None:
        """How much of the files has been read."""
        return self._wrapped.fraction

    @property
    def kept(self) -> Sequence[str]:
        """The columns that the wrapped stream passes through."""
        return self._wrapped.kept

    @property
    def recipe(self) -> Any:
        """The recipe of the wrapped stream."""
        return self._wrapped.recipe

    def use(self, recipe: Any) -> None:
        """Let the wrapped stream read by this recipe."""
        self._wrapped.use(recipe)

    def hold(self, kinds: Mapping[str, str]) -> None:
        """Let the wrapped stream read these columns as these kinds."""
        self._wrapped.hold(kinds)

    def keep(self, column: str) -> None:
        """Let the wrapped stream pass on the cells of this column."""
        self._wrapped.keep(column)

    def expect(self, task: str, learner: str) -> None:
        """Let the wrapped stream read labels or targets for this task."""
        self._wrapped.expect(task, learner)

    @property
    def unlabelled(self) -> int:  # type: ignore[override]
        """The number of rows without a label."""
        return self._wrapped.unlabelled

    @property
    def first_labels(self) -> Sequence[Any]:  # type: ignore[override]
        """The different labels of the first rows."""
        return self._wrapped.first_labels

    @property
    def identity(self) -> dict[str, Any]:
        """The names, formats and options of the wrapped stream."""
        return self._wrapped.identity

    def identity_like(self, saved: Any) -> dict[str, Any]:
        """The identity of the wrapped stream, in the form of the saved one."""
        return self._wrapped.identity_like(saved)

    def leave_out(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a learner refuses, and count it; or raise."""
        self._wrapped.leave_out(rows, row, what)

    def leave_out_of_baseline(self, rows: FileRows, row: int, what: str) -> None:
        """Leave out a row that a baseline refuses, or raise if the main learner took it."""
        self._wrapped.leave_out_of_baseline(rows, row, what)

    def refusals(self) -> dict[str, Any]:
        """The rows left out so far."""
        return self._wrapped.refusals()

    def resume_refusals(self, refusals: dict[str, Any]) -> None:
        """Start the next iteration with these rows counted as left out."""
        self._wrapped.resume_refusals(refusals)
