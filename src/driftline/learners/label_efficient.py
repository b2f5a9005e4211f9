"""A learner that decides for each example whether to ask for its label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from driftline import rules
from driftline.engines.state import SCORE, WEIGHT, trial_rows
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.learners.inner_learners import base_of
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules import Rule, Variant

if TYPE_CHECKING:
    from driftline.engines.composed.label_efficient import AskingEngine

UNKNOWN = object()
"""Passed as the label of a round without a label."""


class LabelEfficient(Learner):
    """Asks for a label only if the score is uncertain, and learns from the labels it gets.

    Use it if labels are expensive. In a service, call ``asks`` before you fetch a label: on True
    pass the label to ``learn_one``, on False call ``skip``. ``mistakes`` then counts only rounds
    with a label. In a run all labels are available: labels that are not asked for are not learned,
    but all mistakes are counted. The rule and its paper are in
    ``driftline.rules.composed.label_efficient``.

    Parameters
    ----------
    learner : Learner, Rule or str, default="perceptron"
        The learner inside: a new learner of two labels, its rule, or a text such as
        "pa1(C=0.5)".
    b : float, default=1.0
        How often it asks, > 0: with probability ``b / (b + |score|)``. With infinity it always
        asks.
    variant : {"constant", "adaptive", "second"}, default="constant"
        How the probability is computed. "constant" uses ``b`` unchanged. "adaptive" scales ``b``
        by the longest example and the number of updates. "second" is for a
        ``SecondOrderPerceptron``, and also uses its uncertainty.
    seed : int, default=0
        Seed of the random decisions, >= 0.
    **options
        ``bias``, ``scale``, ``labels``, ``hashing``, ``dtype`` and ``class_weight``, as in
        ``driftline.Learner``.

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
        what = "class_weight must be None or a dict: labels that are not asked for cannot be counted"
        given = options.get("class_weight")
        require(not isinstance(given, str), "LabelEfficient", what, given)
        super().__init__(rules.LabelEfficient(rule, b, variant, seed), **options)

    @property
    @whole_call
    def asked(self) -> int:
        """The number of labels asked for so far."""
        return self._engine.asked

    @whole_call
    def asks(self, x: Any) -> bool:
        """Whether to fetch the label of x, the next example; the learner does not change.

        The random number depends on the round only: a second call with the same x gives the same
        answer.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        bool
            On True pass the label to ``learn_one``, on False call ``skip``.
        """
        return self._decide(x)[0]

    @whole_call
    def open_round(self, x: Any) -> bool:
        """Decide whether to fetch the label of x, and count the round, if the label comes later.

        Other examples may be decided and learned before the label comes. ``Pending`` calls this.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        bool
            On True pass the label to ``close_round`` when it comes. On False the round is over.
        """
        asked, x_sq = self._decide(x)
        if asked:
            self._engine.count_asked(x_sq)
        else:
            self._learn(x, UNKNOWN, None, one=True)
        return asked

    @whole_call
    def close_round(self, x: Any, y: Any) -> float:
        """Learn the label of an example that ``open_round`` has asked for, without another draw.

        Parameters
        ----------
        x
            The example.
        y
            Its label.

        Returns
        -------
        float
            The score before learning.
        """
        engine = self._engine
        try:
            engine.decided = True
            return self._learn(x, y, None, one=True).item(SCORE)
        finally:
            engine.decided = False

    def _decide(self, x: Any) -> tuple[bool, float]:
        """Whether to fetch the label of x, the next example, and |x|^2; the learner does not change."""
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

    @whole_call
    def skip(self, x: Any) -> float:
        """Count a round without a label.

        Call it if ``asks`` returned False. You may also call it if ``asks`` returned True but the
        label is not available; no bound covers such a round.

        Parameters
        ----------
        x
            The example: a dict, a 1-d array, a pandas Series or a sparse row.

        Returns
        -------
        float
            The score of x.
        """
        return self._learn(x, UNKNOWN, None, one=True).item(SCORE)

    def _trials(self, y: Any, w: Any, one: bool) -> Floats:
        """As for every learner; a round without a label has NaN as its label."""
        if y is not UNKNOWN:
            return super()._trials(y, w, one)
        trials = np.full((trial_rows(False), 1), np.nan)
        trials[WEIGHT] = 1.0
        return trials
