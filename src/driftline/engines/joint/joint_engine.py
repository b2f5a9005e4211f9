"""The engines of the strong bank: for two labels, and for several classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from driftline.engines.array_checks import constant_state, of_shape, without
from driftline.engines.attribution import Attribution
from driftline.engines.engine import LEARNED, Engine, extent_of
from driftline.engines.inner_engines import COUNTED
from driftline.engines.joint.combination import GUARDED
from driftline.engines.joint.joint_bank import NOTHING, TWO, JointBank
from driftline.engines.multiclass.class_engine import ClassesEngine
from driftline.engines.state import FIRST
from driftline.engines.tracker.state import MISSING, Votes
from driftline.internals.compiled import Floats
from driftline.internals.rows import Rows, SparseRows
from driftline.rules import Rule

SIGNS = np.array([-1, 1, 0], np.int8)  # of class 0, of class 1, of no class (index -1)


class BankEngine(Engine):
    """What both engines have in common: the bank, its voters, and model files."""

    calibrates = True
    finds_bad_values = True  # missing and infinite values are allowed
    judges_late = True

    def __init__(self, rule: Rule, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.bank = JointBank()

    def make_room(self, features: int) -> Callable[[], None]:
        """Allocate all arrays that ``features`` features need."""
        return self.bank.make_room(features)

    def voter_names(self) -> list[tuple[str, str]]:
        """View and rule of every voter that has not left."""
        return self.bank.voter_names()

    def score_late(self, rows: Rows, scores: Floats) -> Floats:
        """``score``; return also a record of each row, by which experts are judged when its label comes."""
        records = np.zeros((len(scores), self.bank.expect_late_labels()))
        self.bank.score(rows, scores.reshape(len(scores), -1), records=records)
        return records

    @contextmanager
    def judged_as(self, record: Floats | None) -> Iterator[None]:
        """Within this context the row that is learned was predicted earlier, with this record."""
        bank = self.bank
        if record is not None:
            bank.expect_late_labels()
        bank.record = record
        try:
            yield
        finally:
            bank.record = None

    def shares(self) -> Floats:
        """The share of every voter that has not left; the sum is 1."""
        return self.bank.shares()[self.bank.voters()]

    def errors(self) -> Floats:
        """The number of rounds in which each of these voters was wrong."""
        errors: Floats = self.bank.combination.errors[self.bank.voters()]
        return errors

    def _attribute(self, row: Rows, k: int) -> Attribution:
        """The contributions of features to the smooth counterpart of the vote on +1 or class k."""
        from driftline.engines.joint.attribution import attribute  # imported late: only explanations need it

        return attribute(self.bank, row, k)

    def _feature_weights(self, k: int) -> dict[int, float]:
        """The weight of each feature for +1 or class k that is not 0, by its index."""
        from driftline.engines.joint.feature_weights import feature_weights

        return feature_weights(self.bank, k)

    def missing(self) -> int:
        """The number of missing values learned."""
        return int(self.bank.own[MISSING])

    def guarded(self) -> int:
        """The number of scores that were not finite."""
        return int(self.bank.combination.counts[GUARDED])

    def weights(self) -> Floats:
        """Zeros: a vote is not linear."""
        return np.zeros(FIRST)

    def extent(self) -> tuple[float, int]:
        """The norm of the shares, and the number of voters with a nonzero share."""
        return extent_of(self.shares())

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows."""
        if size <= 1:
            return lambda: None
        state, bank = self.state.copy(), self.bank.copy()

        def undo() -> None:
            self.state[:], self.bank = state, bank

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by name."""
        return {"state": self.state, **self.bank.saved(self.bank.features)}

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays without spare room."""
        return {"state": self.state[LEARNED], **self.bank.saved(features)}


class JointEngine(BankEngine):
    """All experts of the strong bank, and their vote between two labels."""

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row."""
        self.bank.learn(self.state, rows, trials, NOTHING)
        return trials.shape[1]

    def learn_with_votes(self, rows: Rows, trials: Floats) -> tuple[int, Votes]:
        """``learn``; return also the vote of every voter: -1, +1, or 0 if it took no part."""
        votes = self.bank.learn(self.state, rows, trials, NOTHING, voters=True)
        return trials.shape[1], SIGNS[votes.astype(np.intp)]

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        self.bank.score(rows, scores.reshape(-1, 1))

    def probabilities(self, rows: Rows, probabilities: Floats) -> None:
        """Write the probability of +1 for each row."""
        self.bank.score(rows, np.zeros((probabilities.size, 1)), probabilities.reshape(-1, 1))

    def attribute(self, row: Rows) -> Attribution:
        """The contributions of features to the smooth counterpart of the vote."""
        return self._attribute(row, 0)

    def feature_weights(self) -> dict[int, float]:
        """The weight of each feature that is not 0, by its index."""
        return self._feature_weights(0)

    def estimator_of(self, row: SparseRows) -> Callable[[], float]:
        """Return a function that estimates the probability of +1 for the current content of ``row``."""
        found = np.zeros(1)

        def estimate() -> float:
            self.probabilities(row, found)
            return found.item()

        return estimate

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the bank; every number that a loop uses as an index is checked."""
        constant_state(arrays, self.state[LEARNED])
        self.bank.restore(features, TWO, False, without(arrays, "state"))


class JointClassesEngine(BankEngine, ClassesEngine):
    """All experts of the strong bank, and their vote between several classes."""

    @property
    def classes(self) -> int:
        """The number of known classes."""
        return self.bank.classes

    def declare_classes(self, classes: int) -> None:
        """Set the number of known classes before the first round."""
        self.bank.declare_classes(classes)

    def take_over(self, two: JointEngine, signs: list[float], features: int) -> None:
        """Start from the engine of two labels; ``signs`` are its labels in order of classes."""
        self.bank = two.bank
        self.bank.features = features
        self.bank.to_several_classes(turned=signs[:1] == [1.0])
        self.state[COUNTED] = two.state[COUNTED]

    def learn_tested(self, rows: Rows, trials: Floats, tested: Floats) -> int:
        """Test, then train on each row; ``tested`` gets the score of each known class, unless empty."""
        self.bank.learn(self.state, rows, trials, tested)
        return trials.shape[1]

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        self.bank.score(rows, scores)

    def probabilities(self, rows: Rows, probabilities: Floats) -> None:
        """Write the probability of each class for each row."""
        self.bank.score(rows, np.zeros_like(probabilities), probabilities)

    def attribute_class(self, row: Rows, k: int) -> Attribution:
        """The contributions of features to the smooth counterpart of the vote on class k."""
        return self._attribute(row, k)

    def feature_weights_of(self, k: int) -> dict[int, float]:
        """The weight of each feature for class k that is not 0, by its index."""
        return self._feature_weights(k)

    def weights_of(self, k: int) -> Floats:
        """Zeros: a vote is not linear."""
        return np.zeros(FIRST)

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays, the number of classes, and whether class 1 appeared first."""
        return super().saved(features) | {"classes": np.array([self.classes, self.bank.turned], np.int64)}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore the bank; every number that a loop uses as an index is checked."""
        constant_state(arrays, self.state[LEARNED])
        classes, turned = of_shape(arrays, "classes", "int64", (2,)).tolist()
        if turned not in (0, 1) or not classes >= TWO:
            raise ValueError(f"classes {[classes, turned]}")
        self.bank.restore(features, classes, True, without(arrays, "state", "classes"), bool(turned))
