"""The test-then-train run: every example is scored before it is learned, at engine speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from driftline.compiled import Floats
from driftline.evaluate.blocks import ROWS, blocks, total
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.ledger import COLUMNS, Ledger
from driftline.evaluate.progress import Progress
from driftline.learners import Learner


class Run:
    """A finished run: its learner and its ledger."""

    def __init__(self, name: str, learner: Learner, ledger: Ledger) -> None:
        self.name = name
        self.learner = learner
        self.ledger = ledger
        self.examples = ledger.examples
        self.mistakes = ledger.mistakes
        self.label_errors = ledger.label_errors
        self.margin_errors = ledger.margin_errors
        self.updates = ledger.updates
        self.infeasible = ledger.infeasible
        self.hinge = ledger.hinge
        self.seconds = ledger.seconds

    @property
    def error(self) -> float:
        """Share of examples whose displayed label was wrong."""
        return self.label_errors / self.examples if self.examples else float("nan")

    @property
    def curve(self) -> dict[str, Floats]:
        """Cumulative counts along the stream, by name; at most a few thousand points."""
        table = self.ledger.curve.table(self.ledger.last())
        return dict(zip(COLUMNS, table.T, strict=True))

    def windowed(self, window: int = 1000) -> tuple[Floats, Floats]:
        """Position, and share of label errors over the last ``window`` examples up to there (fewer at the start)."""
        _whole("Run.windowed", "window", window, 1)
        at, errors = self.curve["examples"], self.curve["label_errors"]
        since = np.maximum(0.0, at[1:] - window)
        known = np.interp(since, at, errors)
        return at[1:], (errors[1:] - known) / (at[1:] - since)

    def to_frame(self) -> Any:
        """The curve as a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame: pandas must be installed, got none. Use run.curve instead") from None
        return pd.DataFrame(self.curve)

    def plot(self, window: int = 1000) -> Any:
        """Draw cumulative mistakes and windowed error; return the matplotlib figure."""
        return Comparison([self]).plot(window)

    def __repr__(self) -> str:
        return (
            f"<Run {self.name}: {self.examples:,} examples, {self.mistakes:,} mistakes, error {self.error:.4f}, "
            f"{self.updates:,} updates, {self.seconds:.3g} s>"
        )


def run(learner: Learner, stream: Any, *, rows: int = ROWS, points: int = 2000, progress: bool | None = None) -> Run:
    """Test, then train the learner on every example of the stream.

    ``stream`` is a pair of arrays ``(X, y)``, an iterable of examples ``(x, y)`` or of blocks ``(X, y)``. Examples go
    to the engine ``rows`` at a time; the curve keeps at most ``points`` points. ``progress`` shows a line on stderr.

    >>> import driftline as dl
    >>> dl.run(dl.PA1(), [({"a": 1.0}, 1), ({"b": 1.0}, 0), ({"a": 1.0}, 1)]).mistakes
    2
    """
    if not isinstance(learner, Learner):
        raise ValueError(f"run: learner must be a driftline learner, got {learner!r}")
    return compare({type(learner).__name__: learner}, stream, rows=rows, points=points, progress=progress).runs[0]


def compare(
    learners: Sequence[Learner] | Mapping[str, Learner],
    stream: Any,
    *,
    rows: int = ROWS,
    points: int = 2000,
    progress: bool | None = None,
) -> Comparison:
    """Run several learners side by side over one pass of the stream; ``learners`` is a list, or a dict with names.

    Where the stream turns out bad, the error says so; blocks before the bad one have been learned by then.
    """
    named = dict(learners) if isinstance(learners, Mapping) else {repr(one): one for one in learners}
    if not named or len(named) < len(learners):
        raise ValueError(f"compare: learners must be a non-empty list of different learners, got {learners!r}")
    for learner in named.values():
        if not isinstance(learner, Learner):
            raise ValueError(f"compare: every learner must be a driftline learner, got {learner!r}")
    _whole("run", "rows", rows, 1)
    _whole("run", "points", points, 2)
    ledgers = {name: Ledger(learner.rule.margin, points) for name, learner in named.items()}
    line = Progress(total(stream), progress)
    done = 0
    try:
        for X, y in blocks(stream, rows):
            size = 0
            for name, learner in named.items():
                start = perf_counter()
                trials = learner.test_then_train(X, y)
                ledgers[name].add(trials, perf_counter() - start)
                size = len(trials.y)
            done += size
            line.update(done)
    finally:
        line.close()
    return Comparison([Run(name, named[name], ledgers[name]) for name in named])


def _whole(where: str, name: str, value: object, least: int) -> None:
    """Require a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{where}: {name} must be a whole number >= {least}, got {value!r}")
