"""Slow, dense, obvious versions of every learner, written from the specification and not from the kernels.

Weights are plain float64 vectors; every norm is computed afresh on every round, straight from its
definition: nothing is scaled, tracked or lazy. A test drives a learner and its oracle over the same rounds
and compares the scores, the weights and the counters. A constructor takes the length `n` of an example (a
bias coordinate, if any, is part of it) and then the parameters under their public names.

Notation: a = y x, m = a.w the margin, q2 = |x|^2, and `g` the weight of an example. Where the specification
gives a closed form for an optimisation problem, the oracle prefers the geometry of the problem to that form.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

PARALLEL = 1e-12  # ROMMA: below this squared sine between w and x the two are taken to be parallel


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
    """The nearest point w to z with w >= 0 and sum w = total, and its threshold t: w = max(z - t, 0)."""
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


def drop_small(w: Vector, sigma: float) -> Vector:
    """Zero the largest prefix, by (|w_i|, i) ascending, of energy < sigma, if the kept energy is >= sigma."""
    order = np.lexsort((np.arange(w.size), np.abs(w)))
    energy = w[order] ** 2
    k = int(np.count_nonzero(np.cumsum(energy) < sigma))
    kept = w.copy()
    if float(energy[k:].sum()) >= sigma:
        kept[order[:k]] = 0.0
    return kept


# -------------------------------------------------------------------------------------- one exact step
def l2_step(v: Vector, a: Vector, beta: float, m: float = 1.0) -> tuple[Vector, float, float]:
    """argmin 1/2 |w - v|^2  s.t.  a.w >= m, |w|_2 <= beta, as (w, tau, Z) with w = (v + tau a) / Z.

    The feasible set is a cap of the ball, its base at height m/|a| along a. The nearest point is v itself, or
    v pulled into the ball, or v moved to the base, or else a point on the rim of the base. When the cap is a
    single point, tau = Z = inf.
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
    """The point nearest to v where a.w is largest over |w|_1 <= beta: a simplex on the largest |a_i|."""
    best = np.abs(a) == np.abs(a).max()
    sign = np.sign(a[best])
    w = np.zeros_like(v)
    w[best] = sign * project_simplex(sign * v[best], beta)[0]
    return w


