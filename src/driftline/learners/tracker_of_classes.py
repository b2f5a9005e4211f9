"""What a Tracker is once it has met a third label: one Tracker for each class, the highest vote wins."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from driftline import rules
from driftline.engines.tracker.state import GUARDED, MISSING
from driftline.internals.require import require, whole
from driftline.learners.several_classes import SeveralClasses
from driftline.learners.tracker import Tracker, Voters, voters_of

if TYPE_CHECKING:
    from driftline.engines.tracker.class_trackers import TrackerClassesEngine


class TrackerOfClasses(SeveralClasses, Tracker):
    """A Tracker of several classes: one becomes it with the third label, or is it where three or more are declared.

    ``score_one`` gives a vote for each label, and ``learn_one`` the margin, as all learners of several classes do.
    """

    rule: rules.TrackerOfClasses
    _engine: TrackerClassesEngine  # type: ignore[assignment]

    @property
    def kind(self) -> str:
        """It is still called Tracker."""
        return Tracker.__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the Tracker of each class."""
        return {one.name: getattr(self.rule.learner, one.name) for one in fields(self.rule.learner)}

    def experts(self, label: Any = None) -> Voters:
        """Who votes on a label against the others; without a label, on all of them, the heaviest first."""
        labels = self.labels
        require(label is None or label in labels, "Tracker.experts", f"label must be one of {labels}", label)
        chosen = labels if label is None else (label,)
        voters = [
            one
            for known, engine in zip(labels, self._engine.trackers, strict=True)
            if known in chosen
            for one in voters_of(engine, "" if label is not None else f"{known}: ")
        ]
        return Voters(sorted(voters, key=lambda one: -one.weight))

    @property
    def n_missing(self) -> int:
        """Values that were missing in what it has learned."""
        return max((int(engine.own[MISSING]) for engine in self._engine.trackers), default=0)

    @property
    def n_guarded(self) -> int:
        """Scores of experts that were not finite, and counted as 0: none, unless something is wrong with one."""
        return sum(int(engine.own[GUARDED]) for engine in self._engine.trackers)

    def weights(self) -> dict[Any, dict[Any, float]]:  # type: ignore[override]
        """Label to the weight of every voter by its name; a vote has no weights of features."""
        return {
            label: {one.name: one.weight for one in self.experts(label) if one.weight > 0.0} for label in self.labels
        }

    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k heaviest voters, each called "label: name"."""
        whole("Tracker.largest", "k", k, 1)
        return [(one.name, one.weight) for one in self.experts()[:k] if one.weight > 0.0]
