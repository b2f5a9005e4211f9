"""Slow versions of the linear learners, written from the papers and not from the compiled steps.

Weights are plain float64 vectors. Every norm is computed anew on every round, straight from its
definition: nothing is scaled, tracked or lazy. A constructor takes the length `n` of an example (a
bias coordinate, if any, is part of it) and then the parameters under their public names.

Notation: a = y x, m = a.w the margin, q2 = |x|^2, and `g` the weight of an example. Where the
paper gives a closed form for an optimisation problem, the oracle prefers the geometry of the
problem to that form.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from tests.oracles.projections import (
    Vector,
    drop_small,
    into_ball,
    into_region,
    l1_step,
    l2_step,
    link,
    norm,
    project_l1,
)

PARALLEL = 1e-12  # ROMMA: below this squared sine between w and x the two are taken to be parallel


class Oracle(ABC):
    """One round: score, count, then update. `w` is the primal weight vector."""

    def __init__(self, n: int) -> None:
        self.w: Vector = np.zeros(n)
        self.mistakes = self.label_errors = self.margin_errors = self.updates = self.infeasible = 0
        self.hinge = 0.0

    def score(self, x: Vector) -> float:
        return float(self.w @ x)

    def learn(self, x: Vector, y: float, weight: float = 1.0) -> float:
        """Return the score before learning. A weight of 0 is counted and changes no weights."""
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
    """w' = w + y x where m <= 0.

    Rosenblatt. The perceptron. Psychological Review 65 (1958). A score of exactly 0 is a mistake
    for either label.
    """


class PNormPerceptron(Additive):
    """theta' = theta + y x where m <= 0; w = link(theta, p).

    Grove, Littlestone, Schuurmans. General convergence results for linear discriminant updates.
    Machine Learning 43 (2001).
    """

    def __init__(self, n: int, p: float) -> None:
        super().__init__(n)
        self.p = p


class ProjectionPerceptron(Additive):
    """w' = P(w + eta y x) where m <= 0, P the projection on the ball of that radius.

    Herbster, Warmuth. Tracking the best linear predictor. JMLR 1 (2001); Gentile's tutorial
    (2005), "tracking".
    """

    def __init__(self, n: int, eta: float, radius: float = 1.0, region: str | None = None) -> None:
        super().__init__(n)
        self.eta, self.radius, self.region = eta, math.inf if region else radius, region

    def step(self, a: Vector) -> float:
        return self.eta

    def update(self, a: Vector, m: float, g: float) -> bool:
        if not super().update(a, m, g):
            return False
        if self.region is not None:  # such as "box(-1.0, 1.0)"; all axes of an ellipsoid are equal
            name, _, sizes = self.region.rstrip(")").partition("(")
            self.theta = into_region(self.theta, name, *(float(one.rpartition("=")[2]) for one in sizes.split(",")))
            self.w = self.theta.copy()
        return True


class ALMA(Additive):
    """theta' = theta + alpha y x where m <= rho, then scaled to |theta|_p <= B.

    w = link(theta, p).

    Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002, section
    3.
    """

    def __init__(self, n: int, alpha: float, B: float, rho: float, p: float) -> None:
        super().__init__(n)
        self.alpha, self.radius, self.rho, self.p = alpha, B, rho, p

    def step(self, a: Vector) -> float:
        return self.alpha


class NORMA(Additive):
    """theta' = (1 - alpha lam) theta + alpha y x [m <= rho]; w = link(theta, p).

    The decay takes place on every round of positive weight, whether or not the additive part
    fires.

    Kivinen, Smola, Williamson. Large margin classification for moving targets. ALT 2002, section
    3, update (2).
    """

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
    """ALMA_p(alpha; B, C) on xh = x / |x|_p, with k = 1 + updates so far.

        theta' = (theta + eta_k y xh) / max(1, |theta + eta_k y xh|_p)
        where  y w.xh <= (1 - alpha) gamma_k,  gamma_k = B sqrt(p - 1) / sqrt(k)
        and    eta_k = C / (sqrt(p - 1) sqrt(k))

    B = sqrt(8) / alpha and C = sqrt(2) where they are None.

    Gentile. A new approximate maximal margin classification algorithm. JMLR 2 (2001).
    """

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
    """Rules that move w to `target`, on a mistake or on any margin below 1.

    The margin on x is 1 there. target = shrink * w + (a multiple of a); the weight of an example
    multiplies that additive part only.
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
    """w' = argmin 1/2 |v - w|^2 s.t. y v.x >= 1, which is w + tau y x with tau = (1 - m) / q2.

    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
    (2006), section 3.
    """

    def tau(self, m: float, q2: float) -> float:
        return (1.0 - m) / q2

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        return self.w + self.tau(m, float(a @ a)) * a, 1.0


