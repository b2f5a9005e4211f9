"""The x axis of charts along a stream: real time if the stream has a time column, else examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driftline.evaluate import Run
from driftline.internals.compiled import Floats
from driftline.report.charts.curves import EXAMPLES, Curve
from driftline.report.charts.line import Axis, Mark

TIME = Axis("time", time=True)
DRAWN = 40  # alarms that are marked in a chart


@dataclass(frozen=True)
class StreamAxis:
    """The axis, and how positions in the stream become positions on it.

    Attributes
    ----------
    axis : Axis
        The axis.
    examples, seconds : ndarray
        Positions in the stream and their times, both increasing. Empty if the axis shows examples.
    """

    axis: Axis
    examples: Floats
    seconds: Floats

    @classmethod
    def of(cls, runs: Sequence[Run]) -> StreamAxis:
        """Return the axis of runs over one stream. It shows time if the times of a run increase."""
        nothing = np.empty(0)
        times = next((run.times for run in runs if run.times is not None), None)
        if times is None:
            return cls(EXAMPLES, nothing, nothing)
        examples, seconds = times["examples"], times["seconds"]
        if len(seconds) < 2 or bool(np.any(np.diff(seconds) < 0.0)) or seconds[0] == seconds[-1]:
            return cls(EXAMPLES, nothing, nothing)
        whole = float(seconds[0]), float(seconds[-1])
        return cls(replace(TIME, span=whole), examples, seconds)

    def place(self, curve: Curve) -> Curve:
        """Return a curve over examples as a curve over this axis."""
        at, values = curve
        if not self.axis.time:
            return curve
        seen = at >= self.examples[0]
        return np.interp(at[seen], self.examples, self.seconds), values[seen]

    def marks(self, run: Run) -> list[Mark]:
        """Return the marks of the first alarms of a run."""
        found = run.alarms[:DRAWN]
        x = np.array([float(one.examples) for one in found])
        if self.axis.time:
            x = np.interp(x, self.examples, self.seconds)
        return [Mark(float(at), str(one)) for at, one in zip(x, found, strict=True)]
