"""Streams for the strong bank of the Tracker, and its rounds next to those of the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import driftline as dl
from driftline.engines.joint import joint_bank
from driftline.engines.joint.combination import COMPONENTS, Combination
from driftline.engines.joint.families import EXPERTS
from driftline.engines.joint.joint_bank import VOTERS
from driftline.engines.joint.rounds import Buffers, vote_rounds
from driftline.rules.tracker.tracker import FULL_BANK, WIDE_BANK
from tests.oracles.joint_tracker import LIMITS, LINEAR, JointTracker, Round


class Scored(NamedTuple):
    """Rounds with given scores: ``scores[i]`` has a row for each head."""

    scores: np.ndarray
    y: np.ndarray
    w: np.ndarray
    seen: np.ndarray
    members: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """The number of classes known before each round."""
        return np.maximum(2, np.append(0, np.maximum.accumulate(self.y)[:-1] + 1))

    def part(self, start: int, stop: int) -> Scored:
        return Scored(*(array[start:stop] for array in self))

    def active(self, i: int) -> np.ndarray:
        """Which experts take part in round i."""
        M, d = self.members[i], self.seen[i]
        return np.array([j < M for j in range(LINEAR)] + [d <= most and M >= WIDE_BANK for most in LIMITS])


def scored(n: int, classes: int, heads: int, seed: int = 0) -> Scored:
    """Experts of different strength; classes beyond two appear one after the other."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.integers(0, classes, n), 1 + np.arange(n) * (2 * classes) // n)
    scores = rng.normal(size=(n, heads, EXPERTS)) * 10.0 ** rng.integers(-3, 4, EXPERTS)
    right = y[:, None] == (np.arange(heads) if heads > 1 else np.array([1]))
    strength = rng.uniform(0.0, 2.0, EXPERTS) * np.abs(scores).mean(axis=(0, 1))
    scores += np.where(right, 1.0, -1.0)[:, :, None] * strength
    return Scored(scores, y, np.ones(n), np.full(n, 5), np.full(n, FULL_BANK))


class Voted(NamedTuple):
    """What the combination wrote for each round."""

    mass: np.ndarray
    guesses: np.ndarray
    votes: np.ndarray


def voted(combination: Combination, rows: Scored, known: np.ndarray, before: int = FULL_BANK) -> Voted:
    """Combine and learn the rounds at once."""
    n, classes = len(rows.y), combination.mass.size
    counts = [array.astype(np.int64) for array in (rows.seen, rows.seen, rows.members, known, rows.y)]
    found = Voted(np.zeros((n, classes)), np.zeros((n, classes)), np.zeros((n, VOTERS)))
    vote_rounds(combination, Buffers(rows.scores.copy(), np.zeros((n, 0)), rows.w, *counts), n, before, *found)
    return found


def learned_arrays(combination: Combination) -> list[np.ndarray]:
    """Shares, mean squares, errors, weights of the mixture and regressions."""
    own = combination
    plain = [own.shares, own.squares, own.errors, own.weights]
    return [*plain, *(array for one in (own.first, own.again) for array in (one.weights, one.spreads))]


class Example(NamedTuple):
    """A row as a dict or an array, its label, the class that the bank has for it, and its weight."""

    x: Any
    label: Any
    y: int
    w: float


def followed(learner: dl.Tracker, stream: Sequence[Example], oracle: JointTracker) -> Iterator[tuple[Round, Round]]:
    """Learn row by row; yield the round of the learner and that of the oracle."""
    for one in stream:
        known, dense = oracle.classes, not isinstance(one.x, dict)
        written: list[tuple[Buffers, np.ndarray]] = []

        def record(combination: Combination, buffers: Buffers, *rest: Any, to: Any = written) -> None:
            vote_rounds(combination, buffers, *rest)
            to.append((buffers, rest[2]))  # a family that leaves may replace them after the round

        with patch.object(joint_bank, "vote_rounds", record):
            learner.learn_one(one.x, one.label, one.w)
        oracle.several = learner.rule.several
        bank, (buffers, mass) = learner._engine.bank, written[-1]
        M, heads = int(buffers.members[0]), known if oracle.several else 1
        scores = buffers.scores[0, :heads]
        found = Round(
            votes=bank.combination.votes.astype(int),
            mass=mass[0, :known],
            p=bank.combination.guesses[COMPONENTS, :known],
            linear=scores[:, :M],
            standardised=buffers.Z[0, : int(buffers.slots[0])] if M >= WIDE_BANK else None,
            M=M,
        )
        row = one.x if isinstance(one.x, dict) else dict(enumerate(one.x.tolist()))
        yield found, oracle.learn(row, one.y, one.w, dense, scores[:, LINEAR:])
