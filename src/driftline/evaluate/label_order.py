"""Whether the labels of a run came in few long runs, as in a file that is sorted by label."""

from __future__ import annotations

import numpy as np

from driftline.evaluate.baselines import Baselines

FEWER = 20
"""Labels count as sorted if they change fewer than 1 / FEWER times as often as if shuffled."""
EXPECTED = 20.0
"""The fewest changes expected of shuffled labels for which the order is judged."""


def order_warning(baselines: Baselines) -> str:
    """A warning if the labels are sorted; empty if they are not.

    Shuffled labels with class shares p_k would change n (1 - sum p_k^2) times in expectation.

    Parameters
    ----------
    baselines
        The baselines of the run. The mistakes of no change are the changes of the label and the
        first example.
    """
    examples = int(baselines.counts.sum())
    if examples == 0:
        return ""
    expected = examples * (1.0 - float(np.sum((baselines.counts / examples) ** 2)))
    changes = baselines.no_change - 1
    if expected < EXPECTED or changes * FEWER >= expected:
        return ""
    return (
        f"the labels are sorted: {changes:,} change{'s' if changes != 1 else ''} in {examples:,} examples, where about "
        f"{expected:,.0f} are expected in random order. Predicting the label of the previous example errs on "
        f"{100 * baselines.no_change / examples:.2g} %, so the error of this run says little. Shuffle the examples, "
        "unless this is their order in time"
    )
