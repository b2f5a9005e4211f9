"""The learners of experts agree with their oracles, keep their bounds, and refuse what is not advice."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.state import SCORE
from driftline.internals.numeric.scalar_exp import exp_of
from driftline.internals.rows import DenseRows
from driftline.saved.container import write
from driftline.saved.model import KIND, state_of
from tests.oracles import experts as oracles
from tests.support.bitwise import refused
from tests.support.expert_sequences import accurate, best_partition, halved, switching

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("halving", {}),
    ("weightedmajority", {"beta": 0.0}),
    ("weightedmajority", {}),
    ("weightedmajority", {"beta": 0.9}),
    ("exponentialweights", {}),
    ("exponentialweights", {"eta": 0.3}),
    ("exponentialweights", {"eta": 50.0}),
    ("exponentialweights", {"schedule": "doubling"}),
    ("adahedge", {}),
    ("fixedshare", {}),
    ("fixedshare", {"eta": 5.0, "alpha": 0.3}),
    ("fixedshare", {"eta": 800.0, "alpha": 1e-9}),
    ("fixedshare", {"eta": 0.5, "alpha": 1.0}),
    ("variableshare", {}),
    ("variableshare", {"eta": 3.0, "alpha": 0.9}),
    ("variableshare", {"eta": 800.0, "alpha": 1e-9}),
]
every_setting = pytest.mark.parametrize(("name", "parameters"), SETTINGS, ids=str)
NAMES = sorted({name for name, _ in SETTINGS})
every_name = pytest.mark.parametrize("name", NAMES)
SEEDS = range(12)


def made(name: str, **parameters: Any) -> Any:
    return dl.REGISTRY[name](**parameters)


def oracle_of(name: str, n: int, parameters: dict[str, Any]) -> oracles.ExpertOracle:
    oracle: oracles.ExpertOracle = getattr(oracles, dl.REGISTRY[name].__name__)(n, **parameters)
    return oracle


def advice(kind: str, seed: int, rounds: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    Z, y = switching(rng, rounds, n, 4) if n > 1 else accurate(rng, rounds, np.full(1, 0.7))
    if kind == "reals":
        Z = np.clip(Z * rng.uniform(0.0, 2.0, Z.shape), -1.0, 1.0) * (rng.random(Z.shape) < 0.8)
    return Z, y


# ------------------------------------------------------------------------------------------------- the right numbers
@every_setting
@pytest.mark.parametrize("kind", ["signs", "reals"])
@pytest.mark.parametrize("n", [2, 3, 17])
def test_agrees_with_the_oracle(name: str, parameters: dict[str, Any], kind: str, n: int) -> None:
    if name == "halving" and kind == "reals":
        return
    Z, y = advice(kind, 5, 400, n)
    w = np.random.default_rng(1).choice([0.0, 0.4, 1.0, 3.0], len(y))
    slow, learner, sparse = oracle_of(name, n, parameters), made(name, **parameters), made(name, **parameters)
    due = [slow.learn(*one) for one in zip(Z, y, w, strict=True)]
    assert np.abs(learner.learn_many(Z, y, w) - due).max() <= 1e-9
    assert np.abs(sparse.learn_many(csr_matrix(Z), y, w) - due).max() <= 1e-9
    for one in (learner, sparse):
        assert np.abs(one.distribution() - slow.shares()).max() <= 1e-9
        assert one.losses() == pytest.approx(slow.L, rel=1e-12, abs=1e-12)
        assert one.loss == pytest.approx(slow.loss, rel=1e-9)
        assert one.updates == np.count_nonzero(w)


@every_setting
def test_one_expert_is_followed(name: str, parameters: dict[str, Any]) -> None:
    Z, y = advice("signs", 2, 50, 1)
    learner = made(name, **parameters)
    assert learner.learn_many(Z, y).tolist() == Z[:, 0].tolist()
    assert learner.distribution().tolist() == [1.0]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SETTINGS), st.integers(1, 9), st.integers(0, 10**6), st.sampled_from([1e-3, 1.0, 1e9]))
def test_shares_are_a_distribution(setting: tuple[str, dict[str, Any]], n: int, seed: int, w: float) -> None:
    rng = np.random.default_rng(seed)
    name, parameters = setting
    Z = rng.choice([-1.0, 1.0], (60, n)) if name == "halving" else rng.choice([-1.0, -1e-9, 0.0, 0.3, 1.0], (60, n))
    learner = made(name, **parameters)
    scores = learner.learn_many(Z, rng.choice([-1.0, 1.0], 60), w)
    assert (np.abs(scores) <= 1.0).all()
    v = learner.distribution()
    assert (v >= 0.0).all() and abs(v.sum() - 1.0) < 1e-12


def test_fixed_share_is_the_same_in_logarithms_to_the_last_digits() -> None:
    for seed in SEEDS:
        Z, y = advice("reals", seed, 500, 8)
        slow, learner = oracles.FixedShare(8, 2.0, 0.02), dl.FixedShare(2.0, 0.02)
        for z, label in zip(Z, y, strict=True):
            slow.learn(z, label)
            learner.update(z, label)
            assert np.abs(learner.distribution() - slow.shares()).max() <= 1e-12


def test_variable_share_returns_from_shares_below_any_float() -> None:
    """One expert is right for 3,000 rounds; the other has lost e^3000 by then, and leads a few rounds later."""
    learner = dl.VariableShare(eta=1.0, alpha=0.01)
    learner.learn_many(np.tile([1.0, -1.0], (3000, 1)), np.ones(3000))
    assert learner.distribution()[1] == 0.0
    learner.learn_many(np.tile([1.0, -1.0], (12, 1)), -np.ones(12))
    assert learner.distribution()[1] > 0.9
    fixed = dl.ExponentialWeights(eta=1.0)
    fixed.learn_many(np.tile([1.0, -1.0], (3000, 1)), np.ones(3000))
    fixed.learn_many(np.tile([1.0, -1.0], (3000, 1)), -np.ones(3000))
    assert fixed.distribution().tolist() == [0.5, 0.5]


def test_variable_share_shares_exactly_also_below_any_float() -> None:
    """Two experts that lose give to each other at e^-800, where only their logarithms are left."""
    slow, learner = oracles.VariableShare(3, 800.0, 0.5), dl.VariableShare(800.0, 0.5)
    for z in ([1.0, -1.0, -1.0], [1.0, -1.0, 0.2], [1.0, 0.1, -1.0], [1.0, -1.0, -1.0]):
        slow.learn(np.array(z), 1.0)
        learner.update(z, 1.0)
        assert slow.g[1:].max() < -600.0
        assert learner._engine.aside == pytest.approx(slow.g, abs=1e-9)


@pytest.mark.parametrize("eta", [1e6, 1e308])
@pytest.mark.parametrize("name", ["exponentialweights", "fixedshare", "variableshare"])
def test_a_huge_rate_follows_whoever_was_right_last(name: str, eta: float) -> None:
    learner = made(name, eta=eta)
    learner.learn_many([[1.0, -1.0, 0.5]], [1.0])
    assert learner.distribution()[0] > 0.85
    learner.learn_many([[1.0, 1.0, 1.0]] * 3, [-1.0] * 3)  # all are wrong
    shares = learner.distribution()
    assert np.isfinite(shares).all() and shares[0] == shares.max()


def test_an_alpha_of_1_shares_everything() -> None:
    learner = dl.FixedShare(eta=3.0, alpha=1.0)
    learner.learn_many([[1.0, -1.0, 1.0, 0.5]] * 5, [1.0] * 5)
    assert learner.distribution() == pytest.approx([0.25] * 4)


def test_a_new_leader_is_found_sooner_with_shares() -> None:
    Z = np.vstack([np.tile([1.0, -1.0], (200, 1)), np.tile([-1.0, 1.0], (200, 1))])
    y = np.ones(400)
    mistakes = {name: made(name, eta=1.0).learn_many(Z, y) <= 0.0 for name in ("fixedshare", "exponentialweights")}
    assert mistakes["fixedshare"].sum() <= 10
    assert mistakes["exponentialweights"].sum() >= 200


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


# ------------------------------------------------------------------------------------------------ how it is called
@every_name
def test_one_round_or_a_matrix_of_them(name: str) -> None:
    Z, y = advice("signs", 3, 30, 4)
    one, many, named, listed = (made(name) for _ in range(4))
    dicts = [dict(zip("abcd", z.tolist(), strict=True)) for z in Z]
    scores = []
    for z, label in zip(Z, y, strict=True):
        p = one.predict(z)
        assert one.update(z, label) == pytest.approx(p, abs=1e-12)
        scores.append(p)
        assert named.predict(dicts[len(scores) - 1]) == pytest.approx(p, abs=1e-12)
        named.update(dicts[len(scores) - 1], label)
    assert many.predict(Z[:5]).tolist() == [made(name).predict(z) for z in Z[:5]]
    assert many.update(Z, y) == pytest.approx(scores, abs=1e-12)
    assert listed.update(dicts, y) == pytest.approx(scores, abs=1e-12)
    assert listed.predict(csr_like(dicts)) == pytest.approx(many.predict(Z), abs=1e-12)
    assert one.loss == pytest.approx(0.5 * np.abs(np.array(scores) - y).sum())
    assert list(named.weights()) == [c for c, share in zip("abcd", named.distribution(), strict=True) if share > 0.0]


def csr_like(dicts: list[dict[str, float]]) -> list[dict[str, float]]:
    """The same with the names in another order."""
    return [dict(reversed(one.items())) for one in dicts]


@every_name
def test_nothing_learned_yet(name: str) -> None:
    learner = made(name)
    assert learner.distribution().size == learner.losses().size == learner.loss == 0
    assert learner.predict([1.0, 1.0, -1.0, 1.0]) == 0.5  # all count alike
    assert learner.predict([{"a": 1.0}, {"a": 1.0, "b": -1.0}]).tolist() == [1.0, 0.0]
    assert learner.predict(np.zeros((0, 3))).size == 0
    assert learner.distribution().size == learner.n_features == 0


def test_an_expert_that_is_absent_abstains() -> None:
    learner = dl.FixedShare()
    learner.learn_one({"a": 1.0, "b": -1.0}, 1)
    learner.learn_one({"b": 1.0}, 1)
    assert learner.losses().tolist() == [0.5, 1.0]
    assert learner.score_one({"b": 1.0, "c": 1.0, "d": 1.0}) == learner.distribution()[1]  # strangers have no share


def test_sample_weights_multiply_losses() -> None:
    Z, y = advice("reals", 4, 60, 5)
    for name in ("weightedmajority", "adahedge", "fixedshare"):
        heavy, plain = made(name), made(name)
        heavy.learn_many(Z, y, 2.0)
        plain.learn_many(Z, y)
        assert heavy.losses() == pytest.approx(2.0 * plain.losses())
    twice, once = dl.ExponentialWeights(0.5), dl.ExponentialWeights(1.0)
    assert twice.learn_many(Z, y, 2.0) == pytest.approx(once.learn_many(Z, y))


# ------------------------------------------------------------------------------------------------ what is refused
@every_name
@pytest.mark.parametrize("taught", [False, True])
def test_advice_out_of_range(name: str, taught: bool) -> None:
    Z, y = advice("signs", 5, 20, 4)
    learner = made(name)
    if taught:
        learner.learn_many(Z, y)
    bad = Z[:6].copy()
    bad[3, 2] = -1.5
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.update(bad, y[:6])
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.update(csr_matrix(bad), y[:6])
    with refused(learner, "x must be advice", "got -1.5 from expert 2"):
        learner.update(bad[3], y[3])
    with refused(learner, "row 3 must be advice", "got -1.5 from expert 2"):
        learner.predict(bad)
    with refused(learner, "x must be advice", "got -1.5 from expert 2"):
        learner.predict(bad[3])
    twin = made(name)
    if taught:
        twin.learn_many(Z, y)
    assert learner.learn_many(Z, y).tolist() == twin.learn_many(Z, y).tolist()


def test_halving_takes_whole_votes_only() -> None:
    learner = dl.Halving()
    learner.learn_many([[1, -1]], [1])
    with refused(learner, "x must be advice of -1 or +1, got 0.0 from expert 1", "Use WeightedMajority"):
        learner.learn_one([1, 0], 1)
    with refused(learner, "row 1 must be advice of -1 or +1, got 0.5 from expert 0"):
        learner.score_many([[1, 1], [0.5, 1]])


@every_name
def test_the_number_of_experts_is_fixed(name: str) -> None:
    Z, y = advice("signs", 6, 20, 4)
    learner = made(name)
    learner.learn_many(Z, y)
    for width in (3, 5):
        with refused(learner, "X must have 4 columns as before", f"got {width}"):
            learner.update(np.ones((2, width)), [1, 1])
    with refused(learner, "row 1 must be advice of the 4 experts of the first example, got -1.0 from expert 5"):
        learner.update(csr_matrix([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, -1]]), [1, 1])
    learner.update(csr_matrix([[1.0, 1, 1, 1, 0, 0]]), [1])  # columns that are empty do no harm
    assert learner.n_features == 4
    learner.update(Z[0], y[0])


@every_name
def test_names_that_come_later_are_no_experts(name: str) -> None:
    """Whether rows come one by one or in a block."""
    rows = [{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}]
    learner = made(name)
    with refused(learner, "row 2 must be advice of the 2 experts", "got 1.0 from expert 2"):
        learner.learn_many(rows, [1, 1, 1])
    learner.learn_many(rows[:2], [1, 1])
    with refused(learner, "x must be advice of the 2 experts"):
        learner.learn_one(rows[2], 1)
    with refused(made(name), "row 0 must be the advice of at least one expert, got none"):
        made(name).learn_many([{}, {"a": 1.0}], [1, 1])


@every_name
def test_strangers_are_silent_wherever_they_stand(name: str) -> None:
    """A score is that of the experts that are known."""
    learner = made(name)
    learner.learn_many([{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": -1.0}], [1, 1])
    due = learner.score_one({"a": 1.0, "b": -1.0})
    assert due > 0.0
    for row in ({"zz": 1.0, "a": 1.0, "b": -1.0}, {"a": 1.0, "zz": -1.0, "b": -1.0}, {"a": 1.0, "b": -1.0, "zz": 1.0}):
        assert learner.score_one(row) == due
        assert learner.score_many([row, row]).tolist() == [due, due]
    with refused(learner, "x must be advice of the 2 experts", "got -1.0 from expert 2"):
        learner.learn_one({"zz": -1.0, "a": 1.0, "b": -1.0}, 1)


@every_name
def test_where_nobody_says_anything_the_score_is_0(name: str) -> None:
    learner = made(name)
    for _ in range(2):
        assert learner.score_one({}) == 0.0
        assert learner.score_many([{}, {"a": 1.0}, {"a": 1.0, "b": 1.0}]).tolist() == [0.0, 1.0, 1.0]
        with refused(learner, "x must be advice"):
            learner.learn_one({"a": 5.0}, 1)


@every_name
def test_nobody_asks_experts_for_labels(name: str) -> None:
    """The number of experts is that of the first row, which a learner around them would not see."""
    with pytest.raises(ValueError, match=r"^LabelEfficient: learner must not be of experts, .*, got "):
        dl.LabelEfficient(made(name))


@every_name
@pytest.mark.parametrize("width", [1, 2, 4, 4000])
def test_its_engine_stays_inside_its_experts(name: str, width: int) -> None:
    """Dense rows of another width are read as the sparse ones that they are."""
    Z, y = advice("signs", 6, 20, 3)
    learner = made(name)
    learner.learn_many(Z, y)
    engine = learner._engine
    before = engine.saved(3)["losses"].copy()
    rows = DenseRows(np.ones((2, width)))
    fault = "advice of the 3 experts" if width > 3 else "advice of -1 or +1"
    trials = np.ones((4, 2))
    done = engine.learn(rows, trials)
    if width > 3 or name == "halving":
        assert done == 0
        assert fault in engine.refusal()
        assert engine.losses.tolist() == before.tolist()
        return
    twin = made(name)
    twin.learn_many(Z, y)
    whole = np.zeros((2, 3))
    whole[:, :width] = 1.0
    assert (done, trials[SCORE].tolist()) == (2, twin.learn_many(whole, [1, 1]).tolist())
    scores = np.zeros(2)
    engine.score(rows, scores)
    assert scores.tolist() == twin.score_many(whole).tolist()


def test_a_file_with_more_features_than_experts(tmp_path: Path) -> None:
    """A name may be known that no expert has: one that came later and said nothing."""
    learner = dl.WeightedMajority()
    learner.learn_many([{"a": 1.0, "b": -1.0}, {"a": 1.0, "b": -1.0, "c": 0.0}], [1, 1])
    assert (learner.n_features, learner.distribution().size) == (3, 2)
    learner.save(tmp_path / "model")
    again = dl.load(tmp_path / "model")
    assert again.score_one({"c": 1.0, "a": 1.0, "b": -1.0}) == learner.score_one({"a": 1.0, "b": -1.0}) > 0.0
    columns = dl.WeightedMajority()
    columns.learn_many(np.ones((1, 3)), [1])
    meta, arrays = state_of(columns)
    meta["features"] = 5
    write(tmp_path / "wide", KIND, meta, arrays)
    wide = dl.load(tmp_path / "wide")
    assert wide.score_many(np.ones((2, 5))).tolist() == [1.0, 1.0]
    with refused(wide, "row 0 must be advice of the 3 experts", "got 1.0 from expert 3"):
        wide.learn_many(np.ones((2, 5)), [1, 1])


@every_name
def test_options_that_make_no_sense(name: str) -> None:
    where = dl.REGISTRY[name].__name__
    for option, value in (("scale", "unit"), ("hashing", dl.Hashing(4)), ("bias", True), ("dtype", "float32")):
        with pytest.raises(ValueError, match=f"^{where}: {option} must be .*, got "):
            made(name, **{option: value})


@pytest.mark.parametrize(
    ("name", "parameters", "what"),
    [
        ("halving", {"empty": "skip"}, "empty must be 'reset' or 'raise', got 'skip'"),
        ("weightedmajority", {"beta": 1.0}, "beta must be >= 0 and < 1, got 1.0"),
        ("weightedmajority", {"beta": "x"}, "beta must be a number, got 'x'"),
        ("exponentialweights", {"eta": 0.0}, "eta must be > 0, got 0.0"),
        (
            "exponentialweights",
            {"eta": 1.0, "schedule": "anytime"},
            "eta must be None with schedule='anytime', got 1.0",
        ),
        ("exponentialweights", {"schedule": "fixed"}, "eta must be a number with schedule='fixed', got None"),
        (
            "exponentialweights",
            {"schedule": "never"},
            "schedule must be 'fixed' or 'anytime' or 'doubling', got 'never'",
        ),
        ("fixedshare", {"eta": math.inf}, "eta must be finite, got inf"),
        ("fixedshare", {"alpha": 0.0}, "alpha must be >= 1e-100 and <= 1, got 0.0"),
        ("variableshare", {"alpha": 1.5}, "alpha must be >= 1e-100 and <= 1, got 1.5"),
    ],
)
def test_parameters_out_of_range(name: str, parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError) as caught:
        made(name, **parameters)
    assert str(caught.value) == f"{dl.REGISTRY[name].__name__}: {what}"


@pytest.mark.parametrize(
    ("array", "value"),
    [
        ("shares", [0.9, 1.1]),
        ("shares", [-1.0, 1.0]),
        ("shares", [0.0, 0.0]),
        ("shares", [0.0, math.nan]),
        ("shares", [1.0, 1.0, 1.0]),
        ("losses", [0.0, math.nan]),
        ("losses", [0.0]),
        ("aside", [0.0, math.inf]),
        ("own", [0.0, 0.0, 0.0, 0.0]),
        ("state", [2.0, 0.0, 0.0, 0.0, 512.0]),
    ],
)
def test_no_engine_is_made_of_what_none_can_have_saved(array: str, value: list[float]) -> None:
    learner = dl.FixedShare()
    learner.learn_many([[1.0, -1.0]], [1])
    engine = learner._engine
    with pytest.raises(ValueError):
        engine.restore(2, {**engine.saved(2), array: np.array(value)})
    engine.restore(2, {name: one.copy() for name, one in engine.saved(2).items()})


def test_the_vector_exponential() -> None:
    """Within two units in the last place, exactly 1 at 0, and 0 where floats end."""
    rng = np.random.default_rng(9)
    x = -np.abs(rng.normal(size=20_000)) * rng.choice([1e-12, 1e-3, 1.0, 30.0, 250.0], 20_000)
    x = np.concatenate([x[x >= -708.0], -np.arange(709.0)])
    found, due = np.array([exp_of(one) for one in x]), np.exp(x)
    assert (np.abs(found - due) <= 2.0 * np.spacing(due)).all()
    assert [exp_of(one) for one in (0.0, -0.0, -709.0, -1e300, -math.inf)] == [1.0, 1.0, 0.0, 0.0, 0.0]
