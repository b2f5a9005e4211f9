"""The learner that asks for labels: a run gives it all of them, a service asks first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from driftline import rules
from driftline.engines.state import SCORE, WEIGHT
from driftline.internals.compiled import Floats
from driftline.learners.base import base_of
from driftline.learners.learner import Learner, Options
from driftline.rules import Rule, Variant

if TYPE_CHECKING:
    from driftline.engines.composed.label_efficient import AskingEngine

UNKNOWN = object()
"""In the place of a label that nobody knows."""


class LabelEfficient(Learner):
    """Asks for a label mostly if its score is close to 0, and learns only from these labels.

    Use it where labels cost something. In a service, call ``asks`` before a label is fetched: on
    True pass the label to ``learn_one``, on False call ``skip``. Mistakes in rounds without a
    label cannot be seen there, and ``mistakes`` counts those in rounds with one. In a run all
    labels are there: those not asked for are ignored, but all mistakes are counted. The rule and
    its paper are in ``driftline.rules.composed.label_efficient``.

    Parameters
    ----------
    learner : Learner, Rule or str, default="perceptron"
        What learns from the labels: a new learner of two labels, its rule, or a text such as
        "pa1(C=0.5)".
    b : float, default=1.0
        How often it asks, > 0: with probability ``b / (b + |score|)``. Infinity always asks.
    variant : {"constant", "adaptive", "second"}, default="constant"
        How the probability is computed: with ``b`` as it is, with ``b`` scaled by the longest
        example and the number of updates, or, for a ``SecondOrderPerceptron``, from its
        uncertainty, too.
    seed : int, default=0
        Seed of the random decisions, >= 0.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = LabelEfficient("perceptron", b=0.5, bias=False)
    >>> for x, truth in [({"a": 1}, True), ({"b": 1}, False), ({"a": 2}, True), ({"a": 3}, True), ({"a": 2}, True)]:
    ...     if learner.asks(x):
    ...         score = learner.learn_one(x, truth)
    ...     else:
    ...         score = learner.skip(x)
    >>> learner.n_seen, learner.asked
    (5, 4)
    """

    rule: rules.LabelEfficient
    _engine: AskingEngine

    def __init__(
        self,
        learner: Learner | Rule | str = "perceptron",
        b: float = 1.0,
        variant: Variant = "constant",
        seed: int = 0,
        **options: Unpack[Options],
    ) -> None:
        rule, options = base_of("LabelEfficient", learner, options)
        super().__init__(rules.LabelEfficient(rule, b, variant, seed), **options)

    @property
    def asked(self) -> int:
        """Labels asked for so far."""
        return self._engine.asked

    def asks(self, x: Any) -> bool:
        """Whether it wants the label of x, if x is the next example. Changes nothing.

        On True pass the label to ``learn_one``, on False call ``skip``. The coin is the round's own: to ask again about
        the same x gives the same answer.
        """
        encoder, scaler = self._encoder, self._scaler
        encoder.mark = None
        try:
            rows = encoder.one(x, True)
            self._reserve()
            undo = self._undo(rows)
            try:
                if scaler is not None:
                    rows = scaler.scale(rows, encoder.features, True)
                return self._engine.asks(rows)
            finally:
                undo()
        finally:
            self._take_back_features()

    def skip(self, x: Any) -> float:
        """Let a round pass without its label; return the score of x.

        To be called where ``asks`` says False; and where it says True but the label cannot be had, though no bound
        covers such a round.
        """
        return self._learn(x, UNKNOWN, None, one=True).item(SCORE)

    def _trials(self, y: Any, w: Any, one: bool) -> Floats:
        """A round whose label is not known has NaN in its place."""
        if y is not UNKNOWN:
            return super()._trials(y, w, one)
        trials = np.full((4, 1), np.nan)
        trials[WEIGHT] = 1.0
        return trials
