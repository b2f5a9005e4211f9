"""Decide the kind of each column once, and hold it for the whole stream."""

from __future__ import annotations

from collections.abc import Iterable

from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions
from driftline.streams.schema.kinds import CATEGORY, IGNORE, TEXT, TIME, ColumnSample, time_note

MOST_SHOWN = 20


class ColumnKinds:
    """The kinds of the columns of one file: declared, held from earlier files, or found.

    ``new`` and ``notes`` hold the kinds and notes since they were last taken by ``take_news``.
    """

    def __init__(self, source: str, options: ReadOptions) -> None:
        self.source = source
        self.options = options
        self.known: dict[str, str] = dict(options.held) | options.declared
        self.new: dict[str, str] = dict(options.declared)
        self.notes: list[str] = []
        self._of_the_model = set(dict(options.held)) if options.closed else set()

    def take_news(self) -> tuple[dict[str, str], list[str]]:
        """Return the kinds and notes since the last call."""
        news = self.new, self.notes
        self.new, self.notes = {}, []
        return news

    def wants(self, name: str) -> bool:
        """Return whether a column may give features."""
        known = self.known.get(name)
        return known != IGNORE and not (known is None and self.options.closed)

    def decide(self, name: str, sample: ColumnSample, natural: str | None) -> str | None:
        """Return the kind of a column, which is decided if it was not known.

        Parameters
        ----------
        name
            The column.
        sample
            Its first cells. Without a cell, an unknown kind stays open, and None is returned.
        natural
            The kind that the type of the column stands for; None if the sample decides.
        """
        known = self.known.get(name)
        if known is not None:
            if name in self._of_the_model:
                self._compare(name, known, sample, natural)
            return known
        if self.options.closed and name not in self.options.roles:
            return IGNORE  # a column that is only passed through
        kind, note = self._found(name, sample, natural)
        if kind is not None:
            self.set(name, kind, note)
        return kind

    def set(self, name: str, kind: str, note: str = "") -> None:
        """Hold a kind."""
        self.known[name] = self.new[name] = kind
        if note:
            self.notes.append(f"{self.source}: {note}")

    def _found(self, name: str, sample: ColumnSample, natural: str | None) -> tuple[str | None, str]:
        if name == self.options.target:
            return (CATEGORY if natural == TIME else natural) or sample.label_kind(), ""
        if name == self.options.time:
            return natural or sample.time_kind(), ""
        if natural == TIME:
            return IGNORE, time_note(name)
        return (natural, "") if natural is not None else sample.feature_kind(name)

    def _compare(self, name: str, known: str, sample: ColumnSample, natural: str | None) -> None:
        """Add a note if a column of the model looks like one of another kind here."""
        self._of_the_model.discard(name)
        if known in (IGNORE, TEXT) or name in self.options.roles:
            return
        found = TIME if natural == TIME else natural or sample.label_kind()
        if found is not None and found != known and not (found == CATEGORY and known == TIME):
            self.notes.append(
                f"{self.source}: column {name} is a {known} in the model, but looks like a {found} here. "
                "Check that it is the same column"
            )

    def compare_columns(self, columns: Iterable[str]) -> None:
        """Compare the columns of a file with the model; raise if they have none in common."""
        if not self.options.closed:
            return
        found, roles = dict.fromkeys(columns), self.options.roles
        expected = [name for name, kind in self.options.held if kind != IGNORE and name not in roles]
        absent = [name for name in expected if name not in found]
        if expected and len(absent) == len(expected):
            raise ReadError(
                f"{self.source}: a file must have columns of the model, {listed(expected)}, "
                f"got only {listed(list(found))}. Check that it is the right file"
            )
        if absent:
            self.notes.append(f"{self.source}: {_count(absent, ' of the model')} missing here: {listed(absent)}")
        listed_before = dict(self.options.held)
        expected_here = {*listed_before, *roles, *self.options.keep}
        unknown = [name for name in found if name not in expected_here]
        if unknown:
            self.notes.append(f"{self.source}: {_count(unknown)} unknown to the model and left out: {listed(unknown)}")


def _count(names: list[str], of: str = "") -> str:
    return f"1 column{of} is" if len(names) == 1 else f"{len(names):,} columns{of} are"


def listed(columns: list[str]) -> str:
    """Return a list of columns for a message, shortened if it is long."""
    shown = ", ".join(map(repr, columns[:MOST_SHOWN]))
    return shown if len(columns) <= MOST_SHOWN else f"{shown} and {len(columns) - MOST_SHOWN} more"