def l1_point(v: Vector, a: Vector, beta: float, tau: float) -> tuple[Vector, float]:
    """project_l1(v + tau a, beta), with |v + tau a| measured from tau |a|_inf: a huge tau then hides no v."""
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
    """argmin 1/2 |w - v|^2  s.t.  a.w >= m, |w|_1 <= beta, as (w, tau, theta): w = soft(v + tau a, theta).

    For a given tau the best w is the projection of v + tau a on the ball, and its margin g(tau) never falls:
    bisect g(tau) = m to the last bit, then solve the equations of the signed active set found. When
    beta |a|_inf = m only a face of the ball is feasible and tau = theta = inf.
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

    With tau = theta = inf the answer must lie on the face of the largest |a_i| and be nearest to v there.
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


# -------------------------------------------------------------------------------------------- learners
class Oracle(ABC):
    """One round: score, count, then update. `w` is the primal weight vector."""

    def __init__(self, n: int) -> None:
        self.w: Vector = np.zeros(n)
        self.mistakes = self.label_errors = self.margin_errors = self.updates = self.infeasible = 0
        self.hinge = 0.0

    def score(self, x: Vector) -> float:
        return float(self.w @ x)

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> float:
        """Return the score before learning. A weight of 0 is scored and counted, and changes nothing."""
        f = self.score(x)
        m, a = float(y) * f, y * x
        self.infeasible += self.empty(a, m)
        self.mistakes += m <= 0.0
        self.label_errors += (1.0 if f >= 0.0 else -1.0) != y
        self.margin_errors += m <= self.threshold(x)
        self.hinge += max(0.0, 1.0 - m)
        if weight > 0.0:
            self.updates += self.update(a, m, weight)
        return f

    @abstractmethod
    def threshold(self, x: Vector) -> float:
        """A margin at or below this is a margin error."""

    @abstractmethod
    def update(self, a: Vector, m: float, g: float) -> bool:
        """Change the weights; return whether an additive step was made."""

    def empty(self, a: Vector, m: float) -> bool:
        """Whether the rule would fire and no weight vector meets its constraints."""
        return False


class Additive(Oracle):
    """theta + g step a, then into a ball, where m <= threshold and x != 0; w is the link of theta."""

    p = 2.0
    radius = math.inf
    rho = 0.0

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.theta: Vector = np.zeros(n)

    def threshold(self, x: Vector) -> float:
        return self.rho

    def step(self, a: Vector) -> float:
        return 1.0

    def update(self, a: Vector, m: float, g: float) -> bool:
        if m > self.threshold(a) or not a.any():
            return False
        self.theta = into_ball(self.theta + g * self.step(a) * a, self.radius, self.p)
        self.w = link(self.theta, self.p)
        return True


class Perceptron(Additive):
    pass


class PNormPerceptron(Additive):
    def __init__(self, n: int, p: float) -> None:
        super().__init__(n)
        self.p = p


class ProjectionPerceptron(Additive):
    def __init__(self, n: int, eta: float, radius: float) -> None:
        super().__init__(n)
        self.eta, self.radius = eta, radius

    def step(self, a: Vector) -> float:
        return self.eta


class ALMA(Additive):
    def __init__(self, n: int, alpha: float, B: float, rho: float, p: float) -> None:
        super().__init__(n)
        self.alpha, self.radius, self.rho, self.p = alpha, B, rho, p

    def step(self, a: Vector) -> float:
        return self.alpha


class NORMA(Additive):
    """Decays on every round of positive weight, whether or not the additive part fires."""

    def __init__(self, n: int, alpha: float, lam: float, rho: float, p: float) -> None:
        super().__init__(n)
        self.alpha, self.lam, self.rho, self.p = alpha, lam, rho, p

    def step(self, a: Vector) -> float:
        return self.alpha

    def update(self, a: Vector, m: float, g: float) -> bool:
        self.theta = (1.0 - self.alpha * self.lam) * self.theta
        self.w = link(self.theta, self.p)
        return super().update(a, m, g)


class SelfTuningALMA(Additive):
    """Gentile's ALMA_p(alpha; B, C): x/|x|_p, gamma_k and eta_k fall with the k = 1 + updates so far."""

    radius = 1.0

    def __init__(self, n: int, alpha: float, B: float | None, C: float | None, p: float) -> None:
        super().__init__(n)
        self.alpha, self.p = alpha, p
        self.B = math.sqrt(8.0) / alpha if B is None else B
        self.C = math.sqrt(2.0) if C is None else C

    def threshold(self, x: Vector) -> float:
        gamma = self.B * math.sqrt(self.p - 1.0) / math.sqrt(1 + self.updates)
        return (1.0 - self.alpha) * gamma * norm(x, self.p)

    def step(self, a: Vector) -> float:
        eta = self.C / (math.sqrt(self.p - 1.0) * math.sqrt(1 + self.updates))
        return eta / norm(a, self.p)


class MarginOne(Oracle):
    """Rules that move w to `target`, where the margin on x is 1, on a mistake or on any margin below 1.

    target = shrink * w + (a multiple of a); the weight of an example multiplies that additive part only.
    """

    def __init__(self, n: int, when: str, sigma: float = 0.0) -> None:
        super().__init__(n)
        if when not in ("mistake", "margin"):
            raise ValueError(f"{type(self).__name__}: when must be 'mistake' or 'margin', got {when!r}.")
        self.when, self.sigma = when, sigma

    def threshold(self, x: Vector) -> float:
        return 1.0

    def fires(self, a: Vector, m: float) -> bool:
        return (m <= 0.0 if self.when == "mistake" else m < 1.0) and float(a @ a) > 0.0

    def update(self, a: Vector, m: float, g: float) -> bool:
        if not self.fires(a, m):
            return False
        target, shrink = self.target(a, m)
        moved = target if g == 1.0 else self.into_bounds(shrink * self.w + g * (target - shrink * self.w))
        if self.empty(a, m) and np.array_equal(moved, self.w):
            return False
        self.w = drop_small(moved, self.sigma)
        return True

    @abstractmethod
    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        """The new weights of an example of weight 1, and the shrink in them."""

    def into_bounds(self, w: Vector) -> Vector:
        return w


