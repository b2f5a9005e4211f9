"""The learners of experts keep their bounds, against adversaries and on random sequences."""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftline as dl
from tests.support.bitwise import refused
from tests.support.expert_cases import SEEDS
from tests.support.expert_sequences import accurate, best_partition, halved, switching


# ------------------------------------------------------------------------------------------------ votes: 1.1 and 1.2
def test_halving_makes_no_more_mistakes_than_lg_n_over_k() -> None:
    rng = np.random.default_rng(1)
    most = 0.0
    for _ in range(60):
        n = int(rng.integers(2, 200))
        Z, y = accurate(rng, 60, np.full(n, 0.5))
        Z[:, rng.choice(n, int(rng.integers(1, max(2, n // 4))), replace=False)] = y[:, None]
        learner = dl.Halving(empty="raise")
        learner.learn_many(Z, y)
        bound = math.floor(math.log2(n / np.count_nonzero(learner.losses() == 0.0)) + 1e-12)
        assert learner.label_errors <= bound
        assert np.count_nonzero(learner.distribution()) == np.count_nonzero(learner.losses() == 0.0)
        most = max(most, learner.label_errors / max(1, bound))
    assert most > 0.4


@pytest.mark.parametrize("n", [8, 64, 1024])
def test_an_adversary_costs_halving_lg_n_mistakes(n: int) -> None:
    """The survivors are split in halves, and the label goes against the vote: the bound less one is wrong."""
    learner, alive = dl.Halving(), np.arange(n)
    while len(alive) > 1:
        z = np.ones(n)
        z[alive[: len(alive) // 2]] = -1.0
        assert learner.update(z, -1.0) == 0.0  # a tie, shown as +1
        alive = alive[: len(alive) // 2]
    assert learner.label_errors == math.log2(n)
    assert np.flatnonzero(learner.distribution()).tolist() == alive.tolist()


def test_halving_starts_over_and_keeps_its_bound() -> None:
    rng = np.random.default_rng(17)
    ratios, resets = [], 0
    for _ in range(60):
        n = int(rng.integers(2, 40))
        Z, y = accurate(rng, 200, rng.uniform(0.5, 0.99, n))
        learner = dl.Halving()
        learner.learn_many(Z, y)
        lg = math.floor(math.log2(n) + 1e-12)
        ratios.append(learner.label_errors / max(1.0, (lg + 1) * learner.losses().min() + lg))
        assert learner.infeasible <= learner.losses().min()
        resets += learner.infeasible
    assert 0.4 < max(ratios) <= 1.0 and resets > 100


def test_halving_may_refuse_to_be_left_with_no_expert() -> None:
    learner = dl.Halving(empty="raise")
    learner.learn_many([[1, -1], [1, 1]], [1, 1])
    with refused(learner, "x must leave an expert", "Set empty='reset'"):
        learner.learn_one([-1, 1], 1)
    with refused(learner, "row 1 must leave an expert"):
        learner.learn_many([[1, 1], [-1, 1]], [1, 1])
    reset = dl.Halving()
    reset.learn_many([[1, -1], [1, 1], [-1, 1]], [1, 1, 1])
    assert (reset.infeasible, reset.distribution().tolist()) == (1, [0.5, 0.5])


def majority_bound(errors: float, n: int, beta: float) -> float:
    return (math.log(1.0 / beta) * errors + math.log(n)) / math.log(2.0 / (1.0 + beta))


def test_weighted_majority_keeps_its_bound_against_an_adversary() -> None:
    """Half of the weight says +1, and the label is what the vote is not: 0.75 of the bound is wrong."""
    rng = np.random.default_rng(6)
    ratios = []
    for beta in np.repeat([0.05, 1.0 / math.e, 0.8, 0.95], 8).tolist():
        n = int(rng.integers(2, 60))
        learner = dl.WeightedMajority(beta)
        v = np.full(n, 1.0 / n)
        for _ in range(150):
            order = rng.permutation(n)
            half = int(np.searchsorted(np.cumsum(v[order]), 0.5)) + 1
            z = -np.ones(n)
            z[order[:half]] = 1.0
            learner.update(z, -1.0 if learner.predict(z) >= 0.0 else 1.0)
            v = learner.distribution()
        assert learner.label_errors == 150
        ratios.append(150 / majority_bound(learner.losses().min(), n, beta))
    assert 0.75 < max(ratios) <= 1.0


@pytest.mark.parametrize("kind", ["signs", "reals"])
def test_weighted_majority_keeps_its_bound_also_where_experts_abstain(kind: str) -> None:
    mistakes = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n, beta = int(rng.integers(2, 40)), float(rng.choice([0.1, 0.5, 0.9]))
        Z, y = accurate(rng, 200, rng.uniform(0.4, 0.95, n))
        if kind == "reals":
            Z *= rng.choice([0.0, 0.01, 1.0], Z.shape)
        learner = dl.WeightedMajority(beta)
        learner.learn_many(Z, y)
        assert learner.losses().tolist() == (np.sign(Z) != y[:, None]).sum(axis=0).tolist()
        assert learner.mistakes <= majority_bound(learner.losses().min(), n, beta)
        mistakes += learner.mistakes
    assert mistakes > 20


def test_weighted_majority_without_memory_is_halving() -> None:
    """With beta = 0 to the last bit; with beta near 0 but where the survivors tie, which the dead then break."""
    ties = broken = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Z, y = accurate(rng, 40, np.full(30, 0.5))
        Z[:, rng.integers(30)] = y
        due = dl.Halving(empty="raise").learn_many(Z, y)
        assert dl.WeightedMajority(0.0).learn_many(Z, y).tolist() == due.tolist()
        near = dl.WeightedMajority(1e-9).learn_many(Z, y)
        tie = due == 0.0
        assert (np.sign(near[~tie]) == np.sign(due[~tie])).all()
        ties += np.count_nonzero(tie)
        broken += np.count_nonzero(near[tie] < 0.0)
    assert ties > 10 and 0 < broken < ties
    assert (dl.WeightedMajority(0.7).learn_many(Z, y) >= 0.0).tolist() != (due >= 0.0).tolist()


def test_error_counts_stay_exact_where_powers_underflow() -> None:
    learner = dl.WeightedMajority()
    learner.learn_many(np.tile([1.0, -1.0], (5000, 1)), np.ones(5000))
    learner.learn_many(np.tile([1.0, -1.0], (4999, 1)), -np.ones(4999))
    assert learner.losses().tolist() == [4999.0, 5000.0]
    assert learner.distribution() == pytest.approx([math.e / (1.0 + math.e), 1.0 / (1.0 + math.e)])


# ------------------------------------------------------------------------------------------------ mean: 1.3
def three_kinds(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, rounds = int(rng.integers(2, 40)), int(rng.choice([50, 200]))
    if seed % 3 == 0:
        Z, y = accurate(rng, rounds, np.full(n, 0.8))
        return np.clip(Z + rng.normal(size=Z.shape) * rng.uniform(0.1, 2.0, n), -1.0, 1.0), y
    return accurate(rng, rounds, np.full(n, 0.5) if seed % 3 == 1 else rng.uniform(0.5, 0.99, n))


def exponential_bound(loss: float, n: int, eta: float) -> float:
    return (eta * loss + math.log(n)) / (1.0 - math.exp(-eta))


def test_exponential_weights_lose_no_more_than_their_bound() -> None:
    ratios = []
    for seed in range(40):
        Z, y = three_kinds(seed)
        for eta in (0.1, 0.5, 1.0, 3.0):
            learner = dl.ExponentialWeights(eta)
            learner.learn_many(Z, y)
            ratios.append(learner.loss / exponential_bound(learner.losses().min(), Z.shape[1], eta))
            assert learner.mistakes <= 2.0 * learner.loss + 1e-9
    Z, y = halved(1 << 12, 12)
    learner = dl.ExponentialWeights(3.0)
    learner.learn_many(Z, y)
    ratios.append(learner.loss / exponential_bound(0.0, 1 << 12, 3.0))
    assert 0.85 < max(ratios) <= 1.0  # so that a bound of 0.85 times this one would be wrong


def test_regret_without_tuning() -> None:
    """A fixed rate for a known number of rounds, the schedules that need not know it, and AdaHedge."""
    worst = dict.fromkeys(("fixed", "anytime", "doubling", "adahedge"), 0.0)
    for seed in range(60):
        Z, y = three_kinds(seed)
        if seed % 6 == 0:  # the leader is always wrong
            Z, y = np.tile([[1.0, -1.0], [-1.0, 1.0]], (100, 1)), np.ones(200)
            Z[0] = 0.0
        (rounds, n), root = Z.shape, math.sqrt(len(y) * math.log(Z.shape[1]) / 2.0)
        best = 0.5 * np.abs(Z - y[:, None]).sum(axis=0).min()
        B = 1.0 + 2.0 * math.log(n)
        hedged = min(1.0 + math.sqrt(1.0 + rounds * math.log(n)), B + math.sqrt(B * B + 4.0 * best * math.log(n)))
        for name, learner, bound in (
            ("fixed", dl.ExponentialWeights(math.sqrt(8.0 * math.log(n) / rounds)), root),
            ("anytime", dl.ExponentialWeights(), 2.0 * root + math.sqrt(math.log(n) / 8.0)),
            ("doubling", dl.ExponentialWeights(schedule="doubling"), root * math.sqrt(2.0) / (math.sqrt(2.0) - 1.0)),
            ("adahedge", dl.AdaHedge(), hedged),
        ):
            learner.learn_many(Z, y)
            assert learner.losses().min() == pytest.approx(best)
            worst[name] = max(worst[name], (learner.loss - best) / bound)
    assert all(0.3 < ratio <= 1.0 for ratio in worst.values()), worst


def test_the_regret_of_adahedge_is_at_most_twice_its_gap() -> None:
    for seed in range(30):
        Z, y = three_kinds(seed)
        learner = dl.AdaHedge()
        learner.learn_many(Z, y)
        gap = learner._engine.own[2]
        assert gap > 0.0
        assert learner.loss - learner.losses().min() <= 2.0 * gap + 1e-9


def test_adahedge_pays_little_for_an_easy_sequence() -> None:
    Z = np.tile([1.0, -1.0, -1.0], (5000, 1))
    learner = dl.AdaHedge()
    learner.learn_many(Z, np.ones(5000))
    assert learner.loss < 2.0
    anytime = dl.ExponentialWeights()
    anytime.learn_many(Z, np.ones(5000))
    assert anytime.loss < 3.0


# ------------------------------------------------------------------------------------------------ shares: 1.4
def share_cost(n: int, k: int, rounds: int, alpha: float) -> float:
    return math.log(n) + k * math.log((n - 1) / alpha) - (rounds - 1 - k) * math.log1p(-alpha)


@pytest.mark.parametrize("eta", [0.3, 1.0, 2.0])
def test_shares_lose_no_more_than_the_best_sequence_of_experts_allows(eta: float) -> None:
    ratios: dict[str, list[float]] = {"fixed": [], "vote": [], "variable": []}
    for seed in range(16):
        rng = np.random.default_rng(seed)
        n, k, rounds = int(rng.integers(2, 15)), int(rng.integers(1, 6)), 200
        Z, y = switching(rng, rounds, n, k)
        loss = best_partition(0.5 * np.abs(Z - y[:, None]), k)
        alpha = min(k / (rounds - 1), (n - 1) / n)
        fixed = dl.FixedShare(eta, alpha)
        fixed.learn_many(Z, y)
        bound = eta * loss + share_cost(n, k, rounds, alpha)
        ratios["fixed"].append(fixed.loss * (1.0 - math.exp(-eta)) / bound)
        ratios["vote"].append(fixed.label_errors * math.log(2.0 / (1.0 + math.exp(-eta))) / bound)
        alpha = min(k / (k + max(loss, 1.0)), 0.999 * (n - 1) / n)
        variable = dl.VariableShare(eta, alpha)
        variable.learn_many(Z, y)
        bound = math.log(n) + k * (eta + math.log((n - 1) / alpha)) + loss * (eta - math.log1p(-alpha))
        ratios["variable"].append(variable.loss * (1.0 - math.exp(-eta)) / bound)
    assert all(0.2 < max(some) <= 1.0 for some in ratios.values())
    assert max(ratios["fixed"]) > 0.4 and max(ratios["variable"]) > 0.4


def test_the_printed_share_bound_without_ln_n_is_violated() -> None:
    """With no change and a perfect expert it would allow no loss at all."""
    Z, y = halved(64, 6)
    learner = dl.FixedShare(1.0, 1e-6)
    learner.learn_many(Z, y)
    assert learner.losses().min() == 0.0 < 3.0 < learner.loss
    assert learner.loss <= share_cost(64, 0, 6, 1e-6) / (1.0 - math.exp(-1.0))
