"""The learners of experts: agreement with their oracles, and the ways to call them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import driftline as dl
from tests.oracles import experts as oracles
from tests.support.expert_cases import SEEDS, SETTINGS, advice, every_name, every_setting, made


def oracle_of(name: str, n: int, parameters: dict[str, Any]) -> oracles.ExpertOracle:
    oracle: oracles.ExpertOracle = getattr(oracles, dl.REGISTRY[name].__name__)(n, **parameters)
    return oracle


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
