"""The update of every two-number rule, on weights that are scaled lazily.

    w  <-  shrink w + tau c y x,    (shrink, tau) = step(m, |x|^2, |w|^2, k, params),    m = y w.x

c is the sample weight, k the number of updates so far. The weights are kept as w = scale v, so
that shrinking all of them is one multiplication, and an update costs O(nnz(x)):

    scale <- shrink scale                                          ``answer``
    v     <- v + (tau c y / scale) x                               the engine adds ``factor`` x
    |w|^2 <- shrink^2 |w|^2 + tau c (2 shrink m + tau c |x|^2)     ``answer``, then ``longer``
    scale <- scale min(1, ball / |w|),  |w| <- min(|w|, ball)      ``into_ball``

|w|^2 and the projection are computed for rules with ``tracks_norm`` only. Rounding errors of the
recurrence for |w|^2 add up, so the engine computes |w|^2 from v again when it is ``stale``. A
scale outside [smallest, 1 / smallest] is multiplied into v and becomes 1: ``answer`` and
``into_ball`` then return the old scale as ``rescale``, otherwise 1.

These functions take and return scalars, because an array that is passed to a function inside a
loop over rows costs a reference count. ``move`` is the same update for weights that are not
scaled. In the p-norm geometry the recurrence holds for theta, and w follows from it
(``pnorm_perceptron.linked``).
"""

from __future__ import annotations

from math import sqrt

from driftline.internals.compiled import Floats, Params, inlined, jit
from driftline.rules.linear.step_table import infeasible, step

CANCELLED = 1e-3
"""|w|^2 is stale once it is below this part of its maximum since it was computed from v."""


@inlined
def ask(code: int, params: Params, weight: float, m: float, x_sq: float, w_sq: float, k: float) -> tuple[float, float]:
    """Return (shrink, tau) of the rule, without the sample weight; (1, 0) if the weight is 0."""
    if weight == 0.0:
        return 1.0, 0.0
    shrink, tau = step(code, m, x_sq, w_sq, k, params)
    return shrink, tau if x_sq > 0.0 else 0.0


@inlined
def impossible(code: int, params: Params, weight: float, m: float, x_sq: float, w_sq: float) -> bool:
    """Whether the rule fires on this example and no w meets its constraints."""
    return weight != 0.0 and x_sq > 0.0 and infeasible(code, m, x_sq, w_sq, params)


@inlined
def answer(
    code: int,
    params: Params,
    y: float,
    weight: float,
    m: float,
    x_sq: float,
    w_sq: float,
    k: float,
    scale: float,
    smallest: float,
) -> tuple[float, float, float, float, float, float]:
    """Return (shrink, tau, factor, scale, w_sq, rescale): the rule's numbers and the new state.

    Multiply v by ``rescale`` unless that is 1, then add ``factor`` x to v unless tau is 0.
    """
    shrink, tau = ask(code, params, weight, m, x_sq, w_sq, k)
    rescale = 1.0
    if shrink != 1.0:
        scale *= shrink
        w_sq *= shrink * shrink
        if not smallest <= scale <= 1.0 / smallest:
            rescale, scale = scale, 1.0
    factor = tau * (weight * y)
    if scale != 1.0:
        factor /= scale
    return shrink, tau, factor, scale, w_sq, rescale


@inlined
def longer(w_sq: float, m: float, x_sq: float, shrink: float, tau: float) -> float:
    """Return |w|^2 after x was added.

    ``w_sq`` is |w|^2 after the shrinking, m the margin before it; tau includes the sample weight.
    """
    return max(0.0, w_sq + tau * (2.0 * shrink * m + tau * x_sq))


@inlined
def stale(w_sq: float, peak: float, since: float, due: float) -> bool:
    """Whether |w|^2 must be computed again: after ``due`` updates, or if terms have cancelled."""
    return since >= due or w_sq < CANCELLED * peak


@inlined
def into_ball(scale: float, w_sq: float, ball: float, smallest: float) -> tuple[float, float, float]:
    """Return (scale, w_sq, rescale) after the projection of w on the ball with this radius."""
    rescale = 1.0
    if w_sq > ball * ball:
        scale *= ball / sqrt(w_sq)
        w_sq = ball * ball
        if not smallest <= scale:
            rescale, scale = scale, 1.0
    return scale, w_sq, rescale


@jit
def move(w: Floats, a: Floats, shrink: float, tau: float, ball: float) -> None:
    """w = shrink w + tau a, projected on the ball, in place; a = y x, tau includes the weight."""
    w_sq = 0.0
    for j in range(w.size):
        w[j] = shrink * w[j] + tau * a[j]
        w_sq += w[j] * w[j]
    if w_sq > ball * ball:
        for j in range(w.size):
            w[j] *= ball / sqrt(w_sq)
