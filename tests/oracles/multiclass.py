"""Slow versions of the learners of several classes: W has one row of weights for each class.

Classes are numbers in their order of appearance. ``learn`` returns the margin: the score of the
right class less the highest other score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import driftline as dl


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
