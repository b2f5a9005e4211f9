"""The TrackerRegressor as a river regressor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from driftline import learners
from driftline.encode import Hashing
from driftline.internals.one_call import whole_call
from driftline.river.learner_wrapper import with_text_names
from driftline.river.regressor import RiverRegressor


class TrackerRegressor(RiverRegressor):
    """Nothing to tune: a weighted mean of some thirty regressors on several scalings of the data.

    Values that are None or NaN are missing. The learner is ``driftline.TrackerRegressor``.

    Parameters
    ----------
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    """

    learner: learners.TrackerRegressor

    def __init__(self, *, hashing: Hashing | None = None) -> None:
        super().__init__(learners.TrackerRegressor(hashing=hashing))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Parameters for river's checks, to cover all paths of examples through a learner."""
        yield {}
        yield {"hashing": Hashing(12)}

    @whole_call
    def predict_interval_one(self, x: Any, coverage: float = 0.9) -> tuple[float, float]:
        """An interval for the target of one example; see ``driftline.TrackerRegressor``.

        Parameters
        ----------
        x
            The example: feature to value.
        coverage
            The share of targets that the intervals contain, from 0.5 to 0.99.

        Returns
        -------
        (float, float)
            Both ends of the interval.
        """
        found: tuple[float, float] = with_text_names(self.learner.predict_interval_one, x, coverage)
        return found
