"""A slow version of the strong bank's votes when labels come late: two combinations over given scores."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from tests.oracles.joint_tracker import FIRST, Combination

RATES, ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01), (0.0, None, 1e-4, 1e-3, 1e-2)
LEADER, LEADER_PRIOR = 1, 0.1


class Cast(Combination):
    """Judged by votes as cast; ``leader`` is the vote of the first combination, a voter of this one.

    The most frequent label has no vote.
    """

    def __init__(self) -> None:
        super().__init__()
        self.G = np.zeros((5, 5, FIRST + self.experts))
        self.A = np.zeros(FIRST + self.experts)  # the mean share of each voter
        self.leader = 0
        self.said = np.zeros((5, 5), int)  # the votes of the pairs of rates, as cast
        self.label = 0

    def pi(self, active: np.ndarray) -> np.ndarray:
        """A tenth on the leader, the rest even on read-outs and experts that take part."""
        pi = np.append([True] * FIRST, active).astype(float)
        pi[:2] = 0.0
        pi *= (1.0 - LEADER_PRIOR) / pi.sum()
        pi[LEADER] = LEADER_PRIOR
        return pi

    def shares(self, active: np.ndarray) -> np.ndarray:
        return np.tile(self.pi(active) / 25.0, (5, 5, 1)) if self.t == 0 else super().shares(active)

    def labels(self) -> list[int]:
        return [-1, self.leader]

    def given(self) -> np.ndarray:
        """The part of its share that each voter gives to its class."""
        F = np.sort(self.F, axis=0)
        leads: np.ndarray = (F[-1] - F[-2]) / 2.0 if len(F) > 1 else np.ones(self.experts)
        return np.append(np.ones(FIRST), (1.0 + leads) / 2.0)

    def mean_mass(self) -> np.ndarray:
        """The vote by the mean shares; what no class gets is divided equally."""
        parts = np.where(self.votes >= 0, self.A * self.given(), 0.0)
        parts[0] = 0.0
        rest = 1.0 - parts.sum()
        return np.array([parts[self.votes == c].sum() + rest / self.classes for c in range(self.classes)])

    def follow(self, since: int) -> None:
        """Move the mean shares, after ``since`` labels that came since the row was predicted."""
        self.A = self.A + min(1.0, 4.0 / (since + 1.0)) * (self.G.sum(axis=(0, 1)) - self.A)

    def grid_votes(self) -> np.ndarray:
        """The class that each pair of rates votes for."""
        G = self.shares(self.active) * self.given()
        votes: np.ndarray = np.array([G[:, :, self.votes == c].sum(axis=2) for c in range(self.classes)]).argmax(axis=0)
        return votes

    def reweigh(self, wrong: np.ndarray, c: float) -> None:
        shares, pi = self.shares(self.active), self.pi(self.active)
        self.G, h = np.zeros_like(shares), shares.sum(axis=2)
        for e, eta in enumerate(RATES):
            for a, alpha in enumerate(ALPHAS):
                rate = 1.0 / (self.t + 2.0) if alpha is None else alpha
                G = shares[e, a].copy()
                if G[~wrong].any():
                    G[wrong] *= exp(-c * eta)
                self.G[e, a] = (1.0 - rate) * G / G.sum() + rate * pi
                h[e, a] *= exp(-0.02 * c) if self.said[e, a] != self.label else 1.0
        self.G *= (0.99 * h / h.sum() + 0.01 / 25.0)[:, :, None]


class Record(NamedTuple):
    """What is known of a predicted row until its label comes."""

    scores: np.ndarray
    active: np.ndarray
    classes: int
    votes: tuple[int, int]
    read_outs: np.ndarray
    grid: np.ndarray
    learned: int


class LateVotes:
    """Both combinations; ``mass`` and ``p`` are those of the last row."""

    def __init__(self) -> None:
        self.first, self.cast = Combination(), Cast()
        self.errors = [20.0, 0.0]

    def vote(self, scores: np.ndarray, active: np.ndarray, classes: int) -> Record:
        first = self.first.vote(scores, active, classes)
        self.cast.leader = int(first.argmax())
        second = self.cast.vote(scores, active, classes)
        started = self.cast.t > 0
        second = self.cast.mean_mass() if started else second
        self.mass = second if started else first
        self.p = self.cast.p if started and self.errors[1] < self.errors[0] else self.first.p
        votes = (int(first.argmax()), int(second.argmax()))
        return Record(
            scores, active, classes, votes, self.cast.votes[2:FIRST].copy(), self.cast.grid_votes(), self.cast.t
        )

    def learn(
        self, scores: np.ndarray, active: np.ndarray, classes: int, y: int, c: float, record: Record | None
    ) -> None:
        """A row whose scores are ``scores`` now; without a record its votes are those of now."""
        now = self.vote(scores, active, classes)
        record = record or now
        self.first.learn(y, c)
        self.errors = [0.9998 * e + (vote != y) for e, vote in zip(self.errors, record.votes, strict=True)]
        cast = self.cast
        cast.leader = record.votes[0]
        cast.vote(record.scores, record.active, record.classes)
        cast.votes[2:FIRST], cast.said, cast.label = record.read_outs, record.grid, y
        since = cast.t - record.learned
        cast.learn(y, c)
        cast.follow(since)
