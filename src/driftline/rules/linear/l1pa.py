"""L1-constrained passive-aggressive: reach margin 1 without leaving the L1 ball of radius beta.

    w' = argmin_u 1/2 |u - v|^2    s.t.  a.u >= eta,  |u|_1 <= beta,      a = y x,  eta = 1
       = soft(v + tau a, theta),    soft(z, theta)_i = sign(z_i) max(|z_i| - theta, 0)

For a given tau let theta(tau) be the smallest theta >= 0 that puts soft(v + tau a, theta) into
the ball. The margin g(tau) = a.soft(v + tau a, theta(tau)) is continuous, non-decreasing and
piecewise linear, so ``solve`` finds g(tau) = eta by Newton steps inside a bracket, and ends with
the exact 2 x 2 system of the last piece. Only coordinates with v or a not zero take part, so one
pass costs O(nnz(v) + nnz(x)). Three or four passes are typical.

Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
environments. Statistical Analysis and Data Mining 2 (2009), section 2; feature removal: Theorem
3.4.
Differs from the paper: the exact algorithm is ours; the paper uses a QP solver.
``when="margin"`` updates on m < 1; the paper and the default update on a mistake. The paper does
not treat infeasible steps: if beta |x|_inf < 1, no u exists. Such a step is counted as infeasible
and skipped, relaxed (eta = ``kappa beta |x|_inf``), set to the nearest of the best points of the
ball, or refused. A sample weight scales the move from w to w'; for a weight above 1 the result is
projected on the ball. With 0/1 features choose beta > 1: with beta = 1 each update forgets
everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftline.internals.compiled import Floats, Params, jit, leaf
from driftline.rules.linear.constrained import Constrained

CODE = 12
EPS = 2.220446049250313e-16
PASSES = 500


@jit
def infeasible(highest: float, beta: float) -> bool:
    """Whether no point of the ball has margin 1; ``highest`` is the largest |x_i|."""
    return beta * highest < 1.0 - 4.0 * EPS


@jit
def goal(m: float, highest: float, stuck: bool, params: Params) -> float:
    """The target margin of a step, or 0 for no step."""
    limit, beta, kappa = params[0], params[1], params[2]
    eta = kappa * beta * highest if stuck else 1.0
    return eta if m < limit and m < eta else 0.0


@leaf
def mass(v: Floats, a: Floats, tau: float, theta: float) -> tuple[float, float]:
    """Sum and number of the |v_i + tau a_i| above theta."""
    total = 0.0
    count = 0.0
    for i in range(v.size):
        z = abs(v[i] + tau * a[i])
        if z > theta:
            total += z
            count += 1.0
    return total, count


@leaf
def piece(v: Floats, a: Floats, tau: float, theta: float) -> tuple[float, float, float, float]:
    """Return (g, sum s_i a_i, sum a_i^2, size) of the active set at (tau, theta)."""
    g = 0.0
    b1 = 0.0
    b2 = 0.0
    count = 0.0
    for i in range(v.size):
        z = v[i] + tau * a[i]
        if abs(z) > theta:
            s = 1.0 if z > 0.0 else -1.0
            g += a[i] * (z - s * theta)
            b1 += s * a[i]
            b2 += a[i] * a[i]
            count += 1.0
    return g, b1, b2, count


@jit
def threshold(v: Floats, a: Floats, tau: float, beta: float, guess: float) -> float:
    """Smallest theta >= 0 with sum_i max(|v_i + tau a_i| - theta, 0) <= beta.

    Newton's method (Michelot) from any guess. The sum is convex and decreasing in theta, so the
    first step lands left of the root and the following steps increase towards it.
    """
    total, _ = mass(v, a, tau, 0.0)
    if total <= beta:
        return 0.0
    total, count = mass(v, a, tau, guess)
    if count == 0.0:
        total, count = mass(v, a, tau, 0.0)
    theta = max(0.0, (total - beta) / count)
    active = -1.0
    while True:
        total, count = mass(v, a, tau, theta)
        if count == 0.0 or count == active:
            return theta
        better = (total - beta) / count
        if better <= theta:
            return theta
        active = count
        theta = better


@jit
def soften(v: Floats, a: Floats, tau: float, theta: float, w: Floats) -> None:
    """w = soft(v + tau a, theta)."""
    for i in range(v.size):
        z = v[i] + tau * a[i]
        if z > theta:
            w[i] = z - theta
        elif z < -theta:
            w[i] = z + theta
        else:
            w[i] = 0.0


@jit
def violation(a: Floats, w: Floats, beta: float, eta: float) -> float:
    """The larger relative error of w in a.w = eta and |w|_1 = beta."""
    margin = 0.0
    length = 0.0
    for i in range(w.size):
        margin += a[i] * w[i]
        length += abs(w[i])
    return max(abs(margin - eta) / eta, abs(length - beta) / beta)


@jit
def best_face(v: Floats, a: Floats, highest: float, beta: float, w: Floats) -> None:
    """Write to w the point nearest to v among the points that maximise a.w over the ball.

    These points form a simplex on the coordinates with the largest |a_i|.
    """
    edge = highest * (1.0 - 8.0 * EPS)
    theta = -float("inf")
    active = -1
    while True:
        total = 0.0
        count = 0
        for i in range(v.size):
            z = v[i] if a[i] > 0.0 else -v[i]
            if abs(a[i]) >= edge and z > theta:
                total += z
                count += 1
        if count == active or count == 0:
            break
        active = count
        theta = (total - beta) / count
    for i in range(v.size):
        sign = 1.0 if a[i] > 0.0 else -1.0
        w[i] = sign * max(0.0, sign * v[i] - theta) if abs(a[i]) >= edge else 0.0


@jit
def polish(v: Floats, a: Floats, tau: float, theta: float, beta: float, eta: float) -> tuple[float, float]:
    """Solve both active constraints exactly on the signed active set at (tau, theta).

    Return (tau, theta), or (-1, -1) if the system is singular.
    """
    b1 = 0.0
    b2 = 0.0
    av = 0.0
    sv = 0.0
    count = 0.0
    for i in range(v.size):
        z = v[i] + tau * a[i]
        if abs(z) > theta:
            s = 1.0 if z > 0.0 else -1.0
            b1 += s * a[i]
            b2 += a[i] * a[i]
            av += a[i] * v[i]
            sv += s * v[i]
            count += 1.0
    det = b2 * count - b1 * b1
    if not det > 1e-12 * b2 * count:
        return -1.0, -1.0
    r1 = eta - av
    r2 = beta - sv
    return (count * r1 - b1 * r2) / det, (b1 * r1 - b2 * r2) / det


@jit
def solve(v: Floats, a: Floats, beta: float, eta: float, w: Floats) -> tuple[float, float]:
    """Write the minimiser into w and return (tau, theta); infinite if only a face is feasible.

    Precondition: beta |a|_inf >= eta > 0.
    """
    m = 0.0
    a_sq = 0.0
    length = 0.0
    highest = 0.0
    for i in range(v.size):
        m += a[i] * v[i]
        a_sq += a[i] * a[i]
        length += abs(v[i])
        highest = max(highest, abs(a[i]))
    if m >= eta and length <= beta:
        w[:] = v
        return 0.0, 0.0
    if m < eta:
        tau = (eta - m) / a_sq
        soften(v, a, tau, 0.0, w)
        length = 0.0
        for i in range(w.size):
            length += abs(w[i])
        if length <= beta:
            return tau, 0.0
    if beta * highest <= eta * (1.0 + 64.0 * EPS):
        best_face(v, a, highest, beta, w)
        return float("inf"), float("inf")

    theta = threshold(v, a, 0.0, beta, 0.0)
    g, b1, b2, count = piece(v, a, 0.0, theta)
    if g >= eta:
        soften(v, a, 0.0, theta, w)
        return 0.0, theta

    tolerance = 16.0 * EPS * (eta + beta * highest)
    low, g_low, slope_low = 0.0, g, b2 - b1 * b1 / count if theta > 0.0 else b2
    high, g_high, slope_high = float("inf"), 0.0, 0.0
    tau = (eta - m) / a_sq if m < eta else eta / a_sq
    for turn in range(PASSES):
        theta = threshold(v, a, tau, beta, theta)
        g, b1, b2, count = piece(v, a, tau, theta)
        slope = b2 - (b1 * b1 / count if theta > 0.0 and count > 0.0 else 0.0)
        if abs(g - eta) <= tolerance:
            break
        if g < eta:
            low, g_low, slope_low = tau, g, slope
        else:
            high, g_high, slope_high = tau, g, slope
        if high < float("inf") and high - low <= 2.0 * EPS * high:
            break
        # try a Newton step from the end of the bracket that was just moved, then from the other
        # end; a candidate is accepted only strictly inside the bracket
        flat = 1e-14 * a_sq
        from_low = low + (eta - g_low) / slope_low if slope_low > flat else -1.0
        from_high = high + (eta - g_high) / slope_high if slope_high > flat else -1.0
        first, second = (from_low, from_high) if g < eta else (from_high, from_low)
        middle = 0.5 * (low + high) if high < float("inf") else 2.0 * max(low, eta / a_sq)
        if low < first < high:
            candidate = first
        elif low < second < high:
            candidate = second
        else:
            candidate = middle
        if turn % 4 == 3 and high < float("inf") and abs(candidate - middle) > 0.25 * (high - low):
            candidate = middle  # so the bracket shrinks geometrically even if Newton stalls
        if abs(candidate - tau) <= 2.0 * EPS * tau:
            break
        tau = candidate

    soften(v, a, tau, theta, w)
    if theta > 0.0:
        exact_tau, exact_theta = polish(v, a, tau, theta, beta, eta)
        if exact_tau >= 0.0 and exact_theta >= 0.0:
            before = violation(a, w, beta, eta)
            soften(v, a, exact_tau, exact_theta, w)
            if violation(a, w, beta, eta) < before:
                return exact_tau, exact_theta
            soften(v, a, tau, theta, w)
    return tau, theta


@jit
def step(w: Floats, a: Floats, beta: float, eta: float, weight: float) -> None:
    """w <- w + weight (w' - w) in place, projected on the ball if a weight above 1 leaves it."""
    best = np.empty(w.size)
    solve(w, a, beta, eta, best)
    length = 0.0
    for i in range(w.size):
        w[i] = best[i] if weight == 1.0 else w[i] + weight * (best[i] - w[i])
        length += abs(w[i])
    if weight > 1.0 and length > beta:
        soften(w, a, 0.0, threshold(w, a, 0.0, beta, 0.0), w)


@dataclass(frozen=True)
class L1PA(Constrained):
    """Passive-aggressive inside the ball of L1 norm ``beta``, solved exactly.

    It keeps few weights that are not 0. Use it for moving targets that depend on few features.

    Parameters
    ----------
    beta : float, default=10.0
        Radius of the ball, > 0. Infinity gives ``PA``. Every step is feasible if ``beta`` is at
        least 1 / max |x_i| for every example.
    when : {"margin", "mistake"}, default="mistake"
        "margin" updates on every margin below 1, "mistake" only on a mistake (margin <= 0).
    infeasible : {"skip", "relax", "best", "raise"}, default="skip"
        What to do if no point of the ball gives the example margin 1. "skip" leaves the weights
        unchanged, "relax" aims at a smaller margin (see ``kappa``), "best" goes to the nearest
        point of the ball with the largest margin, and "raise" refuses the example with a
        ValueError.
    kappa : float, default=0.5
        The fraction of the largest possible margin that "relax" aims at, > 0 and < 1.
    sigma : float, default=0.0
        Feature removal, >= 0: after each update the smallest weights are set to 0 as long as the
        sum of their squares is below ``sigma``. 0 removes none.
    """

    code: ClassVar[int] = CODE
    bounds: ClassVar[tuple[str, ...]] = ("l1pa", "l1pa-path")
    paper: ClassVar[str] = "Shen, Dietterich 2009"
