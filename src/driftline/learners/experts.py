"""Learners that combine the advice of experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from driftline import rules
from driftline.encode import ExpertLabels, Labels
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.internals.require import require
from driftline.internals.rows import Rows, SparseRows, length, spread_out
from driftline.learners.explanation import Explanation
from driftline.learners.learned_block import RoundRecorder
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.experts.expert_rule import LOSS, ExpertRule

if TYPE_CHECKING:
    from driftline.engines.experts.expert_engine import ExpertsEngine


class Experts(Learner):
    """A learner that weighs the advice of experts.

    Each feature is an expert, and its value is the advice: a number from -1 to 1. An expert
    abstains with 0, or if it is absent. Experts are ordered by column, or by name in the order of
    the first example, which fixes their number. A score is in [-1, 1]. Every round is learned, and
    a sample weight multiplies its losses.
    """

    _engine: ExpertsEngine

    def __init__(self, rule: ExpertRule, **options: Unpack[Options]) -> None:
        where, scale, hashing = type(self).__name__, options.get("scale"), options.get("hashing")
        require(scale is None, where, "scale must be None: advice is from -1 to 1 as it is", scale)
        require(hashing is None, where, "hashing must be None: every expert needs a separate weight", hashing)
        super().__init__(rule, **options)

    def _new_labels(self, declared: tuple[Any, ...] | None) -> Labels:
        """Labels that refuse fractions, or targets."""
        return super()._new_labels(declared) if self.rule.regresses else ExpertLabels(type(self).__name__, declared)

    def predict(self, z: Any) -> Any:
        """The score of one round of advice, or of each round of a matrix.

        Parameters
        ----------
        z
            The advice of one round, as for ``score_one``, or of many, as for ``score_many``.

        Returns
        -------
        float or numpy.ndarray
            The score of each round, in [-1, 1].
        """
        return self.score_one(z) if _is_one_round(z) else self.score_many(z)

    def update(self, z: Any, y: Any) -> Any:
        """Learn one round of advice, or each round of a matrix.

        Parameters
        ----------
        z
            The advice of one round, as for ``learn_one``, or of many, as for ``learn_many``.
        y
            The label of each round.

        Returns
        -------
        float or numpy.ndarray
            The score of each round before learning.
        """
        return self.learn_one(z, y) if _is_one_round(z) else self.learn_many(z, y)

    @whole_call
    def distribution(self) -> Floats:
        """The share of each expert, in the order of columns or names.

        Returns
        -------
        numpy.ndarray of shape (experts,)
            The shares, which sum to 1; empty before the first example.
        """
        return self._engine.distribution()

    @whole_call
    def losses(self) -> Floats:
        """The cumulative loss of each expert, in the order of columns or names.

        The loss of a round is |z - y| / 2. For ``Halving`` and ``WeightedMajority`` it is 1 if the
        sign of the advice was wrong, else 0. For real outcomes it is (z - y)^2.

        Returns
        -------
        numpy.ndarray of shape (experts,)
            The losses.
        """
        return self._engine.losses.copy()

    @property
    @whole_call
    def loss(self) -> float:
        """The cumulative loss of the learner: the sum of |score - y| / 2, or of (score - y)^2 for
        real outcomes.
        """
        return float(self._engine.own[LOSS])

    # scoring before the number of experts is known ---------------------------------------------
    def _score_one(self, x: Any) -> float:
        return super()._score_one(x) if self._engine.experts else self._scores_before_learning(x, one=True).item()

    def _score_many(self, X: Any) -> Floats:
        if self._engine.experts:
            return super()._score_many(X)
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            return np.array([self._score_one(x) for x in X])
        return self._scores_before_learning(X, one=False)

    def _scores_before_learning(self, x: Any, one: bool) -> Floats:
        """Scores of a new learner, from a copy with the number of experts of the first row."""
        twin = self._copy({})
        rows = twin._encoder.one(x, True) if one else twin._encoder.many(x, True)
        scores = np.zeros(length(rows))
        twin._engine.reserve(twin._expert_count(rows))
        twin._engine.score(rows, scores)
        if not np.isfinite(scores).all():
            raise twin._overflow(None if one else int(np.argmax(~np.isfinite(scores))))
        return scores

    def _explain_one(self, x: Any, label: Any) -> Explanation:
        if self._engine.experts:
            return super()._explain_one(x, label)
        twin = self._copy({})  # a copy with the number of experts of this example
        twin._engine.reserve(twin._expert_count(twin._encoder.one(x, True)))
        return Learner._explain_one(twin, x, label)

    def _expert_count(self, rows: Rows) -> int:
        """The number of experts if these rows come first: all columns, or the names in row 0."""
        if self._encoder.named and isinstance(rows, SparseRows):
            return int(rows.indptr[1]) if length(rows) else 0
        return self._encoder.features

    def _learn_rows(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Learn, and fix the number of experts; later columns, which are empty, are dropped."""
        encoder, engine = self._encoder, self._engine
        if not engine.experts:
            engine.reserve(self._expert_count(rows))
        done = super()._learn_rows(rows, trials, recorder)
        if encoder.named is False and done == trials.shape[1]:
            encoder.width = engine.experts
        return done

    def _recorded(self, rows: Rows) -> Rows:
        """The advice of all experts, with 0 for an absent one."""
        return spread_out(rows, self._engine.experts or self._engine.known)


