"""The engine of one-vs-rest: a binary engine for each class, all on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.engines import inner_engines
from driftline.engines.array_checks import constant_state, listed, only
from driftline.engines.attribution import Attribution
from driftline.engines.calibration.recent_scores import put
from driftline.engines.engine import LEARNED, Engine
from driftline.engines.multiclass.class_engine import ClassesEngine, judge, predicted, tally_classes
from driftline.engines.state import (
    EVENT,
    INFEASIBLE,
    LABEL,
    PREDICTED,
    SCORE,
    SEEN,
    UNASKED,
    UPDATED,
    WEIGHT,
    WRONG,
    trial_rows,
)
from driftline.internals.compiled import Floats, jit
from driftline.internals.rows import Rows, cut
from driftline.rules import OneVsRest


@jit
def decide(
    state: Floats,
    classes: int,
    scores: Floats,
    events: Floats,
    trials: Floats,
    count: Floats,
    rounds: Floats,
    recent: Floats,
) -> None:
    """Write the outcome of rounds to ``trials``, from the scores and events of each class.

    ``classes`` is the number of classes known before the first round. ``count``, ``rounds`` and
    ``recent`` are those of ``RecentScores``.
    """
    known = classes
    for i in range(trials.shape[1]):
        y = int(trials[LABEL, i])
        before = known
        margin, wrong, rival = judge(scores[i], y, known)
        known = max(known, y + 1)
        union = 0
        unasked = int(UNASKED)
        for r in range(known):
            union |= int(events[i, r])
            unasked &= int(events[i, r])
        trials[SCORE, i] = margin
        trials[PREDICTED, i] = predicted(y, wrong, rival)
        trials[EVENT, i] = float((union & (int(UPDATED) | int(INFEASIBLE))) | unasked) + (WRONG if wrong else 0.0)
        if trials[WEIGHT, i] != 0.0 and unasked == 0:
            put(count, rounds, recent, scores[i], before, y)
    tally_classes(state, trials, trials.shape[1])


class Side(NamedTuple):
    """The rounds of one class.

    ``member`` is the engine of the class, ``start`` the first row that it learns, ``due`` its
    number of examples after these rounds, and ``trials`` its rounds.
    """

    member: Engine
    start: int
    due: float
    trials: Floats


class OneVsRestEngine(ClassesEngine):
    """An engine for each class. An example that one of them refuses is refused."""

    def __init__(self, rule: OneVsRest, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.rule, self.bias, self.dtype = rule, bias, dtype
        self.features = 0
        self.engines: list[Engine] = []
        self.stopped = ""
        self.unscored: Engine = self

    @property
    def classes(self) -> int:
        """The number of known classes."""
        return len(self.engines)

    @property
    def members(self) -> Sequence[Engine]:
        """The engine of each class."""
        return self.engines

    def wider(self, features: int) -> dict[str, Any]:
        """The number of features; the members have the weights."""
        return {"features": features}

    def inner(self) -> Iterable[Engine]:
        """The members."""
        return self.engines

    def declare_classes(self, classes: int) -> None:
        """Set the number of known classes before the first round."""
        self.engines = self._joined(classes)

    def sign_of(self, k: int) -> float:
        """The label of class k in its member."""
        return 1.0

    def _joined(self, classes: int) -> list[Engine]:
        """The members, with new ones for classes that have none yet."""
        return [*self.engines, *(self._new_member() for _ in range(classes - len(self.engines)))]

    def _new_member(self) -> Engine:
        """An engine for a new class."""
        from driftline.engines import engine_for  # imported late: it imports this module by name

        member = engine_for(self.rule.learner, self.bias, self.dtype)
        member.reserve(self.features)
        return member

    def learn_tested(self, rows: Rows, trials: Floats, tested: Floats) -> int:
        """Test, then train all members, each from the first row of its class on."""
        size, sides = trials.shape[1], self._sides(trials)
        undo = self.snapshot(2) if self.rule.refuses and size == 1 else None
        known, due = self.classes, self.state[SEEN] + size
        interrupted = None
        try:
            done = self._learn(rows, sides, known, due, trials, tested)
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
            done = self._learn(rows, sides, known, due, trials, tested)  # finish: all members learn, or none
        if done < size and undo is not None:
            undo()
        if interrupted is not None:
            raise interrupted
        return done

    def _sides(self, trials: Floats) -> list[Side]:
        """The rounds that each member has to learn."""
        codes = trials[LABEL].astype(np.intp)
        sides = []
        for k, member in enumerate(self._joined(max(self.classes, int(codes.max()) + 1))):
            own = codes == k
            start = 0 if k < self.classes else int(np.argmax(own))
            rounds = np.zeros((trial_rows(False), codes.size - start))
            sign = self.sign_of(k)
            rounds[LABEL] = np.where(own[start:], sign, -sign)
            rounds[WEIGHT] = trials[WEIGHT, start:]
            sides.append(Side(member, start, member.state[SEEN] + rounds.shape[1], rounds))
        return sides

    def _learn(self, rows: Rows, sides: list[Side], known: int, due: float, trials: Floats, tested: Floats) -> int:
        """Train the members that have not learned these rows yet; ``known`` as in ``decide``."""
        size = done = trials.shape[1]
        scores, events = np.zeros((2, size, len(sides)))  # before a member learns: memory may run out
        if not self.calibrates:
            self.recent.make_room(size, len(sides))
        for side in sides:
            if side.member.state[SEEN] < side.due:
                learned = side.start + side.member.learn(cut(rows, slice(side.start, size)), side.trials)
                if learned < done:
                    done, self.stopped = learned, side.member.refusal()
        if done == size:
            self.engines = [side.member for side in sides]
            if self.state[SEEN] < due:
                for k, side in enumerate(sides):
                    scores[side.start :, k] = self.sign_of(k) * side.trials[SCORE]
                    events[side.start :, k] = side.trials[EVENT]
                if len(tested):
                    tested[:, : len(sides)] = scores
                decide(self.state, known, scores, events, trials, *self.recent.buffers)
        return done

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row for each class."""
        own = np.zeros(len(scores))
        for k, member in enumerate(self.members):
            member.score(rows, own)
            if not np.isfinite(own).all():
                self.unscored = member
            scores[:, k] = self.sign_of(k) * own

    @property
    def is_linear(self) -> bool:
        """Whether the score of every member is w.x, and the score of a class has its sign."""
        return all(member.is_linear and self.sign_of(k) > 0.0 for k, member in enumerate(self.members))

    def attribute_class(self, row: Rows, k: int) -> Attribution:
        """The contributions of the entries of one row to the score of class k."""
        found = self.members[k].attribute(row)
        return found if self.sign_of(k) > 0.0 else found.times(-1.0)

    def weights_of(self, k: int) -> Floats:
        """The weights of class k, laid out as v; zeros if the model is not linear."""
        return self.members[k].weights()

    def refusal(self) -> str:
        """Why the example was refused, in the words of the member that refused it."""
        return self.stopped

    def unscorable(self) -> str:
        """Why the example has no score, in the words of a member without a score."""
        return "" if self.unscored is self else self.unscored.unscorable()

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows and removes their new members."""
        if size <= 1:
            return lambda: None
        state, engines, recent = self.state.copy(), self.engines, self.recent.copy()
        undos = [engine.snapshot(size) for engine in engines]

        def undo() -> None:
            self.state[:], self.recent = state, recent
            self.engines = engines
            for one in undos:
                one()

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """All learned arrays by class and name."""
        named = {"state": self.state}
        for k, member in enumerate(self.members):
            named |= inner_engines.arrays_of(str(k), member)
        return named

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays and the counters of every member."""
        arrays = {"state": self.state[LEARNED]}
        for k, member in enumerate(self.members):
            arrays |= inner_engines.saved_of(str(k), member, features)
        return arrays

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore every member; the number of classes is the number of prefixes."""
        own, parts = inner_engines.split(arrays)
        only(own, "state")
        constant_state(own, self.state[LEARNED])
        words = [str(k) for k in range(len(parts))]
        if parts.keys() != set(words):
            raise ValueError(f"arrays of the classes {listed(parts)}, expected 0 to {len(parts) - 1}")
        self.reserve(features)
        for word, member in zip(words, self._fresh_members(len(words)), strict=True):
            inner_engines.restore(member, features, parts[word])

    def _fresh_members(self, classes: int) -> Iterator[Engine]:
        """Replace all members; a new one is made when the one before it has been restored.

        So a file that claims many classes takes no more memory than the classes that it has.
        """
        self.engines = []
        for _ in range(classes):
            self.engines.append(self._new_member())
            yield self.engines[-1]


def engine_of(rule: OneVsRest, bias: float, dtype: np.dtype[np.floating]) -> OneVsRestEngine:
    """Return a new engine: one compiled loop for two-number rules in Euclidean geometry."""
    from driftline.engines import LinearEngine, engine_for  # imported late: it imports this module by name
    from driftline.engines.multiclass.linear_one_vs_rest import LinearOneVsRestEngine

    plain = type(engine_for(rule.learner, bias, dtype)) is LinearEngine and not rule.refuses
    return LinearOneVsRestEngine(rule, bias, dtype) if plain else OneVsRestEngine(rule, bias, dtype)
