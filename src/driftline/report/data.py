"""The data section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftline.report.html_table import Row, facts
from driftline.report.safe_text import escaped, named

LISTED = 10


@dataclass(frozen=True)
class DataSummary:
    """A description of the data of a run.

    Parameters
    ----------
    source : str
        Names of the files.
    format : str
        File format.
    examples : int
        Number of examples.
    features : int
        Number of features.
    labels : sequence of (str, int)
        Each label and its number of examples.
    values_per_example : float
        Average number of non-zero features per example.
    skipped : int
        Number of lines that could not be read and were left out.
    reasons : sequence of str
        Error messages of the first skipped lines.
    seconds : float or None
        Duration of reading and running, in seconds.
    sample_weights : (float, float) or None
        Smallest and largest sample weight. None if all are 1.
    """

    source: str
    format: str
    examples: int
    features: int
    labels: Sequence[tuple[str, int]]
    values_per_example: float
    skipped: int
    reasons: Sequence[str]
    seconds: float | None
    sample_weights: tuple[float, float] | None = None

    def html(self) -> str:
        """Return the summary as a table."""
        rows = [
            ("source", escaped(self.source)),
            ("format", escaped(self.format)),
            ("examples", f"{self.examples:,}"),
            ("features", f"{self.features:,}"),
            ("labels", self._labels()),
            ("features per example", f"{self.values_per_example:,.1f} on average"),
            ("sample weights", self._weights()),
            ("skipped lines", self._skipped()),
        ]
        if self.seconds is not None:
            rows.append(("time", self._time(self.seconds)))
        return facts("The data", [Row(row) for row in rows])

    def _labels(self) -> str:
        total = sum(count for _, count in self.labels) or 1
        lines = [f"<bdi>{named(label)}</bdi>: {count:,} ({count / total:.1%})" for label, count in self.labels]
        return _lines(lines, len(self.labels)) or "none"

    def _weights(self) -> str:
        if self.sample_weights is None:
            return "all 1"
        low, high = self.sample_weights
        return f"from {low:g} to {high:g}"

    def _skipped(self) -> str:
        reasons = [f"<bdi>{escaped(reason)}</bdi>" for reason in self.reasons]
        return "<br>".join([f"{self.skipped:,}", *([_lines(reasons, self.skipped)] if reasons else [])])

    def _time(self, seconds: float) -> str:
        rate = f", {_short(self.examples / seconds)} examples per second" if seconds > 0.0 else ""
        return f"{_short(seconds)} s{rate}"


def _short(value: float) -> str:
    """Format a number >= 0 with three significant digits, or without decimals from 1,000 on."""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"


def _lines(lines: Sequence[str], total: int) -> str:
    """Join the first lines with line breaks, and add the number of the remaining ones."""
    rest = total - min(LISTED, len(lines))
    return "<br>".join([*lines[:LISTED], *([f"and {rest:,} more"] if rest > 0 else [])])
