"""TrackingWinnow: updates against a target that moves, by the sums of its rises and falls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from driftline.bounds.bound import Bound, Tight, given

HIGHEST_FLOOR = 0.99
STEPS = 100
"""Steps of the search for the best floor."""
SMALLEST_SHARE = 1e-6
"""The smallest sigma that is searched, as a share of its limit."""


@dataclass(frozen=True, kw_only=True)
class TrackingWinnowUpdates(Bound):
    """Updates of Winnow with a floor under its weights, against any targets mu_t.

    mu_t >= 0 may move before every update. A target should have mu_t.x >= 1 on positive rounds and
    mu_t.x <= 1 - delta on negative ones; A is the sum of what is missing. A disjunction of features
    0 and 1 has weights 1 and delta = 1, and its ``up`` and ``down`` count the features that are
    added and removed. Without theta or floor, the best ones are used; ``tuning`` returns them.

        sigma = floor N / theta,    kappa = (1 - sigma) / beta - 1 + delta
        a = (1 + (1 - sigma) / beta) / (kappa ln beta),    rest = (2 - delta) / (kappa (beta - 1))
        c = a theta / rest,    W = max(1, theta max(beta, beta^least / least))
    """

    name: ClassVar[str] = "trackingwinnow"
    limits: ClassVar[str] = "updates"
    conditions: ClassVar[tuple[str, ...]] = (
        "weights 1 at the start",
        "features from 0 to 1, and sample weights 1",
        "mu_t >= 0",
        "sigma = floor N / theta, and beta (1 - delta) < 1 - sigma",
    )
    citation: ClassVar[str] = "Auer, Warmuth. Tracking the best disjunction (1998), for disjunctions"
    proof: ClassVar[str] = """\
Let D(u, w) = sum w_i - u_i + u_i ln(u_i / w_i), with u_t = c mu_t for a c > 0.

A promotion has w.x < theta. Because beta^x <= 1 + (beta - 1) x for 0 <= x <= 1, it lowers D by more
than c ln(beta) mu.x - (beta - 1) theta. In a demotion, w.x >= theta and

    max(w_i beta^-x_i, floor) <= (w_i - floor) beta^-x_i + floor,

so the sum of the weights falls by at least (1 - 1/beta)(theta - floor |x|_1), and D falls by at
least this less c ln(beta) mu.x. The floor itself only lowers -u_i ln w_i.

If mu_i rises by r, -u_i ln w_i rises by at most c r ln(1 / floor); if mu_i falls by r, by at most
c r ln W, where W is an upper limit of the weights: a weight that is promoted is below theta / x_i.
The other parts of D depend on mu alone and cancel between consecutive rounds. So the sum of all
falls of D is at most

    n + sum_i h(c mu_i) + c up ln(1 / floor) + c down ln W,    h(u) = u ln u - u, at the last mu.

With c = theta (beta - 1)(1 + (1 - sigma)/beta) / ((2 - delta) ln beta), promotions and demotions of
a target without loss lower D alike, by theta (beta - 1) kappa / (2 - delta)."""
    tight: ClassVar[Tight] = Tight(0.97, "an adversary's rows of 0 and 1, with a sum near theta")

    n: int = given("features", least=1, whole=True)
    N: float = given("the largest sum of features of an example, max |x_t|_1", above=0.0)
    delta: float = given("the gap of the targets at threshold 1", above=0.0, most=1.0)
    U: float = given("the sum of the weights of the last target", least=0.0)
    H: float = given("entropy of the last target's normalised weights, in nats", 0.0, least=0.0)
    up: float = given("sum of all rises of weights of the target", 0.0, least=0.0)
    down: float = given("sum of all falls of weights of the target", 0.0, least=0.0)
    A: float = given("sum over updates of max(0, 1 - mu_t.x_t) or max(0, mu_t.x_t - 1 + delta)", 0.0, least=0.0)
    least: float = given("the smallest feature above 0", 1.0, above=0.0, most=1.0)
    beta: float | None = given("the factor that was used; the default is 1 + delta/2", None, above=1.0)
    theta: float | None = given("the threshold that was used", None, above=0.0)
    floor: float | None = given("the floor that was used", None, above=0.0, below=1.0)

    @property
    def factor(self) -> float:
        """The factor that was used."""
        return 1.0 + self.delta / 2.0 if self.beta is None else self.beta

    def check(self) -> None:
        """The factor and the floor are small enough for the gap, and the first target is not
        negative.
        """
        self.holds(self.factor * (1.0 - self.delta) < 1.0, "beta (1 - delta) < 1", self.factor * (1.0 - self.delta))
        self.holds(math.log(self.n) + 1e-12 >= self.H, "H <= ln n", self.H)
        self.holds(self.up <= self.U + self.down, "up <= U + down", self.up)
        if self.theta is not None and self.floor is not None:
            sigma = self.floor * self.N / self.theta
            self.holds(self.kappa(sigma) > 0.0, "beta (1 - delta) < 1 - floor N / theta", sigma)

    def kappa(self, sigma: float) -> float:
        """(1 - sigma) / beta - 1 + delta."""
        return (1.0 - sigma) / self.factor - 1.0 + self.delta

    def at(self, theta: float, floor: float) -> float:
        """The bound for a threshold ``theta`` and a ``floor`` of the weights."""
        b, sigma = self.factor, floor * self.N / theta
        both, kappa = 1.0 + (1.0 - sigma) / b, self.kappa(sigma)
        c = theta * (b - 1.0) * both / ((2.0 - self.delta) * math.log(b))
        W = max(1.0, theta * max(b, b**self.least / self.least))
        last = self.U * (math.log(c * self.U) - 1.0 - self.H) if self.U > 0.0 else 0.0
        moved = self.up * math.log(1.0 / floor) + self.down * math.log(W)
        start = self.n * (2.0 - self.delta) / (theta * (b - 1.0) * kappa)
        return both / (kappa * math.log(b)) * (last + moved + self.A * math.log(b)) + start

    @property
    def used(self) -> tuple[float, float]:
        """The threshold and the floor that were used, or the best ones."""
        if self.theta is not None and self.floor is not None:
            return self.theta, self.floor
        low, high = math.log(SMALLEST_SHARE), 0.0
        for _ in range(STEPS):
            a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
            low, high = (low, b) if self.at(*self._with(a)) < self.at(*self._with(b)) else (a, high)
        return self._with((low + high) / 2.0)

    def _with(self, log_share: float) -> tuple[float, float]:
        """The threshold and the floor for sigma = share (1 - beta (1 - delta))."""
        b = self.factor
        sigma = (1.0 - b * (1.0 - self.delta)) * math.exp(log_share) * (1.0 - 1e-9)
        if self.theta is not None:
            return self.theta, min(HIGHEST_FLOOR, sigma * self.theta / self.N)
        if self.floor is not None:
            return self.floor * self.N / sigma, self.floor
        first = max(1.0, self.U + self.down - self.up)
        theta = self.n * (2.0 - self.delta) * math.log(b) / ((b - 1.0) * (1.0 + (1.0 - sigma) / b) * first)
        return theta, min(HIGHEST_FLOOR, sigma * theta / self.N)

    @property
    def value(self) -> float:
        """a (U ln(c U / e) - U H + up ln(1 / floor) + down ln W + A ln beta) + rest n / theta."""
        return self.at(*self.used)

    def tuning(self) -> dict[str, float]:
        """The best threshold and floor, and the factor."""
        theta, floor = self.used
        return {"theta": theta, "beta": self.factor, "floor": floor}
