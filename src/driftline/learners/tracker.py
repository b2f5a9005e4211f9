"""The learner that needs no parameter, and who leads in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Unpack

from driftline import rules
from driftline.engines.tracker_state import GUARDED, MISSING
from driftline.learners.learner import Learner, Options
from driftline.rules.check import whole
from driftline.rules.tracker import OTHERS, experts_of

if TYPE_CHECKING:
    from driftline.engines.tracker import TrackerEngine


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


class Tracker(Learner):
    """No tuning, under any drift: some thirty experts on several scalings, stacked, and a vote that follows the best.

    See ``driftline.rules.tracker``. The score is the vote, from -1 to 1. Values that are NaN, infinite, 1e60 or more,
    or None in a dict count as missing: nothing is learned of them. So does what is absent from a dict or a sparse row,
    if the feature had a value in at least half of the rounds since it first appeared, and not always the same; it is 0
    otherwise. A sample weight multiplies the loss of its round. Scales, offsets and outliers are no matter: leave
    ``scale`` alone (with it, missing values are refused). To answer by chance, with ``predict_proba_one``, has a better
    bound than the vote itself (``driftline.bounds.TrackerExpected``).

    >>> tracker = Tracker()
    >>> for i in range(200):
    ...     score = tracker.learn_one({"a": i % 7, "b": 1e6 * (i % 3)}, i % 7 > 3)
    >>> tracker.predict_one({"a": 6, "b": 0}), tracker.predict_one({"a": 1})
    (True, False)
    >>> tracker.experts()[0].weight > 0.05
    True
    """

    _engine: TrackerEngine

    def __init__(self, bank: Literal["extended", "recipe"] = "extended", **options: Unpack[Options]) -> None:
        super().__init__(rules.Tracker(bank), **options)

    def experts(self) -> Voters:
        """Who votes, with what weight, and how often it was wrong: the heaviest first."""
        shares, errors = self._engine.shares().tolist(), self._engine.errors().tolist()
        who = (*OTHERS, *experts_of(self._engine.members))
        voters = [Voter(*one, share, int(wrong)) for one, share, wrong in zip(who, shares, errors, strict=True)]
        return Voters(sorted(voters, key=lambda one: -one.weight))

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
