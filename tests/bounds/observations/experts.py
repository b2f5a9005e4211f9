"""Rules of experts on advice whose best expert, or best sequence of experts, is known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import driftline as dl
from driftline import bounds
from tests.bounds.observations.observation import Broken, Seen, breaks, shows
from tests.support.expert_sequences import accurate, best_partition, halved, switching


def best(Z: np.ndarray, y: np.ndarray) -> float:
    return float(0.5 * np.abs(Z - y[:, None]).sum(axis=0).min())


# Halving --------------------------------------------------------------------------------------------------------
@shows("halving")
def halving() -> Iterator[Seen]:
    """The survivors are split in halves and the label goes against the vote; then random advice with k of n right."""
    for n in (8, 64, 1024):
        learner, Z = dl.Halving(), halved(n, int(math.log2(n)))[0]
        learner.learn_many(-Z, -np.ones(len(Z)))  # a tie is shown as +1
        yield Seen(learner.label_errors, bounds.HalvingMistakes(n=n))
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, k = int(rng.integers(4, 60)), int(rng.integers(1, 4))
        Z, y = accurate(rng, 60, np.full(n, 0.5))
        Z[:, :k] = y[:, None]
        learner = dl.Halving(empty="raise")
        learner.learn_many(Z, y)
        k = int(np.sum(learner.losses() == 0.0))
        if n >= 2 * k:
            yield Seen(learner.label_errors, bounds.HalvingMistakes(n=n, k=k))


def epochs(n: int, count: int) -> dl.Learner:
    """Whoever was wrong is right for the rest of the epoch, and the last one is wrong at its end: one error each."""
    learner, lg = dl.Halving(), int(math.log2(n))
    for epoch in range(count + 1):
        for k in range(lg + (epoch < count)):
            z = -np.ones(n)
            z[n - (n >> k) : n - (n >> (k + 1)) if k < lg else n] = 1.0
            learner.update(z, -1.0)
    return learner


@shows("halving-reset")
def halving_reset() -> Iterator[Seen]:
    for n, count in ((8, 3), (64, 10)):
        learner = epochs(n, count)
        yield Seen(learner.label_errors, bounds.HalvingReset(n=n, L=int(learner.losses().min())))
    rng = np.random.default_rng(17)
    for _ in range(20):
        n = int(rng.integers(2, 40))
        Z, y = accurate(rng, 200, rng.uniform(0.5, 0.99, n))
        learner = dl.Halving()
        learner.learn_many(Z, y)
        yield Seen(learner.label_errors, bounds.HalvingReset(n=n, L=int(learner.losses().min())))


@breaks("halving")
def no_expert_is_always_right() -> Broken:
    return Broken(epochs(64, 2).label_errors, bounds.HalvingMistakes(n=64).value)


@breaks("halving-reset")
def errors_of_the_best_expert_that_are_not_counted() -> Broken:
    return Broken(epochs(64, 2).label_errors, bounds.HalvingReset(n=64, L=0).value)


# weighted majority and exponential weights ----------------------------------------------------------------------
def outvoted(n: int, beta: float, seed: int, rounds: int = 150) -> Any:
    """Half of the weight says +1, and the label is what the vote is not: every round is a mistake."""
    rng, learner, v = np.random.default_rng(seed), dl.WeightedMajority(beta), np.full(n, 1.0 / n)
    for _ in range(rounds):
        order = rng.permutation(n)
        z = -np.ones(n)
        z[order[: int(np.searchsorted(np.cumsum(v[order]), 0.5)) + 1]] = 1.0
        learner.update(z, -1.0 if learner.predict(z) >= 0.0 else 1.0)
        v = learner.distribution()
    return learner


@shows("weightedmajority")
def weighted_majority() -> Iterator[Seen]:
    for seed, beta in enumerate((0.05, 1.0 / math.e, 0.8, 0.95)):
        learner = outvoted(8 + 12 * seed, beta, seed)
        L = float(learner.losses().min())
        yield Seen(learner.label_errors, bounds.WeightedMajorityMistakes(n=8 + 12 * seed, L=L, beta=beta))
    for seed in range(8):
        rng = np.random.default_rng(seed)
        Z, y = accurate(rng, 200, rng.uniform(0.4, 0.95, 20))
        for beta in (0.1, 0.9):
            learner = dl.WeightedMajority(beta)
            learner.learn_many(Z, y)
            L = float(learner.losses().min())
            yield Seen(learner.label_errors, bounds.WeightedMajorityMistakes(n=20, L=L, beta=beta))


@breaks("weightedmajority")
def constants_of_the_mean() -> Broken:
    """A vote pays twice what the average does: the bound on the loss of the latter is none on its mistakes."""
    learner = outvoted(20, 0.95, 0)
    loss = bounds.ExponentialWeightsLoss(n=20, L=float(learner.losses().min()), eta=-math.log(0.95))
    return Broken(learner.label_errors, loss.value)


def advice() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Experts that guess, that are right in part, that speak in fractions, and a leader that is always wrong."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, rounds = int(rng.integers(2, 40)), (50, 200)[seed % 2]
        Z, y = accurate(rng, rounds, np.full(n, 0.5) if seed % 3 == 1 else rng.uniform(0.5, 0.99, n))
        if seed % 3 == 0:
            Z = np.clip(Z + rng.normal(size=Z.shape) * rng.uniform(0.1, 2.0, n), -1.0, 1.0)
        yield Z, y
    Z = np.tile([[1.0, -1.0], [-1.0, 1.0]], (100, 1))
    Z[0] = 0.0
    yield Z, np.ones(200)


@shows("exponentialweights")
def exponential_weights() -> Iterator[Seen]:
    for Z, y in (*advice(), halved(1 << 12, 12)):
        for eta in (0.1, 1.0, 3.0):
            learner = dl.ExponentialWeights(eta)
            learner.learn_many(Z, y)
            yield Seen(learner.loss, bounds.ExponentialWeightsLoss(n=Z.shape[1], L=best(Z, y), eta=eta))


@shows("exponentialweights-known")
def exponential_weights_known() -> Iterator[Seen]:
    for Z, y in advice():
        bound = bounds.ExponentialWeightsKnown(n=Z.shape[1], L=best(Z, y), T=len(y))
        learner = dl.ExponentialWeights(**bound.tuning())
        learner.learn_many(Z, y)
        yield Seen(learner.loss, bound, bound.L)


@shows("exponentialweights-anytime")
def exponential_weights_anytime() -> Iterator[Seen]:
    for Z, y in advice():
        learner = dl.ExponentialWeights(schedule="anytime")
        learner.learn_many(Z, y)
        L = best(Z, y)
        yield Seen(learner.loss, bounds.ExponentialWeightsAnytime(n=Z.shape[1], L=L, T=len(y)), L)


@shows("exponentialweights-doubling")
def exponential_weights_doubling() -> Iterator[Seen]:
    for Z, y in advice():
        learner = dl.ExponentialWeights(schedule="doubling")
        learner.learn_many(Z, y)
        L = best(Z, y)
        yield Seen(learner.loss, bounds.ExponentialWeightsDoubling(n=Z.shape[1], L=L, T=len(y)), L)


@shows("adahedge")
def ada_hedge() -> Iterator[Seen]:
    for Z, y in advice():
        learner = dl.AdaHedge()
        learner.learn_many(Z, y)
        L = best(Z, y)
        yield Seen(learner.loss, bounds.AdaHedgeLoss(n=Z.shape[1], L=L, T=len(y)), L)


@breaks("exponentialweights")
def many_experts_for_nothing() -> Broken:
    """Without ln n a perfect expert would make everything free."""
    learner = dl.ExponentialWeights(3.0)
    learner.learn_many(*halved(64, 6))
    return Broken(learner.loss, bounds.ExponentialWeightsLoss(n=1, L=0.0, eta=3.0).value)


@breaks("exponentialweights-known")
def another_rate() -> Broken:
    Z, y = np.tile([1.0, -1.0], (400, 1)), np.ones(400)
    learner = dl.ExponentialWeights(1e-4)
    learner.learn_many(Z, y)
    return Broken(learner.loss, bounds.ExponentialWeightsKnown(n=2, L=0.0, T=400).value)


@breaks("exponentialweights-anytime", "exponentialweights-doubling", "adahedge")
def no_regret_at_all() -> Broken:
    Z, y = halved(64, 6)
    losses = []
    for learner in (dl.ExponentialWeights(), dl.ExponentialWeights(schedule="doubling"), dl.AdaHedge()):
        learner.learn_many(Z, y)
        losses.append(learner.loss)
    return Broken(min(losses), best(Z, y) + 1.0)


# shares ---------------------------------------------------------------------------------------------------------
def shifting() -> Iterator[tuple[np.ndarray, np.ndarray, int, float, float]]:
    """Advice, shifts, the loss of the best sequence of experts with these, and a rate."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(2, 15)), int(rng.integers(1, 6))
        Z, y = switching(rng, 200, n, k)
        for eta in (0.3, 2.0):
            yield Z, y, k, best_partition(0.5 * np.abs(Z - y[:, None]), k), eta
    Z, y = halved(1 << 12, 12)
    yield Z, y, 0, 0.0, 3.0


