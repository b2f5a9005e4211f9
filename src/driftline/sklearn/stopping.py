"""When to stop passes over the same examples."""

from __future__ import annotations

import math


class Stopping:
    """Stop after ``patience`` passes in a row without an improvement of the loss by ``tol``.

    Parameters
    ----------
    tol
        The smallest improvement over the best loss so far; None never stops.
    patience
        The number of passes.

    >>> stopping = Stopping(0.1, 2)
    >>> [stopping.after(loss) for loss in (1.0, 0.5, 0.45, 0.46)]
    [False, False, False, True]
    """

    def __init__(self, tol: float | None, patience: int) -> None:
        self.tol = tol
        self.patience = patience
        self.best = math.inf
        self.idle = 0

    def after(self, loss: float) -> bool:
        """Whether to stop after a pass with this loss."""
        stalled = self.tol is not None and loss > self.best - self.tol
        self.idle = self.idle + 1 if stalled else 0
        self.best = min(self.best, loss)
        return self.idle >= self.patience
