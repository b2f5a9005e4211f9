"""Slow versions of the learners made of other learners: plain loops over their parts.

The parts are oracles (Averaged, LabelEfficient), lone learners (Bank, Committee) or classifiers of
scikit-learn (BatchOnline).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

import driftline as dl
from tests.oracles.linear import Oracle
from tests.oracles.projections import norm
from tests.oracles.second_order import SecondOrderPerceptron
from tests.oracles.splitmix64 import coin


class Averaged:
    """The mean of the weights that the rule inside had before each round; the first are 0.

    ``online`` counts the mistakes of the rule inside, ``largest`` is its largest weight on any
    round. A round of weight 0 does not count.

    Freund, Schapire. Large margin classification using the Perceptron algorithm. Machine Learning
    37 (1999), section 5.
    """

    def __init__(self, inside: Oracle) -> None:
        self.inside = inside
        self.total, self.used = np.zeros_like(inside.w), 0
        self.online, self.largest = 0, 0.0

    @property
    def w(self) -> np.ndarray:
        return self.total / max(1, self.used)

    def learn(self, x: np.ndarray, y: float, weight: float = 1.0) -> float:
        score, w = float(self.w @ x), self.inside.w
        if weight:
            self.total, self.used = self.total + w, self.used + 1
            self.online += y * (w @ x) <= 0.0
            self.largest = max(self.largest, float(np.abs(w).max()))
        self.inside.learn(x, y, weight)
        return score


class Bank:
    """Lone learners; the score is that of the learner with the fewest mistakes so far.

    Every learner learns every example. Of equal leaders the first one counts. ``columns`` are the
    scores of all learners in the last round.
    """

    def __init__(self, learners: Sequence[dl.Learner]) -> None:
        self.learners = list(learners)
        self.columns: list[float] = []
        self.mistakes = self.updates = 0

    @property
    def best(self) -> int:
        return min(range(len(self.learners)), key=lambda k: self.learners[k].mistakes)

    def learn(self, x: Any, y: float, weight: float = 1.0) -> float:
        leader, before = self.best, [one.updates for one in self.learners]
        self.columns = [one.learn_one(x, y, weight) for one in self.learners]
        score = self.columns[leader]
        self.mistakes += y * score <= 0.0
        self.updates += [one.updates for one in self.learners] != before
        return score


class Committee:
    """Lone learners, and a lone learner of experts whose advice is what they say.

    Every learner learns every example. Advice is the sign of a score, +1 for 0, or the score
    itself, cut to [-1, 1].

    Herbster, Warmuth. Tracking the best expert. Machine Learning 32 (1998), with learners for
    experts.
    """

    def __init__(self, learners: Sequence[dl.Learner], combine: dl.Learner, advice: str = "sign") -> None:
        self.learners, self.combine, self.advice = list(learners), combine, advice

    def said(self, scores: Sequence[float]) -> np.ndarray:
        s = np.array(scores)
        return np.where(s >= 0.0, 1.0, -1.0) if self.advice == "sign" else np.clip(s, -1.0, 1.0)

    def score(self, x: Any) -> float:
        return self.combine.score_one(self.said([one.score_one(x) for one in self.learners]))

    def learn(self, x: Any, y: float, weight: float = 1.0) -> float:
        said = self.said([one.learn_one(x, y, weight) for one in self.learners])
        return self.combine.learn_one(said, y, weight)


def chance(variant: str, b: float, r: float, longest: float = 0.0, updates: int = 0, q: float = 0.0) -> float:
    """The probability with which LabelEfficient asks for a label at the score r.

    "constant": b / (b + |r|); "adaptive": the same with b longest^2 sqrt(1 + updates) for b;
    "second": b / (b + s + s^2 (1 + q) / 2), s = |r| / (1 + q), q = x.A^-1 x. A score of 0 always
    asks.
    """
    if variant == "second":
        s = abs(r) / (1.0 + q)
        return b / (b + s + 0.5 * s * s * (1.0 + q))
    b = b * longest**2 * math.sqrt(1 + updates) if variant == "adaptive" else b
    return 1.0 if r == 0.0 else b / (b + abs(r))


class LabelEfficient:
    """Ask for the label with the probability of ``chance``, and learn only where it was asked for.

    ``longest`` is the longest |x|_p so far. The coin of round t is a hash of the seed and t.

    Cesa-Bianchi, Gentile, Zaniboni. Worst-case analysis of selective sampling for linear
    classification. JMLR 7 (2006).
    """

    def __init__(
        self, inside: Oracle | SecondOrderPerceptron, b: float, variant: str = "constant", seed: int = 0, p: float = 2.0
    ) -> None:
        self.inside, self.b, self.variant, self.seed, self.p = inside, b, variant, seed, p
        self.longest = 0.0
        self.asked: list[bool] = []

    def learn(self, x: np.ndarray, y: float) -> float:
        self.longest = max(self.longest, norm(x, self.p))
        inside = self.inside
        if isinstance(inside, SecondOrderPerceptron):
            r, q = float(inside.mu @ x), float(x @ np.linalg.solve(inside.A, x))
        else:
            r, q = inside.score(x), 0.0
        wanted = chance(self.variant, self.b, r, self.longest, inside.updates, q)
        self.asked.append(coin(self.seed, len(self.asked)) < wanted)
        if self.asked[-1]:
            inside.learn(x, y)
        return r


def seed_of(seed: int, number: int) -> int:
    """The random state of BatchOnline's fit with this number, counted from 1."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1)[0] >> 1)


class BatchOnline:
    """A classifier fitted, when it is due, to the last ``most`` of all examples.

    "every": after each example; "mistake": after each wrong prediction; "geometric": ceil(rho
    min(n, most)) examples after a fit to n. A fit needs ``first`` examples and two classes.
    Without a fit the prediction is the more frequent class. ``times`` are the numbers of examples
    at the fits.

    Gentile. Online learning: a tutorial (2005), "batch algorithms in the online setting".
    """

    def __init__(self, template: Any, schedule: str, rho: float, first: int, most: int, seed: int) -> None:
        self.template, self.schedule, self.rho = template, schedule, rho
        self.first, self.most, self.seed = first, most, seed
        self.X: list[np.ndarray] = []
        self.y: list[float] = []
        self.times: list[int] = []
        self.model: Any = None
        self.due = first

    def learn(self, x: np.ndarray, y: float) -> float:
        if self.model is not None:
            score = float(self.model.decision_function(x[None])[0])
        else:
            score = 1.0 if sum(self.y[-self.most :]) >= 0 else -1.0
        self.X.append(x)
        self.y.append(y)
        n, wrong = len(self.y), (score >= 0.0) != (y > 0.0)
        if n >= self.first and {"every": True, "mistake": wrong, "geometric": n >= self.due}[self.schedule]:
            self.fit(n)
        return score

    def fit(self, n: int) -> None:
        X, y = np.array(self.X[-self.most :]), np.array(self.y[-self.most :])
        self.model = None
        if len(set(y)) == 2:
            self.times.append(n)
            self.model = clone(self.template).set_params(random_state=seed_of(self.seed, len(self.times))).fit(X, y)
            self.due = n + max(1, math.ceil(self.rho * min(n, self.most) - 1e-9))
