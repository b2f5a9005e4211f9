"""The engine of a committee: an engine for each learner, and one that weighs what they say.

A block is learned by one learner after the other, and then by the experts' rule from their scores: nothing that a
learner does depends on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import numpy as np

from driftline.engines import inner_engines
from driftline.engines.engine import LEARNED, Engine, of_shape
from driftline.engines.experts.expert_engine import ExpertsEngine
from driftline.engines.state import EVENT, FIRST, SCORE, SEEN, UPDATED, UPDATES, tally
from driftline.internals.compiled import Floats, jit
from driftline.internals.rows import DenseRows, Rows
from driftline.rules.composed.committee import Committee

OVERFLOWED = (
    "must have a finite score from every learner, got NaN from weights that have overflowed. "
    "Take smaller parameters, or set scale='unit'"
)


@jit
def count(state: Floats, trials: Floats) -> None:
    """Count the rounds of a block, and those of them that were updates."""
    for i in range(trials.shape[1]):
        state[UPDATES] += trials[EVENT, i] % 2.0 == UPDATED
    tally(state, trials, trials.shape[1])


class CommitteeEngine(Engine):
    """Engines of the members, and of the rule that combines them."""

    def __init__(self, rule: Committee, bias: float, dtype: np.dtype[np.floating]) -> None:
        from driftline.engines import engine_for  # which names this engine among others

        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.members = [engine_for(one, bias, dtype) for one in rule.learners]
        self.combiner = ExpertsEngine(rule.combine, 0.0, np.dtype(np.float64))
        self.combiner.found(len(self.members))
        self.stopped = ""
        self.silent: Engine = self.combiner

    def parts(self) -> dict[str, Engine]:
        """Every engine by the word that its arrays start with."""
        return {**{str(k): member for k, member in enumerate(self.members)}, "combine": self.combiner}

    def reserve(self, features: int) -> None:
        """Have room for so many features in every member."""
        for member in self.members:
            member.reserve(features)

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train all members and the weights of their word; what one refuses is refused."""
        size = trials.shape[1]
        refuses = self.rule.refuses  # whoever called is then prepared to take back a block, though no single row
        if size == 1 and not refuses and self.unheard(rows):
            return 0
        undo = self.snapshot(2) if refuses == (size == 1) else None
        tried = [trials.copy() for _ in self.members]
        due = self.state[SEEN] + size
        interrupted = None
        try:
            done = self._learn(rows, tried, trials, due)
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
            done = self._learn(rows, tried, trials, due)  # what is left: all members have learned, or none
        if done < size and undo is not None:
            undo()
        if interrupted is not None:
            raise interrupted
        return done

    def _learn(self, rows: Rows, tried: list[Floats], trials: Floats, due: float) -> int:
        """Learn whatever of these rows is not yet learned."""
        size = done = trials.shape[1]
        for member, trial in zip(self.members, tried, strict=True):
            learned = size if member.state[SEEN] == due else member.learn(rows, trial)
            if learned < done:
                done, self.stopped = learned, member.refusal()
            mute = np.isnan(trial[SCORE, :done])
            if mute.any():
                done, self.stopped = int(np.argmax(mute)), OVERFLOWED
        if done > 0 and self.combiner.state[SEEN] < due:
            advice = self.advice([trial[SCORE, :done] for trial in tried])
            learned = self.combiner.learn(advice, trials if done == size else trials[:, :done].copy())
            if learned < done:
                done, self.stopped = learned, self.combiner.refusal()
        if done == size and self.state[SEEN] < due:
            count(self.state, trials)
        return done

    def advice(self, scores: list[Floats]) -> DenseRows:
        """What the members' scores say, a row for each example."""
        columns = np.column_stack(scores)
        if self.rule.advice == "sign":
            return DenseRows(np.where(columns >= 0.0, 1.0, -1.0))
        return DenseRows(np.clip(columns, -1.0, 1.0))

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; NaN where a member has no score."""
        each = [np.zeros(scores.size) for _ in self.members]
        for member, own in zip(self.members, each, strict=True):
            member.score(rows, own)
        mute = np.isnan(each)
        heard = ~mute.any(axis=0)
        if not heard.all():
            self.silent = self.members[int(np.argmax(mute[:, np.argmin(heard)]))]
        said = np.zeros(np.count_nonzero(heard))
        self.combiner.score(self.advice([own[heard] for own in each]), said)
        scores[heard] = said
        scores[~heard] = np.nan

    def unheard(self, row: Rows) -> bool:
        """Whether a member has no score for this one row, which is then refused."""
        score = np.zeros(1)
        for member in self.members:
            member.score(row, score)
            if isnan(score.item()):
                self.stopped = member.unscorable() or OVERFLOWED
                return True
        return False

    def unscorable(self) -> str:
        """What is wrong with the example, to the first member that had no score for it."""
        return self.silent.unscorable()

    def weights(self) -> Floats:
        """None: a vote of signs is not linear."""
        return np.zeros(FIRST)

    def refusal(self) -> str:
        """What is wrong with the example, to the member that refused it."""
        return self.stopped

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back what learning the next rows changes in any part."""
        if size <= 1:
            return lambda: None
        state = self.state.copy()
        undos = [part.snapshot(size) for part in self.parts().values()]

        def undo() -> None:
            self.state[:] = state
            for one in undos:
                one()

        return undo

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by part and name."""
        named = {"state": self.state}
        for word, part in self.parts().items():
            named |= inner_engines.arrays_of(word, part)
        return named

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """All that was learned, and the counters of every part."""
        arrays = {"state": self.state[LEARNED]}
        for word, part in self.parts().items():
            arrays |= inner_engines.saved_of(word, part, features)
        return arrays

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Every array belongs to a part; counters are whole numbers, and there is a share for each member."""
        rest = dict(arrays)
        state = of_shape(rest, "state", "float64", self.state[LEARNED].shape)
        if not np.array_equal(state, self.state[LEARNED]):
            raise ValueError(f"state {state.tolist()}")
        del rest["state"]
        for word, part in self.parts().items():
            inner_engines.restore(word, part, features if part is not self.combiner else len(self.members), rest)
        if rest or self.combiner.experts != len(self.members):
            raise ValueError(f"arrays {sorted(rest)} and {self.combiner.experts} shares of {len(self.members)} members")
