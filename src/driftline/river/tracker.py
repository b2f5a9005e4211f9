"""The Tracker as a river classifier."""

from __future__ import annotations

from typing import Literal

from driftline import learners
from driftline.encode import Hashing
from driftline.river.classifier import ClassWeight, Several
from driftline.river.vote import RiverVote


class Tracker(RiverVote):
    """Nothing to tune: a vote over some forty experts on several scalings of the data.

    Values that are None or NaN are missing. If two labels are declared, a third is refused.
    The learner is ``driftline.Tracker``.

    Parameters
    ----------
    bank : {"strong", "light", "recipe"}, default="strong"
        The experts. "light" has linear ones only, "recipe" is the Tracker as first published.
    labels : tuple or None, default=None
        Labels that are known from the start. None takes any number of labels as they appear.
    hashing : Hashing or None, default=None
        Hashes feature names into a fixed number of weights. None keeps all names.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels, which multiply the sample weights. A dict may name some labels;
        others have the weight 1. "balanced" gives recently rare labels larger weights.
    """

    def __init__(
        self,
        bank: Literal["strong", "light", "extended", "recipe"] = "strong",
        *,
        labels: Several = None,
        hashing: Hashing | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        super().__init__(learners.Tracker(bank, labels=labels, hashing=hashing, class_weight=class_weight))
        self.bank = bank

    def _unit_test_skips(self) -> set[str]:
        """The trees of the strong bank choose features by their number, so that their order matters."""
        return {"check_shuffle_features_no_impact"} if self.bank == "strong" else set()
