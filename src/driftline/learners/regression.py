"""Learners of real targets with the two-number rules of regression."""

from __future__ import annotations

import math
from typing import Unpack

from driftline import rules
from driftline.learners.learner import Learner
from driftline.learners.options import Options
from driftline.rules.regression.gradient_descent import Ball, Loss


class PARegressor(Learner):
    """Passive-aggressive regression: the smallest change that leaves an error of ``epsilon``.

    Use it if targets change fast and have little noise. If they are noisy, prefer ``PA2Regressor``
    or ``AROWRegressor``. The update and its paper are in
    ``driftline.rules.regression.pa_regressor``.

    Parameters
    ----------
    epsilon : float, default=0.01
        Errors up to ``epsilon`` are not corrected, >= 0.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = PARegressor(epsilon=0.5, bias=False)
    >>> _ = learner.learn_one({"a": 2.0}, 3.5)
    >>> learner.predict_one({"a": 2.0})
    3.0
    """

    def __init__(self, epsilon: float = 0.01, **options: Unpack[Options]) -> None:
        super().__init__(rules.PARegressor(epsilon), **options)


class PA1Regressor(Learner):
    """Passive-aggressive regression (PA-I): the smallest change to an error of ``epsilon``.

    The step is capped at ``C``. Use a small ``C`` if targets are noisy. The update and its paper
    are in ``driftline.rules.regression.pa1_regressor``.

    Parameters
    ----------
    C : float, default=1.0
        Largest step, > 0. Infinity gives ``PARegressor``.
    epsilon : float, default=0.01
        Errors up to ``epsilon`` are not corrected, >= 0.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = PA1Regressor(C=0.25, epsilon=0.0, bias=False)
    >>> _ = learner.learn_one({"a": 2.0}, 3.0)
    >>> learner.predict_one({"a": 2.0})
    1.0
    """

    def __init__(self, C: float = 1.0, epsilon: float = 0.01, **options: Unpack[Options]) -> None:
        super().__init__(rules.PA1Regressor(C, epsilon), **options)


class PA2Regressor(Learner):
    """Passive-aggressive regression (PA-II): a part of each error beyond ``epsilon`` is corrected.

    Use it if targets are noisy. The part is |x|^2 / (|x|^2 + 1 / (2 C)). The update and its paper
    are in ``driftline.rules.regression.pa2_regressor``.

    Parameters
    ----------
    C : float, default=0.01
        The larger it is, the more of an error is corrected, > 0. Infinity gives ``PARegressor``.
    epsilon : float, default=0.01
        Errors up to ``epsilon`` are not corrected, >= 0.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = PA2Regressor(C=0.5, epsilon=0.0, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, 3.0)
    >>> learner.predict_one({"a": 1.0})
    1.5
    """

    def __init__(self, C: float = 0.01, epsilon: float = 0.01, **options: Unpack[Options]) -> None:
        super().__init__(rules.PA2Regressor(C, epsilon), **options)


class NORMARegressor(Learner):
    """Gradient descent on the error beyond a tube, with weights that decay in every round.

    Use it if targets drift or have outliers: old examples are forgotten, and steps do not grow
    with the error. It remembers about ``1 / (alpha * lam)`` rounds. The update and its paper are
    in ``driftline.rules.regression.norma_regressor``.

    Parameters
    ----------
    alpha : float, default=0.01
        Step size, > 0.
    lam : float, default=0.001
        Rate of decay, >= 0 and < 1 / ``alpha``. 0 never forgets.
    epsilon : float, default=0.01
        Half the width of the tube, >= 0. If the tube adapts, its first value.
    nu : float, default=0.0
        If > 0, the tube adapts until this share of the errors is outside, < 1. 0 keeps ``epsilon``
        fixed.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = NORMARegressor(alpha=0.5, lam=0.0, nu=0.5, bias=False)
    >>> _ = learner.learn_one({"a": 1.0}, 3.0)
    >>> learner.predict_one({"a": 1.0})
    0.5
    """

    def __init__(
        self,
        alpha: float = 0.01,
        lam: float = 0.001,
        epsilon: float = 0.01,
        nu: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.NORMARegressor(alpha, lam, epsilon, nu), **options)


class GradientDescent(Learner):
    """Online gradient descent with steps that decrease, and weights that stay in a ball.

    Use it for targets that do not change, and with ``constraint="l1"`` where few features matter.
    The update and its paper are in ``driftline.rules.regression.gradient_descent``.

    Parameters
    ----------
    eta : float, default=0.3
        Size of the first step, > 0. Step t has size eta / sqrt(t).
    radius : float, default=inf
        Radius of the ball, > 0. Infinity means that there is no ball.
    epsilon : float, default=0.01
        Errors up to ``epsilon`` are not corrected if ``loss="epsilon"``, >= 0. Other losses ignore
        it.
    loss : {"squared", "absolute", "epsilon"}, default="squared"
        The loss: half the square of the error, its absolute value, or its part above ``epsilon``.
    constraint : {"l2", "l1"}, default="l2"
        The ball: Euclidean, or the L1 ball, which sets small weights to 0. With "l1" an update
        reads all weights.
    **options
        ``bias``, ``scale``, ``hashing`` and ``dtype``, as in ``driftline.Learner``.

    Examples
    --------
    >>> learner = GradientDescent(eta=0.5, loss="absolute", bias=False)
    >>> _ = learner.learn_one({"a": 2.0}, 3.0)
    >>> learner.predict_one({"a": 1.0})
    1.0
    """

    def __init__(
        self,
        eta: float = 0.3,
        radius: float = math.inf,
        epsilon: float = 0.01,
        *,
        loss: Loss = "squared",
        constraint: Ball = "l2",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(rules.GradientDescent(eta, radius, epsilon, loss, constraint), **options)
