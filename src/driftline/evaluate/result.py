"""The result of a run: its learner, its counts and its curve."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from driftline.certify.evidence import Evidence, EvidenceRecorder
from driftline.evaluate.alarm import Alarm
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.history import History
from driftline.evaluate.label_order import order_warning
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.metrics import Metrics
from driftline.internals.compiled import Floats
from driftline.internals.require import require
from driftline.internals.visible_text import visible
from driftline.learners import Learner

if TYPE_CHECKING:
    from driftline.evaluate.certificate import Certificate
    from driftline.evaluate.decision import Decision


class Run:
    """A finished run.

    Attributes
    ----------
    name
        The name of the learner.
    learner
        The learner after the last example.
    examples
        Examples learned.
    updates
        Rounds in which an example was added to the weights.
    infeasible
        Rounds in which the rule fired but its problem had no solution.
    asked
        The number of labels asked for: all, unless the learner is ``LabelEfficient``.
    seconds
        Time spent on learning. Compilation, which a first call on a machine may need, is left out.
    ledger
        All these counts, and the curve, in one object.
    history
        The largest weights along the run; None unless the run was made with ``history=True`` or
        the learner is a vote.
    unlabelled
        Examples without a label (None), which were not learned.
    remarks
        What else ``warnings`` lists, such as a delay that is longer than the stream.
    stopped
        Why a baseline of ``compare`` stopped before the end of the stream; empty if it did not.
    decision
        The decision that saw the run (``dl.Decision``), and what its decisions have achieved. None
        unless one was passed to ``run``.
    metrics
        Accuracy, AUC, confusion matrix and the other metrics of the run, of its last examples and
        of slices (``dl.Metrics``). None for the settings of a sweep.
    alarms
        The changes that drift detectors found, a list of ``Alarm`` in the order of the examples: the
        first 10,000. Empty unless the run was made with ``alarms=True``.
    times
        The times of some examples along the run: a dict of the arrays "examples" and "seconds" since
        1970. None unless the stream is made of files with a time column that has dates.
    certified
        The last certificate that was computed, which reports show; None if there is none.
    """

    def __init__(
        self,
        name: str,
        learner: Learner,
        ledger: Ledger,
        history: History | None = None,
        recorder: EvidenceRecorder | None = None,
        stopped: str = "",
    ) -> None:
        self._recorder = recorder
        self.stopped = stopped
        self.unlabelled = 0
        self.remarks: list[str] = []
        self.decision: Decision | None = None
        self.metrics: Metrics | None = None
        self.alarms: list[Alarm] = []
        self.times: dict[str, Floats] | None = None
        self.certified: Certificate | None = None
        self.name = name
        self.history = history
        self.learner = learner
        self.ledger = ledger
        self.examples = ledger.examples
        self.updates = ledger.updates
        self.infeasible = ledger.infeasible
        self.asked = ledger.asked
        self.seconds = ledger.seconds

    @property
    def mistakes(self) -> int:
        """Rounds with y * score <= 0. With several classes, rounds with a wrong label."""
        return self.ledger.mistakes

    @property
    def label_errors(self) -> int:
        """Rounds in which the predicted label was wrong.

        Differs from ``mistakes`` at a score of exactly 0.
        """
        return self.ledger.label_errors

    @property
    def margin_errors(self) -> int:
        """Rounds with y * score <= the margin of the learner's rule."""
        return self.ledger.margin_errors

    @property
    def hinge(self) -> float:
        """The sum of max(0, 1 - y * score); infinite if a score was not finite."""
        return self.ledger.hinge

    @property
    def error(self) -> float:
        """The share of examples with a wrong predicted label."""
        return self._share(self.label_errors)

    @property
    def no_change_error(self) -> float | None:
        """The error of a baseline on the same examples: predict the label of the previous example.

        None if it is not known, because the run was resumed from a checkpoint of an earlier
        version.
        """
        known = self.ledger.baselines
        return None if known is None else self._share(known.no_change)

    @property
    def majority_error(self) -> float | None:
        """The error of a baseline on the same examples: predict the most frequent label so far.

        Of equally frequent labels, the one that reached the count first is predicted. None as for
        ``no_change_error``.
        """
        known = self.ledger.baselines
        return None if known is None else self._share(known.majority)

    @property
    def baselines(self) -> str:
        """The errors of both baselines in one line of text; empty if they are not known."""
        no_change, majority = self.no_change_error, self.majority_error
        if no_change is None or majority is None or not self.examples:
            return ""
        return f"baselines: no change {100 * no_change:.1f} %, majority {100 * majority:.1f} %"

    @property
    def warnings(self) -> list[str]:
        """Why the error of the run may say little. Empty if nothing is wrong.

        The labels are sorted, or no label arrived before the end of the stream.

        >>> import driftline as dl
        >>> run = dl.run(dl.PA1(), [({"a": k % 5}, k >= 50) for k in range(100)])
        >>> run.warnings[0].partition(":")[0]
        'the labels are sorted'
        """
        known = self.ledger.baselines
        order = "" if known is None else order_warning(known)
        return [*([order] if order else []), *self.remarks]

    def _share(self, count: int) -> float:
        return count / self.examples if self.examples else float("nan")

    @property
    def curve(self) -> dict[str, Floats]:
        """The totals along the stream: column name to values, from 0 examples to the last one.

        The columns are "examples", "mistakes", "label_errors", "updates" and "hinge".
        """
        table = self.ledger.curve.table(self.ledger.last())
        return dict(zip(self.ledger.columns, table.T, strict=True))

    def windowed(self, window: int = 1000) -> tuple[Floats, Floats]:
        """The error over the last ``window`` examples, along the stream.

        Parameters
        ----------
        window
            The number of examples in the window; near the start it has fewer.

        Returns
        -------
        tuple of arrays
            Positions in the stream, and the share of wrong labels in the window that ends there.
        """
        whole = isinstance(window, int | np.integer) and not isinstance(window, bool) and window >= 1
        require(whole, "Run.windowed", "window must be a whole number >= 1", window)
        at, errors = self.curve["examples"], self.curve["label_errors"]
        since = np.maximum(0.0, at[1:] - window)
        known = np.interp(since, at, errors)
        return at[1:], (errors[1:] - known) / (at[1:] - since)

    @property
    def leaders(self) -> list[tuple[int, str, float]]:
        """For a vote, the heaviest voter along the run: (examples, voter, weight).

        The list is empty for other learners.

        >>> import driftline as dl
        >>> run = dl.run(dl.Tracker(), dl.streams.SEA(1000, seed=1))
        >>> run.leaders[0][0], run.leaders[-1][0]
        (0, 1000)
        """
        if self.history is None or not self.learner.rule.elects:
            return []
        return [(r.examples, str(r.largest[0][0]), r.largest[0][1]) for r in self.history.records]

    @property
    def evidence(self) -> Evidence:
        """All examples as the engine saw them, with their outcomes; needs ``certify=True``."""
        return self._seen().evidence()

    def certificate(self, delta: float = 0.05, assume: Literal["iid"] | None = None) -> Certificate:
        """Compute the guarantees for this run, which needs ``certify=True``.

        The mistake bounds hold for any examples. The best comparators are searched for in
        hindsight.

        Parameters
        ----------
        delta
            The probability with which the risk may be larger than certified.
        assume
            "iid" if the examples are independent draws from one distribution. The risk of one
            hypothesis is then certified as well.

        Returns
        -------
        Certificate
            The bounds, and the reason for each missing one.

        >>> import driftline as dl
        >>> run = dl.run(dl.Perceptron(), dl.streams.SEA(2000, seed=1), certify=True)
        >>> run.mistakes <= run.certificate().best.value
        True
        """
        from driftline.evaluate.certificate import certificate_of

        self.certified = certificate_of(self.name, self.learner, self._seen(), delta, assume)
        return self.certified

    def _seen(self) -> EvidenceRecorder:
        if self.learner.rule.several:
            raise ValueError(
                f"{self.name}: a certified run must have two labels, got {len(self.learner.labels)}. "
                "Run it on two of them, or on one against the rest"
            )
        if self._recorder is None:
            raise ValueError(
                f"{self.name}: the run must have certify=True for a certificate, got certify=False. "
                "Run it again with certify=True"
            )
        return self._recorder

    @property
    def _alone(self) -> Comparison:
        """A comparison of this run alone."""
        return Comparison([self])

    def to_frame(self) -> Any:
        """The curve as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row for each point of the curve; the columns are those of ``curve``.
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas, or use run.curve") from None
        return pd.DataFrame(self.curve)

    def plot(self, window: int = 1000) -> Any:
        """Plot cumulative mistakes, windowed error and, for a vote, the heaviest voter.

        Parameters
        ----------
        window
            The number of examples over which the error is averaged.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        return self._alone.plot(window)

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str | Path:
        """The report of the run as one HTML file, without scripts or external resources.

        Parameters
        ----------
        path
            The file to write. It is replaced in one step. None returns the page as text.
        title
            The title of the page; None takes the name of the run.

        Returns
        -------
        str or Path
            The HTML page, or the file that was written.

        >>> import driftline as dl
        >>> run = dl.run(dl.PA1(), dl.streams.SEA(500, seed=1))
        >>> run.report()[:15]
        '<!DOCTYPE html>'
        """
        from driftline.report import DataSummary, run_report
        from driftline.report.pages.document import write_whole

        page = run_report(title or self.name, self._alone, DataSummary.of_run(self))
        return page if path is None else write_whole(Path(path), page, "Run.report")

    def _repr_html_(self) -> str:
        """The view of a notebook."""
        from driftline.report.notebook.views import run_view

        return run_view(self)

    def __repr__(self) -> str:
        return (
            f"<Run {visible(self.name)}: {self.examples:,} examples, {self.label_errors:,} errors, "
            f"error {self.error:.4f}, {self.updates:,} updates, {self.seconds:.3g} s>"
        )
