"""The engine of the multiclass Tracker: one-vs-rest with a tracker for each class."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from driftline.engines.array_checks import of_shape, without
from driftline.engines.engine import Engine, norm
from driftline.engines.inner_engines import COUNTED
from driftline.engines.multiclass.one_vs_rest import OneVsRestEngine
from driftline.engines.tracker.tracker_engine import TrackerEngine
from driftline.rules import TrackerOfClasses

NONE = -1


class TrackerClassesEngine(OneVsRestEngine):
    """A tracker for each class. Class ``turned`` has label -1 in its tracker, the others +1."""

    calibrates = True

    def __init__(self, rule: TrackerOfClasses, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.turned = NONE

    @property
    def trackers(self) -> list[TrackerEngine]:
        """The engine of each class."""
        return [member for member in self.members if isinstance(member, TrackerEngine)]

    def take_over(self, two: Engine, signs: list[float], features: int) -> None:
        """Start from the engine of two labels; ``signs`` are its labels in order of classes."""
        self.features = features
        self.engines = [two if sign > 0.0 else deepcopy(two) for sign in signs]
        self.turned = signs.index(-1.0) if -1.0 in signs else NONE
        self.state[COUNTED] = two.state[COUNTED]

    def sign_of(self, k: int) -> float:
        """The label of class k in its tracker: -1 for class ``turned``, otherwise +1."""
        return -1.0 if k == self.turned else 1.0

    def extent(self) -> tuple[float, int]:
        """The norm of the shares of all voters, and the number of voters."""
        each = [member.extent() for member in self.members]
        return norm(np.array([length for length, _ in each])), sum(voters for _, voters in each)

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by class and name."""
        return super().arrays() | {"turned": np.array([self.turned])}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays, and the class with label -1."""
        return super().saved(features) | {"turned": np.array([self.turned])}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that ``turned`` is NONE or one of the first two classes."""
        turned = int(of_shape(arrays, "turned", "int64", (1,))[0])
        if turned not in (NONE, 0, 1):
            raise ValueError(f"turned {turned}")
        super().restore(features, without(arrays, "turned"))
        self.turned = turned
