"""The figures of each learner: of one comparison, or the means over several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from driftline.evaluate import Comparison


@dataclass(frozen=True)
class Summary:
    """The figures of one learner, as means over the comparisons.

    Attributes
    ----------
    index : int
        Position among the learners, from 0.
    name : str
        Name of the run.
    parameters : str
        The learner with its parameters.
    mistakes, mistakes_se : float
        Mistakes, and their standard error (0 for a single comparison).
    error, error_se : float
        Share of wrong labels, and its standard error (0 for a single comparison).
    updates : float
        Updates.
    asked : float
        Labels asked for.
    speed : float
        Examples per second. NaN if no time was measured.
    """

    index: int
    name: str
    parameters: str
    mistakes: float
    mistakes_se: float
    error: float
    error_se: float
    updates: float
    asked: float
    speed: float


def summaries(comparisons: Sequence[Comparison]) -> list[Summary]:
    """Return the figures of each learner, in the order of the first comparison.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Comparisons of the same learners, for example on several draws of a stream.

    Returns
    -------
    list of Summary

    >>> import driftline as dl
    >>> comparison = dl.compare([dl.PA()], [({"a": 1.0}, True), ({"a": 1.0}, False)])
    >>> [(s.name, s.mistakes, s.error) for s in summaries([comparison])]
    [("PA(when='margin')", 2.0, 0.5)]
    """
    found = []
    for index, run in enumerate(comparisons[0].runs):
        runs = [comparison.runs[index] for comparison in comparisons]
        mistakes, mistakes_se = _mean([r.mistakes for r in runs])
        error, error_se = _mean([r.error for r in runs])
        seconds = sum(r.seconds for r in runs)
        found.append(
            Summary(
                index=index,
                name=run.name,
                parameters=repr(run.learner),
                mistakes=mistakes,
                mistakes_se=mistakes_se,
                error=error,
                error_se=error_se,
                updates=_mean([r.updates for r in runs])[0],
                asked=_mean([r.asked for r in runs])[0],
                speed=sum(r.examples for r in runs) / seconds if seconds > 0.0 else math.nan,
            )
        )
    return found


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    if len(values) < 2:
        return float(values[0]), 0.0
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
