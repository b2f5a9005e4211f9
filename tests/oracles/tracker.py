"""A slow version of Tracker: plain loops over features and experts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import exp, inf, isfinite, isnan, nan, sqrt, tanh

import numpy as np

ALPHAS = (None, 1e-3, 1e-2)
RATES = {"recipe": (0.5,), "light": (1.0, 0.5, 0.1)}


class Column:
    """A first-order expert: its rule is "pa", "norma" or "diagonal"."""

    def __init__(self, kind: str, a: float, b: float = 1.0) -> None:
        self.kind, self.a, self.b = kind, a, b
        self.w, self.p = np.zeros(0), np.zeros(0)
        self.sparse = False  # then only what is there forgets

    def grow(self, n: int) -> None:
        new = n - len(self.w)
        self.w, self.p = np.append(self.w, np.zeros(new)), np.append(self.p, np.ones(new))

    def score(self, z: np.ndarray) -> float:
        return float(self.w @ z)

    def learn(self, z: np.ndarray, y: float, s: float) -> None:
        m = y * s
        if self.kind == "pa" and m < 1.0:
            self.w = self.w + y * min(self.a, (1.0 - m) / float(z @ z)) * z
        if self.kind == "norma":
            self.w = (1.0 - self.b) * self.w + (y * self.a * z if m <= 1.0 else 0.0)
        if self.kind == "diagonal" and m < 1.0:
            b = 1.0 / (float(self.p @ (z * z)) + self.a)
            self.w = self.w + (1.0 - m) * b * y * self.p * z
            there = z != 0.0 if self.sparse else np.ones(len(z), bool)
            self.p[there] = np.minimum(1e3, (self.p - b * (self.p * z) ** 2) / self.b)[there]


class Matrix:
    """Full AROW."""

    def __init__(self, r: float, gamma: float, most: float = 1e3) -> None:
        self.r, self.gamma, self.most, self.sparse = r, gamma, most, False
        self.w, self.P = np.zeros(0), np.zeros((0, 0))

    def grow(self, n: int) -> None:
        old = len(self.w)
        P = np.eye(n)
        P[:old, :old] = self.P
        self.w, self.P = np.append(self.w, np.zeros(n - old)), P

    def score(self, z: np.ndarray) -> float:
        return float(self.w @ z)

    def learn(self, z: np.ndarray, y: float, s: float) -> None:
        arow(self, z, y, s, self.most * len(z))


def arow(who: Matrix, z: np.ndarray, y: float, s: float, most: float) -> None:
    if y * s < 1.0:
        h = who.P @ z
        b = 1.0 / (max(0.0, float(z @ h)) + who.r)
        who.w = who.w + (1.0 - y * s) * b * y * h
        who.P = (who.P - b * np.outer(h, h)) / who.gamma
        if np.trace(who.P) > most:
            who.P = who.P * (most / np.trace(who.P))


class Bayes:
    """Naive Bayes on the presence of features; all counts shrink in every round.

    The constant has index 0.
    """

    def __init__(self, stays: float) -> None:
        self.stays, self.sparse = stays, True
        self.n = np.zeros((2, 0))
        self.examples = np.zeros(2)

    def grow(self, n: int) -> None:
        self.n = np.hstack([self.n, np.zeros((2, n - self.n.shape[1]))])

    def score(self, z: np.ndarray) -> float:
        known = self.n.sum(axis=0) > 0.0
        there = np.flatnonzero((z != 0.0) & known)
        odds = np.log(self.examples[1] + 1.0) - np.log(self.examples[0] + 1.0)
        total = self.n.sum(axis=1) + 0.1 * np.count_nonzero(known) + 1.0
        for i in there:
            odds += np.log((self.n[1, i] + 0.1) / total[1]) - np.log((self.n[0, i] + 0.1) / total[0])
        return float(odds / sqrt(len(there) + 1.0))

    def learn(self, z: np.ndarray, y: float, s: float) -> None:
        side = int(y > 0.0)
        self.n *= self.stays
        self.examples *= self.stays
        self.examples[side] += 1.0
        self.n[side, 1:] += z[1:] != 0.0


Expert = Column | Matrix | Bayes


def words() -> list[Expert]:
    return [Column("diagonal", 0.1, 1.0), Column("diagonal", 10.0, 1.0), Bayes(1.0), Bayes(0.998)]


def columns() -> list[Expert]:
    kinds = [("pa", 0.01, 1.0), ("pa", 0.1, 1.0), ("pa", inf, 1.0), ("norma", 1.0, 0.03)]
    return [Column(*kind) for kind in [*kinds, ("diagonal", 0.1, 0.998), ("diagonal", 100.0, 0.99)]]


def matrices() -> list[Expert]:
    return [Matrix(0.1, 1.0), Matrix(1.0, 0.998)]


class Moments:
    """Running mean and variance that limit the effect of outliers."""

    def __init__(self, stays: float) -> None:
        self.stays = stays
        self.mean: dict[Hashable, float] = {}
        self.var: dict[Hashable, float] = {}
        self.count: dict[Hashable, float] = {}

    def z(self, name: Hashable, x: float) -> float:
        mean, var = self.mean.get(name, 0.0), self.var.get(name, 0.0)
        if isnan(x) or self.count.get(name, 0.0) <= 1.0 or var <= 1e-20 * (1e-200 + mean * mean):
            return 0.0
        return min(5.0, max(-5.0, (x - mean) / sqrt(var)))

    def add(self, name: Hashable, x: float) -> None:
        if isnan(x):
            return
        mean, var = self.mean.get(name, 0.0), self.var.get(name, 0.0)
        count = self.count[name] = self.stays * self.count.get(name, 0.0) + 1.0
        move = x - mean
        if count > 10.0 and var > 0.0:
            move = min(10.0 * sqrt(var), max(-10.0 * sqrt(var), move))
        self.mean[name] = mean + move / count
        self.var[name] = (1.0 - 1.0 / count) * (var + move * move / count)


class Tracker:
    """Experts on several scalings of x, three stackers over their scores, and a vote of all.

    Vote: p = sum G[k, i] V_i over voters i; G[k, i] *= e^(-eta) where V_i is wrong, the part of
    each rate is scaled to what the rate 1/2 would leave of it, and a share alpha returns to the
    prior. Rows are dicts, or a whole row of columns with ``dense=True``.

    The recipe is driftline's own; the sharing is that of Herbster, Warmuth. Tracking the best
    expert. Machine Learning 32 (1998).
    """

    def __init__(self, bank: str = "light") -> None:
        self.plain = bank == "recipe"
        self.few = 6 if self.plain else 10
        self.rates = RATES[bank]
        self.lost = np.zeros((len(self.rates), 2))  # sums of V(1/2, q) and of V(eta, q), for each rate of learning
        self.features: list[Hashable] = []
        self.highest: dict[Hashable, float] = {}
        self.range: dict[Hashable, tuple[float, float]] = {}
        self.later = Moments(1.0)
        self.restarts = 0
        self.std, self.forget, self.quad = Moments(1.0), Moments(0.99), Moments(1.0)
        self.present: dict[Hashable, int] = {}
        self.since: dict[Hashable, int] = {}
        self.values: dict[Hashable, set[float]] = {}
        self.t = 0
        self.missing = 0
        # in the order in which they leave, last first
        views = ["max"] * 6 + ["std"] * 6 + ["forget"] * 6 + ["std"] * 2 + ["max"] * 2 + ["quad"] * 8
        rules = [*columns(), *columns(), *columns(), *matrices(), *matrices(), *columns(), *matrices()]
        self.bank: list[tuple[str, Expert]] = list(zip(views, rules, strict=True))
        self.stack = Matrix(1.0, 0.999)
        self.begin(30)

    def begin(self, M: int) -> None:
        self.keep(M)
        self.u = np.full((2, M), 1.0 / M)
        self.stack.w, self.stack.P = np.full(M, 1.0 / M), np.eye(M) / M
        self.q = np.zeros(M)
        self.G = np.tile(self.prior() / (3 * len(self.rates)), (3 * len(self.rates), 1))
        self.errors = np.zeros(M + 5, int)

    def keep(self, M: int) -> None:
        self.bank = self.bank[:M]
        if M == 10:
            self.bank[6:] = [("max", one) for one in words()]
        for _, one in self.bank:
            one.sparse = M <= 10

    def prior(self) -> np.ndarray:
        M = len(self.bank)
        return np.array([0.5 / (M + 2)] * 2 + [1.0 / 6.0] * 3 + [0.5 / (M + 2)] * M)

    def narrow(self, M: int) -> None:
        if self.t == 0:
            return self.begin(M)
        self.keep(M)
        lost = self.G[:, 5 + M :].sum(axis=1)
        self.G = self.G[:, : 5 + M] + np.outer(lost, self.prior())
        self.u, self.q, self.errors = self.u[:, :M], self.q[:M], self.errors[: 5 + M]
        self.stack.w, self.stack.P = self.stack.w[:M], self.stack.P[:M, :M]
        return None

    def admit(self, row: Mapping[Hashable, float], dense: bool) -> tuple[dict[Hashable, float], bool]:
        """The row with nan for what is missing, and whether it is one of the sparse rows of many features."""
        known = {name: x if abs(x) < 1e60 else nan for name, x in row.items()}
        for name in known:
            if name not in self.since:
                self.features.append(name)
                self.since[name] = self.t
        d = len(self.features)
        few = len(self.bank) == self.few or (not dense and d > 128)
        M = self.few if few else 18 if d > 300 else 22 if d > 10 else 30
        if len(self.bank) > M:
            self.narrow(M)
        return known, few

    def learn(self, row: Mapping[Hashable, float], y: float, dense: bool = False) -> float:
        """The vote before learning."""
        known, few = self.admit(row, dense)
        views, x = self.sparse_view(known) if few else self.dense_views(known, dense)
        scores = []
        for view, one in self.bank:
            one.grow(len(views[view]))
            scores.append(one.score(views[view]))
        s = np.array(scores)
        n = (1.0 - 0.999 ** (self.t + 1)) / (1.0 - 0.999)
        self.q = self.q + (s * s - self.q) / n
        F = np.array([tanh(a / sqrt(q)) if q > 1e-18 else 0.0 for a, q in zip(s, self.q, strict=True)])
        V = np.where(s >= 0.0, 1.0, -1.0)
        stacked = [float(self.u[0] @ F), float(self.u[1] @ V), float(self.stack.w @ F)]
        votes = np.array([1.0, -1.0, *(1.0 if c >= 0.0 else -1.0 for c in stacked), *V])
        vote = float((self.G @ votes).sum())
        self.reweigh(votes, y)
        self.errors += votes != y
        for k, f in enumerate((F, V)):
            if y * stacked[k] < 1.0:
                self.u[k] += y * 0.1 * min(1.0, 1.0 - y * stacked[k]) / float(f @ f + 1e-12) * f
        arow(self.stack, F, y, stacked[2], 10.0)
        for (view, one), score in zip(self.bank, scores, strict=True):
            one.learn(views[view], y, score)
        if not few:
            self.take_up(known, x)
        self.t += 1
        return vote

    def reweigh(self, votes: np.ndarray, y: float) -> None:
        wrong = votes != y
        for e, eta in enumerate(self.rates):
            G = self.G[3 * e : 3 * e + 3]
            q = float(G[:, wrong].sum() / G.sum())
            self.lost[e] -= np.log([1.0 - (1.0 - exp(-0.5)) * q, 1.0 - (1.0 - exp(-eta)) * q])
            due = G.sum() * (1.0 - (1.0 - exp(-0.5)) * q)
            G[:, wrong] *= exp(-eta)
            G *= due / G.sum()
        self.G /= self.G.sum()
        for k in range(len(self.G)):
            alpha = ALPHAS[k % 3]
            rate = 1.0 / (self.t + 2.0) if alpha is None else alpha
            self.G[k] = (1.0 - rate) * self.G[k] + rate * self.G[k].sum() * self.prior()

    def peak(self, name: Hashable, size: float) -> float:
        before = self.highest.get(name, 0.0)
        most = (10.0 if self.plain else 2.0) * before
        self.highest[name] = size if before == 0.0 else max(before, min(size, most))
        return self.highest[name]

    def top(self, name: Hashable, x: float) -> float:
        """The value in the view "max"."""
        if isnan(x):
            if self.plain or name not in self.range:
                return 0.0
            x = self.std.mean[name]
        else:
            self.peak(name, abs(x))
            self.widen(name, x)
        low, high = self.range[name]
        if not self.plain and low < high and (high - low) < 0.01 * min(abs(low), abs(high)):
            return min(1.0, max(0.0, (x - low) / (high - low)))
        return min(1.0, max(-1.0, x / self.highest[name])) if self.highest[name] > 0.0 else 0.0

    def widen(self, name: Hashable, x: float) -> None:
        low, high = self.range.get(name, (x, x))
        if low < high:
            x = max(low - (high - low), min(high + (high - low), x))
        self.range[name] = min(low, x), max(high, x)

    def sparse_view(self, known: Mapping[Hashable, float]) -> tuple[dict[str, np.ndarray], dict[Hashable, float]]:
        z = np.zeros(1 + len(self.features))
        place = {name: k + 1 for k, name in enumerate(self.features)}
        self.missing += sum(not isfinite(x) for x in known.values())
        for name, x in known.items():
            if isfinite(x) and x != 0.0:
                z[place[name]] = min(1.0, max(-1.0, x / self.peak(name, abs(x))))
        length = sqrt(float(z @ z))
        z = z / (length * sqrt(2.0)) if length > 0.0 else z
        z[0] = sqrt(0.5) if length > 0.0 else 1.0
        return {"max": z}, {}

    def dense_views(
        self, known: Mapping[Hashable, float], dense: bool
    ) -> tuple[dict[str, np.ndarray], dict[Hashable, float]]:
        x = {}
        for name in self.features:
            usual = 2 * self.present.get(name, 0) >= self.t - self.since[name]
            absent = nan if usual and len(self.values.get(name, ())) > 1 else 0.0
            x[name] = known.get(name, absent)
            self.missing += isnan(x[name])
        std = {name: self.std.z(name, value) for name, value in x.items()}
        forget = {name: self.forget.z(name, value) for name, value in x.items()}
        tops = [self.top(name, value) for name, value in x.items()]
        views = {"std": list(std.values()), "forget": list(forget.values()), "max": tops}
        if len(self.bank) == 30:
            self.pairs = {}
            for j, b in enumerate(self.features):
                self.pairs[b] = std[b]
                for a in self.features[: j + 1]:
                    self.pairs[a, b] = std[a] * std[b]
            views["quad"] = [self.quad.z(name, value) for name, value in self.pairs.items()]
        units = {}
        for view, z in views.items():
            whole = np.array([1.0, *z])
            units[view] = whole / sqrt(float(whole @ whole))
        return units, x

    def reconsider(self, name: Hashable, x: float) -> None:
        """Restart the statistics if one of the first ten values was an outlier."""
        if not 10 <= self.std.count.get(name, 0.0) < 1000:
            return
        later = self.later
        if later.count.get(name, 0.0) >= 20 and 0.0 < 1000.0 * later.var[name] < self.std.var[name]:
            for one in (self.std, self.forget):
                one.mean[name], one.var[name] = later.mean[name], later.var[name]
                one.count[name] = min(one.count[name], later.count[name])
            self.range[name] = x, x
            self.highest[name] = abs(x)
            self.restarts += 1
        elif self.std.count[name] in (50, 250):
            for part in (later.mean, later.var, later.count):
                del part[name]
        later.add(name, x)

    def take_up(self, known: Mapping[Hashable, float], x: Mapping[Hashable, float]) -> None:
        for name, value in x.items():
            if not self.plain and not isnan(value):
                self.reconsider(name, value)
            self.std.add(name, value)
            self.forget.add(name, value)
        if len(self.bank) == 30:
            for pair, value in self.pairs.items():
                self.quad.add(pair, value)
        for name, value in known.items():
            if not isnan(value):
                self.present[name] = self.present.get(name, 0) + 1
                self.values.setdefault(name, set()).add(value)
