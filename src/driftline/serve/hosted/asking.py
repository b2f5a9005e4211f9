"""Which labels are wanted: the worth of a label, and a threshold that keeps to a budget.

The threshold theta follows the worth of the examples. With the share s of wanted labels,

    wanted_t = worth_t >= theta_t
    theta_{t+1} = theta_t + STEP (wanted_t - s)

theta stays between -STEP and 1 + STEP, because the worth is between 0 and 1. So after T examples, in
any order, the share of wanted labels differs from s by at most (1 + 2 STEP) / (STEP T).

Gibbs, Candes. Adaptive conformal inference under distribution shift. NeurIPS 34 (2021), section 2.
Differs from the paper: the level that follows is a threshold on the worth.
"""

from __future__ import annotations

from driftline.serve.log.events import Answer

STEP = 0.02


def worth_of(answer: Answer) -> float:
    """How uncertain an answer is: 0 for a sure label, 1 if all labels are equally likely.

    >>> worth_of(Answer(0, "a", {"a": 0.75, "b": 0.25}, 1.0))
    0.5
    """
    shares = answer.shares
    if shares is None:
        return 0.0
    labels = len(shares)
    if labels < 2:
        return 1.0
    worth: float = (1.0 - next(iter(shares.values()))) * labels / (labels - 1)  # the most likely label comes first
    return 0.0 if worth < 0.0 else 1.0 if worth > 1.0 else worth


class Threshold:
    """The threshold of a budget.

    Parameters
    ----------
    share
        The share of examples whose labels are wanted.
    value
        The threshold of a snapshot.
    """

    def __init__(self, share: float, value: float = 0.0) -> None:
        self.share = share
        self.value = value

    def wants(self, worth: float) -> bool:
        """Whether a label of this worth is wanted."""
        return worth >= self.value

    def follow(self, wanted: bool) -> None:
        """Adapt to a decision."""
        self.value += STEP * (wanted - self.share)