def _is_one_round(z: Any) -> bool:
    """Whether z is one round of advice, not a matrix or list of rounds."""
    if isinstance(z, Mapping) or hasattr(type(z), "tocsr"):
        return isinstance(z, Mapping)
    return np.ndim(z) == 1 and not (len(z) and isinstance(z[0], Mapping))


class Halving(Experts):
    """The majority vote of the experts that have never been wrong.

    Use it only where one of the experts is perfect. All advice must be -1 or +1. The rule and its
    paper are in ``driftline.rules.experts.halving``.

    Parameters
    ----------
    empty : {"reset", "raise"}, default="reset"
        What to do with an example after which no expert is left: "reset" starts again with all
        experts, "raise" refuses the example with a ValueError.
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.

    Examples
    --------
    >>> learner = Halving()
    >>> learner.update([[1, 1, -1], [-1, 1, 1], [-1, 1, -1]], [1, -1, -1])
    array([ 0.33333333,  0.        , -1.        ])
    >>> learner.distribution()
    array([1., 0., 0.])
    """

    def __init__(self, empty: Literal["reset", "raise"] = "reset", **options: Unpack[Options]) -> None:
        super().__init__(rules.Halving(empty), **options)


class WeightedMajority(Experts):
    """The weighted vote of all experts; each error multiplies the weight of an expert by ``beta``.

    An expert votes by the sign of its advice. The rule and its paper are in
    ``driftline.rules.experts.weighted_majority``.

    Parameters
    ----------
    beta : float, default=exp(-1.0)
        Factor of an error, >= 0 and < 1. Use one near 1 where all experts err often, and one near
        0 where an expert is almost perfect.
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.
    """

    def __init__(self, beta: float = exp(-1.0), **options: Unpack[Options]) -> None:
        super().__init__(rules.WeightedMajority(beta), **options)


class ExponentialWeights(Experts):
    """The mean of the experts' advice, weighted by ``exp(-eta * loss)``.

    Use a fixed ``eta`` where the best expert is known to be good (``eta=1``) or the number T of
    rounds is known (``sqrt(8 ln n / T)`` for n experts). Without ``eta`` the rate follows a
    schedule. ``AdaHedge`` finds its rate from the losses. The rule and its paper are in
    ``driftline.rules.experts.exponential_weights``.

    Parameters
    ----------
    eta : float or None, default=None
        Fixed rate, > 0. None uses a schedule.
    schedule : {"fixed", "anytime", "doubling"} or None, default=None
        How the rate is chosen. "fixed" uses ``eta``; "anytime" decreases the rate with the number
        of rounds; "doubling" starts again, with a smaller rate, after 1, 2, 4, ... rounds. None
        is "fixed" if there is an ``eta`` and "anytime" otherwise.
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.
    """

    def __init__(
        self,
        eta: float | None = None,
        schedule: Literal["fixed", "anytime", "doubling"] | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.ExponentialWeights(eta, schedule), **options)


class AdaHedge(Experts):
    """Exponential weights that find their rate from the losses so far.

    It has no parameter. Its regret is close to that of the best fixed rate, for easy and for hard
    sequences. The rule and its paper are in ``driftline.rules.experts.ada_hedge``.

    Parameters
    ----------
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        super().__init__(rules.AdaHedge(), **options)


class FixedShare(Experts):
    """Exponential weights for a best expert that changes; each expert shares a part of its weight.

    The rule and its paper are in ``driftline.rules.experts.fixed_share``.

    Parameters
    ----------
    eta : float, default=0.5
        Learning rate, > 0. Small rates suit experts that all err often.
    alpha : float, default=0.003
        Part of the weight that is shared in each round, > 0 and <= 1: how often the best expert
        changes. ``k / (T - 1)`` is the best choice for k changes in T rounds.
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.

    Examples
    --------
    >>> learner = FixedShare(eta=1, alpha=0.01)
    >>> p = learner.predict([1.0, -1.0, 0.5])
    >>> learner.update([1.0, -1.0, 0.5], 1) == p
    True
    >>> learner.distribution().round(3)
    array([0.464, 0.174, 0.362])
    >>> round(learner.loss, 3), learner.losses()
    (0.417, array([0.  , 1.  , 0.25]))
    """

    def __init__(self, eta: float = 0.5, alpha: float = 0.003, **options: Unpack[Options]) -> None:
        super().__init__(rules.FixedShare(eta, alpha), **options)


class VariableShare(Experts):
    """Exponential weights for a best expert that changes; an expert shares only while it loses.

    Use it where the best expert is almost perfect between two changes. The rule and its paper are
    in ``driftline.rules.experts.variable_share``.

    Parameters
    ----------
    eta : float, default=0.5
        Learning rate, > 0.
    alpha : float, default=0.03
        Part of the weight that an expert shares when it loses 1, > 0 and <= 1. ``k / (k + L)`` is
        the best choice for k changes and L errors of the best sequence of experts.
    **options
        ``labels`` and ``class_weight``, as in ``driftline.Learner``. The other options are
        refused: advice is used as it is.
    """

    def __init__(self, eta: float = 0.5, alpha: float = 0.03, **options: Unpack[Options]) -> None:
        super().__init__(rules.VariableShare(eta, alpha), **options)
