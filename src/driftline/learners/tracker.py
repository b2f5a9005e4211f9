"""The learner that needs no parameter, and who leads in it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from driftline import rules
from driftline.encode import Classes
from driftline.engines import engine_for
from driftline.engines.state import BIAS, EVENT, LABEL, SCORE, WRONG
from driftline.engines.tracker.state import GUARDED, MISSING
from driftline.internals.compiled import Floats
from driftline.internals.require import require, whole
from driftline.internals.rows import cut
from driftline.learners.learned_block import LearnedBlock, RoundRecorder
from driftline.learners.learner import Learner, Options
from driftline.rules.tracker.tracker import OTHERS, experts_of

if TYPE_CHECKING:
    from driftline.engines.tracker.tracker_engine import TrackerEngine


@dataclass(frozen=True)
class Voter:
    """One of those that vote: an expert on a view of the examples, a constant, or a stacker."""

    view: str
    rule: str
    weight: float
    """Its share of the vote; all of them sum to 1."""
    mistakes: int
    """Rounds so far in which it was wrong."""

    @property
    def name(self) -> str:
        """View and rule in one."""
        return f"{self.view} {self.rule}"


class Voters(list[Voter]):
    """Those that vote, the heaviest first; printing it shows a table."""

    def __str__(self) -> str:
        cells = [("view", "rule", "weight", "mistakes")]
        cells += [(one.view, one.rule, f"{one.weight:.4f}", f"{one.mistakes:,}") for one in self]
        widths = [max(len(line[k]) for line in cells) for k in range(4)]
        return "\n".join(
            f"{a.ljust(widths[0])}  {b.ljust(widths[1])}  {c.rjust(widths[2])}  {d.rjust(widths[3])}"
            for a, b, c, d in cells
        )

    __repr__ = __str__


def voters_of(engine: TrackerEngine, of: str = "") -> list[Voter]:
    """Those that vote in an engine, in the order of the bank; ``of`` stands before the names of their views."""
    shares, errors = engine.shares().tolist(), engine.errors().tolist()
    who = (*OTHERS, *experts_of(engine.members))
    return [
        Voter(of + view, rule, share, int(wrong))
        for (view, rule), share, wrong in zip(who, shares, errors, strict=True)
    ]


class Tracker(Learner):
    """No tuning, under any drift: some thirty experts on several scalings, stacked, and a vote that follows the best.

    See ``driftline.rules.tracker``. The score is the vote, from -1 to 1. Values that are NaN, infinite, 1e60 or more,
    or None in a dict count as missing: nothing is learned of them. So does what is absent from a dict or a sparse row,
    if the feature had a value in at least half of the rounds since it first appeared, and not always the same, and no
    more than 128 features have appeared; it is 0 otherwise. A sample weight multiplies the loss of its round. Scales,
    offsets and outliers are no matter: leave ``scale`` alone (with it, missing values are refused). To answer by
    chance, with ``predict_proba_one``, has a better bound than the vote itself (``driftline.bounds.TrackerExpected``).

    ``bank="recipe"`` is the Tracker as first published, with one rate of learning and fewer experts for sparse rows.

    There may be more than two labels, declared or as they appear. From the third one on it is one Tracker for each
    label against the others, as ``OneVsRest`` is, and ``score_one`` gives a score for each. Where two labels are
    declared it stays with these.

    >>> tracker = Tracker()
    >>> for i in range(200):
    ...     score = tracker.learn_one({"a": i % 7, "b": 1e6 * (i % 3)}, i % 7 > 3)
    >>> tracker.predict_one({"a": 6, "b": 0}), tracker.predict_one({"a": 1})
    (True, False)
    >>> tracker.experts()[0].weight > 0.05
    True
    """

    _engine: TrackerEngine
    _two = 0
    """Examples that it had seen when a third label appeared."""

    def __init__(self, bank: Literal["extended", "recipe"] = "extended", **options: Unpack[Options]) -> None:
        labels = options.get("labels")
        if isinstance(labels, tuple | list) and len(labels) > 2:
            super().__init__(rules.TrackerOfClasses(rules.Tracker(bank)), **options)
            self._engine.found(len(labels))  # type: ignore[attr-defined]
            self._become_several()
        else:
            super().__init__(rules.Tracker(bank), **options)
            self._labels.remedy = "Leave labels out, or declare all of them"

    # the third label ----------------------------------------------------------------------------------------
    def _learn(self, x: Any, y: Any, w: Any, *, one: bool, recorder: RoundRecorder | None = None) -> Floats:
        """As all learners do; where a third label appears, that is no error, unless two were declared."""
        try:
            return super()._learn(x, y, w, one=one, recorder=recorder)
        except ValueError:
            if self.rule.several or self.options["labels"] is not None:
                raise
            labels = [y] if one else self._labels.listed(y)
            third = self._labels.third(labels)
            if third is None:
                raise
        before = deepcopy(self)
        try:
            return self._learn_on(x, labels, w, third, one)
        except BaseException:
            self.__dict__, self.__class__ = before.__dict__, before.__class__
            raise

    def learn_block(
        self, X: Any, y: Any, w: Any = None, *, keep_rows: bool = False, keep_votes: bool = False
    ) -> LearnedBlock:
        """``learn_many``; return the record of what happened in each round."""
        several, seen = self.rule.several, self.n_seen
        recorder = RoundRecorder(rows=keep_rows, votes=keep_votes) if keep_rows or keep_votes else None
        trials = self._learn(X, y, w, one=False, recorder=recorder)
        if self.rule.several and not several:  # scores before the third label become margins, as those after it are
            two = trials[:, : self._two - seen]
            two[EVENT] += np.where((two[SCORE] >= 0.0) != (two[LABEL] > 0.0), WRONG, 0.0)
            two[SCORE] *= two[LABEL]
            recorder = None  # no certificate is given for several classes
        return LearnedBlock.of_trials(trials, self.rule.several, w is not None, recorder)

    def _learn_on(self, x: Any, labels: list[Any], w: Any, third: int, one: bool) -> Floats:
        """Learn the rows before the third label with one Tracker, and the others with one for each label."""
        rows = self._encoder.one(x, True) if one else self._encoder.many(x, True)
        size = len(labels)
        self._check_length(rows, size)
        weights = np.broadcast_to(1.0 if w is None else self._weights_of(w, size), size)
        self._reserve()
        two = np.zeros((4, 0))
        if third > 0:
            two = self._trials(labels[:third], weights[:third], False)
            self._learn_rows(cut(rows, slice(0, third)), two, None)
        self._open()
        several = self._trials(labels[third:], weights[third:], False)
        self._learn_rows(cut(rows, slice(third, size)), several, None)
        return np.concatenate([two, several], axis=1)

    def _open(self) -> None:
        """From one Tracker of two labels to one for each label."""
        self._two = self.n_seen
        two, signs = self._engine, self._labels.signs
        self.rule = rules.TrackerOfClasses(self.rule)
        engine: Any = engine_for(self.rule, float(two.state[BIAS]), np.dtype(self.options["dtype"]))
        engine.take_over(two, list(signs.values()), self._width)
        self._engine, self._labels = engine, Classes(self._encoder.where)
        for label in signs:
            self._labels.sign(label)
        self._become_several()

    def _become_several(self) -> None:
        from driftline.learners.tracker_of_classes import TrackerOfClasses

        self._direct, self._bound = self._engine.finds_bad_values, None
        self.__class__ = TrackerOfClasses

    # who votes ----------------------------------------------------------------------------------------------
    def experts(self, label: Any = None) -> Voters:
        """Who votes, with what weight, and how often it was wrong: the heaviest first.

        Of more than two labels, who votes on this one against the others.
        """
        require(label is None, "Tracker.experts", "label must be None as long as there are two labels", label)
        return Voters(sorted(voters_of(self._engine), key=lambda one: -one.weight))

    @property
    def n_missing(self) -> int:
        """Values that were missing in what it has learned."""
        return int(self._engine.own[MISSING])

    @property
    def n_guarded(self) -> int:
        """Scores of experts that were not finite, and counted as 0: none, unless something is wrong with one."""
        return int(self._engine.own[GUARDED])

    def weights(self) -> dict[Any, float]:
        """The weight of every voter by its name; a vote has no weights of features."""
        return {one.name: one.weight for one in self.experts() if one.weight > 0.0}

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k heaviest voters by name: the first one leads."""
        whole(f"{type(self).__name__}.largest", "k", k, 1)
        return list(self.weights().items())[:k]
