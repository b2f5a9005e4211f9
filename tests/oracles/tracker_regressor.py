"""A slow version of TrackerRegressor for dense rows of few features without missing values."""

from __future__ import annotations

from math import ceil, exp, floor, inf, log, sqrt
from typing import Any

import numpy as np

MASK = (1 << 64) - 1
ALPHAS = (None, 1e-3, 1e-2)


class Moments:
    """Running mean and variance of one number; an outlier among features counts as 10 deviations."""

    def __init__(self, stays: float = 1.0) -> None:
        self.mean, self.variance, self.count, self.stays = 0.0, 0.0, 0.0, stays

    def add(self, x: float) -> None:
        self.count = self.stays * self.count + 1.0
        move = x - self.mean
        if self.stays == 1.0 and self.count > 10.0 and self.variance > 0.0:
            most = 10.0 * sqrt(self.variance)
            move = min(most, max(-most, move))
        self.mean += move / self.count
        self.variance = (1.0 - 1.0 / self.count) * (self.variance + move * move / self.count)

    def standardised(self, x: float) -> float:
        if self.count < 2 or self.variance <= 1e-20 * (1e-200 + self.mean**2):
            return 0.0
        return min(5.0, max(-5.0, (x - self.mean) / sqrt(self.variance)))


class Column:
    """PA-I (a largest step) and normalised gradient descent (a part of the error)."""

    def __init__(self, largest: float, part: float) -> None:
        self.largest, self.part, self.w = largest, part, np.zeros(1)

    def predict(self, z: np.ndarray) -> float:
        self.w = np.append(self.w, np.zeros(len(z) - len(self.w)))
        return float(self.w @ z)

    def learn(self, z: np.ndarray, u: float, p: float, deviation: float, c: float) -> None:
        step = min(1.0, self.part * c) * abs(u - p) / float(z @ z)
        if deviation > 0.0:
            step = min(step, self.largest * deviation * c)
        self.w = self.w + np.sign(u - p) * step * z


class LeastSquares:
    """Least squares with forgetting or drift, and a limit of the trace of P."""

    def __init__(self, forgetting: float, drift: float, n: int, variance: float | None = None) -> None:
        self.forgetting, self.drift, self.w = forgetting, drift, np.zeros(n)
        self.P = np.diag([1e3, *[1.0] * (n - 1)]) if variance is None else variance * np.eye(n)
        self.most = 1e3 * n if variance is None else variance * n

    def predict(self, z: np.ndarray) -> float:
        return float(self.w @ z)

    def learn(self, z: np.ndarray, u: float, p: float, c: float) -> None:
        P = self.P / self.forgetting
        h = P @ z
        b = 1.0 / (float(h @ z) + 1.0 / c)
        self.w = self.w + (u - p) * b * h
        self.P = P - b * np.outer(h, h)
        if self.drift > 0.0:
            self.P = self.P + self.drift * np.outer(z, z) / float(z @ z)
        if np.trace(self.P) > self.most:
            self.P = self.P * (self.most / np.trace(self.P))


def mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Tree:
    """A Hoeffding tree; a node is a dict, and ``path`` its conditions (feature, threshold, right)."""

    def __init__(self, number: int, d: int, most: int) -> None:
        self.number, self.d, self.most, self.drawn = number, d, most, 0
        self.plant()

    def plant(self) -> None:
        self.nodes, self.error = 1, 0.0
        self.root = self.leaf([])

    def leaf(self, path: list[Any]) -> dict[str, Any]:
        size = min(self.d, max(1, min(12, 7 * self.d // 10, int(2.0 * (sqrt(self.d) + 1.0)))))
        tried: list[int] = []
        while len(tried) < size:
            self.drawn += 1
            position = ((self.number + 1) << 48) | self.drawn
            k = mixed(position * 0x9E3779B97F4A7C15 & MASK) % self.d
            if k not in tried:
                tried.append(k)
        bins: dict[int, Any] = {}
        for k in tried:
            low = max([-2.5, *(t for f, t, right in path if f == k and right)])
            high = min([2.5, *(t for f, t, right in path if f == k and not right)])
            bins[k] = [low, max(1e-9, high - low) / 16.0, np.zeros((16, 2))]
        return {"path": path, "bins": bins, "n": 0.0, "mean": 0.0, "variance": 0.0, "since": 0.0}

    def find(self, z: np.ndarray) -> dict[str, Any]:
        node = self.root
        while "feature" in node:
            node = node["right"] if z[node["feature"] + 1] > node["threshold"] else node["left"]
        return node

    def learn(self, z: np.ndarray, u: float, c: float) -> None:
        leaf = self.find(z)
        self.error += 0.01 * ((u - leaf["mean"]) ** 2 - self.error)
        leaf["n"] += c
        part, move = c / leaf["n"], u - leaf["mean"]
        leaf["mean"] += part * move
        leaf["variance"] = (1.0 - part) * (leaf["variance"] + part * move * move)
        for k, (low, width, bins) in leaf["bins"].items():
            bins[int(min(15, max(0, floor((z[k + 1] - low) / width))))] += (c, c * u)
        leaf["since"] += c
        if leaf["since"] >= 50.0 and self.nodes + 2 <= self.most and len(leaf["path"]) < 20 and leaf["variance"] > 0.0:
            leaf["since"] = 0.0
            self.split(leaf)

    def split(self, leaf: dict[str, Any]) -> None:
        gains = []
        for k, (low, width, bins) in leaf["bins"].items():
            n, s = bins.sum(axis=0)
            best = (0.0, 0)
            for b in range(15):
                m, left = bins[: b + 1].sum(axis=0)
                if min(m, n - m) >= 0.01 * n and min(m, n - m) > 0.0:
                    gain = m / n * (n - m) / n * (left / m - (s - left) / (n - m)) ** 2 / leaf["variance"]
                    best = max(best, (gain, -b))
            gains.append((best[0], -best[1], k, low + width * (1 - best[1])))
        gains.sort(key=lambda one: -one[0])
        doubt = sqrt(log(100.0) / (2.0 * leaf["n"]))
        second = gains[1][0] if len(gains) > 1 else 0.0
        gain, last, k, threshold = gains[0]
        if gain <= 0.0 or not (second < (1.0 - doubt) * gain or doubt < 0.05):
            return
        bins, variance = leaf["bins"][k][2], leaf["variance"]
        halves = bins[: last + 1].sum(axis=0), bins[last + 1 :].sum(axis=0)
        self.nodes += 2
        made = []
        for right, (n, s) in zip((False, True), halves, strict=True):
            child = self.leaf([*leaf["path"], (k, threshold, right)])
            child |= {"n": 0.1 * n, "mean": s / n, "variance": variance}
            made.append(child)
        path = leaf["path"]
        leaf.clear()
        leaf |= {"path": path, "feature": k, "threshold": threshold, "left": made[0], "right": made[1]}


class Forest:
    """Five voting trees; in a moving forest each has a successor in the background."""

    def __init__(self, d: int, moving: bool) -> None:
        self.moving = moving
        self.trees = [Tree(k, d, 127 if moving else 255) for k in range(10 if moving else 5)]
        self.votes = list(range(5))

    def predict(self, z: np.ndarray, variance: float) -> float:
        voting = sorted(self.votes)
        w = [1.0 / (self.trees[k].error + 1e-6 * variance) if variance > 0.0 else 1.0 for k in voting]
        return float(np.dot(w, [self.trees[k].find(z)["mean"] for k in voting]) / sum(w))

    def learn(self, z: np.ndarray, u: float, c: float, rounds: int) -> None:
        for k in range(5):
            if self.moving and rounds > 0 and (rounds + 400 * k) % 2000 == 0:
                self.trees[self.votes[k]].plant()
                self.votes[k] = (self.votes[k] + 5) % 10
        for tree in self.trees:
            tree.learn(z, u, c)


class TrackerRegressor:
    """The rule, round by round; at most 10 features."""

    def __init__(self, d: int) -> None:
        self.d, self.t, self.origin = d, 0, 0.0
        self.target, self.low, self.high = Moments(0.999), 0.0, 0.0
        self.error, self.errors, self.side = 0.0, 0.0, 0
        self.moments = [Moments() for _ in range(d)]
        self.pairs = [Moments() for _ in range(d + d * (d + 1) // 2)]
        self.highest = np.zeros(d)
        self.means = [[stays, 0.0, 0.0] for stays in (1.0, 0.99, 0.9, 0.5, 0.0)]
        columns = [(0.01, 1.0), (0.1, 1.0), (inf, 1.0), (inf, 0.01), (inf, 0.1)]
        n, q = d + 1, len(self.pairs) + 1
        std = [(1.0, 0.0), (0.99, 0.0), (0.95, 0.0), (1.0, 0.003), (1.0, 0.03)]
        largest = [(0.99, 0.0), (0.95, 0.0), (1.0, 0.03)]
        quad = [(1.0, 0.0), (0.99, 0.0), (1.0, 0.003)]
        self.columns = {view: [Column(*one) for one in columns] for view in ("max", "std", "quad")}
        self.squares = {
            "std": [LeastSquares(*one, n) for one in std],
            "max": [LeastSquares(*one, n) for one in largest],
            "quad": [LeastSquares(*one, q) for one in quad],
        }
        self.steady, self.moving = Forest(d, False), Forest(d, True)
        self.rows: list[tuple[np.ndarray, float, float]] = []
        self.stackers = [LeastSquares(0.999, 0.0, 35, variance) for variance in (0.01, 0.001)]
        self.prior = np.array([0.25] * 2 + [0.5 / 35] * 35)
        self.G = np.tile(self.prior / 3.0, (3, 1))
        self.scores: list[float] = []
        self.levels = {coverage: 1.0 - coverage for coverage in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)}

    def views(self, x: np.ndarray) -> dict[str, np.ndarray]:
        s = np.array([one.standardised(value) for one, value in zip(self.moments, x, strict=True)])
        self.products = []
        for j in range(self.d):
            self.products += [s[j], *(s[i] * s[j] for i in range(j + 1))]
        quad = [one.standardised(value) for one, value in zip(self.pairs, self.products, strict=True)]
        size = np.abs(x)
        self.peak = np.where(self.highest == 0.0, size, np.maximum(self.highest, np.minimum(size, 2.0 * self.highest)))
        scaled = np.clip(np.divide(x, self.peak, out=np.zeros(self.d), where=self.peak > 0.0), -1.0, 1.0)
        return {"std": np.append(1.0, s), "max": np.append(1.0, scaled), "quad": np.append(1.0, quad)}

    def neighbours(self, z: np.ndarray, last: int) -> float:
        rows = self.rows[-last:][::-1]
        if not rows:
            return 0.0
        apart = [sqrt(float(((z.astype(np.float32) - row) ** 2).sum())) for row, _, _ in rows]
        near = np.argsort(apart, kind="stable")[:5]
        w = [rows[k][2] / (apart[k] + 1e-3) for k in near]
        return float(np.dot(w, [rows[k][1] for k in near]) / sum(w))

    def moved(self, p: float) -> float:
        reach = self.high - self.low
        return min(self.high + reach, max(self.low - reach, p))

    def learn(self, x: np.ndarray, y: float, c: float = 1.0) -> float:
        """The prediction for x before y is learned."""
        z = self.views(x)
        std = [one.predict(z["std"]) for one in self.squares["std"]]
        variance = self.target.variance
        raw = [mean for _, mean, _ in self.means]
        raw += [one.predict(z[view]) for view in ("max", "std") for one in self.columns[view]]
        raw += std + [one.predict(z["max"]) for one in self.squares["max"]]
        raw += [self.steady.predict(z["std"], variance), std[3] + self.moving.predict(z["std"], variance)]
        raw += [self.neighbours(z["std"][1:], last) for last in (500, 2000)]
        raw += [one.predict(z["quad"]) for one in (*self.columns["quad"], *self.squares["quad"])]
        p = np.array([self.moved(one) for one in raw])
        g = self.G.sum(axis=0)
        base = float(g[2:] @ p / g[2:].sum())
        F = np.clip((p - base) / self.error, -10.0, 10.0) if self.error > 0.0 else np.zeros(35)
        stacked = [one.predict(F) for one in self.stackers]
        v = np.array([*(self.moved(base + self.error * one) for one in stacked), *p])
        mean = self.moved(float(g @ v))
        predicted = self.origin + mean
        if self.t == 0:
            self.origin = y
        u = y - self.origin
        if self.t > 0:
            self.keep_score(abs(u - mean))
        if self.error > 0.0:
            apart = min(10.0, max(-10.0, (u - base) / self.error))
            for one, s in zip(self.stackers, stacked, strict=True):
                one.learn(F, apart, s, c)
        self.errors = 0.999 * self.errors + 1.0
        error = abs(u - mean) if self.errors <= 10.0 else min(abs(u - mean), 10.0 * self.error)
        self.error += (error - self.error) / self.errors
        if self.error > 0.0:
            self.share(v, u, c)
        self.train(z, raw, x, u, c)
        return predicted

    def share(self, v: np.ndarray, u: float, c: float) -> None:
        self.G *= [exp(-0.5 * c * min(10.0, abs(u - one) / self.error)) for one in v]
        self.G /= self.G.sum()
        for a, alpha in enumerate(ALPHAS):
            rate = 1.0 / (self.t + 2.0) if alpha is None else alpha
            self.G[a] = (1.0 - rate) * self.G[a] + rate * self.G[a].sum() * self.prior

    def keep_score(self, error: float) -> None:
        score = min(1e9, error / self.error) if self.error > 0.0 else 1e9 * (error > 0.0)
        for coverage, level in self.levels.items():
            alpha = 1.0 - coverage
            outside = score > self.quantile(1.0 - level)
            self.levels[coverage] += 0.05 * alpha * (alpha - outside)
        self.scores.append(score)

    def quantile(self, coverage: float) -> float:
        last = sorted(self.scores[-1000:])
        rank = ceil((len(last) + 1) * coverage)
        return -1.0 if rank < 1 else last[rank - 1] if rank <= len(last) else inf

    def train(self, z: dict[str, np.ndarray], raw: list[float], x: np.ndarray, u: float, c: float) -> None:
        deviation = sqrt(self.target.variance)
        move, before, self.side = u - self.target.mean, self.side, 0
        if self.target.count >= 10.0 and deviation > 0.0 and abs(move) > 10.0 * deviation:
            self.side = 1 if move > 0.0 else -1
            if self.side != before:
                u = self.target.mean + self.side * 10.0 * deviation
        at = {"max": 5, "std": 10, "quad": 27}
        for view, columns in self.columns.items():
            for k, column in enumerate(columns):
                column.learn(z[view], u, raw[at[view] + k], deviation, c)
        at = {"std": 15, "max": 20, "quad": 32}
        for view, squares in self.squares.items():
            for k, one in enumerate(squares):
                one.learn(z[view], u, raw[at[view] + k], c)
        self.steady.learn(z["std"], u, c, self.t)
        self.moving.learn(z["std"], u - raw[18], c, self.t)
        self.rows.append((z["std"][1:].astype(np.float32), u, c))
        for one in self.means:
            one[2] = one[0] * one[2] + c
            one[1] += (u - one[1]) * c / one[2]
        self.target.add(u)
        self.low, self.high = min(self.low, u), max(self.high, u)
        self.highest = self.peak
        for moments, value in (*zip(self.moments, x, strict=True), *zip(self.pairs, self.products, strict=True)):
            moments.add(value)
        self.t += 1
