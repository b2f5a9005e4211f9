"""Bounds on runs of Tracker: the best sequence of its voters in hindsight, by dynamic programming."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from driftline import bounds
from driftline.certify.evidence import Evidence
from driftline.certify.over_time import POINTS
from driftline.certify.tightest import Certified
from driftline.internals.compiled import Floats, jit
from driftline.rules import Tracker
from driftline.rules.tracker.tracker import OTHERS

MOST_SHIFTS = 30
STACKERS = slice(2, len(OTHERS))  # columns of the stackers: constants come before, experts after them


@jit
def fewest(wrong: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the fewest errors of a sequence with at most k shifts, for each k, and a table of
    sequences.

    Before round t, the best sequence with k shifts ends with voter ``best[t, k, 0]``, from round
    ``best[t, k, 1]`` on.
    """
    T, n = wrong.shape
    errors = np.zeros((most + 1, n), np.int64)
    joined = np.zeros((most + 1, n), np.int64)
    best = np.zeros((T + 1, most + 1, 2), np.int32)
    least = np.zeros(most + 1, np.int64)
    for t in range(T + 1):
        for k in range(most + 1):
            i = 0
            for j in range(1, n):
                if errors[k, j] < errors[k, i]:
                    i = j
            least[k] = errors[k, i]
            best[t, k, 0] = i
            best[t, k, 1] = joined[k, i]
        if t < T:
            for k in range(most + 1):
                for i in range(n):
                    if k > 0 and least[k - 1] < errors[k, i]:
                        errors[k, i] = least[k - 1]
                        joined[k, i] = t
                    errors[k, i] += wrong[t, i]
    return least, best


def path(best: np.ndarray, k: int) -> list[tuple[int, int]]:
    """Return the best sequence with at most k shifts: each voter with its first round."""
    t = len(best) - 1
    found: list[tuple[int, int]] = []
    while True:
        voter, start = best[t, k].tolist()
        found.append((voter, start))
        if start == 0 or k == 0:
            return found[::-1]
        t, k = start, k - 1


def tracked(rule: Tracker, evidence: Evidence) -> list[Certified]:
    """Return the tightest bound against one voter, and the tightest one against a sequence with
    shifts.
    """
    T = len(evidence)
    if not T or len(evidence.expert_votes) != T:
        return []
    wrong = evidence.expert_votes != evidence.y.astype(np.int8)[:, None]
    alone = np.delete(wrong, np.arange(wrong.shape[1])[STACKERS], axis=1)
    M = int(np.count_nonzero(evidence.expert_votes[0])) - len(OTHERS)
    most = min(MOST_SHIFTS, T - 1)
    least, best = fewest(alone, most)
    E = len(rule.rates)
    offers = [bounds.TrackerMistakes(L=int(least[k]), k=k, T=T, M=M, E=E) for k in range(most + 1)]
    stackers = wrong[:, STACKERS].sum(axis=0)
    stacker = bounds.TrackerStacker(L=int(stackers.min()), T=T, E=E)
    if stacker.value < offers[0].value:
        errors = wrong[:, STACKERS.start + int(np.argmin(stackers))]
        found = [_certified(stacker, [(0, 0)], errors)]
    else:
        found = [_certified(offers[0], path(best, 0), alone)]
    moving = [bound for bound in offers[1:] if len(path(best, bound.k)) == bound.k + 1]
    if moving:
        chosen = min(moving, key=lambda one: one.value)
        found.append(_certified(chosen, path(best, chosen.k), alone))
    return found


def _certified(
    bound: bounds.TrackerMistakes | bounds.TrackerStacker, sequence: list[tuple[int, int]], wrong: np.ndarray
) -> Certified:
    """Return the bound with its growth along the run for this sequence."""
    T = len(wrong)
    starts = np.array([start for _, start in sequence])
    who = np.repeat([voter for voter, _ in sequence], np.diff([*starts, T]))
    errors = np.cumsum(wrong if wrong.ndim == 1 else wrong[np.arange(T), who])
    rounds = np.unique(np.linspace(1, T, POINTS).astype(np.intp))
    values = []
    for t in rounds.tolist():
        known = {"L": int(errors[t - 1]), "T": t}
        if isinstance(bound, bounds.TrackerMistakes):
            known["k"] = min(int(np.searchsorted(starts, t)) - 1, t - 1)
        values.append(replace(bound, **known).value)
    moves = bound.shifts > 0
    over_time: tuple[Floats, Floats] = rounds.astype(np.float64), np.array(values)
    return Certified(bound, moves, len(sequence), float(len(sequence) - 1), over_time)