class PA(MarginOne):
    def tau(self, m: float, q2: float) -> float:
        return (1.0 - m) / q2

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        return self.w + self.tau(m, float(a @ a)) * a, 1.0


class PA1(PA):
    def __init__(self, n: int, C: float, when: str) -> None:
        super().__init__(n, when)
        self.C = C

    def tau(self, m: float, q2: float) -> float:
        return min(self.C, (1.0 - m) / q2)


class PA2(PA):
    def __init__(self, n: int, C: float, when: str) -> None:
        super().__init__(n, when)
        self.C = C

    def tau(self, m: float, q2: float) -> float:
        return (1.0 - m) / (q2 + 1.0 / (2.0 * self.C))


class ShrunkPA(MarginOne):
    def __init__(self, n: int, alpha: float, when: str, sigma: float = 0.0) -> None:
        super().__init__(n, when, sigma)
        self.alpha = alpha

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        tau = max(0.0, (1.0 + self.alpha - m) / float(a @ a))
        return (self.w + tau * a) / (1.0 + self.alpha), 1.0 / (1.0 + self.alpha)


class ROMMA(MarginOne):
    """The shortest v with a.v >= 1 and v.w >= |w|^2.

    Either a alone decides, v = a/q2, or both constraints hold with equality: v has height 1/|a| along a, and
    is a multiple of w across a. If w points straight away from a, no v meets both constraints, and the rule
    starts again at a/q2.
    """

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        length = norm(a)
        up = a / length
        alone = up / length
        across = self.w - float(up @ self.w) * up
        w_sq, across_sq = float(self.w @ self.w), float(across @ across)
        if float(alone @ self.w) >= w_sq or across_sq <= PARALLEL * w_sq:
            return alone, 0.0
        shrink = (w_sq - float(alone @ self.w)) / across_sq
        return alone + shrink * across, shrink


class Bounded(MarginOne):
    """PA inside a ball of radius beta, with a policy for examples whose margin cannot reach 1 there."""

    def __init__(
        self, n: int, beta: float, when: str, infeasible: str = "skip", kappa: float = 0.5, sigma: float = 0.0
    ) -> None:
        super().__init__(n, when, sigma)
        if infeasible not in ("skip", "relax", "best", "raise"):
            policies = "'skip', 'relax', 'best' or 'raise'"
            raise ValueError(f"{type(self).__name__}: infeasible must be {policies}, got {infeasible!r}.")
        self.beta, self.policy, self.kappa = beta, infeasible, kappa

    @abstractmethod
    def largest_margin(self, a: Vector) -> float:
        """The largest a.w over the ball, for a != 0."""

    @abstractmethod
    def solve(self, a: Vector, m: float) -> tuple[Vector, float]:
        """The nearest point of the ball with margin m, and the shrink in it."""

    def empty(self, a: Vector, m: float) -> bool:
        out_of_reach = self.fires(a, m) and self.largest_margin(a) < 1.0
        if out_of_reach and self.policy == "raise":
            name, reach = type(self).__name__, self.largest_margin(a)
            raise ValueError(f"{name}: beta * |x| must be >= 1, got {reach}. Enlarge beta.")
        return out_of_reach

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        if not self.empty(a, m):
            return self.solve(a, 1.0)
        if self.policy == "skip":
            return self.w, 1.0
        return self.solve(a, (self.kappa if self.policy == "relax" else 1.0) * self.largest_margin(a))


class L2PA(Bounded):
    def largest_margin(self, a: Vector) -> float:
        return self.beta * norm(a)

    def solve(self, a: Vector, m: float) -> tuple[Vector, float]:
        w, _, scale = l2_step(self.w, a, self.beta, m)
        return w, 1.0 / scale

    def into_bounds(self, w: Vector) -> Vector:
        return into_ball(w, self.beta)


class L1PA(Bounded):
    def largest_margin(self, a: Vector) -> float:
        return self.beta * float(np.abs(a).max())

    def solve(self, a: Vector, m: float) -> tuple[Vector, float]:
        return l1_step(self.w, a, self.beta, m)[0], 1.0

    def into_bounds(self, w: Vector) -> Vector:
        return project_l1(w, self.beta)[0]
