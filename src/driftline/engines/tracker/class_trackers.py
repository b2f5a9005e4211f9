"""The engine of the multiclass Tracker: one-vs-rest with a tracker for each class."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import numpy as np

from driftline.engines.array_checks import of_shape, without
from driftline.engines.calibration.class_coupling import (
    DONE,
    couple_all,
    couple_rounds,
    new_coupling,
    restored_coupling,
)
from driftline.engines.engine import Engine, norm
from driftline.engines.inner_engines import COUNTED
from driftline.engines.multiclass.one_vs_rest import OneVsRestEngine, Side
from driftline.engines.state import LABEL, WEIGHT, trial_rows
from driftline.engines.tracker.state import PROBABILITY
from driftline.engines.tracker.tracker_engine import TrackerEngine
from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows
from driftline.rules import TrackerOfClasses

NONE = -1


class TrackerClassesEngine(OneVsRestEngine):
    """A tracker for each class. Class ``turned`` has label -1 in its tracker, the others +1."""

    calibrates = True

    def __init__(self, rule: TrackerOfClasses, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.turned = NONE
        self.coupling = new_coupling()

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

    def _sides(self, trials: Floats) -> list[Side]:
        """The rounds that each tracker has to learn, with a row for its probabilities."""
        sides = super()._sides(trials)
        return [side._replace(trials=np.vstack([side.trials, np.zeros(side.trials.shape[1])])) for side in sides]

    def _learn(self, rows: Rows, sides: list[Side], known: int, due: float, trials: Floats, tested: Floats) -> int:
        """Also learn how the probabilities of the classes are coupled.

        They are written to further rows of ``trials``, if there are any. A class has probability 0
        up to the round in which it appears.
        """
        each = np.zeros((trials.shape[1], len(sides)))  # before a member learns: memory may run out
        done = super()._learn(rows, sides, known, due, trials, tested)
        if done == trials.shape[1] and self.coupling[DONE] != due:
            for k, side in enumerate(sides):
                start = side.start if k < known else side.start + 1
                each[start:, k] = self._of_class(k, side.trials[PROBABILITY])[start - side.start :]
            couple_rounds(self.coupling, known, trials[LABEL], trials[WEIGHT], each, due)
            trials[trial_rows(True) :] = each.T[: len(trials) - trial_rows(True)]
        return done

    def _of_class(self, k: int, positive: Floats) -> Floats:
        """The probabilities of class k, given those of the label +1 in its tracker."""
        return positive if self.sign_of(k) > 0.0 else 1.0 - positive

    def probabilities(self, rows: Rows, probabilities: Floats) -> None:
        """Write the probability of each class for each row: a column for each class."""
        own = np.zeros(len(probabilities))
        for k, member in enumerate(self.trackers):
            member.probabilities(rows, own)
            probabilities[:, k] = self._of_class(k, own)
        couple_all(self.coupling, probabilities)

    def sign_of(self, k: int) -> float:
        """The label of class k in its tracker: -1 for class ``turned``, otherwise +1."""
        return -1.0 if k == self.turned else 1.0

    def feature_weights_of(self, k: int) -> dict[int, float]:
        """The weight of each feature for class k that is not 0, by its index."""
        sign = self.sign_of(k)
        return {index: sign * weight for index, weight in self.trackers[k].feature_weights().items()}

    def extent(self) -> tuple[float, int]:
        """The norm of the shares of all voters, and the number of voters."""
        each = [member.extent() for member in self.members]
        return norm(np.array([length for length, _ in each])), sum(voters for _, voters in each)

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by class and name."""
        return super().arrays() | {"turned": np.array([self.turned]), "coupling": self.coupling[:DONE]}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays, the class with label -1 and the coupling of the classes."""
        return super().saved(features) | {"turned": np.array([self.turned]), "coupling": self.coupling[:DONE]}

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that also undoes what the coupling learns."""
        if size <= 1:
            return lambda: None
        take_back, coupling = super().snapshot(size), self.coupling.copy()

        def undo() -> None:
            take_back()
            self.coupling[:] = coupling

        return undo

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Also check that ``turned`` is NONE or one of the first two classes."""
        turned = int(of_shape(arrays, "turned", "int64", (1,))[0])
        if turned not in (NONE, 0, 1):
            raise ValueError(f"turned {turned}")
        coupling = restored_coupling(arrays)
        super().restore(features, without(arrays, "turned", "coupling"))
        self.turned, self.coupling = turned, coupling
