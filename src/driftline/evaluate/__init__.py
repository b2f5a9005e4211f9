"""Test-then-train runs, their ledgers, and comparisons."""

from driftline.evaluate.checkpoint import Checkpoint
from driftline.evaluate.comparison import Comparison
from driftline.evaluate.finished import Run
from driftline.evaluate.history import History
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.run import compare, run

__all__ = ["Checkpoint", "Comparison", "History", "Ledger", "Run", "compare", "run"]
