"""The engine of one against the rest: an engine of two labels for each class, all over the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from driftline.engines import inner_engines
from driftline.engines.engine import LEARNED, Engine, of_shape
from driftline.engines.multiclass.class_engine import ClassesEngine, count, judge
from driftline.engines.state import EVENT, INFEASIBLE, LABEL, SCORE, SEEN, UNASKED, UPDATED, WEIGHT, WRONG
from driftline.internals.compiled import Floats, jit
from driftline.internals.rows import Rows, cut
from driftline.rules import OneVsRest


@jit
def decide(state: Floats, classes: int, scores: Floats, events: Floats, trials: Floats) -> None:
    """Margins and events of rounds, given the scores and events of each class; so many were known before."""
    known = classes
    for i in range(trials.shape[1]):
        y = int(trials[LABEL, i])
        margin, wrong, _ = judge(scores[i], y, known)
        known = max(known, y + 1)
        union = 0
        silent = int(UNASKED)
        for r in range(known):
            union |= int(events[i, r])
            silent &= int(events[i, r])
        trials[SCORE, i] = margin
        trials[EVENT, i] = float((union & (int(UPDATED) | int(INFEASIBLE))) | silent) + (WRONG if wrong else 0.0)
    count(state, trials, trials.shape[1])


class Side(NamedTuple):
    """The member of a class, its first row, the examples that it will have seen, and its rounds."""

    member: Engine
    start: int
    due: float
    trials: Floats


class OneVsRestEngine(ClassesEngine):
    """An engine for each class. What one refuses is refused."""

    def __init__(self, rule: OneVsRest, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule, self.bias, self.dtype = rule, bias, dtype
        self.features = 0
        self.engines: list[Engine] = []
        self.stopped = ""
        self.silent: Engine = self

    @property
    def classes(self) -> int:
        """How many it knows."""
        return len(self.engines)

    @property
    def members(self) -> Sequence[Engine]:
        """The engine of each class."""
        return self.engines

    def reserve(self, features: int) -> None:
        """Have room for so many features in every member."""
        self.features = features
        for member in self.engines:
            member.reserve(features)

    def found(self, classes: int) -> None:
        """Know so many classes from the start."""
        self.engines = self._joined(classes)

    def sign_of(self, k: int) -> float:
        """The label by which the member of class k knows its class."""
        return 1.0

    def _joined(self, classes: int) -> list[Engine]:
        """The members, and new ones for the classes that are still without."""
        from driftline.engines import engine_for  # which names this engine among others

        members = list(self.engines)
        while len(members) < classes:
            members.append(engine_for(self.rule.learner, self.bias, self.dtype))
            members[-1].reserve(self.features)
        return members

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train all members, each from the row on in which its class appears."""
        size, sides = trials.shape[1], self._sides(trials)
        undo = self.snapshot(2) if self.rule.refuses and size == 1 else None
        known, due = self.classes, self.state[SEEN] + size
        interrupted = None
        try:
            done = self._learn(rows, sides, known, due, trials)
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
            done = self._learn(rows, sides, known, due, trials)  # what is left: all members have learned, or none
        if done < size and undo is not None:
            undo()
        if interrupted is not None:
            raise interrupted
        return done

    def _sides(self, trials: Floats) -> list[Side]:
        """What each member has to learn of these rounds."""
        codes = trials[LABEL].astype(np.intp)
        sides = []
        for k, member in enumerate(self._joined(max(self.classes, int(codes.max()) + 1))):
            own = codes == k
            start = 0 if k < self.classes else int(np.argmax(own))
            rounds = np.zeros((len(trials), codes.size - start))
            sign = self.sign_of(k)
            rounds[LABEL] = np.where(own[start:], sign, -sign)
            rounds[WEIGHT] = trials[WEIGHT, start:]
            sides.append(Side(member, start, member.state[SEEN] + rounds.shape[1], rounds))
        return sides

    def _learn(self, rows: Rows, sides: list[Side], known: int, due: float, trials: Floats) -> int:
        """Learn whatever of these rows is not yet learned; so many classes were known before."""
        size = done = trials.shape[1]
        for side in sides:
            if side.member.state[SEEN] < side.due:
                learned = side.start + side.member.learn(cut(rows, slice(side.start, size)), side.trials)
                if learned < done:
                    done, self.stopped = learned, side.member.refusal()
        if done == size:
            self.engines = [side.member for side in sides]
            if self.state[SEEN] < due:
                tried = np.zeros((len(trials), size, len(sides)))
                for k, side in enumerate(sides):
                    tried[:, side.start :, k] = side.trials
                    tried[SCORE, :, k] *= self.sign_of(k)
                decide(self.state, known, tried[SCORE], tried[EVENT], trials)
        return done

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        own = np.zeros(len(scores))
        for k, member in enumerate(self.members):
            member.score(rows, own)
            if not np.isfinite(own).all():
                self.silent = member
            scores[:, k] = self.sign_of(k) * own

    def weights_of(self, k: int) -> Floats:
        """The weights of class k, laid out as v; zeros if it has none."""
        return self.members[k].weights()

    def refusal(self) -> str:
        """What is wrong with the example, to the member that refused it."""
        return self.stopped

    def unscorable(self) -> str:
        """What is wrong with the example, to a member that had no score for it."""
        return "" if self.silent is self else self.silent.unscorable()

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back what learning the next rows changes in any member, and new members."""
        if size <= 1:
            return lambda: None
        state, engines = self.state.copy(), self.engines
        undos = [engine.snapshot(size) for engine in engines]

        def undo() -> None:
            self.state[:] = state
            self.engines = engines
            for one in undos:
                one()

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by class and name."""
        named = {"state": self.state}
        for k, member in enumerate(self.members):
            named |= inner_engines.arrays_of(str(k), member)
        return named

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """All that was learned, and the counters of every member."""
        arrays = {"state": self.state[LEARNED]}
        for k, member in enumerate(self.members):
            arrays |= inner_engines.saved_of(str(k), member, features)
        return arrays

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Every array belongs to a class; there are as many classes as counters."""
        rest = dict(arrays)
        state = of_shape(rest, "state", "float64", self.state[LEARNED].shape)
        if not np.array_equal(state, self.state[LEARNED]):
            raise ValueError(f"state {state.tolist()}")
        del rest["state"]
        self.reserve(features)
        self.found(sum(name.endswith(" counters") and name.count(" ") == 1 for name in rest))
        for k, member in enumerate(self.members):
            inner_engines.restore(str(k), member, features, rest)
        if rest:
            raise ValueError(f"arrays {sorted(rest)} of no class")


def engine_of(rule: OneVsRest, bias: float, dtype: np.dtype[np.floating]) -> OneVsRestEngine:
    """The engine for all classes: one compiled loop where the rule is two numbers in the Euclidean geometry."""
    from driftline.engines import LinearEngine, engine_for  # which names this engine among others
    from driftline.engines.multiclass.linear_one_vs_rest import LinearOneVsRestEngine

    plain = type(engine_for(rule.learner, bias, dtype)) is LinearEngine and not rule.refuses
    return LinearOneVsRestEngine(rule, bias, dtype) if plain else OneVsRestEngine(rule, bias, dtype)
