"""Prequential (test-then-train) runs, comparisons, sweeps, and the value of labels."""

from driftline.evaluate.alarm import Alarm
from driftline.evaluate.alarms import Alarms
from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.decision import Decision, PrecisionRecallCurve, precision_recall
from driftline.evaluate.grid import grid
from driftline.evaluate.heat_map import Heat
from driftline.evaluate.history import History
from driftline.evaluate.interrupted import Interrupted
from driftline.evaluate.label_tradeoff import Tradeoff, tradeoff
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.metrics import Metrics
from driftline.evaluate.regression import RegressionMetrics
from driftline.evaluate.result import Run
from driftline.evaluate.run import compare, run
from driftline.evaluate.sweep import sweep
from driftline.evaluate.sweep_result import Sweep

__all__ = [
    "Alarm",
    "Alarms",
    "Checkpoint",
    "Comparison",
    "Decision",
    "Heat",
    "History",
    "Interrupted",
    "Ledger",
    "Metrics",
    "PrecisionRecallCurve",
    "RegressionMetrics",
    "Run",
    "Sweep",
    "Tradeoff",
    "compare",
    "grid",
    "precision_recall",
    "run",
    "sweep",
    "tradeoff",
]
