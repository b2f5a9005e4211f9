"""Metrics of runs: from labels, scores and probabilities, in constant memory."""

from driftline.evaluate.metrics.figures import Calibration, ClassFigures, Figures
from driftline.evaluate.metrics.metrics import Metrics
from driftline.evaluate.metrics.observer import MetricsObserver

__all__ = ["Calibration", "ClassFigures", "Figures", "Metrics", "MetricsObserver"]
