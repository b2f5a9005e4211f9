"""A slow version of the strong bank of Tracker: whole matrices, one formula a line.

``Combination`` is the vote over given scores, ``Heads`` has the linear experts, ``JointTracker``
joins them. The scores of the nonlinear experts are given. Classes are numbered; with two labels
-1 is class 0 and +1 is class 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from copy import deepcopy
from math import exp, sqrt
from typing import NamedTuple

import numpy as np

from tests.oracles.tracker import Bayes, Column, Expert, Matrix, Tracker, words

LINEAR = 30
LIMITS = (*[128] * 5, *[300] * 2)  # features of forests, paths and waves; of neighbours
EXPERTS = LINEAR + len(LIMITS)
MIXTURE, FIRST = 4, 5  # voters: two labels, two softmax read-outs, their mixture, then the experts
FEW = 11  # linear experts for sparse rows of many features
MEMORIES, STAYS = (1.0, 0.999), (1.0, 0.999, 0.99)
RATES, ALPHAS = (1.0, 0.5, 0.1), (None, 1e-3, 1e-2)

Row = Mapping[Hashable, float]


# the combination ------------------------------------------------------------------------------------------------------
class Softmax:
    """p_c = exp(w.f_c + b_c) / sum; the precision of (w, b) gains q u u^T in each round.

    u = f_y - sum_{r != y} p_r f_r / (1 - p_y), with the offsets alike, and q = p_y (1 - p_y).
    Hazan, Agarwal, Kale. Logarithmic regret algorithms for online convex optimization (2007).
    """

    def __init__(self, features: int, gamma: float) -> None:
        self.features, self.gamma = features, gamma
        self.w, self.prior, self.A = np.zeros(features), np.zeros(features), np.eye(features) / 3.0

    def begin(self, prior: np.ndarray) -> None:
        self.w[: self.features] = self.prior[: self.features] = prior

    def forget(self, first: int) -> None:
        """Features from ``first`` on are new: independent of the others, with weight 0."""
        new = np.arange(first, self.features)
        self.A[new, :] = self.A[:, new] = 0.0
        self.A[new, new] = 1.0 / 3.0
        self.w[new] = self.prior[new] = 0.0

    def meet(self, classes: int) -> None:
        old, new = len(self.w), self.features + classes
        A = np.eye(new) / 3.0
        A[:old, :old] = self.A
        self.w, self.prior, self.A = np.resize(self.w, new), np.resize(self.prior, new), A
        self.w[old:] = self.prior[old:] = 0.0

    def places(self, F: np.ndarray) -> np.ndarray:
        """The features of each class, then the indicators of the offsets."""
        return np.hstack([F, np.eye(len(F))])

    def probabilities(self, F: np.ndarray) -> np.ndarray:
        self.meet(len(F))
        s = self.places(F) @ self.w
        p = np.exp(np.maximum(-30.0, s - s.max()))
        shares: np.ndarray = p / p.sum()
        return shares

    def learn(self, F: np.ndarray, p: np.ndarray, y: int, t: int) -> None:
        """Round t with the probabilities p; a pseudo-example follows if t is a multiple of 8."""
        f = self.places(F)
        others = np.arange(len(F)) != y
        miss = p[others].sum()
        if miss > 1e-9:
            u = f[y] - p[others] @ f[others] / miss
            self.A = with_precision(self.A, self.gamma, max(1e-4, p[y] * miss), u)
            self.w = self.w + miss * self.A @ u
        if self.gamma < 1.0 and t % 8 == 0:
            size = len(self.w)
            i, precision = t // 8 % size, (1.0 - self.gamma) * 8 * size * 3.0
            self.A = with_precision(self.A, 1.0, precision, np.eye(size)[i])
            self.w = self.w + precision * (self.prior[i] - self.w[i]) * self.A[i]


def with_precision(A: np.ndarray, gamma: float, q: float, u: np.ndarray) -> np.ndarray:
    """The inverse of gamma A^-1 + q u u^T."""
    g = A @ u
    updated: np.ndarray = (A - np.outer(g, g) / (gamma / q + u @ g)) / gamma
    return updated


class Combination:
    """Read-outs, their mixture, and the vote of all voters; ``G[e, a, i]`` are the shares.

    An expert without a score has no vote; its share goes to the other voters by their prior.
    """

    def __init__(self, experts: int = EXPERTS) -> None:
        self.t, self.experts, self.guarded = 0, experts, 0
        self.G = np.zeros((3, 3, FIRST + experts))
        self.q = np.zeros(experts)
        self.errors = np.zeros(FIRST + experts, int)
        self.counts = np.zeros((3, 0))
        self.v = np.full(7, 1.0 / 7.0)
        self.first = [Softmax(experts, gamma) for gamma in MEMORIES]
        self.second = [Softmax(3, gamma) for gamma in MEMORIES]

    def pi(self, active: np.ndarray) -> np.ndarray:
        """Half on the read-outs, half on all other voters that take part."""
        each = 0.5 / (np.count_nonzero(active) + 2)
        return np.array([each] * 2 + [1.0 / 6.0] * 3 + [each if there else 0.0 for there in active])

    def shares(self, active: np.ndarray) -> np.ndarray:
        pi = self.pi(active)
        if self.t == 0:
            return np.tile(pi / 9.0, (3, 3, 1))
        left = np.append([False] * FIRST, ~active)
        lost = self.G[:, :, left].sum(axis=2, keepdims=True)
        kept: np.ndarray = np.where(left, 0.0, self.G + lost * pi)
        return kept

    def vote(self, scores: np.ndarray, active: np.ndarray, classes: int) -> np.ndarray:
        """The share of each class; a row of ``scores`` for each class, or one row for class 1."""
        self.active, self.classes = active, classes
        s = np.where(active & np.isfinite(scores), scores, 0.0)
        self.bad = int(np.count_nonzero(active & ~np.isfinite(scores)))
        n = (1.0 - 0.999 ** (self.t + 1)) / (1.0 - 0.999)
        self.new_q = np.where(active, self.q + ((s**2).mean(axis=0) - self.q) / n, self.q)
        rms = np.array([sqrt(q) if q > 1e-18 else np.inf for q in self.new_q])
        self.F = np.tanh(s / rms)
        choices = s.argmax(axis=0)
        if len(s) == 1:
            self.F, choices = np.vstack([-self.F, self.F]), (s[0] >= 0.0).astype(int)
        self.counts = np.hstack([self.counts, np.zeros((3, classes - self.counts.shape[1]))])
        running = (self.counts + 0.5) / (self.counts + 0.5).sum(axis=1, keepdims=True)
        P = [one.probabilities(self.F) for one in self.first]
        self.votes = np.array([*self.labels(), P[0].argmax(), P[1].argmax(), -1, *np.where(active, choices, -1)])
        share = self.mass() / self.mass().sum()
        self.S = np.column_stack([2.0 * share - 1.0, *(np.log(p + 1e-3) / 3.0 for p in P)])
        self.guesses = np.array([*P, *(one.probabilities(self.S) for one in self.second), *running])
        self.p = self.v @ self.guesses
        self.p /= self.p.sum()
        self.votes[MIXTURE] = self.p.argmax()
        return self.mass()

    def labels(self) -> list[int]:
        """The most frequent label, of all rounds and lately."""
        return [int(self.counts[k].argmax()) for k in range(2)]

    def mass(self) -> np.ndarray:
        present = self.shares(self.active).sum(axis=(0, 1))
        return np.array([present[self.votes == c].sum() for c in range(self.classes)])

    def learn(self, y: int, c: float) -> None:
        """Class y of weight c, after ``vote``; a new class is none of those voted on."""
        self.q, self.guarded = self.new_q, self.guarded + self.bad
        there = np.append([True] * FIRST, self.active)
        self.errors += there & (self.votes != y)
        self.reweigh(self.votes != y, c)
        if self.t == 0:
            for one in self.first:
                one.begin(self.active / self.active.sum())
        if y < self.classes:
            v = self.v * np.maximum(1e-6, self.guesses[:, y])
            self.v = (1.0 - 3e-4) * v / v.sum() + 3e-4 / 7.0
            for one, p in zip(self.first, self.guesses[:2], strict=True):
                one.learn(self.F, p, y, self.t)
            for one, p in zip(self.second, self.guesses[2:4], strict=True):
                one.learn(self.S, p, y, self.t)
        self.counts = np.hstack([self.counts, np.zeros((3, max(0, y + 1 - self.counts.shape[1])))])
        self.counts *= np.array(STAYS)[:, None]
        self.counts[:, y] += 1.0
        self.t += 1

    def reweigh(self, wrong: np.ndarray, c: float) -> None:
        self.G = self.shares(self.active)
        if self.G[:, :, ~wrong].any():  # else one factor for all
            for G, eta in zip(self.G, RATES, strict=True):
                due = G.sum() - (1.0 - exp(-c / 2.0)) * G[:, wrong].sum()
                G[:, wrong] *= exp(-c * eta)
                G *= due / G.sum()
        for a, alpha in enumerate(ALPHAS):
            rate = 1.0 / (self.t + 2.0) if alpha is None else alpha
            W = self.G[:, a].sum(axis=1, keepdims=True)
            self.G[:, a] = (1.0 - rate) * self.G[:, a] + rate * W * self.pi(self.active)
        self.G /= self.G.sum()


# the linear experts ---------------------------------------------------------------------------------------------------
class Views(Tracker):
    """The views of the light bank, and |x| / its length as "unit"; of its experts only their number."""

    def __init__(self) -> None:
        super().__init__()
        self.few = FEW

    def sparse_view(self, known: Mapping[Hashable, float]) -> tuple[dict[str, np.ndarray], dict[Hashable, float]]:
        found, x = super().sparse_view(known)
        sizes = np.array([0.0, *(abs(known.get(name, 0.0)) for name in self.features)])
        sizes[~np.isfinite(sizes)] = 0.0
        length = np.linalg.norm(sizes)
        return found | {"unit": sizes / length if length > 0.0 else sizes}, x

    def narrow(self, M: int) -> None:
        self.bank = self.bank[:M]


class WeightedBayes(Bayes):
    """Counts grow by the sample weight."""

    def count(self, z: np.ndarray, y: float, c: float) -> None:
        side = int(y > 0.0)
        self.n *= self.stays
        self.examples *= self.stays
        self.examples[side] += c
        self.n[side, 1:] += c * (z[1:] != 0.0)


class Multinomial(Bayes):
    """n[side, i] is the sum of the values of feature i on one side; labels have no frequencies."""

    def __init__(self) -> None:
        super().__init__(1.0)

    def score(self, z: np.ndarray) -> float:
        known = self.n.sum(axis=0) > 0.0
        p = (self.n + 0.01) / (self.n.sum(axis=1, keepdims=True) + 0.01 * np.count_nonzero(known) + 1.0)
        odds = (np.log(p[1]) - np.log(p[0])) * z
        return float(odds[known].sum() / sqrt(np.count_nonzero(known & (z > 0.0)) + 1.0))

    def count(self, z: np.ndarray, y: float, c: float) -> None:
        self.n[int(y > 0.0)] += c * z


class Head:
    """The experts of one class against the others; the matrix of a full AROW is not its own."""

    def __init__(self, M: int) -> None:
        self.bank: list[tuple[str, Expert]] = Tracker().bank
        self.keep(M)

    def keep(self, M: int) -> None:
        if M == FEW < len(self.bank):
            static, bayes = words()[:2], [WeightedBayes(1.0), WeightedBayes(0.998)]
            self.bank[6:] = [*(("max", one) for one in (*static, *bayes)), ("unit", Multinomial())]
        self.bank = self.bank[:M]
        for _, one in self.bank:
            one.sparse = M == FEW

    def scores(self, views: Mapping[str, np.ndarray]) -> np.ndarray:
        for view, one in self.bank:
            if isinstance(one, Matrix):
                one.w = np.append(one.w, np.zeros(len(views[view]) - len(one.w)))
            else:
                one.grow(len(views[view]))
        return np.array([one.score(views[view]) for view, one in self.bank])

    def learn(self, views: Mapping[str, np.ndarray], y: float, c: float, scores: np.ndarray) -> None:
        """A step of each expert but the full AROW: C and the step of NORMA times c, r divided by c."""
        for (view, one), s in zip(self.bank, scores.tolist(), strict=True):
            if isinstance(one, WeightedBayes | Multinomial):
                one.count(views[view], y, c)
            elif isinstance(one, Column):
                a = one.a
                one.a = a / c if one.kind == "diagonal" else a * c
                one.learn(views[view], y, s)
                one.a = a


class Heads:
    """A head for each class on the same views; the heads share P of each full AROW.

    With two labels class 0 is the negative of class 1. It has its own head here from the start.
    """

    def __init__(self, classes: int = 2) -> None:
        self.views = Views()
        self.heads = [Head(LINEAR) for _ in range(classes)]
        self.P: dict[int, np.ndarray] = {}

    def look(self, row: Row, dense: bool) -> np.ndarray:
        """The scores of all heads."""
        self.known, self.few = self.views.admit(row, dense)
        look = self.views.sparse_view(self.known) if self.few else self.views.dense_views(self.known, dense)
        self.z, self.x = look
        self.M = len(self.views.bank)
        for head in self.heads:
            head.keep(self.M)
        self.scores = np.array([head.scores(self.z) for head in self.heads])
        return self.scores

    @property
    def standardised(self) -> np.ndarray:
        std = self.z["std"]
        values: np.ndarray = std[1:] / std[0]
        return values

    def learn(self, y: int, c: float) -> None:
        """The row of ``look``, with class y and weight c; a new class has its head from now on."""
        while len(self.heads) <= y:
            self.heads.append(Head(self.M))
            self.scores = np.vstack([self.scores, self.heads[-1].scores(self.z)])
        signs = np.where(np.arange(len(self.heads)) == y, 1.0, -1.0)
        for head, sign, scores in zip(self.heads, signs, self.scores, strict=True):
            head.learn(self.z, sign, c, scores)
        for j, (view, one) in enumerate(self.heads[0].bank):
            if isinstance(one, Matrix):
                self.share(j, one, self.z[view], signs, c)
        if not self.few:
            self.views.take_up(self.known, self.x)
        self.views.t += 1

    def share(self, j: int, rule: Matrix, z: np.ndarray, signs: np.ndarray, c: float) -> None:
        """Full AROW number j."""
        P, before = np.eye(len(z)), self.P.get(j, np.zeros((0, 0)))
        P[: len(before), : len(before)] = before
        moving = np.flatnonzero(signs * self.scores[:, j] < 1.0)
        if moving.size:
            h = P @ z
            b = 1.0 / (max(0.0, float(z @ h)) + rule.r / c)
            for k in moving:
                one = self.heads[k].bank[j][1]
                assert isinstance(one, Matrix)
                one.w = one.w + (1.0 - signs[k] * self.scores[k, j]) * b * signs[k] * h
            P = (P - b * np.outer(h, h)) / rule.gamma
            P *= min(1.0, 1e3 * len(z) / np.trace(P))
        self.P[j] = P


class Round(NamedTuple):
    """What is known of a row before it is learned; ``M`` linear experts take part."""

    votes: np.ndarray
    mass: np.ndarray
    p: np.ndarray
    linear: np.ndarray
    standardised: np.ndarray | None
    M: int


class JointTracker:
    """Heads and given scores of nonlinear experts, combined; ``several`` from the third label on."""

    def __init__(self, classes: int = 2, several: bool = False) -> None:
        self.classes, self.several = classes, several
        self.heads, self.combination = Heads(classes), Combination()

    def learn(self, row: Row, y: int, c: float, dense: bool, curved: np.ndarray) -> Round:
        """Answer, then learn, a row of class y and weight c.

        ``curved`` has the scores of the nonlinear experts, a row for each known class, or one row for
        class 1 unless ``several``. A class is known from its first row on, of any weight.
        """
        asked = self if c > 0.0 else deepcopy(self)
        found = asked.answer(row, dense, curved)
        if c > 0.0:
            self.combination.learn(y, c)
            self.heads.learn(y, c)
        self.classes = max(self.classes, y + 1)
        while len(self.heads.heads) < self.classes:
            self.heads.heads.append(Head(LINEAR))
        return found

    def answer(self, row: Row, dense: bool, curved: np.ndarray) -> Round:
        heads, vote = self.heads, self.combination
        before, linear = len(heads.views.bank), heads.look(row, dense)
        M, d = heads.M, len(heads.views.features)
        if M == FEW < before:
            for one in vote.first:
                one.forget(6)
        active = np.array([j < M for j in range(LINEAR)] + [d <= most and M > FEW for most in LIMITS])
        scores = np.zeros((self.classes if self.several else 1, EXPERTS))
        shown = linear if self.several else linear[1:2]
        if vote.t > 0:
            scores[:, :M], scores[:, LINEAR:] = shown, curved
        mass = vote.vote(scores, active, self.classes)
        return Round(vote.votes, mass, vote.p, shown, None if heads.few else heads.standardised, M)
