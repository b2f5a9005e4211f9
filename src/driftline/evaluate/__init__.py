"""Test-then-train runs, their ledgers, comparisons, and what labels are worth."""

from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.finished import Run
from driftline.evaluate.history import History
from driftline.evaluate.labels import Tradeoff, tradeoff
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.run import compare, run

__all__ = [
    "Checkpoint",
    "Comparison",
    "History",
    "Ledger",
    "Run",
    "Tradeoff",
    "compare",
    "run",
    "tradeoff",
]
