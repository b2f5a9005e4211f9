"""Slow versions of the learners of experts: shares are formed anew on every round.

Expert i says z_i in [-1, 1] and loses l_i = 1/2 |z_i - y|, times the sample weight; L_i is the sum
of its losses. The score is v.z for shares v that sum to 1. ``update`` learns the losses of a
round.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

Vector = np.ndarray


class ExpertOracle:
    """The losses ``L`` of the experts and the ``loss`` of the learner."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.L = np.zeros(n)
        self.loss = 0.0

    def shares(self) -> Vector:
        raise NotImplementedError

    def loss_of(self, z: Vector, y: float) -> Vector:
        return 0.5 * np.abs(z - y)

    def advice(self, z: Vector) -> Vector:
        return z

    def update(self, loss: Vector) -> None:
        """Change what the shares depend on; ``L`` is added to afterwards."""

    def learn(self, z: Vector, y: float, w: float = 1.0) -> float:
        p = float(self.shares() @ self.advice(z))
        if w > 0.0:
            loss = w * self.loss_of(z, y)
            self.update(loss)
            self.L = self.L + loss
            self.loss += w * 0.5 * abs(p - y)
        return p


class Vote(ExpertOracle):
    """Experts vote by the sign of their advice, and lose 1 where it is not y."""

    def loss_of(self, z: Vector, y: float) -> Vector:
        return np.where(np.sign(z) == y, 0.0, 1.0)

    def advice(self, z: Vector) -> Vector:
        return np.sign(z)


class Halving(Vote):
    """Equal shares for the experts that were never wrong; all come back where none is left.

    Barzdin, Freivald (1972);

    Littlestone. Learning quickly when irrelevant attributes abound. Machine Learning 2 (1988),
    section 3.
    """

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.alive = np.ones(n, bool)

    def shares(self) -> Vector:
        return self.alive / self.alive.sum()

    def update(self, loss: Vector) -> None:
        self.alive = self.alive & (loss == 0.0)
        if not self.alive.any():
            self.alive[:] = True


class WeightedMajority(Vote):
    """v_i ~ beta^(errors of i).

    Littlestone, Warmuth. The weighted majority algorithm. Information and Computation 108 (1994).
    """

    def __init__(self, n: int, beta: float = 1.0 / math.e) -> None:
        super().__init__(n)
        self.beta = beta

    def shares(self) -> Vector:
        v = self.beta ** (self.L - self.L.min())
        return v / v.sum()


def gibbs(losses: Vector, eta: float) -> Vector:
    """v_i ~ exp(-eta losses_i)."""
    g = -eta * losses
    return np.exp(g - logsumexp(g))


class ExponentialWeights(ExpertOracle):
    """v_i ~ exp(-eta L_i).

    Without eta, eta_t = sqrt(8 ln n / t), or epochs of 1, 2, 4, ... rounds that start anew.

    Cesa-Bianchi, Lugosi. Prediction, Learning, and Games (2006), sections 2.2 and 2.3.
    """

    def __init__(self, n: int, eta: float | None = None, schedule: str | None = None) -> None:
        super().__init__(n)
        self.eta, self.schedule = eta, schedule
        self.rounds: list[Vector] = []

    def shares(self) -> Vector:
        past = np.array(self.rounds).reshape(-1, self.n)
        t = len(past) + 1
        if self.eta is not None:
            return gibbs(past.sum(axis=0), self.eta)
        if self.schedule == "doubling":
            length = 2 ** int(math.log2(t))  # of the epoch of round t, which starts at round `length`
            return gibbs(past[length - 1 :].sum(axis=0), math.sqrt(8.0 * math.log(self.n) / length))
        return gibbs(past.sum(axis=0), math.sqrt(8.0 * math.log(self.n) / t))

    def update(self, loss: Vector) -> None:
        self.rounds.append(loss)


class AdaHedge(ExpertOracle):
    """v_i ~ exp(-eta L_i), eta = ln n / Delta, Delta += max(0, v.l - m), m the mix loss.

    While Delta = 0 the leaders have equal shares, and m is the growth of the smallest loss.

    De Rooij, van Erven, Gruenwald, Koolen. Follow the leader if you can, hedge if you must. JMLR
    15 (2014), section 2.
    """

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.gap = 0.0

    def shares(self) -> Vector:
        if self.gap == 0.0:
            leads = self.L.min() == self.L
            return leads / leads.sum()
        return gibbs(self.L, math.log(self.n) / self.gap)

    def update(self, loss: Vector) -> None:
        v = self.shares()
        if self.gap == 0.0:
            mix = (self.L + loss).min() - self.L.min()
        else:
            eta = math.log(self.n) / self.gap
            mix = -(logsumexp(-eta * (self.L + loss)) - logsumexp(-eta * self.L)) / eta
        self.gap += max(0.0, float(v @ loss) - mix)


