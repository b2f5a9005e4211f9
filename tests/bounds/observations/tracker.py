"""Tracker on labels that contradict its vote, and on labels of a drifting target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

import driftline as dl
from driftline import bounds
from driftline.certify.rules.tracker import STACKERS, fewest
from tests.bounds.observations.observation import Broken, Seen, breaks, shows

SHIFTS = 30


class Followed(NamedTuple):
    """A run of the tracker: what it lost, and who was wrong in which round."""

    mistakes: int
    loss: float
    wrong: np.ndarray
    M: int
    E: int


@cache
def followed(bank: Literal["light", "recipe"], against: bool, rounds: int) -> Followed:
    """One feature, and labels that are drawn from a target which turns, or against the vote."""
    rng = np.random.default_rng(rounds)
    X = rng.normal(size=(rounds, 1))
    y = np.where(X[:, 0] * np.sign(np.sin(np.arange(rounds) / 40.0) + 1e-9) > 0.0, 1.0, -1.0)
    if against:
        learner = dl.Tracker(bank)
        for t, x in enumerate(X):
            y[t] = -1.0 if learner.score_one(x) >= 0.0 else 1.0
            learner.learn_one(x, y[t])
    run = dl.run(dl.Tracker(bank, labels=(-1.0, 1.0)), (X, y), certify=True)
    seen = run.evidence
    wrong = seen.expert_votes != seen.y.astype(np.int8)[:, None]
    loss, experts = float(np.sum(1.0 - seen.margins)) / 2.0, int(np.count_nonzero(seen.expert_votes[0])) - 5
    return Followed(run.mistakes, loss, wrong, experts, 3 if bank == "light" else 1)


def everyone() -> Iterator[Followed]:
    for against in (False, True):
        for rounds in (50, 400, 3000):
            yield followed("light", against, rounds)
            yield followed("recipe", against, rounds)


def sequences(one: Followed) -> Iterator[dict[str, int]]:
    alone = np.delete(one.wrong, np.arange(one.wrong.shape[1])[STACKERS], axis=1)
    least, _ = fewest(alone, SHIFTS)
    for k in range(SHIFTS + 1):
        yield {"L": int(least[k]), "k": k, "T": len(alone), "M": one.M, "E": one.E}


@shows("tracker")
def tracker() -> Iterator[Seen]:
    for one in everyone():
        for known in sequences(one):
            yield Seen(one.mistakes, bounds.TrackerMistakes(**known))


@shows("tracker-expected")
def tracker_expected() -> Iterator[Seen]:
    for one in everyone():
        for known in sequences(one):
            yield Seen(one.loss, bounds.TrackerExpected(**known))


@shows("tracker-stacker")
def tracker_stacker() -> Iterator[Seen]:
    for one in everyone():
        for errors in one.wrong[:, STACKERS].sum(axis=0).tolist():
            yield Seen(one.mistakes, bounds.TrackerStacker(L=errors, T=len(one.wrong), E=one.E))


@breaks("tracker", "tracker-expected", "tracker-stacker")
def an_error_is_counted_once() -> Broken:
    """Nobody who answers with a label can keep to the best sequence's errors and a few more."""
    one = followed("light", True, 3000)
    known = list(sequences(one))
    allowed = [bounds.TrackerMistakes(**given) for given in known]
    return Broken(one.mistakes, min(bound.L + bound.cost for bound in allowed))
