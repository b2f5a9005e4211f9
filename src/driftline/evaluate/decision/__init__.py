"""Decisions from probabilities, and what they achieve and cost."""

from driftline.evaluate.decision.achieved import Achieved
from driftline.evaluate.decision.curve import PrecisionRecallCurve, precision_recall
from driftline.evaluate.decision.decision import Decision

__all__ = ["Achieved", "Decision", "PrecisionRecallCurve", "precision_recall"]
