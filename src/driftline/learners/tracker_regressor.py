"""The TrackerRegressor, a regressor without parameters to tune, and the experts inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from driftline import rules
from driftline.engines.tracker.state import GUARDED, MISSING
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import number, require
from driftline.internals.text_table import aligned
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.tracker.tracker_regressor import BANK, COVERAGES, STACKED


@dataclass(frozen=True)
class RegressionExpert:
    """An expert on a view of the examples, a mean of targets, or a stacker."""

    view: str
    """The view of the examples that it learns from."""
    rule: str
    """Its rule, with parameters."""
    weight: float
    """Its share of the prediction; the shares sum to 1."""
    mean_square: float
    """The mean of its squared errors so far."""

    @property
    def name(self) -> str:
        """View and rule as one text."""
        return f"{self.view} {self.rule}"


class RegressionExperts(list[RegressionExpert]):
    """Experts in order of decreasing weight; printing it shows a table."""

    def __str__(self) -> str:
        cells = [("view", "rule", "weight", "mean square")]
        cells += [(one.view, one.rule, f"{one.weight:.4f}", f"{one.mean_square:.6g}") for one in self]
        return aligned(cells, words=2)

    __repr__ = __str__


class TrackerRegressor(Learner):
    """Nothing to tune: a weighted mean of some thirty regressors on several scalings of the data.

    It is the first choice among the regressors: use it if the best scaling, rate and rule are
    unknown, or change. Its experts are linear rules with and without forgetting, products of two
    features, trees, nearest neighbours, and means of recent targets. It adapts to the scales,
    offsets and outliers of features and targets, so leave ``scale`` at None. A sample weight
    multiplies the loss of its round.

    Values that are NaN, infinite, or 1e60 or more are missing: nothing is learned from them. In
    dicts, Series, frames and Arrow tables None, NA and null are missing too. A value absent from a
    dict or a sparse row is also missing if its feature had varying values in at least half of the
    rounds since it appeared, and at most 128 features have appeared; otherwise it is 0.

    ``predict_interval_one`` returns an interval with a given coverage. ``explain_one`` compares
    the prediction with those for rows in which one value is missing. ``weights`` and ``largest``
    are about the experts. The rule and its papers are in
    ``driftline.rules.tracker.tracker_regressor``.

    Parameters
    ----------
    **options
        ``hashing``, as in ``driftline.Learner``. With ``scale`` set, missing and infinite values
        are handled as by every other learner. There is no bias.

    Examples
    --------
    >>> learner = TrackerRegressor()
    >>> for i in range(300):
    ...     predicted = learner.learn_one({"a": i % 7, "b": 1e6 * (i % 3)}, 1e3 + (i % 7) * (i % 3))
    >>> abs(learner.predict_one({"a": 6, "b": 2e6}) - 1012.0) < 0.1
    True
    >>> low, high = learner.predict_interval_one({"a": 6, "b": 2e6}, coverage=0.9)
    >>> low < 1012.0 < high
    True
    """

    _engine: Any  # a TrackerRegressorEngine

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(rules.TrackerRegressor(), **options)

    @whole_call
    def experts(self) -> RegressionExperts:
        """The experts and stackers with their weights and mean squared errors.

        Returns
        -------
        RegressionExperts
            The experts in order of decreasing weight.
        """
        return self._experts()

    def _experts(self) -> RegressionExperts:
        shares, squares = self._engine.shares().tolist(), self._engine.mean_squares().tolist()
        names = (*STACKED, *BANK)[: len(shares)]
        found = [
            RegressionExpert(view, rule, share, square)
            for (view, rule), share, square in zip(names, shares, squares, strict=True)
        ]
        return RegressionExperts(sorted(found, key=lambda one: -one.weight))

    # prediction intervals ----------------------------------------------------------------------
    @whole_call
    def predict_interval_one(self, x: Any, coverage: float = 0.9) -> tuple[float, float]:
        """An interval that contains the target of one example with this coverage.

        Over the rounds of a stream, the share of targets inside approaches ``coverage``, also if
        the stream drifts (adaptive conformal inference). The width follows the errors of the last
        rounds; it does not depend on x. The interval is infinite while fewer than about
        ``1 / (1 - coverage)`` examples were learned, and after a series of targets outside.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.
        coverage
            The share of targets that the intervals contain, from 0.5 to 0.99.

        Returns
        -------
        (float, float)
            Both ends of the interval; the prediction is in the middle.
        """
        half = self._half_width("predict_interval_one", coverage)
        middle = self._score_one(x)
        return middle - half, middle + half

    @whole_call
    def predict_interval_many(self, X: Any, coverage: float = 0.9) -> Floats:
        """The interval of each row, as ``predict_interval_one`` returns it.

        Parameters
        ----------
        X
            The examples: a list of dicts, a 2-d array, a frame, an Arrow table or a sparse matrix.
        coverage
            The share of targets that the intervals contain, from 0.5 to 0.99.

        Returns
        -------
        numpy.ndarray of shape (rows, 2)
            Both ends of each interval.
        """
        half = self._half_width("predict_interval_many", coverage)
        middle = self._score_many(X)
        return np.column_stack([middle - half, middle + half])

    def _half_width(self, method: str, coverage: float) -> float:
        where = f"TrackerRegressor.{method}"
        inside = COVERAGES[0] <= number(where, "coverage", coverage) <= COVERAGES[-1]
        require(inside, where, "coverage must be >= 0.5 and <= 0.99", coverage)
        half: float = self._engine.half_width(float(coverage))
        return half

    # learned state -----------------------------------------------------------------------------
    @property
    @whole_call
    def n_missing(self) -> int:
        """The number of missing values in the examples learned."""
        return int(self._engine.own[MISSING])

    @property
    @whole_call
    def n_guarded(self) -> int:
        """The number of predictions of experts that were not finite.

        They count as the first target. It is 0 unless an expert is broken.
        """
        return int(self._engine.own[GUARDED])

    def _weights(self) -> dict[Any, Any]:
        return {one.name: one.weight for one in self._experts() if one.weight > 0.0}

    def _largest(self, k: int) -> list[tuple[Any, float]]:
        return [(one.name, one.weight) for one in self._experts()[:k] if one.weight > 0.0]
