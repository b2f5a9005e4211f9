"""The exception of a run that Ctrl-C has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftline.evaluate.comparison import Comparison
    from driftline.evaluate.result import Run
    from driftline.evaluate.sweep_result import Sweep


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run before the end of its stream.

    The block that was being learned is complete, and the checkpoint, if there is one, is saved. A
    second Ctrl-C during the same block raises a plain KeyboardInterrupt at once.

    Attributes
    ----------
    result
        The result so far: a ``Run`` from ``dl.run``, a ``Comparison`` from ``dl.compare``, or a
        ``Sweep`` from ``dl.sweep``.
    examples
        The number of examples learned.

    >>> import driftline as dl
    >>> def stream():
    ...     yield [{"a": 1.0}, {"b": 1.0}], [1, 0]
    ...     raise KeyboardInterrupt  # as Ctrl-C does
    >>> try:
    ...     dl.run(dl.PA1(), stream())
    ... except dl.Interrupted as stop:
    ...     stop.result.mistakes
    2
    """

    def __init__(self, result: Run | Comparison | Sweep, examples: int) -> None:
        super().__init__(f"interrupted after {examples:,} examples")
        self.result = result
        self.examples = examples
