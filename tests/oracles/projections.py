"""Norms, the p-norm link, projections on balls, and the exact steps of the constrained rules.

Every function works on plain float64 vectors, straight from its definition. Notation: a = y x, and
m is the margin that a.w must reach.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


# ------------------------------------------------------------------------------ norms, balls, the link
def norm(x: Vector, p: float = 2.0) -> float:
    """|x|_p, scaled by the largest entry for p != 2 so that no power overflows."""
    if p == 2.0:
        return math.sqrt(x @ x)
    largest = float(np.abs(x).max(initial=0.0))
    return 0.0 if largest == 0.0 else largest * float(np.sum((np.abs(x) / largest) ** p)) ** (1.0 / p)


def link(theta: Vector, p: float) -> Vector:
    """w_i = sign(theta_i) |theta_i|^(p-1) / |theta|_p^(p-2), the gradient of 1/2 |theta|_p^2."""
    largest = float(np.abs(theta).max(initial=0.0))
    if p == 2.0 or largest == 0.0:
        return theta.copy()
    unit = theta / largest  # the link is homogeneous of degree 1
    w: Vector = largest * np.sign(unit) * np.abs(unit) ** (p - 1.0) / norm(unit, p) ** (p - 2.0)
    return w


def into_ball(z: Vector, radius: float, p: float = 2.0) -> Vector:
    """z shrunk along itself to |z|_p <= radius; for p = 2 that is the nearest point of the ball."""
    size = norm(z, p)
    return z * (radius / size) if size > radius else z


def project_simplex(z: Vector, total: float) -> tuple[Vector, float]:
    """The nearest point w to z with w >= 0 and sum w = total, and its threshold t.

    w = max(z - t, 0).
    """
    top = float(z.max())
    below = z - top  # measured from the top, so that a large common part of z costs no digits
    ordered = np.sort(below)[::-1]
    excess = np.cumsum(ordered) - total
    k = int(np.count_nonzero(ordered * np.arange(1, z.size + 1) > excess))
    t = float(excess[k - 1]) / k
    return np.maximum(below - t, 0.0), top + t


def soft(z: Vector, theta: float) -> Vector:
    return np.sign(z) * np.maximum(np.abs(z) - theta, 0.0)


def project_l1(z: Vector, radius: float) -> tuple[Vector, float]:
    """The nearest point of the ball |w|_1 <= radius and its threshold theta: w = soft(z, theta)."""
    if float(np.abs(z).sum()) <= radius:
        return z.copy(), 0.0
    size, theta = project_simplex(np.abs(z), radius)
    return np.sign(z) * size, max(0.0, theta)


def project_ellipsoid(z: Vector, axes: Vector) -> Vector:
    """The nearest point with sum (w_i / a_i)^2 <= 1: w_i = z_i a_i^2 / (a_i^2 + lam), lam by bisection."""

    def size(lam: float) -> float:
        return float(np.sum((axes * z / (axes**2 + lam)) ** 2))

    if size(0.0) <= 1.0:
        return z.copy()
    low, high = 0.0, 1.0
    while size(high) > 1.0:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if size(middle) > 1.0 else (low, middle)
    w: Vector = z * axes**2 / (axes**2 + high)
    return w


def into_region(z: Vector, region: str, *sizes: float) -> Vector:
    """The nearest point of a box, a simplex (sum <= total), an L1 ball, or an ellipsoid with equal axes."""
    if region == "box":
        return np.clip(z, sizes[0], sizes[1])
    if region == "simplex":
        positive = np.maximum(z, 0.0)
        return positive if positive.sum() <= sizes[0] else project_simplex(z, sizes[0])[0]
    if region == "l1ball":
        return project_l1(z, sizes[0])[0]
    return project_ellipsoid(z, np.full(z.size, sizes[0]))


def drop_small(w: Vector, sigma: float) -> Vector:
    """Set the smallest weights, of total energy < sigma, to 0.

    They are the largest such prefix by (|w_i|, i) ascending. If the rest has less energy than
    sigma, nothing changes.
    """
    order = np.lexsort((np.arange(w.size), np.abs(w)))
    energy = w[order] ** 2
    k = int(np.count_nonzero(np.cumsum(energy) < sigma))
    kept = w.copy()
    if float(energy[k:].sum()) >= sigma:
        kept[order[:k]] = 0.0
    return kept


# -------------------------------------------------------------------------------------- one exact step
def l2_step(v: Vector, a: Vector, beta: float, m: float = 1.0) -> tuple[Vector, float, float]:
    """argmin 1/2 |w - v|^2  s.t.  a.w >= m, |w|_2 <= beta, as (w, tau, Z).

    w = (v + tau a) / Z. The feasible set is a cap of the ball, its base at height m/|a| along a.
    The nearest point is v itself, or v pulled into the ball, or v moved to the base, or else a
    point on the rim of the base. When the cap is a single point, tau = Z = inf.
    """
    length = norm(a)
    up, height = a / length, m / length
    if beta * length < m:
        raise ValueError(f"l2_step: beta * |a|_2 must be >= m = {m}, got {beta * length}. Enlarge beta.")
    inside = into_ball(v, beta)
    if float(a @ inside) >= m:
        return inside.copy(), 0.0, max(1.0, norm(v) / beta)
    moved = v + (height - float(up @ v)) * up
    if float(a @ v) < m and norm(moved) <= beta:
        return moved, (m - float(a @ v)) / length**2, 1.0
    rim = math.sqrt(max(0.0, (beta - height) * (beta + height)))
    across = v - float(up @ v) * up
    if beta * length == m or rim == 0.0 or norm(across) == 0.0:
        return height * up, math.inf, math.inf
    scale = norm(across) / rim
    return height * up + across / scale, (m * scale - float(a @ v)) / length**2, scale


def l1_face(v: Vector, a: Vector, beta: float) -> Vector:
    """The point nearest to v where a.w is largest over |w|_1 <= beta.

    It lies on the simplex of the largest |a_i|.
    """
    best = np.abs(a) == np.abs(a).max()
    sign = np.sign(a[best])
    w = np.zeros_like(v)
    w[best] = sign * project_simplex(sign * v[best], beta)[0]
    return w


def l1_point(v: Vector, a: Vector, beta: float, tau: float) -> tuple[Vector, float]:
    """project_l1(v + tau a, beta).

    |v + tau a| is measured from tau |a|_inf, so that a huge tau does not hide v.
    """
    if float(np.abs(v + tau * a).sum()) <= beta:
        return v + tau * a, 0.0
    size, steepest = np.abs(a), float(np.abs(a).max())
    side = np.sign(np.where(a == 0.0, v, a))
    along, against = side * v - tau * (steepest - size), -side * v - tau * (steepest + size)
    level = np.maximum(along, against)  # |v + tau a| - tau |a|_inf
    sign = np.where(along >= against, side, -side)
    kept, shift = project_simplex(level, beta)
    return sign * kept, max(0.0, shift + tau * steepest)


def l1_step(v: Vector, a: Vector, beta: float, m: float = 1.0) -> tuple[Vector, float, float]:
    """argmin 1/2 |w - v|^2  s.t.  a.w >= m, |w|_1 <= beta, as (w, tau, theta).

    w = soft(v + tau a, theta). For a given tau the best w is the projection of v + tau a on the
    ball, and its margin g(tau) never falls: bisect g(tau) = m to the last bit, then solve the
    equations of the signed active set found. When beta |a|_inf = m only a face of the ball is
    feasible and tau = theta = inf.
    """
    steepest, q2 = float(np.abs(a).max()), float(a @ a)
    if beta * steepest < m:
        raise ValueError(f"l1_step: beta * |a|_inf must be >= m = {m}, got {beta * steepest}. Enlarge beta.")
    inside, theta = project_l1(v, beta)
    if float(a @ inside) >= m:
        return inside, 0.0, theta
    tau = (m - float(a @ v)) / q2
    if tau > 0.0 and float(np.abs(v + tau * a).sum()) <= beta:
        moved = v + tau * a
        return moved + (m - float(a @ moved)) / q2 * a, tau, 0.0  # the second step removes rounding
    if beta * steepest == m:
        return l1_face(v, a, beta), math.inf, math.inf

    def margin(tau: float) -> float:
        return float(a @ l1_point(v, a, beta, tau)[0])

    low = (m - float(a @ inside)) / q2  # g rises by at most q2 per unit of tau
    high = 2.0 * low
    while margin(high) < m:
        low, high = high, 2.0 * high
        if high * steepest > 1e40 * (beta + float(np.abs(v).max())):  # feasible by less than rounding shows
            return l1_face(v, a, beta), math.inf, math.inf
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if margin(middle) < m else (low, middle)
    answers = []
    for tau in (low, high):
        w, theta = l1_point(v, a, beta, tau)
        answers += [(w, tau, theta), (solve_on_piece(w, v, a, beta, m), tau, theta)]
    return min(answers, key=lambda answer: kkt_residual_l1(answer[0], v, a, beta, answer[1], answer[2], m))


def solve_on_piece(w: Vector, v: Vector, a: Vector, beta: float, m: float) -> Vector:
    """The nearest point to v on {a.w = m, |w|_1 = beta} with the signs and zeros of w."""
    active = w != 0.0
    steepest = float(np.abs(a).max())
    rows = np.stack([a[active] / steepest, np.sign(w[active])])
    goal = np.array([m / steepest, beta])
    solved = v[active]
    for _ in range(3):  # the first pass solves, the others remove its rounding
        solved = solved + np.linalg.lstsq(rows, goal - rows @ solved, rcond=None)[0]
    polished = np.zeros_like(w)
    polished[active] = solved
    return polished


def kkt_residual_l1(w: Vector, v: Vector, a: Vector, beta: float, tau: float, theta: float, m: float = 1.0) -> float:
    """How far (w, tau, theta) is from optimal for `l1_step`, relative to the scale of the problem.

    With tau = theta = inf the answer must lie on the face of the largest |a_i| and be nearest to v
    there.
    """
    steepest = float(np.abs(a).max())
    slack = float(a @ w) - m
    margin_scale = max(abs(m), float(np.abs(a) @ np.abs(w)))
    room = math.inf if beta == math.inf else (beta - float(np.abs(w).sum())) / beta
    infeasible = max(0.0, -slack / margin_scale, -room)
    if math.isinf(tau):
        best = np.abs(a) == steepest
        sign = np.sign(a[best])
        kept, pull = sign * w[best], sign * (v - w)[best]
        level = float(pull[kept > 0.0].max(initial=-math.inf))  # of pull where kept > 0; no more elsewhere
        uneven = float(np.where(kept > 0.0, level - pull, np.maximum(pull - level, 0.0)).max())
        outside = float(np.abs(w[~best]).max(initial=0.0))
        faults = max(outside, uneven, abs(beta - m / steepest))
        return max(infeasible, faults / max(float(np.abs(v).max()), beta))
    scale = max(float(np.abs(v).max()), abs(tau) * steepest, float(np.abs(w).max()))
    moved = float(np.abs(w - soft(v + tau * a, theta)).max()) / scale
    push, pull_in = tau * steepest / scale, theta / scale
    complementary = max(min(push, abs(slack) / margin_scale), min(pull_in, abs(room)))
    return max(moved, infeasible, complementary, -push, -pull_in)