class FixedShare(ExpertOracle):
    """v'_i ~ v_i exp(-eta l_i), then v_i = (1 - alpha) v'_i + alpha / (n - 1) (1 - v'_i).

    ``g`` are the logarithms of v.

    Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998).
    """

    def __init__(self, n: int, eta: float = 0.5, alpha: float = 0.003) -> None:
        super().__init__(n)
        self.eta, self.alpha = eta, min(alpha, (n - 1.0) / n)
        self.g = np.full(n, -math.log(n))

    def shares(self) -> Vector:
        return np.exp(self.g)

    def weighted(self, loss: Vector) -> Vector:
        """ln v'."""
        g = self.g - self.eta * loss
        return g - logsumexp(g)

    def update(self, loss: Vector) -> None:
        rest = 1.0 - self.alpha - self.alpha / (self.n - 1)
        with np.errstate(divide="ignore"):
            self.g = np.logaddexp(self.weighted(loss) + np.log(max(rest, 0.0)), math.log(self.alpha / (self.n - 1)))


class VariableShare(FixedShare):
    """v_i = kappa_i v'_i + sum_{j != i} (1 - kappa_j) v'_j / (n - 1), in logarithms.

    kappa_i = (1 - alpha)^l_i, and v' as in FixedShare.

    Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), section 5.
    """

    def __init__(self, n: int, eta: float = 0.5, alpha: float = 0.03) -> None:
        super().__init__(n, eta, alpha)

    def update(self, loss: Vector) -> None:
        g = self.weighted(loss)
        kept = loss * math.log1p(-self.alpha)
        with np.errstate(divide="ignore"):
            given = g + np.log(-np.expm1(kept))
        others = np.array([logsumexp(np.delete(given, i)) for i in range(self.n)]) - math.log(self.n - 1)
        self.g = np.logaddexp(g + kept, others)


# real outcomes --------------------------------------------------------------------------------------------------------
class OutcomeOracle(ExpertOracle):
    """Square loss of predictions in [-B, B]; v_i ~ exp(-eta L_i)."""

    def __init__(self, n: int, eta: float, B: float) -> None:
        super().__init__(n)
        self.eta, self.B = eta, B

    def shares(self) -> Vector:
        return gibbs(self.L, self.eta)

    def predict(self, z: Vector) -> float:
        return float(self.shares() @ z)

    def learn(self, z: Vector, y: float, w: float = 1.0) -> float:
        p = self.predict(z)
        if w > 0.0:
            loss = w * (z - y) ** 2
            self.update(loss)
            self.L = self.L + loss
            self.loss += w * (p - y) ** 2
        return p


class SquareLossExperts(OutcomeOracle):
    """p = v.z with eta = 1 / (8 B^2).

    Kivinen, Warmuth. Averaging expert predictions. EuroCOLT 1999.
    """

    def __init__(self, n: int, eta: float | None = None, B: float = 1.0) -> None:
        super().__init__(n, 1.0 / (8.0 * B * B) if eta is None else eta, B)


class AggregatingExperts(OutcomeOracle):
    """The generalised prediction g(y) = -1/eta ln sum v_i e^(-eta (z_i - y)^2), and from its ends
    p = (g(-B) - g(B)) / (4 B), with eta = 1 / (2 B^2).

    Vovk. Competitive on-line statistics. International Statistical Review 69 (2001).
    """

    def __init__(self, n: int, eta: float | None = None, B: float = 1.0) -> None:
        super().__init__(n, 1.0 / (2.0 * B * B) if eta is None else eta, B)

    def generalised(self, z: Vector, y: float) -> float:
        return -float(logsumexp(-self.eta * (z - y) ** 2, b=self.shares())) / self.eta

    def predict(self, z: Vector) -> float:
        return (self.generalised(z, -self.B) - self.generalised(z, self.B)) / (4.0 * self.B)


class SquareLossFixedShare(AggregatingExperts):
    """Aggregating; after each round expert i keeps 1 - alpha of its share and gives the rest to the others alike.

    Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998).
    """

    def __init__(self, n: int, alpha: float = 0.003, eta: float | None = None, B: float = 1.0) -> None:
        super().__init__(n, eta, B)
        self.alpha = min(alpha, (n - 1.0) / n)
        self.v = np.full(n, 1.0 / n)

    def shares(self) -> Vector:
        return self.v

    def update(self, loss: Vector) -> None:
        v = self.v * np.exp(-self.eta * loss)
        v /= v.sum()
        if self.n > 1:
            v = np.array(
                [
                    (1.0 - self.alpha) * v[i] + self.alpha / (self.n - 1) * sum(v[j] for j in range(self.n) if j != i)
                    for i in range(self.n)
                ]
            )
        self.v = v
