"""The engine of a committee: an engine for each learner, and one that combines their scores.

The learners do not depend on each other. So each of them learns a whole block in turn, and then
the rule over experts learns the block from their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isnan
from typing import Any

import numpy as np

from driftline.engines import inner_engines
from driftline.engines.array_checks import constant_state, only
from driftline.engines.attribution import Attribution, added, distributed
from driftline.engines.engine import LEARNED, Engine
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
    """Add the rounds of a block and their updates to the counters."""
    for i in range(trials.shape[1]):
        state[UPDATES] += trials[EVENT, i] % 2.0 == UPDATED
    tally(state, trials, trials.shape[1])


class CommitteeEngine(Engine):
    """Engines of the members, and of the rule that combines them."""

    hides_bad_values = True  # a vote is an ordinary score, whatever the scores of the members are

    def __init__(self, rule: Committee, bias: float, dtype: np.dtype[np.floating]) -> None:
        from driftline.engines import engine_for  # imported late: it imports this module by name

        super().__init__(rule, bias, dtype)
        self.rule = rule
        self.members = [engine_for(one, bias, dtype) for one in rule.learners]
        self.combiner = ExpertsEngine(rule.combine, 0.0, np.dtype(np.float64))
        self.combiner.set_experts(len(self.members))
        self.stopped = ""
        self.unscored: Engine = self.combiner

    def parts(self) -> dict[str, Engine]:
        """Every engine by the prefix of its saved arrays."""
        return {**{str(k): member for k, member in enumerate(self.members)}, "combine": self.combiner}

    def wider(self, features: int) -> dict[str, Any]:
        """Nothing here: only the members have weights."""
        return {}

    def inner(self) -> Iterable[Engine]:
        """The members."""
        return self.members

    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train all members and their shares; a row is refused if a member does."""
        size = trials.shape[1]
        refuses = self.rule.refuses  # if so, the caller can undo a block, but not a single row
        if size == 1 and not refuses and self.has_no_score(rows):
            return 0
        undo = self.snapshot(2) if refuses == (size == 1) else None
        tried = [trials.copy() for _ in self.members]
        due = self.state[SEEN] + size
        interrupted = None
        try:
            done = self._learn(rows, tried, trials, due)
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
            done = self._learn(rows, tried, trials, due)  # finish: all members learn, or none
        if done < size and undo is not None:
            undo()
        if interrupted is not None:
            raise interrupted
        return done

    def _learn(self, rows: Rows, tried: list[Floats], trials: Floats, due: float) -> int:
        """Train the members and the combiner that have not learned these rows yet."""
        size = done = trials.shape[1]
        for member, trial in zip(self.members, tried, strict=True):
            learned = size if member.state[SEEN] == due else member.learn(rows, trial)
            if learned < done:
                done, self.stopped = learned, member.refusal()
            missing = np.isnan(trial[SCORE, :done])
            if missing.any():
                done, self.stopped = int(np.argmax(missing)), OVERFLOWED
        if done > 0 and self.combiner.state[SEEN] < due:
            advice = self.advice([trial[SCORE, :done] for trial in tried])
            learned = self.combiner.learn(advice, trials if done == size else trials[:, :done].copy())
            if learned < done:
                done, self.stopped = learned, self.combiner.refusal()
        if done == size and self.state[SEEN] < due:
            count(self.state, trials)
        return done

    def advice(self, scores: list[Floats]) -> DenseRows:
        """Convert the scores of the members to advice, one row per example."""
        columns = np.column_stack(scores)
        if self.rule.advice == "sign":
            return DenseRows(np.where(columns >= 0.0, 1.0, -1.0))
        return DenseRows(np.clip(columns, -1.0, 1.0))

    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row; NaN if a member has no score."""
        each = [np.zeros(scores.size) for _ in self.members]
        for member, own in zip(self.members, each, strict=True):
            member.score(rows, own)
        missing = np.isnan(each)
        complete = ~missing.any(axis=0)
        if not complete.all():
            self.unscored = self.members[int(np.argmax(missing[:, np.argmin(complete)]))]
        combined = np.zeros(np.count_nonzero(complete))
        self.combiner.score(self.advice([own[complete] for own in each]), combined)
        scores[complete] = combined
        scores[~complete] = np.nan

    def has_no_score(self, row: Rows) -> bool:
        """Whether a member has no score for this single row, which is then refused."""
        score = np.zeros(1)
        for member in self.members:
            member.score(row, score)
            if isnan(score.item()):
                self.stopped = member.unscorable() or OVERFLOWED
                return True
        return False

    def unscorable(self) -> str:
        """Why the example has no score, in the words of the first member without a score."""
        return self.unscored.unscorable()

    def attribute(self, row: Rows) -> Attribution:
        """Distribute the part of each member in the vote in proportion to its contributions."""
        scores = [member.score_of(row) for member in self.members]
        advice = self.advice(scores).X[0]
        if self.combiner.rule.votes:
            advice = np.sign(advice)
        voted = (self.combiner.distribution() * advice).tolist()
        return added(
            [distributed(member.attribute(row), value) for member, value in zip(self.members, voted, strict=True)]
        )

    def weights(self) -> Floats:
        """Zeros: a committee is not linear."""
        return np.zeros(FIRST)

    def refusal(self) -> str:
        """Why the example was refused, in the words of the member that refused it."""
        return self.stopped

    def snapshot(self, size: int) -> Callable[[], None]:
        """Return a function that undoes learning the next rows in every part."""
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
        """All learned arrays by part and name."""
        named = {"state": self.state}
        for word, part in self.parts().items():
            named |= inner_engines.arrays_of(word, part)
        return named

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The learned arrays and the counters of every part."""
        arrays = {"state": self.state[LEARNED]}
        for word, part in self.parts().items():
            arrays |= inner_engines.saved_of(word, part, features)
        return arrays

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Restore every part; also check that there is one share per member."""
        own, parts = inner_engines.split(arrays)
        only(own, "state")
        constant_state(own, self.state[LEARNED])
        only(parts, *self.parts())
        for word, part in self.parts().items():
            inner_engines.restore(part, features if part is not self.combiner else len(self.members), parts[word])
        if self.combiner.experts != len(self.members):
            raise ValueError(f"{self.combiner.experts} shares of {len(self.members)} members")
