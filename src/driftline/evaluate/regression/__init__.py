"""Runs of regressors: metrics in constant memory, ledgers, results, comparisons and sweeps."""

from driftline.evaluate.regression.figures import RegressionFigures
from driftline.evaluate.regression.metrics import RegressionMetrics

__all__ = ["RegressionFigures", "RegressionMetrics"]