class PA1(PA):
    """PA with tau = min(C, (1 - m) / q2): the slack costs C xi.

    Crammer et al. (2006), section 3.
    """

    def __init__(self, n: int, C: float, when: str) -> None:
        super().__init__(n, when)
        self.C = C

    def tau(self, m: float, q2: float) -> float:
        return min(self.C, (1.0 - m) / q2)


class PA2(PA):
    """PA with tau = (1 - m) / (q2 + 1 / (2 C)): the slack costs C xi^2.

    Crammer et al. (2006), section 3.
    """

    def __init__(self, n: int, C: float, when: str) -> None:
        super().__init__(n, when)
        self.C = C

    def tau(self, m: float, q2: float) -> float:
        return (1.0 - m) / (q2 + 1.0 / (2.0 * self.C))


class ShrunkPA(MarginOne):
    """w' = argmin 1/2 |v - w|^2 + alpha/2 |v|^2 s.t. y v.x >= 1.

    That is (w + tau y x) / (1 + alpha) with tau = max(0, 1 + alpha - m) / q2.

    Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic
    environments. Statistical Analysis and Data Mining 2 (2009), Lemma 3.1; feature removal:
    Theorem 3.3.
    """

    def __init__(self, n: int, alpha: float, when: str, sigma: float = 0.0) -> None:
        super().__init__(n, when, sigma)
        self.alpha = alpha

    def target(self, a: Vector, m: float) -> tuple[Vector, float]:
        tau = max(0.0, (1.0 + self.alpha - m) / float(a @ a))
        return (self.w + tau * a) / (1.0 + self.alpha), 1.0 / (1.0 + self.alpha)


class ROMMA(MarginOne):
    """The shortest v with a.v >= 1 and v.w >= |w|^2.

    Either a alone decides, v = a/q2, or both constraints hold with equality: v has height 1/|a|
    along a, and is a multiple of w across a. If w points straight away from a, no v meets both
    constraints, and the rule starts again at a/q2.

    Li, Long. The relaxed online maximum margin algorithm. Machine Learning 46 (2002).
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
    """PA inside a ball of radius beta, with a policy for margins that cannot reach 1 there."""

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
    """w' = argmin 1/2 |v - w|^2 s.t. y v.x >= 1, |v|_2 <= beta.

    Shen, Dietterich (2009), Lemma 3.2; feature removal: Theorem 3.4.
    """

    def largest_margin(self, a: Vector) -> float:
        return self.beta * norm(a)

    def solve(self, a: Vector, m: float) -> tuple[Vector, float]:
        w, _, scale = l2_step(self.w, a, self.beta, m)
        return w, 1.0 / scale

    def into_bounds(self, w: Vector) -> Vector:
        return into_ball(w, self.beta)


class L1PA(Bounded):
    """w' = argmin 1/2 |v - w|^2 s.t. y v.x >= 1, |v|_1 <= beta.

    Shen, Dietterich (2009), section 2; feature removal: Theorem 3.4.
    """

    def largest_margin(self, a: Vector) -> float:
        return self.beta * float(np.abs(a).max())

    def solve(self, a: Vector, m: float) -> tuple[Vector, float]:
        return l1_step(self.w, a, self.beta, m)[0], 1.0

    def into_bounds(self, w: Vector) -> Vector:
        return project_l1(w, self.beta)[0]
