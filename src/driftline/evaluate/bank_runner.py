"""Many learners on their way through a stream as one bank, each with a ledger of its own."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from driftline.evaluate.ledger import Ledger
from driftline.evaluate.runner import Lane
from driftline.learners import Bank


class BankLane(Lane):
    """A bank, and the ledger of every column; each has an equal share of the time."""

    learner: Bank

    def __init__(self, bank: Bank, points: int) -> None:
        super().__init__("Bank", bank, points, history=False)
        self.ledgers = [Ledger(rule.margin, points) for rule in bank.rule.learners]

    def _count(self, X: Any, y: Any, w: Any) -> None:
        """Test, then train, and add what came of it to every ledger."""
        start = perf_counter()
        each = self.learner.test_then_train_each(X, y, w)
        seconds = (perf_counter() - start) / len(each)
        for ledger, trials in zip(self.ledgers, each, strict=True):
            ledger.add(trials, seconds)
