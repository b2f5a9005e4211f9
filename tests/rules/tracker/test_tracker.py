"""Tracker: its light bank agrees with the oracle round by round; experts, bound and runs of all banks."""

from __future__ import annotations

import copy
import math
import os
import pickle
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import bounds
from driftline.certify.rules.tracker import fewest, path
from driftline.engines.joint.families import EXPERTS
from driftline.engines.tracker.experts import train_arow
from driftline.engines.tracker.state import GROWN, TOTALS, triangle
from driftline.rules.tracker.tracker import FULL_BANK, OTHERS, Tracker, experts_of
from tests.oracles import tracker as oracles
from tests.support.bitwise import assert_same, refused, same_bits, snapshot

Bank = Literal["strong", "light", "recipe"]
LINEAR: tuple[Bank, ...] = ("light", "recipe")
"""The banks that the oracle describes."""
both = pytest.mark.parametrize("bank", ["strong", "light"])


def drifting(seed: int, rounds: int, d: int, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Features of all scales, and a plane that jumps in the middle."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, d))
    u = rng.normal(size=(2, d))
    half = (np.arange(rounds) * 2 // rounds)[:, None] == 1
    y = np.where((X * np.where(half, u[1], u[0])).sum(axis=1) + 0.3 > 0.0, 1.0, -1.0)
    y[rng.random(rounds) < noise] *= -1.0
    return X * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d), y


def agrees(
    rows: list[dict[Any, float]], y: np.ndarray, learner: dl.Tracker, votes: np.ndarray, dense: bool
) -> oracles.Tracker:
    by_hand = oracles.Tracker(learner.rule.bank)
    due = [by_hand.learn(row, label, dense) for row, label in zip(rows, y.tolist(), strict=True)]
    np.testing.assert_allclose(votes, due, rtol=0.0, atol=1e-9)
    names = [f"{view} {rule}" for view, rule in (*OTHERS, *experts_of(len(by_hand.bank)))]
    found = {one.name: one for one in learner.experts()}
    assert [found[name].mistakes for name in names] == by_hand.errors.tolist()
    np.testing.assert_allclose([found[name].weight for name in names], by_hand.G.sum(axis=0), rtol=0.0, atol=1e-9)
    assert learner.n_missing == by_hand.missing
    assert learner.n_guarded == 0
    return by_hand


def as_dicts(X: np.ndarray) -> list[dict[Any, float]]:
    return [dict(enumerate(row)) for row in X.tolist()]


# the recipe -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bank", LINEAR)
@pytest.mark.parametrize("d", [1, 3, 8, 12])
def test_dense_rows_are_learned_as_by_hand(bank: Bank, d: int) -> None:
    X, y = drifting(d, 300, d)
    learner = dl.Tracker(bank)
    agrees(as_dicts(X), y, learner, learner.learn_many(X, y), True)


@pytest.mark.parametrize("bank", LINEAR)
def test_wide_dense_rows_have_no_matrices(bank: Bank) -> None:
    X, y = drifting(5, 40, 301)
    learner = dl.Tracker(bank)
    agrees(as_dicts(X), y, learner, learner.learn_many(X, y), True)
    assert len(learner.experts()) == 5 + 18


@pytest.mark.parametrize("bank", LINEAR)
@pytest.mark.parametrize("d", [3, 12])
def test_missing_values_are_not_learned_and_outliers_little(bank: Bank, d: int) -> None:
    X, y = drifting(d, 300, d)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.01] *= 1e9
    X[rng.random(X.shape) < 0.1] = math.nan
    X[rng.random(X.shape) < 0.02] = math.inf
    X[rng.random(X.shape) < 0.02] = -1e70
    learner = dl.Tracker(bank)
    agrees(as_dicts(X), y, learner, learner.learn_many(X, y), True)
    assert learner.n_missing == np.count_nonzero(~(np.abs(X) < 1e60))


