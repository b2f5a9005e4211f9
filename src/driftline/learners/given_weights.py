"""Setting the weights of a linear learner, as if it had learned them.

Each engine stores the weights w in another form: scaled, behind the p-norm link, as a list of the
nonzero ones, or as exponents. Variances, counters and running statistics stay as they are. The
recent rounds are forgotten: their scores are those of other weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from driftline.encode import Hashing
from driftline.encode.encoder import WIDEST
from driftline.encode.faults import shortened
from driftline.encode.features import BIAS_NAME, checked_name
from driftline.engines import CompactEngine, LinearEngine, PNormEngine, RegressionEngine
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.calibration.recent_scores import RecentScores
from driftline.engines.engine import norm
from driftline.engines.linear import euclidean, pnorm
from driftline.engines.linear.compact import SUPPORT
from driftline.engines.multiclass.class_engine import WeightsEngine
from driftline.engines.multiplicative.balanced_winnow import BalancedWinnowEngine
from driftline.engines.state import BIAS, FIRST, NORM, PARAMS, SCALE, TRACKS, P
from driftline.internals.compiled import Floats
from driftline.internals.one_call import whole_call
from driftline.learners.learner import Learner
from driftline.learners.several_classes import SeveralClasses
from driftline.rules import L1PA, MulticlassL1PA
from driftline.rules.kernel.random_fourier import Waves

SETTABLE = (LinearEngine, RegressionEngine, PNormEngine, CompactEngine)
"""Engines whose weights are all that an example changes, besides counters."""
OUTSIDE = 1e-6  # relative length outside the ball that counts as a rounding error


@whole_call
def set_weights(learner: Learner, weights: Floats, constant: float) -> None:
    """Set the weights of a linear learner with columns.

    Parameters
    ----------
    learner
        The learner. It may be new: it then has as many columns as there are weights.
    weights
        The weights of the columns, or those of the random features of ``RandomFourier``.
    constant
        The weight of the constant feature; 0 if there is none.
    """
    _give(learner, _laid_out(learner, weights, constant))


def set_named_weights(learner: Learner, weights: Mapping[Any, float]) -> None:
    """Set all weights of a linear learner, given as ``weights()`` returns them; see ``Learner.set_weights``."""
    where = f"{type(learner).__name__}.set_weights"
    engine, encoder = learner._engine, learner._encoder
    if type(engine) not in SETTABLE:
        raise ValueError(
            f"{where}: the learner must be linear without second-order state, got {learner.kind}. "
            "Use a learner such as PA1 or Perceptron"
        )
    given = {name: value for name, value in weights.items() if name != BIAS_NAME}
    values = [_number(where, name, value) for name, value in weights.items()]
    if len(values) > len(given) and learner.options["bias"] is False and weights[BIAS_NAME] != 0.0:
        raise ValueError(
            f"{where}: there must be no weight of {BIAS_NAME!r} without bias, got {weights[BIAS_NAME]!r}. Leave it out"
        )
    encoder.mark = encoder.named, encoder.width, encoder.stored
    done = False
    try:
        places = _places(learner, where, list(given))
        learner._reserve()
        w = np.zeros(FIRST + learner._width)
        w[0] = weights.get(BIAS_NAME, 0.0)
        w[FIRST + places] = list(given.values())
        _give(learner, w)
        done = True
    finally:
        if not done:
            learner._take_back_features()


def _number(where: str, name: Any, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{where}: the weight of {shortened(name)} must be a finite number, got {shortened(value)}")
    return float(value)


def _places(learner: Learner, where: str, names: list[Any]) -> np.ndarray:
    """The index of each feature; new ones are added to the learner."""
    encoder, width = learner._encoder, learner._width
    fixed = isinstance(learner._scaler, Waves)
    if isinstance(encoder.names, Hashing) and encoder.names.keep_names and not fixed:
        raise ValueError(
            f"{where}: hashed features must be numbers, got a learner that keeps names. Hash without names"
        )
    if not (encoder.hashed or fixed) and (encoder.named or (encoder.named is None and any(map(_is_text, names)))):
        checked = [checked_name(where, name) for name in names]
        encoder.named = True
        return encoder.names.add_all(checked).astype(np.intp)
    for name in names:
        within = not isinstance(name, bool) and isinstance(name, int | np.integer) and name >= 0
        if not within or name >= (width if encoder.hashed or fixed or encoder.width else WIDEST):
            known = f"the number of one of {width} features" if width else "a name or a column number"
            raise ValueError(f"{where}: a feature must be {known}, got {shortened(name)}. Use those of weights()")
    if not (encoder.hashed or fixed) and not encoder.width:
        encoder.named = False
        encoder.width = max(names, default=-1) + 1
    return np.array(names, np.intp)


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def _give(learner: Learner, w: Floats) -> None:
    """Put weights into the engine in its own form; they are laid out as in the engine, which has room for them."""
    engine = learner._engine
    v = _converted(learner, w)
    if learner._recent is not None:
        learner._recent = RecentRounds()
    learner._row_buffer = None
    engine.v[:] = 0.0
    engine.v[: v.size] = v
    engine.state[SCALE] = 1.0
    if isinstance(engine, PNormEngine):
        pnorm.measure(engine.state, engine.v)
    elif isinstance(engine, CompactEngine):
        nonzero = np.flatnonzero(engine.v)
        engine.support[:] = 0
        engine.support[0, : nonzero.size] = nonzero
        engine.support[1, nonzero] = np.arange(1, nonzero.size + 1)
        engine.state[SUPPORT] = nonzero.size
        engine.state[NORM] = float(np.sum(engine.v[nonzero].astype(np.float64) ** 2))
    elif engine.state[TRACKS]:
        euclidean.measure(engine.state, engine.v)


def _converted(learner: Learner, w: Floats) -> Floats:
    """The weights in the form in which the engine stores them; ValueError if they are outside the ball of the rule."""
    engine = learner._engine
    if isinstance(engine, BalancedWinnowEngine):
        v: Floats = np.arcsinh(w / 2.0) / engine.state[PARAMS]
        return v
    if isinstance(engine, PNormEngine):
        q = engine.state[P] / (engine.state[P] - 1.0)
        size = _q_norm(w, q)
        return _inside(learner, w if size == 0.0 else size * np.sign(w) * (np.abs(w) / size) ** (q - 1.0), size)
    assert isinstance(engine, LinearEngine)
    in_l1_ball = isinstance(learner.rule, L1PA) or learner.rule.norm == 1.0
    return _inside(learner, w, float(np.abs(w).sum()) if in_l1_ball else norm(w))


@whole_call
def set_class_weights(learner: SeveralClasses, each: Iterable[tuple[int, Floats, float]]) -> None:
    """``set_weights`` of some classes.

    Parameters
    ----------
    learner
        The learner.
    each
        The number of a class, its weights, and the weight of its constant feature.
    """
    engine = learner._engine
    assert isinstance(engine, WeightsEngine)
    laid_out = {k: _laid_out(learner, weights, constant) for k, weights, constant in each}
    size = FIRST + learner._width
    W = np.stack([laid_out[k] if k in laid_out else engine.weights_of(k)[:size] for k in range(engine.classes)], axis=1)
    W = _inside(learner, W, float(np.abs(W).sum()) if isinstance(learner.rule, MulticlassL1PA) else norm(W))
    engine.recent = RecentScores()
    engine.give(W)


def _laid_out(learner: Learner, weights: Floats, constant: float) -> Floats:
    """The weights laid out as in the engine; the learner has room for them."""
    if learner._encoder.named is None and not isinstance(learner._scaler, Waves):
        learner._encoder.named = False
        learner._encoder.width = len(weights)
    where = learner._encoder.where
    if len(weights) != learner._width:
        raise ValueError(
            f"{where}: there must be {learner._width} weights, got {len(weights)}. Set a weight for each column"
        )
    if constant != 0.0 and learner._engine.state[BIAS] == 0.0:
        raise ValueError(f"{where}: the intercept must be 0 without a constant feature, got {constant}. Set it to 0")
    learner._reserve()
    w = np.zeros(FIRST + len(weights))
    w[0] = constant
    w[FIRST:] = weights
    return w


def _inside(learner: Learner, v: Floats, size: float) -> Floats:
    """``v``, or its projection if only rounding errors put it outside the ball of the rule."""
    rule = learner.rule
    ball = float(rule.beta) if isinstance(rule, L1PA | MulticlassL1PA) else rule.ball
    if size > ball * (1.0 + OUTSIDE):
        raise ValueError(
            f"{learner._encoder.where}: the weights must have a norm of at most {ball:g}, the radius of the ball of "
            f"the rule, got {size:g}. Scale them, or choose a larger radius"
        )
    return v * (ball / size) if size > ball else v


def _q_norm(w: Floats, q: float) -> float:
    """|w|_q, also if powers would overflow or underflow."""
    highest = float(np.abs(w).max(initial=0.0))
    if highest == 0.0 or not math.isfinite(highest):
        return highest
    return highest * math.pow(float(np.sum((np.abs(w) / highest) ** q)), 1.0 / q)
