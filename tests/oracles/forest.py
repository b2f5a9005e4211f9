"""Forests of Hoeffding trees, row by row, with objects and dicts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

from tests.oracles.splitmix64 import MASK, STEP, mixed

Row = list[float]
SEED, FLOOR, GRACE, DELTA, TAU = 20000, 1e-3, 50.0, 0.01, 0.05


def output(expert: int, tree: int, kind: int, number: int) -> int:
    """The random number with this number, counted from 0, of a generator of a tree."""
    state = mixed((SEED + ((expert * 64 + tree) * 2 + kind + 1) * STEP) & MASK)
    return mixed((state + (number + 1) * STEP) & MASK)


def poisson(bits: int) -> int:
    """The quantile of Poisson(6) at the middle of one of 4,096 equal parts of [0, 1]."""
    u, k, term = ((bits >> 52) + 0.5) / 4096, 0, math.exp(-6.0)
    cdf = term
    while cdf < u:
        k += 1
        term = math.exp(-6.0) * 6.0**k / math.factorial(k)
        cdf += term
    return k


def phi(u: float) -> float:
    """The normal distribution function, interpolated between multiples of 1/256; 0 or 1 beyond 6."""
    if abs(u) >= 6.0:
        return 0.0 if u < 0.0 else 1.0
    at = (u + 6.0) * 256.0
    low, high = tabled(int(at)), tabled(int(at) + 1)
    return low + (at - int(at)) * (high - low)


@cache
def tabled(k: int) -> float:
    """The normal distribution function at k / 256 - 6."""
    return 0.5 * math.erfc((6.0 - k / 256.0) * math.sqrt(0.5))


def entropy(weights: list[float]) -> float:
    """Entropy in bits."""
    n = sum(weights)
    return -sum(a / n * math.log2(a / n) for a in weights if a > 0.0)


@dataclass
class ClassRecord:
    prior: float
    count: float = 0.0
    mean: dict[int, float] = field(default_factory=dict)
    variance: dict[int, float] = field(default_factory=dict)

    def below(self, feature: int, c: float) -> float:
        mean, deviation = self.mean.get(feature, 0.0), math.sqrt(self.variance.get(feature, 0.0))
        if deviation <= 1e-12:
            return 1.0 if mean <= c else 0.0
        return phi((c - mean) / deviation)

    def log_likelihood(self, z: Row, subset: list[int]) -> float:
        if self.count <= 1.0:
            return -1e9
        log = math.log(self.count)
        for i in subset:
            s = self.variance[i] + FLOOR
            log -= 0.5 * math.log(s) + 0.5 * (z[i] - self.mean[i]) ** 2 / s
        return log

    def learn(self, z: Row, subset: list[int], w: float) -> None:
        self.count += w
        g = w / self.count
        for i in subset:
            delta = z[i] - self.mean.get(i, 0.0)
            self.mean[i] = self.mean.get(i, 0.0) + g * delta
            self.variance[i] = (1.0 - g) * (self.variance.get(i, 0.0) + g * delta * delta)


@dataclass
class Node:
    depth: int = 0
    subset: list[int] = field(default_factory=list)
    records: dict[int, ClassRecord] = field(default_factory=dict)
    weight: float = 0.0
    due: float = GRACE
    by_counts: float = 0.0
    by_bayes: float = 0.0
    low: dict[int, float] = field(default_factory=dict)
    high: dict[int, float] = field(default_factory=dict)
    feature: int = -1
    threshold: float = 0.0
    children: tuple[Node, ...] = ()

    def predictions(self, z: Row) -> tuple[int, int, dict[int, float]]:
        """The classes predicted by counts and by naive Bayes, and the shares that the leaf votes."""
        amounts = {k: r.count + r.prior for k, r in self.records.items()}
        logs = {k: r.log_likelihood(z, self.subset) for k, r in self.records.items()}
        counted, likely = max(amounts, key=amounts.__getitem__), max(logs, key=logs.__getitem__)
        if self.by_bayes > self.by_counts:
            temper = max(1.0, len(self.subset) / 4.0)
            amounts = {k: math.exp((log - logs[likely]) / temper) for k, log in logs.items()}
        total = sum(amounts.values())
        return counted, likely, {k: a / total for k, a in amounts.items()}


class Tree:
    def __init__(self, expert: int, number: int, most_nodes: int) -> None:
        self.expert, self.number, self.most_nodes, self.drawn = expert, number, most_nodes, 0
        self.plant()

    def plant(self) -> None:
        self.root, self.nodes = Node(), 1

    def leaf(self, z: Row) -> Node:
        node = self.root
        while node.children:
            node = node.children[0 if z[node.feature] <= node.threshold else 1]
        return node

    def subset(self, known: int, size: int) -> list[int]:
        left = list(range(known))
        for i in range(size):
            bits = output(self.expert, self.number, 1, self.drawn * 128 + i) >> 32
            k = i + ((bits * (known - i)) >> 32)
            left[i], left[k] = left[k], left[i]
        self.drawn += 1
        return left[:size]

    def learn(self, z: Row, known: int, y: int, w: float) -> None:
        leaf, size = self.leaf(z), min(known, int(2.0 * (math.sqrt(known) + 1.0)))
        counted = likely = -1
        if leaf.records:
            counted, likely, _ = leaf.predictions(z)
        if len(leaf.subset) < size:
            leaf.records = {k: ClassRecord(r.count + r.prior) for k, r in leaf.records.items()}
            leaf.weight, leaf.due, leaf.by_counts, leaf.by_bayes = 0.0, GRACE, 0.0, 0.0
            leaf.low, leaf.high = {}, {}
            leaf.subset = self.subset(known, size)
        leaf.by_counts += w * (counted == y)
        leaf.by_bayes += w * (likely == y)
        leaf.records.setdefault(y, ClassRecord(0.0)).learn(z, leaf.subset, w)
        for i in leaf.subset:
            leaf.low[i], leaf.high[i] = min(leaf.low.get(i, z[i]), z[i]), max(leaf.high.get(i, z[i]), z[i])
        leaf.weight += w
        if leaf.weight >= leaf.due:
            self.try_split(leaf, known, size)

    def try_split(self, leaf: Node, known: int, size: int) -> None:
        records = list(leaf.records.values())
        n, present = sum(r.count for r in records), sum(r.count > 0.0 for r in records)
        leaf.due = n + max(n, GRACE)
        if present < 2 or self.nodes + 2 > self.most_nodes or leaf.depth + 1 >= 20:
            return
        gains = []
        for i in leaf.subset:
            best = (0.0, 0.0, i)
            for s in range(1, 11):
                c = leaf.low[i] + (leaf.high[i] - leaf.low[i]) * s / 11
                left = [r.count * r.below(i, c) for r in records]
                right = [r.count - a for r, a in zip(records, left, strict=True)]
                if leaf.high[i] > leaf.low[i] and 0.01 * n <= sum(left) <= 0.99 * n:
                    split = sum(left) / n * entropy(left) + sum(right) / n * entropy(right)
                    gain = entropy([r.count for r in records]) - split
                    if gain > best[0]:
                        best = (gain, c, i)
            gains.append(best)
        gains.sort(key=lambda found: -found[0])
        if not gains or gains[0][0] <= 0.0:
            return
        gap = gains[0][0] - (gains[1][0] if len(gains) > 1 else 0.0)
        reach = math.log2(present) ** 2 * math.log(1.0 / DELTA) / 2.0
        if gap > math.sqrt(reach / n) or math.sqrt(reach / n) < TAU:
            self.split(leaf, gains[0][2], gains[0][1], known, size)
        else:
            leaf.due = n + min(max(reach / max(gap, TAU) ** 2 - n, GRACE), max(n, GRACE))

    def split(self, leaf: Node, feature: int, threshold: float, known: int, size: int) -> None:
        children = []
        for side in range(2):
            child = Node(leaf.depth + 1, self.subset(known, size))
            for k, r in leaf.records.items():
                share = r.below(feature, threshold)
                child.records[k] = ClassRecord(0.2 * (r.count + r.prior) * (share if side == 0 else 1.0 - share))
            children.append(child)
        leaf.feature, leaf.threshold, leaf.children = feature, threshold, tuple(children)
        self.nodes += 2


class Forest:
    """One of the two forests."""

    def __init__(self, expert: int) -> None:
        self.expert, self.learned, self.period = expert, 0, 4000 if expert else 0
        each, nodes = (2, 127) if expert else (1, 255)
        self.members = [[Tree(expert, m * each + k, nodes) for k in range(each)] for m in range(5)]
        self.active, self.errors = [0] * 5, [0.5] * 5

    def shares(self, z: Row, classes: int) -> Row:
        found, sum_ = [0.0] * classes, 0.0
        for m, trees in enumerate(self.members):
            leaf = trees[self.active[m]].leaf(z)
            if leaf.records:
                trust = max(1e-3, 1.0 - self.errors[m]) ** 4
                for k, share in leaf.predictions(z)[2].items():
                    found[k] += trust * share
                sum_ += trust
        return [a / sum_ for a in found] if sum_ else [1.0 / classes] * classes

    def learn(self, z: Row, known: int, y: int, w: float) -> None:
        if w == 0.0:
            return
        for m, trees in enumerate(self.members):
            leaf = trees[self.active[m]].leaf(z)
            if leaf.records:
                counted, likely, _ = leaf.predictions(z)
                wrong = (likely if leaf.by_bayes > leaf.by_counts else counted) != y
                self.errors[m] += 0.01 * (wrong - self.errors[m])
            for tree in trees:
                copies = poisson(output(self.expert, tree.number, 0, self.learned))
                if copies:
                    tree.learn(z, known, y, min(w, 1e6) * copies)
        self.learned += 1
        for m, trees in enumerate(self.members):
            if self.period and (self.learned + m * 800) % self.period == 0:
                trees[self.active[m]].plant()
                self.active[m] = 1 - self.active[m]