def fixed(form: type[bounds.FixedShareLoss]) -> Iterator[Seen]:
    for Z, y, k, L, eta in shifting():
        T, n = Z.shape
        alpha = min(k / (T - 1), (n - 1) / n) if k else 1e-9
        bound = form(n=n, L=L, k=k, alpha=alpha, eta=eta, T=T)
        learner = dl.FixedShare(eta, alpha)
        learner.learn_many(Z, y)
        yield Seen(learner.label_errors if form.limits == "mistakes" else learner.loss, bound)


shows("fixedshare")(lambda: fixed(bounds.FixedShareLoss))
shows("fixedshare-vote")(lambda: fixed(bounds.FixedShareVote))


@shows("variableshare")
def variable_share() -> Iterator[Seen]:
    for Z, y, k, L, eta in shifting():
        n = Z.shape[1]
        alpha = min(k / (k + max(L, 1.0)), 0.999 * (n - 1) / n) if k else 1e-9
        learner = dl.VariableShare(eta, alpha)
        learner.learn_many(Z, y)
        yield Seen(learner.loss, bounds.VariableShareLoss(n=n, L=L, k=k, alpha=alpha, eta=eta))


@breaks("fixedshare")
def the_share_bound_as_it_is_printed() -> Broken:
    """(1 + eta) L + (1 + eta) / eta (k ln(T / k) + k ln n): with no shift and a perfect expert no loss is allowed."""
    learner = dl.FixedShare(1.0, 1e-6)
    learner.learn_many(*halved(64, 6))
    return Broken(learner.loss, (1.0 + 1.0) * float(learner.losses().min()))


@breaks("fixedshare-vote")
def the_vote_pays_more_than_the_mean() -> Broken:
    """A vote that is a tie or lost on every round: the bound on the loss is none on mistakes."""
    learner = dl.FixedShare(0.05, 1e-9)
    v = np.full(20, 0.05)
    for _ in range(150):
        order = np.argsort(v)
        z = -np.ones(20)
        z[order[::2]] = 1.0
        learner.update(z, -1.0 if learner.predict(z) >= 0.0 else 1.0)
        v = learner.distribution()
    L = float(learner.losses().min())
    return Broken(learner.label_errors, bounds.FixedShareLoss(n=20, L=L, k=0, alpha=1e-9, eta=0.05, T=150).value)


@breaks("variableshare")
def shifts_that_are_not_paid_for() -> Broken:
    """Two experts are right in turn, a hundred rounds each; the sequence of both never errs."""
    y = np.ones(400)
    first = np.tile(np.repeat([1.0, -1.0], 100), 2)
    learner = dl.VariableShare(1.0, 0.3)
    learner.learn_many(np.column_stack([first, -first]), y)
    return Broken(learner.loss, bounds.VariableShareLoss(n=2, L=0.0, k=0, alpha=0.3, eta=1.0).value)
