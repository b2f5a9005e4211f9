"""The multiclass Tracker: one-vs-rest with a Tracker for each class.

A Tracker becomes multiclass with the third label. The Tracker of the first two labels continues as
the Tracker of the label that was +1. The Tracker of the other label is a copy with labels and
votes negated. So both keep all that was learned. ``OneVsRest`` has the formulas.
Differs from the paper: see ``OneVsRest`` and ``Tracker``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from driftline.rules.multiclass.one_vs_rest import OneVsRest
from driftline.rules.rule import Rule
from driftline.rules.tracker.tracker import Tracker


@dataclass(frozen=True)
class TrackerOfClasses(OneVsRest):
    """One-vs-rest with a Tracker for each class; see ``OneVsRest``."""

    learner: Rule = field(default_factory=Tracker)
    engine: ClassVar[str] = "joint.bank_choice:several_classes"
    elects: ClassVar[bool] = True
