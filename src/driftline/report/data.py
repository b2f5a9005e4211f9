"""The data section of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from driftline.evaluate import Run
from driftline.evaluate.regression.result import RegressionRun
from driftline.learners.state import labels_in_order
from driftline.report.html_table import Row, facts
from driftline.report.safe_text import escaped, named

LISTED = 10


@dataclass(frozen=True)
class DataSummary:
    """A description of the data of a run.

    Parameters
    ----------
    source : str
        Names of the files. Empty if they are not known.
    format : str
        File format. Empty if it is not known.
    examples : int
        Number of examples.
    features : int
        Number of features.
    labels : sequence of (str, int)
        Each label and its number of examples.
    values_per_example : float or None
        Average number of non-zero features per example. None if it is not known.
    skipped : int or None
        Number of lines that could not be read and were left out. None for data that is not read
        from files.
    reasons : sequence of str
        Error messages of the first skipped lines.
    seconds : float or None
        Duration of reading and running, in seconds.
    sample_weights : (float, float) or None
        Smallest and largest sample weight. None if all are 1.
    targets : str
        Description of the targets of a regression. Empty for labels.
    """

    source: str
    format: str
    examples: int
    features: int
    labels: Sequence[tuple[str, int]]
    values_per_example: float | None
    skipped: int | None
    reasons: Sequence[str]
    seconds: float | None
    sample_weights: tuple[float, float] | None = None
    targets: str = ""

    @classmethod
    def of_run(cls, run: Run) -> DataSummary:
        """Return what a run knows about its data.

        Parameters
        ----------
        run : Run
            The run.

        Returns
        -------
        DataSummary
        """
        learner = run.learner
        known = cls("", "", run.examples, learner.n_features, _label_counts(run), None, None, [], None)
        return known.with_targets(run)

    def with_targets(self, run: Run) -> DataSummary:
        """Return the summary with the targets of the run, if it is a regression.

        Parameters
        ----------
        run : Run
            The run.

        Returns
        -------
        DataSummary
        """
        if not isinstance(run, RegressionRun):
            return self
        found = run.figures
        spread = f"mean {found.target_mean:.4g}, standard deviation {found.target_deviation:.4g}"
        span = f"from {found.target_lowest:.4g} to {found.target_highest:.4g}, {spread}" if found.n else "none"
        return replace(self, labels=[], targets=span)

    def html(self) -> str:
        """Return the summary as a table."""
        rows = [
            ("source", escaped(self.source)),
            ("format", escaped(self.format)),
            ("examples", f"{self.examples:,}"),
            ("features", f"{self.features:,}"),
            ("targets", escaped(self.targets)),
            ("labels", "" if self.targets else self._labels()),
            ("features per example", self._values()),
            ("sample weights", "" if self.skipped is None and self.sample_weights is None else self._weights()),
            ("skipped lines", self._skipped()),
            ("time", "" if self.seconds is None else self._time(self.seconds)),
        ]
        return facts("The data", [Row(row) for row in rows if row[1]])

    def _values(self) -> str:
        return "" if self.values_per_example is None else f"{self.values_per_example:,.1f} on average"

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
        if self.skipped is None:
            return ""
        reasons = [f"<bdi>{escaped(reason)}</bdi>" for reason in self.reasons]
        return "<br>".join([f"{self.skipped:,}", *([_lines(reasons, self.skipped)] if reasons else [])])

    def _time(self, seconds: float) -> str:
        rate = f", {_short(self.examples / seconds)} examples per second" if seconds > 0.0 else ""
        return f"{_short(seconds)} s{rate}"


def _label_counts(run: Run) -> list[tuple[str, int]]:
    """Return each label and its number of examples, the most frequent first."""
    counted = run.ledger.baselines
    if counted is None:
        return []
    counts = zip(labels_in_order(run.learner), counted.counts.tolist(), strict=False)
    return sorted(((str(label), count) for label, count in counts), key=lambda one: -one[1])


def _short(value: float) -> str:
    """Format a number >= 0 with three significant digits, or without decimals from 1,000 on."""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.3g}"


def _lines(lines: Sequence[str], total: int) -> str:
    """Join the first lines with line breaks, and add the number of the remaining ones."""
    rest = total - min(LISTED, len(lines))
    return "<br>".join([*lines[:LISTED], *([f"and {rest:,} more"] if rest > 0 else [])])
