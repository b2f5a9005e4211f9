"""Learners whose features are the advice of experts."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from math import exp
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from driftline import rules
from driftline.internals.compiled import Floats
from driftline.internals.require import require
from driftline.internals.rows import Rows, SparseRows, length, spread_out
from driftline.learners.learned_block import RoundRecorder
from driftline.learners.learner import Learner, Options
from driftline.rules.experts.expert_rule import LOSS, ExpertRule

if TYPE_CHECKING:
    from driftline.engines.experts.expert_engine import ExpertsEngine


class Experts(Learner):
    """A learner that weighs the advice of experts: numbers from -1 to 1, where 0, as what is absent, abstains.

    Features are the experts, in the order of columns, or of names in the first example; that example says how many
    there are. A score is in [-1, 1]. Every round is learned from, and a sample weight multiplies its losses.
    """

    _engine: ExpertsEngine

    def __init__(self, rule: ExpertRule, **options: Unpack[Options]) -> None:
        where, scale, hashing = type(self).__name__, options.get("scale"), options.get("hashing")
        require(scale is None, where, "scale must be None: advice is from -1 to 1 as it is", scale)
        require(hashing is None, where, "hashing must be None: every expert has a share of its own", hashing)
        super().__init__(rule, **options)

    def predict(self, z: Any) -> Any:
        """The score of one round of advice, or the scores of a matrix of rounds."""
        return self.score_one(z) if _single(z) else self.score_many(z)

    def update(self, z: Any, y: Any) -> Any:
        """Learn one round of advice with its label, or a matrix of rounds; return each score before that."""
        return self.learn_one(z, y) if _single(z) else self.learn_many(z, y)

    def distribution(self) -> Floats:
        """The share of each expert, in the order of columns or of names; they sum to 1. None before it has learned."""
        return self._engine.distribution()

    def losses(self) -> Floats:
        """What each expert has lost, in the order of columns or of names: 1/2 |z - y| a round.

        Of the votes (Halving, WeightedMajority) these are errors: rounds in which the sign of its advice was not y.
        """
        return self._engine.losses.copy()

    @property
    def loss(self) -> float:
        """What it has itself lost: the sum of 1/2 |score - y|."""
        return float(self._engine.own[LOSS])

    # all experts are alike until something is learned ---------------------------------------------------------
    def score_one(self, x: Any) -> float:
        """The score of one round of advice, in [-1, 1]."""
        return super().score_one(x) if self._engine.experts else self._untaught(x, one=True).item()

    def score_many(self, X: Any) -> Floats:
        """The score of each round of advice."""
        if self._engine.experts:
            return super().score_many(X)
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            return np.array([self.score_one(x) for x in X])
        return self._untaught(X, one=False)

    def _untaught(self, x: Any, one: bool) -> Floats:
        """Scores of a copy to which the first row says how many experts there are."""
        twin = copy.deepcopy(self)
        rows = twin._encoder.one(x, True) if one else twin._encoder.many(x, True)
        scores = np.zeros(length(rows))
        twin._engine.reserve(twin._named_by(rows))
        twin._engine.score(rows, scores)
        if not np.isfinite(scores).all():
            raise twin._overflow(None if one else int(np.argmax(~np.isfinite(scores))))
        return scores

    def _named_by(self, rows: Rows) -> int:
        """How many experts there are if these rows come first: all columns, or as many names as the first row has."""
        if self._encoder.named and isinstance(rows, SparseRows):
            return int(rows.indptr[1]) if length(rows) else 0
        return self._encoder.features

    def _learn_rows(self, rows: Rows, trials: Floats, recorder: RoundRecorder | None) -> int:
        """Also fix the number of experts; columns beyond it, which can only be empty, are forgotten."""
        encoder, engine = self._encoder, self._engine
        if not engine.experts:
            engine.reserve(self._named_by(rows))
        done = super()._learn_rows(rows, trials, recorder)
        if encoder.named is False and done == trials.shape[1]:
            encoder.width = engine.experts
        return done

    def _recorded(self, rows: Rows) -> Rows:
        """The advice of all experts, also of those that are absent."""
        return spread_out(rows, self._engine.experts or self._engine.known)


def _single(z: Any) -> bool:
    """Whether it is one round of advice."""
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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.

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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.
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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.
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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.
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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.

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
        ``labels``, as in ``driftline.Learner``. The other options are refused: advice is used as
        it is.
    """

    def __init__(self, eta: float = 0.5, alpha: float = 0.03, **options: Unpack[Options]) -> None:
        super().__init__(rules.VariableShare(eta, alpha), **options)
