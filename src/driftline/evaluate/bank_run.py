"""Many learners on one stream as one bank, with a ledger for each."""

from __future__ import annotations

from typing import Any

from driftline.evaluate.baselines import Baselines
from driftline.evaluate.by_task import new_ledger
from driftline.evaluate.learner_run import LearnerRun
from driftline.internals.stopwatch import Stopwatch
from driftline.learners import Bank


class BankRun(LearnerRun):
    """A bank, and the ledger of every column.

    Each column is charged an equal share of the time. All ledgers share the baselines.
    """

    learner: Bank

    def __init__(self, bank: Bank, stream: Any, points: int) -> None:
        super().__init__("Bank", bank, stream, points)
        shared = Baselines()
        self.ledgers = [new_ledger(rule, points, shared) for rule in bank.rule.learners]

    def _learn(self, X: Any, y: Any, w: Any) -> None:
        """Test, then train, and add each column's rounds to its ledger."""
        with Stopwatch() as watch:
            each = self.learner.test_then_train_each(X, y, w)
        seconds = watch.seconds / len(each)
        for k, (ledger, learned) in enumerate(zip(self.ledgers, each, strict=True)):
            ledger.add(learned, seconds, count_labels=k == 0)
