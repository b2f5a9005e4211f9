"""Test-then-train runs, their ledgers, and comparisons."""

from driftline.evaluate.comparison import Comparison
from driftline.evaluate.ledger import Ledger
from driftline.evaluate.run import Run, compare, run

__all__ = ["Comparison", "Ledger", "Run", "compare", "run"]
