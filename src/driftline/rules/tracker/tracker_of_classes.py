"""What Tracker becomes with the third label: one against the rest, a Tracker for each class.

As long as there were two labels, one Tracker stood for both. It goes on as that of the label it called +1; that of the
other one is its copy, whose labels and votes are turned round. So neither of the two has forgotten anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.rules.multiclass.one_vs_rest import OneVsRest
from driftline.rules.rule import Rule
from driftline.rules.tracker.tracker import Tracker


@dataclass(frozen=True)
class TrackerOfClasses(OneVsRest):
    """A Tracker once for each class; see ``OneVsRest``."""

    learner: Rule = field(default_factory=Tracker)
    engine: ClassVar[str] = "tracker.class_trackers:TrackerClassesEngine"
    elects: ClassVar[bool] = True