@pytest.mark.parametrize("bank", LINEAR)
def test_values_far_from_0_are_taken_by_their_range(bank: Bank) -> None:
    """Some always, some until they come closer; with values missing, and outliers."""
    X, y = drifting(4, 300, 6)
    X /= X.std(axis=0)
    X += np.array([1e4, -1e4, 1e4, -1e6, 0.0, 300.0])
    X[150:, 2] -= 1e4
    rng = np.random.default_rng(2)
    X[rng.random(X.shape) < 0.1] = math.nan
    X[rng.random(X.shape) < 0.01] = 1e12
    learner = dl.Tracker(bank)
    agrees(as_dicts(X), y, learner, learner.learn_many(X, y), True)


@pytest.mark.parametrize("bank", LINEAR)
def test_an_outlier_among_the_first_ten_values_is_found_out(bank: Bank) -> None:
    """The second feature begins late, the third one hardly varies, the fourth is constant but for the outlier; the
    fifth has another one soon after.
    """
    X, y = drifting(9, 1200, 5)
    X[:40, 1] = math.nan
    X[:, 2] = np.arange(1200) % 60 == 59
    X[:, 3] = 2.0
    X[[3, 41, 9, 4, 0, 15], [0, 1, 2, 3, 4, 4]] = 1e9, -1e12, 1e6, 1e6, 1e9, -1e9
    learner = dl.Tracker(bank)
    by_hand = agrees(as_dicts(X), y, learner, learner.learn_many(X, y), True)
    assert by_hand.restarts == (4 if bank == "light" else 0)


@pytest.mark.parametrize("bank", LINEAR)
@pytest.mark.parametrize("density", [0.3, 0.8])
def test_what_a_dict_lacks_is_0_or_missing(bank: Bank, density: float) -> None:
    """Features appear one by one, beyond those for which there are products."""
    X, y = drifting(3, 400, 14)
    rng = np.random.default_rng(1)
    X[:, 4] = 1.0  # a word: its values are all equal
    there = (rng.random(X.shape) < density) & (np.arange(400)[:, None] >= 20 * np.arange(14))
    rows = [{f"f{k}": x for k, x in enumerate(row) if some[k]} for row, some in zip(X.tolist(), there, strict=True)]
    learner = dl.Tracker(bank)
    agrees(rows, y, learner, np.array([learner.learn_one(*pair) for pair in zip(rows, y, strict=True)]), False)
    absent = np.count_nonzero(~there & (np.arange(400)[:, None] >= 20 * np.arange(14)))
    assert learner.n_missing < 0.1 * absent if density < 0.5 else learner.n_missing > 0.5 * absent
    assert len(learner.experts()) == 5 + 22


