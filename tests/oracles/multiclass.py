"""Slow versions of the learners of several classes: W has one row of weights for each class.

Classes are numbers in their order of appearance. ``learn`` returns the margin: the score of the
right class less the highest other score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import driftline as dl
from tests.oracles.projections import drop_small, l1_face, project_l1


class Ultraconservative:
    """W[y] += step x and W[r] -= step a_r x for other classes r, where sum a_r = 1.

    ``choice`` returns a and the step.
    """

    def __init__(self, n: int) -> None:
        self.W = np.zeros((0, n))
        self.mistakes = self.updates = 0

    def choice(self, s: np.ndarray, y: int, x: np.ndarray) -> tuple[np.ndarray, float]:
        raise NotImplementedError

    def learn(self, x: np.ndarray, y: int, weight: float = 1.0) -> float:
        s = self.W @ x
        new = y == len(self.W)
        shown = int(np.argmax(s)) if len(s) else None
        self.mistakes += shown != y
        if new:
            self.W = np.vstack([self.W, np.zeros(len(x))])
            s = np.append(s, 0.0)
        others = np.delete(s, y)
        margin = float(s[y] - max(others, default=0.0))
        if len(s) > 1 and weight > 0.0 and x @ x > 0.0:
            a, step = self.choice(s, y, x)
            if step > 0.0:
                self.updates += 1
                self.W -= weight * step * np.outer(a, x)
                self.W[y] += weight * step * x
        return min(0.0, margin) if new else margin


def highest(s: np.ndarray, y: int) -> np.ndarray:
    """1 for the highest class other than y, 0 for all others."""
    masked = s.copy()
    masked[y] = -np.inf
    return np.asarray(np.eye(len(s))[np.argmax(masked)])


class MulticlassPerceptron(Ultraconservative):
    """E = {r != y : s_r >= s_y}; w_y += x and w_r -= a_r x for r in E, where E is not empty.

    "max": a = 1 for the highest of E; "uniform": a_r = 1 / |E|; "proportional": a_r ~ s_r - s_y,
    "uniform" if all tie.

    Crammer, Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3 (2003),
    sections 4 and 5.
    """

    def __init__(self, n: int, update: str) -> None:
        super().__init__(n)
        self.update = update

    def choice(self, s: np.ndarray, y: int, x: np.ndarray) -> tuple[np.ndarray, float]:
        wrong = (s >= s[y]) & (np.arange(len(s)) != y)
        if not wrong.any():
            return wrong * 1.0, 0.0
        if self.update == "max":
            return highest(s, y), 1.0
        excess = (s - s[y]) * wrong
        a = wrong * 1.0 if self.update == "uniform" or not excess.any() else excess
        return a / a.sum(), 1.0


class MulticlassPA(Ultraconservative):
    """w_y += tau x and w_r -= tau a_r x, where loss_r = 1 - (s_y - s_r).

    l = sum a_r loss_r, n = |x|^2 (1 + sum a_r^2), tau = l / n ("pa"), min(C, l / n) ("pa1"), l /
    (n + 1 / 2C) ("pa2"). "max": a = 1 for the highest other class; "proportional": a_r ~ max(0,
    loss_r).

    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. JMLR 7
    (2006), section 9.
    """

    def __init__(self, n: int, C: float, variant: str, update: str) -> None:
        super().__init__(n)
        self.C, self.variant, self.update = C, variant, update

    def choice(self, s: np.ndarray, y: int, x: np.ndarray) -> tuple[np.ndarray, float]:
        loss = np.maximum(0.0, 1.0 - (s[y] - s)) * (np.arange(len(s)) != y)
        if not loss.any():
            return loss, 0.0
        a = highest(s, y) if self.update == "max" else loss / loss.sum()
        lost, n = 1.0 - (s[y] - a @ s), x @ x * (1.0 + a @ a)
        return a, {"pa": lost / n, "pa1": min(self.C, lost / n), "pa2": lost / (n + 0.5 / self.C)}[self.variant]


class Regularised:
    """W moves to the solution of a problem over all classes, if the margin m = s_y - s_rival fires.

    The rival is the highest other class. ``solve`` returns the nearest weights whose margin is at
    least ``goal``, and the shrink in them: the weight of an example multiplies the rest of the move.
    """

    beta = np.inf

    def __init__(self, n: int, when: str, sigma: float = 0.0, infeasible: str = "skip", kappa: float = 0.5) -> None:
        self.W = np.zeros((0, n))
        self.when, self.sigma, self.policy, self.kappa = when, sigma, infeasible, kappa
        self.mistakes = self.updates = self.infeasible = 0

    def solve(self, A: np.ndarray, goal: float) -> tuple[np.ndarray, float]:
        raise NotImplementedError

    def largest_margin(self, A: np.ndarray) -> float:
        return np.inf

    def into_ball(self, W: np.ndarray) -> np.ndarray:
        return W

    def learn(self, x: np.ndarray, y: int, weight: float = 1.0) -> float:
        s = self.W @ x
        new = y == len(self.W)
        self.mistakes += not len(s) or int(np.argmax(s)) != y
        if new:
            self.W = np.vstack([self.W, np.zeros(len(x))])
            s = np.append(s, 0.0)
        rival = highest(s, y)
        m = float(s[y] - rival @ s)
        fires = m <= 0.0 if self.when == "mistake" else m < 1.0
        if len(s) > 1 and weight > 0.0 and x @ x > 0.0 and fires:
            self.update(np.outer(np.eye(len(s))[y] - rival, x), m, weight)
        margin = float(s[y] - max(np.delete(s, y), default=0.0))
        return min(0.0, margin) if new else margin

    def update(self, A: np.ndarray, m: float, weight: float) -> None:
        goal = 1.0
        if self.largest_margin(A) < 1.0:
            self.infeasible += 1
            if self.policy == "skip":
                return
            goal = (self.kappa if self.policy == "relax" else 1.0) * self.largest_margin(A)
        if m >= goal:
            return
        solution, shrink = self.solve(A, goal)
        moved = solution if weight == 1.0 else shrink * self.W + weight * (solution - shrink * self.W)
        self.W = drop_small(self.into_ball(moved).T.ravel(), self.sigma).reshape(self.W.T.shape).T
        self.updates += 1


class MulticlassShrunkPA(Regularised):
    """min 1/2 |V - W|^2 + alpha/2 |V|^2 s.t. v_y.x - v_s.x >= 1, by its stationarity condition.

    (1 + alpha) V = W + tau A, where tau makes the margin 1.

    Shen, Dietterich (2009), Lemma 3.1, for several classes.
    """

    def __init__(self, n: int, alpha: float, when: str, sigma: float = 0.0) -> None:
        super().__init__(n, when, sigma)
        self.alpha = alpha

    def solve(self, A: np.ndarray, goal: float) -> tuple[np.ndarray, float]:
        shrunk, step = self.W / (1.0 + self.alpha), A / (1.0 + self.alpha)
        tau = (goal - np.sum(shrunk * A)) / np.sum(step * A)
        return shrunk + tau * step, 1.0 / (1.0 + self.alpha)


class MulticlassL2PA(Regularised):
    """min 1/2 |V - W|^2 s.t. v_y.x - v_s.x >= goal, |V| <= beta, by bisection on the multiplier of the ball.

    (1 + z) V = W + tau A with tau for margin ``goal``; |V| falls as z rises.

    Shen, Dietterich (2009), Lemma 3.2, for several classes.
    """

    def __init__(
        self, n: int, beta: float, when: str, infeasible: str = "skip", kappa: float = 0.5, sigma: float = 0.0
    ) -> None:
        super().__init__(n, when, sigma, infeasible, kappa)
        self.beta = beta

    def largest_margin(self, A: np.ndarray) -> float:
        return float(self.beta * np.linalg.norm(A))

    def into_ball(self, W: np.ndarray) -> np.ndarray:
        return np.asarray(W * min(1.0, self.beta / max(np.linalg.norm(W), 1e-300)))

    def solve(self, A: np.ndarray, goal: float) -> tuple[np.ndarray, float]:
        if goal >= self.largest_margin(A) * (1.0 - 1e-14):
            return A * goal / np.sum(A * A), 0.0

        def point(z: float) -> np.ndarray:
            shrunk = self.W / (1.0 + z)
            return np.asarray(shrunk + (goal - np.sum(shrunk * A)) / np.sum(A * A) * A)

        if np.linalg.norm(point(0.0)) <= self.beta:
            return point(0.0), 1.0
        low, high = 0.0, 1.0
        while np.linalg.norm(point(high)) > self.beta:
            high *= 2.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.linalg.norm(point(middle)) > self.beta else (low, middle)
        return point(high), 1.0 / (1.0 + high)


class MulticlassL1PA(MulticlassL2PA):
    """min 1/2 |V - W|^2 s.t. v_y.x - v_s.x >= goal, |V|_1 <= beta, by bisection on tau.

    V is the projection of W + tau A on the ball, and its margin rises with tau.

    Shen, Dietterich (2009), section 2, for several classes.
    """

    def largest_margin(self, A: np.ndarray) -> float:
        return float(self.beta * np.abs(A).max())

    def into_ball(self, W: np.ndarray) -> np.ndarray:
        return W if np.isinf(self.beta) else project_l1(W.ravel(), self.beta)[0].reshape(W.shape)

    def solve(self, A: np.ndarray, goal: float) -> tuple[np.ndarray, float]:
        def point(tau: float) -> np.ndarray:
            return self.into_ball(self.W + tau * A)

        if goal >= self.largest_margin(A) * (1.0 - 1e-14):
            return l1_face(self.W.ravel(), A.ravel(), self.beta).reshape(A.shape), 1.0
        low, high = 0.0, 1.0 / float(np.sum(A * A))
        while np.sum(A * point(high)) < goal:
            high *= 2.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.sum(A * point(middle)) < goal else (low, middle)
        return point(high), 1.0


class OneVsRest:
    """A learner of two labels for each class: +1 for its class, -1 for all others.

    The highest score wins. ``make`` makes one of the learners; that of a class which is not in
    ``classes`` starts with its first example. Here classes are any labels. While there is one
    class, the margin is its score.

    Rifkin, Klautau. In defense of one-vs-all classification. JMLR 5 (2004).
    """

    def __init__(self, make: Callable[[], dl.Learner], classes: tuple[Any, ...] = ()) -> None:
        self.make = make
        self.alone = {label: make() for label in classes}
        self.mistakes = 0

    def learn(self, x: Any, y: Any, weight: float = 1.0) -> float:
        scores = {label: one.learn_one(x, 1 if label == y else -1, weight) for label, one in self.alone.items()}
        self.mistakes += not scores or max(scores, key=scores.__getitem__) != y
        highest = max((score for label, score in scores.items() if label != y), default=0.0)
        if y in scores:
            return scores[y] - highest
        self.alone[y] = self.make()
        self.alone[y].learn_one(x, 1, weight)
        return min(0.0, -highest)
