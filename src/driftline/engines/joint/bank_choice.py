"""The engine of a Tracker, by its bank."""

from __future__ import annotations

import numpy as np

from driftline.engines.engine import Engine
from driftline.rules import Tracker, TrackerOfClasses


def two_labels(rule: Tracker, bias: float, dtype: np.dtype[np.floating]) -> Engine:
    """A new engine for two labels."""
    if rule.bank == "strong":
        from driftline.engines.joint.joint_engine import JointEngine  # imported late: not every bank needs it

        return JointEngine(rule, bias, dtype)
    from driftline.engines.tracker.tracker_engine import TrackerEngine

    return TrackerEngine(rule, bias, dtype)


def several_classes(rule: TrackerOfClasses, bias: float, dtype: np.dtype[np.floating]) -> Engine:
    """A new engine for several classes."""
    if isinstance(rule.learner, Tracker) and rule.learner.bank == "strong":
        from driftline.engines.joint.joint_engine import JointClassesEngine

        return JointClassesEngine(rule, bias, dtype)
    from driftline.engines.tracker.class_trackers import TrackerClassesEngine

    return TrackerClassesEngine(rule, bias, dtype)