def words(rounds: int, width: int) -> tuple[csr_matrix, np.ndarray]:
    """Few features a row; more of them as it goes on."""
    rng = np.random.default_rng(7)
    X = np.zeros((rounds, width))
    for t in range(rounds):
        X[t, rng.integers(0, 20 + (width - 20) * (t + 1) // rounds, 12)] = rng.random(12)
    y = np.where(X[:, :20].sum(axis=1) > X[:, 20:40].sum(axis=1), 1.0, -1.0)
    return csr_matrix(X), y


@pytest.mark.parametrize("bank", LINEAR)
def test_sparse_rows_of_many_features_go_on_with_one_view(bank: Bank) -> None:
    X, y = words(400, 300)
    rows = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X]
    learner = dl.Tracker(bank)
    agrees(rows, y, learner, learner.learn_many(X, y), False)
    assert len(learner.experts()) == 5 + Tracker(bank).sparse
    early = dl.Tracker(bank)
    early.learn_many(X[:20], y[:20])
    assert len(early.experts()) > 5 + 10
    for cuts in ([0, 1, 19, 77, 78, 400], [0, 200, 400]):
        other = dl.Tracker(bank)
        for i, j in pairwise(cuts):
            other.learn_many(X[i:j], y[i:j])
        assert_same(snapshot(learner), snapshot(other))


@pytest.mark.parametrize("bank", LINEAR)
def test_dense_rows_may_follow_sparse_ones(bank: Bank) -> None:
    X, y = words(60, 140)
    learner, by_hand = dl.Tracker(bank), oracles.Tracker(bank)
    for start, dense in ((0, False), (20, True), (40, False)):
        part = slice(start, start + 20)
        votes = learner.learn_many(X[part].toarray() if dense else X[part], y[part])
        if dense:
            rows = as_dicts(X[part].toarray())
        else:
            rows = [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X[part]]
        due = [by_hand.learn(row, label, dense) for row, label in zip(rows, y[part].tolist(), strict=True)]
        np.testing.assert_allclose(votes, due, rtol=0.0, atol=1e-9)
    assert len(by_hand.bank) == Tracker(bank).sparse


def test_counts_that_forget_may_grow_without_end() -> None:
    """They are kept as multiples of what a round adds, which is made small again now and then."""
    X, y = words(400, 300)
    learner, grown = dl.Tracker("light"), dl.Tracker("light")
    for one in (learner, grown):
        one.learn_many(X[:200], y[:200])
    engine, factor = grown._engine, 2.0**332
    engine.own[[GROWN, TOTALS + 2, TOTALS + 3]] *= factor
    engine.bank.sparse_lines.reshape(-1, 8)[:, 6:] *= factor
    np.testing.assert_allclose(grown.learn_many(X[200:], y[200:]), learner.learn_many(X[200:], y[200:]), atol=1e-9)
    assert 1.0 <= engine.own[GROWN] < 10.0 < learner._engine.own[GROWN] * factor / 1e99


# scores ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@both
def test_a_score_is_the_vote_that_learning_begins_with(bank: Bank, kind: str) -> None:
    """Also where the row brings features, and so lets experts go."""
    X, y = words(200, 300)
    if kind == "dense":
        X = X.toarray()
    rows = X if kind != "dicts" else [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in X]
    learner = dl.Tracker(bank)
    for i in range(200):
        score = learner.score_one(rows[i])
        assert learner.learn_one(rows[i], y[i]) == pytest.approx(score, abs=1e-12)


@both
def test_weights_and_probabilities_sum_to_1(bank: Bank) -> None:
    X, y = drifting(2, 200, 4)
    learner = dl.Tracker(bank, labels=("no", "yes"))
    assert learner.predict_proba_one(X[0])["yes"] == 0.5
    learner.learn_many(X, np.where(y > 0.0, "yes", "no"))
    voters = learner.experts()
    assert sum(one.weight for one in voters) == pytest.approx(1.0)
    assert [one.weight for one in voters] == sorted((one.weight for one in voters), reverse=True)
    assert str(voters).splitlines()[0].split() == ["view", "rule", "weight", "mistakes"]
    assert len(voters) == (35 if bank == "light" else 5 + EXPERTS)
    assert len(str(voters).splitlines()) == len(voters) + 1
    assert sum(learner.predict_proba_one(X[0]).values()) == 1.0
    assert learner.largest(2) == [(one.name, one.weight) for one in voters[:2]]
    assert dl.Tracker(bank).predict_proba_one(X[0]) == {}


@both
def test_a_weight_multiplies_the_loss(bank: Bank) -> None:
    """A round of great weight is one that everyone who was right has survived."""
    X, y = drifting(2, 100, 3)
    learner = dl.Tracker(bank)
    learner.learn_many(X, y, np.where(np.arange(100) % 7 == 3, 1e9, 1.0))
    assert all(math.isfinite(one.weight) for one in learner.experts())
    assert learner.n_guarded == 0
    twin = dl.Tracker(bank)
    twin.learn_many(X, y, np.full(100, 1.0))
    assert twin.learn_many(X, y).tolist() != learner.learn_many(X, y).tolist()


@both
def test_none_is_missing_and_words_are_features(bank: Bank) -> None:
    learner, twin = dl.Tracker(bank), dl.Tracker(bank)
    for i in range(40):
        value = None if i % 5 == 2 else float(i % 7)
        learner.learn_one({"a": value, "colour": "red" if i % 2 else "blue"}, i % 2)
        twin.learn_one({"a": math.nan if value is None else value, "colour=red": 1.0} if i % 2 else
                       {"a": math.nan if value is None else value, "colour=blue": 1.0}, i % 2)  # fmt: skip
    assert learner.n_missing == 8
    assert_same(snapshot(learner), snapshot(twin))


def test_what_it_cannot_take_is_refused() -> None:
    X, y = drifting(2, 30, 3)
    learner = dl.Tracker()
    learner.learn_many(X, y)
    named = dl.Tracker()
    named.learn_one({"a": 1.0}, 1.0)
    with refused(named, "'a'", "number"):
        named.learn_one({"a": object()}, 1.0)
    with refused(learner, "columns"):
        learner.learn_many(X[:, :2], y)
    with refused(learner, "label"):
        learner.learn_one(X[0], None)
    for option in ({"bias": True}, {"dtype": "float32"}, {"scale": "log"}):
        with pytest.raises(ValueError, match=r"Tracker: .* must be"):
            dl.Tracker(**option)
    scaled = dl.Tracker(scale="unit")
    with refused(scaled, "finite"):
        scaled.learn_one(np.array([1.0, math.nan]), 1.0)


# matrices -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("silent", [False, True])
def test_a_matrix_stays_one_of_variances(silent: bool) -> None:
    """50,000 updates that forget: symmetric as it is kept, so what it does to any z stays what a variance does.

    Of a feature that is always 0 nothing is learned, so that its variance grows until there is no more to have.
    """
    rng = np.random.default_rng(4)
    n = 9
    w, P, h = np.zeros(n), np.zeros(triangle(n)), np.zeros(n)
    P[[triangle(k) - 1 for k in range(1, n + 1)]] = 1.0
    for _ in range(50_000):
        z = rng.normal(size=n)
        z[-1] *= not silent
        z /= np.linalg.norm(z)
        train_arow(w, P, z, n, 0.0, 1.0, 1.0, 0.998, 1e3 * n, h)
    full = np.zeros((n, n))
    full[np.tril_indices(n)] = P
    full = np.tril(full) + np.tril(full, -1).T
    assert np.linalg.eigvalsh(full).min() > 0.0
    assert np.trace(full) == pytest.approx(1e3 * n) if silent else np.trace(full) < 100.0
    assert np.isfinite(w).all()


# the bound ------------------------------------------------------------------------------------------------------------
def flipping(seed: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = drifting(seed, 1500, 3, noise=0.02)
    y[500:900] *= -1.0
    return X, y


@pytest.mark.parametrize("seed", range(3))
@both
def test_mistakes_are_below_the_bound_of_the_best_sequence(bank: Bank, seed: int) -> None:
    X, y = flipping(seed)
    run = dl.run(dl.Tracker(bank), (X, y), certify=True)
    certificate = run.certificate()
    assert [one.moves for one in certificate.bounds] == [False, True]
    for one in certificate.bounds:
        assert run.mistakes <= one.value
        assert one.over_time[1][-1] == pytest.approx(one.value)
        assert (np.diff(one.over_time[1]) > -1e-9).all()
    votes = run.evidence.margins * y
    moving = certificate.bounds[1].bound
    assert isinstance(moving, bounds.TrackerMistakes)
    expected = bounds.TrackerExpected(L=moving.L, k=moving.k, T=moving.T, M=moving.M)
    assert np.abs(votes - y).sum() / 2.0 <= expected.value < moving.value
    stackers = (run.evidence.expert_votes[:, 2:5] != y[:, None]).sum(axis=0)
    assert run.mistakes <= bounds.TrackerStacker(L=int(stackers.min()), T=1500).value
    assert np.array_equal(run.evidence.expert_votes.shape, (1500, 5 + (EXPERTS if bank == "strong" else FULL_BANK)))


@both
def test_the_bound_knows_of_experts_that_left(bank: Bank) -> None:
    X, y = words(300, 300)
    run = dl.run(dl.Tracker(bank), (X, y), certify=True)
    assert np.count_nonzero(run.evidence.expert_votes[-1]) == (16 if bank == "strong" else 15)
    assert run.mistakes <= run.certificate().best.value


def test_the_best_sequence_is_the_best() -> None:
    """Against all sequences of three voters over seven rounds."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        wrong = rng.random((7, 3)) < 0.5
        least, best = fewest(wrong, 4)
        every = np.indices([3] * 7).reshape(7, -1)
        errors = wrong[np.arange(7)[:, None], every].sum(axis=0)
        shifts = (np.diff(every, axis=0) != 0).sum(axis=0)
        for k in range(5):
            assert least[k] == errors[shifts <= k].min()
            found = path(best, k)
            assert len(found) <= k + 1 and found[0][1] == 0
            who = np.repeat([voter for voter, _ in found], np.diff([*(start for _, start in found), 7]))
            assert wrong[np.arange(7), who].sum() == least[k]


def test_the_bounds_are_those_of_the_description() -> None:
    for L, k, T in ((100, 0, 1000), (2500, 7, 45_000), (10, 3, 50)):
        switch = min(
            (k + 1) * math.log(64 * T),
            *((k + 1) * math.log(64) - k * math.log(a) - (T - 1 - k) * math.log(1 - a) for a in (1e-3, 1e-2)),
        )
        C = math.log(3) + switch
        for E in (1, 3):
            given = {"L": L, "k": k, "T": T, "E": E}
            lost = math.log(E) + (L / 2 + C if E == 1 else min(L / 2 + C, 0.62246 * (L + C)))
            assert bounds.TrackerMistakes(**given).value == pytest.approx(4.5647 * lost, rel=1e-4)
            assert bounds.TrackerExpected(**given).value == pytest.approx(2.5415 * lost, rel=1e-4)
    stacker = bounds.TrackerStacker(L=100, T=10_000, E=1).value
    assert stacker == pytest.approx(2.2823 * 100 + 4.5647 * (math.log(3) + math.log(60_000)), rel=1e-4)
    with pytest.raises(ValueError, match="k <= T - 1"):
        bounds.TrackerMistakes(L=0, k=5, T=5)
    with pytest.raises(ValueError, match="E = 1 or E = 3"):
        bounds.TrackerMistakes(L=0, T=5, E=2)


@pytest.mark.parametrize("eta", [0.5, 1.0])
def test_a_rate_of_learning_promises_what_the_proof_says(eta: float) -> None:
    """V(1/2, q) <= c V(eta, q) for every weight q on the wrong side, with equality as q goes to 0."""
    q = np.linspace(1e-9, 1.0, 100_001)
    c = -math.expm1(-0.5) / -math.expm1(-eta)
    ratio = np.log1p(q * math.expm1(-0.5)) / np.log1p(q * math.expm1(-eta))
    assert (ratio <= c * (1.0 + 1e-12)).all() and ratio[0] == pytest.approx(c)


@pytest.mark.parametrize("bank", LINEAR)
def test_shares_lose_what_the_proof_says(bank: Bank) -> None:
    """All shares together are, at any time, a sum over rates of what each has lost at the rate 1/2."""
    X, y = flipping(0)
    run = dl.run(dl.Tracker(bank), (X[:400], y[:400]), certify=True)
    by_hand = oracles.Tracker(bank)
    for row, label in zip(as_dicts(X[:400]), y.tolist(), strict=False):
        by_hand.learn(row, label, True)
    wrong = (1.0 - run.evidence.margins) / 2.0
    lost = -np.log1p(wrong * math.expm1(-0.5)).sum()
    errors = np.delete((run.evidence.expert_votes != y[:400, None].astype(np.int8)).sum(axis=0), [2, 3, 4])
    cost = bounds.TrackerMistakes(L=0, T=400, M=30).cost
    assert len(by_hand.lost) == len(Tracker(bank).rates)
    for rate, (at_half, at_rate) in zip(Tracker(bank).rates, by_hand.lost.tolist(), strict=True):
        assert lost <= math.log(len(by_hand.lost)) + at_half + 1e-6
        assert at_rate <= rate * errors.min() + cost
    weights = np.exp(-by_hand.lost[:, 0])
    assert lost == pytest.approx(-math.log(weights.mean()), abs=1e-6)


# runs -----------------------------------------------------------------------------------------------------------------
@both
def test_a_run_records_who_leads(bank: Bank, tmp_path: Path) -> None:
    X, y = flipping(1)
    run = dl.run(dl.Tracker(bank), (X, y))
    names = {one.name for one in run.learner.experts()}
    assert {name for _, name, _ in run.leaders} <= names
    at = [examples for examples, _, _ in run.leaders]
    assert at[0] == 0 and at[-1] == 1500 and len(at) <= 65 and at == sorted(at)
    assert run.leaders[-1][1:] == run.learner.largest(1)[0]
    assert dl.run(dl.PA1(), (X, y)).leaders == []
    pytest.importorskip("matplotlib")
    figure = dl.compare([dl.Tracker(bank), dl.PA1()], (X, y)).plot()
    assert [axes.get_title() for axes in figure.axes][2:] == [f"heaviest voter: Tracker(bank={bank!r})"]
    labels = [text.get_text() for text in figure.axes[2].get_yticklabels()]
    assert set(labels) == {name for _, name, _ in run.leaders[1:]}


# as a part, and from a file -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("words", [60, 400])
@both
def test_a_loaded_tracker_takes_features_that_it_has_room_for_but_never_saw(
    bank: Bank, tmp_path: Path, words: int
) -> None:
    """Hashed names, and columns of a wide matrix: known to the encoder, new to the engine."""
    rng = np.random.default_rng(words)
    rows = [{f"w{k}": 1.0 for k in rng.integers(0, words, 30).tolist()} for _ in range(40)]
    more = [{f"new{k}": 2.0 for k in rng.integers(0, 3 * words, 40).tolist()} for _ in range(40)]
    alone = dl.Tracker(bank, hashing=dl.Hashing(14))
    for i, x in enumerate(rows):
        alone.learn_one(x, i % 3 == 0)
    alone.save(tmp_path / "t.dl")
    again = dl.load(tmp_path / "t.dl")
    assert [again.learn_one(x, i % 2 == 0) for i, x in enumerate(more)] == [
        alone.learn_one(x, i % 2 == 0) for i, x in enumerate(more)
    ]
    again.save(tmp_path / "b.dl")
    alone.save(tmp_path / "a.dl")
    assert (tmp_path / "a.dl").read_bytes() == (tmp_path / "b.dl").read_bytes()


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("d", [5, 11, 100, 200, 400])
@both
def test_the_first_block_that_a_loaded_tracker_scores_is_as_before(
    bank: Bank, tmp_path: Path, d: int, kind: str
) -> None:
    """It has no room for rows yet, and makes it within that call."""
    X, y = drifting(d, 120, d)
    rows = X if kind == "dense" else csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    tracker = dl.Tracker(bank)
    tracker.learn_many(rows, y)
    tracker.save(tmp_path / "t.dl")
    due = tracker.score_many(rows).tolist()
    for again in (dl.load(tmp_path / "t.dl"), pickle.loads(pickle.dumps(tracker)), copy.deepcopy(tracker)):
        assert again.score_many(rows).tolist() == due
        assert again.score_many(rows).tolist() == due


@both
def test_a_row_may_be_scored_that_is_longer_than_all_that_were_learned(bank: Bank) -> None:
    names = [f"w{k}" for k in range(600)]
    tracker = dl.Tracker(bank)
    for k in range(60):
        tracker.learn_many([dict.fromkeys(names[10 * k : 10 * k + 10], 1.0)], [k % 2])
    long = [dict.fromkeys(names, 1.0), dict.fromkeys(names[:300], 2.0)]
    other = copy.deepcopy(tracker)
    assert tracker.score_many(long).tolist() == [other.score_one(x) for x in long]


@both
def test_one_dict_at_a_time_it_scores_and_learns_as_in_a_block_while_features_appear(bank: Bank) -> None:
    """Experts leave at 11 and at 129 features, and their arrays are replaced: a row that is bound to them must know."""
    rng = np.random.default_rng(9)
    rows, labels = [], []
    for i in range(130):
        names = rng.integers(0, 4 + i if i < 100 else 400, 6).tolist()
        for _ in range(2):  # the second time no feature is new
            rows.append({f"f{k}": float(rng.normal()) for k in names})
            labels.append(bool(sum(rows[-1].values()) > 0.0))
    block, alone, asked, other = dl.Tracker(bank), dl.Tracker(bank), dl.Tracker(bank), dl.Tracker(bank)
    scores = block.learn_many(rows, labels)
    sizes = set()
    for i, (x, y) in enumerate(zip(rows, labels, strict=True)):
        assert alone.learn_one(x, y) == scores[i]
        assert asked.score_one(x) == scores[i] and asked.score_one({"new": 1.0}) == asked.score_one({"new": 1.0})
        assert asked.learn_one(x, y) == scores[i]
        sizes.add(len(alone.experts()))
        other.learn_many([x], [y])
    assert len(sizes) == 3
    for name, array in block._engine.arrays().items():
        for one in (alone, asked, other):
            assert same_bits(array, one._engine.arrays()[name]), name
    assert alone.predict_one(rows[0]) == block.predict_one(rows[0]) == block.predict_many(rows[:1])[0]


@both
def test_a_row_that_is_bound_to_arrays_knows_when_they_are_set_back(bank: Bank) -> None:
    rng = np.random.default_rng(3)
    rows = [dict(zip("abc", row, strict=True)) for row in rng.normal(size=(60, 3)).tolist()]
    tracker = dl.Tracker(bank)
    for x in rows[:40]:
        tracker.learn_one(x, x["a"] > 0.0)
    undo = tracker._engine.snapshot(20)
    first = [tracker.learn_one(x, x["b"] > 0.0) for x in rows[40:]]
    undo()
    assert [tracker.learn_one(x, x["b"] > 0.0) for x in rows[40:]] == first
    undo = tracker._engine.snapshot(20)
    after = tracker.score_one(rows[0])
    tracker.learn_one(rows[1], True)
    undo()
    assert tracker.score_one(rows[0]) == after


def test_inside_another_learner_it_has_no_weights_of_features() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    several = dl.OneVsRest("tracker")
    several.learn_many(X, np.arange(60) % 3)
    assert several.weights() == {0: {}, 1: {}, 2: {}}


@both
def test_probabilities_are_equal_before_the_first_label(bank: Bank) -> None:
    tracker = dl.Tracker(bank)
    assert tracker.predict_proba_one([1.0]) == {}
    tracker.learn_one([1.0], False)
    assert tracker.predict_proba_one([1.0]) == {False: 1.0}
    declared = dl.Tracker(bank, labels=(False, True))
    for x in np.random.default_rng(0).normal(size=(50, 1)):
        assert declared.predict_proba_one(x) == {True: 0.5, False: 0.5}


# real streams ---------------------------------------------------------------------------------------------------------
@cache
def data() -> Path:
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        pytest.skip("DRIFTLINE_DATA names no folder of data sets")
    return Path(folder)


def sea() -> tuple[np.ndarray, np.ndarray]:
    X, y = (np.loadtxt(data() / "sea" / f"SEA_training_{part}.csv.xz", delimiter=",") for part in ("data", "class"))
    return X, np.where(y > y.min(), 1.0, -1.0)


def test_sea_is_the_published_run() -> None:
    X, y = sea()
    run = dl.run(dl.Tracker("recipe"), (X, y), certify=True)
    assert run.mistakes == 5455
    moving = run.certificate().bounds[1]
    assert moving.value == pytest.approx(12667.0, abs=0.5)
    assert np.mean((dl.Tracker("light").learn_many(X, y) >= 0.0) != (y > 0.0)) < 0.1085


# files ----------------------------------------------------------------------------------------------------------------
@both
def test_columns_of_a_file_are_dense_rows(bank: Bank, tmp_path: Path) -> None:
    X, y = drifting(6, 300, 5)
    X[::3, 1] = 0.0
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "a.csv").write_text("a,b,c,d,e,y\n" + "\n".join(lines) + "\n")
    run = dl.run(dl.Tracker(bank), dl.streams.read(tmp_path / "a.csv", target="y"))
    learner = dl.Tracker(bank)
    votes = learner.learn_many(X, y)
    assert run.mistakes == int(np.sum(votes * y <= 0.0))
    assert run.learner.n_missing == 0
    found = {one.name: one.weight for one in run.learner.experts()}
    assert found == pytest.approx({one.name: one.weight for one in learner.experts()}, abs=1e-9)


@both
def test_arrays_one_by_one_are_a_block(bank: Bank) -> None:
    """With weights, guesses and copies in between, and what was learned in a block before and after."""
    X, y = drifting(6, 120, 12)
    w = np.where(np.arange(120) % 7 == 3, 0.5, 1.0)
    block, loop = dl.Tracker(bank), dl.Tracker(bank)
    due = block.learn_many(X, y, w)
    found = loop.learn_many(X[:10], y[:10], w[:10]).tolist()
    for t in range(10, 100):
        score = loop.score_one(X[t])
        kept = copy.deepcopy(loop) if t % 30 == 0 else loop
        found.append(loop.learn_one(X[t], y[t], w.item(t)))
        assert score == found[-1] == (kept.learn_one(X[t], y[t], w.item(t)) if kept is not loop else score)
        loop = kept
    found += loop.learn_many(X[100:], y[100:], w[100:]).tolist()
    assert found == due.tolist()
    assert_same(snapshot(loop), snapshot(block))


@pytest.mark.parametrize("features", [3, 14, 150])
def test_damaged_arrays_are_refused(features: int) -> None:
    X, y = drifting(8, 40, features)
    learner = dl.Tracker("light")
    learner.learn_many(csr_matrix(X), y)
    saved = {name: array.copy() for name, array in learner._engine.saved(features).items()}
    dl.Tracker("light")._engine.restore(features, saved)

    def damaged(name: str, place: Any, value: float) -> dict[str, np.ndarray]:
        arrays = {each: array.copy() for each, array in saved.items()}
        arrays[name][place] = value
        return arrays

    slots = int(saved["own"][1])
    bad = [
        damaged("own", 1, slots + 1.0),
        damaged("own", 1, -1.0),
        damaged("own", 2, 23.0),
        damaged("own", 2, 6.5),
        damaged("own", 0, math.nan),
        damaged("own", 0, 0.0),
        damaged("own", 5, 6.0),
        damaged("own", 6, slots + 1.0),
        damaged("own", 7, 1.0),
        damaged("own", 8, 0.0),
        damaged("own", 12, 0.5),
        damaged("own", 13, -1.0),
        damaged("slots", 0, slots + 1),
        damaged("slots", slice(0, 2), 1),
        damaged("shares", (0, 0), -0.1),
        damaged("shares", (0, 0), math.inf),
        damaged("squares", 0, -1.0),
        damaged("highest", 0, math.nan),
        *(damaged("course", (row, 0), -1.0) for row in (1, 2, 4, 5, 13, 14) if saved["course"].size),
        damaged("max", 0, math.nan),
        damaged("state", 0, 2.0),
        {name: array for name, array in saved.items() if name != "std"},
        {**saved, "max": saved["max"][:-1]},
        {**saved, "words": saved["words"][:-8] if saved["words"].size else np.zeros(8)},
        {**saved, "shares": saved["shares"][:3]},
        {**saved, "factors": saved["factors"][:, :-1] if saved["factors"].size else np.zeros((4, 1))},
    ]
    for arrays in bad:
        engine = dl.Tracker("light")._engine
        with pytest.raises(ValueError):
            engine.restore(features, arrays)
        with pytest.raises(ValueError):
            engine.restore(features - 1, saved)
