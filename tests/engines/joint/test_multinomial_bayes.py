"""The multinomial naive Bayes of the strong bank: its score by hand, what it ignores, and what it is for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.joint.multinomial_bayes import (
    MULTINOMIAL,
    multinomial_terms,
    score_multinomial,
    smoothing_of_totals,
    train_multinomial,
    write_unit_values,
)
from driftline.rules.tracker.tracker import DENSE_FEATURES, VALUES, VALUES_BANK
from tests.oracles.joint_tracker import Multinomial

FEATURES = 40


def rows(n: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Indices and counts of about a fifth of the features, with equal values in a row, and signs."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        indices = np.flatnonzero(rng.random(FEATURES) < 0.2)
        values = rng.integers(1, 4, indices.size) * rng.choice([-1.0, 1.0], indices.size)
        found.append((rng.permutation(indices).astype(np.uint32), values))
    return found


def viewed(indices: np.ndarray, values: np.ndarray, known: int = FEATURES) -> tuple[np.ndarray, np.ndarray]:
    """Places and values of the entries of a row, if the features below ``known`` have the slots of their index."""
    slots = np.arange(1, FEATURES + 1, dtype=np.uint32)
    slots[known:] = 0
    units = np.full(indices.size + 1, 7.0)
    write_unit_values(slots, indices, values, units)
    there = (np.abs(values) < 1e60) & (values != 0.0) & (indices < known)
    places = np.append(0, indices[there] + 1).astype(np.uint32)
    return places, units[: places.size]


def learned(stream: list[tuple[np.ndarray, np.ndarray]], sums: np.ndarray) -> None:
    """Learn the rows; the label is that of the first feature of each."""
    for indices, values in stream:
        places, units = viewed(indices, values)
        train_multinomial(sums, places, units, places.size, 1.0 if indices[:1].sum() % 2 else -1.0, 0.5)


def test_scores_are_those_by_hand() -> None:
    by_hand, sums = Multinomial(), np.zeros(2 * (FEATURES + 1))
    by_hand.grow(FEATURES + 1)
    for indices, values in rows(60):
        z = np.zeros(FEATURES + 1)
        z[indices + np.uint32(1)] = np.abs(values) / max(1e-300, np.linalg.norm(values))
        places, units = viewed(indices, values)
        seen = float(np.count_nonzero(by_hand.n.sum(axis=0)))
        found = score_multinomial(seen, sums, places, units, places.size)
        assert found == pytest.approx(by_hand.score(z), abs=1e-12)
        pairs = sums.reshape(-1, 2)
        terms = multinomial_terms(pairs[0] + smoothing_of_totals(seen), pairs[places], units)
        assert terms.sum() == pytest.approx(found, abs=1e-12) and terms[0] == 0.0
        y = 1.0 if indices[:1].sum() % 2 else -1.0
        by_hand.count(z, y, 2.0)
        train_multinomial(sums, places, units, places.size, y, 2.0)
    assert sums[:2] == pytest.approx(by_hand.n.sum(axis=1))


@pytest.mark.parametrize("factor", [-1.0, 2.0**-40, 2.0**160])
def test_the_factor_of_a_row_does_not_matter(factor: float) -> None:
    for indices, values in rows(20):
        assert viewed(indices, factor * values)[1].tobytes() == viewed(indices, values)[1].tobytes()


def test_missing_values_zeros_and_features_without_a_slot() -> None:
    """A feature without a slot counts in the length, as it does once it has one."""
    indices = np.array([3, 30, 5, 7, 8, 9], np.uint32)
    places, units = viewed(indices, np.array([3.0, 4.0, math.nan, math.inf, 0.0, -12.0]), 20)
    assert places.tolist() == [0, 4, 10] and units == pytest.approx([0.0, 3.0 / 13.0, 12.0 / 13.0])
    assert viewed(indices[:1], np.array([1e-200]))[1].tolist() == [0.0, 0.0]  # its square is 0
    assert np.isfinite(viewed(indices[:2], np.array([9e59, -9e59]))[1]).all()


def test_a_row_of_equal_values_has_the_bits_of_any_equal_value() -> None:
    sums = np.zeros(2 * (FEATURES + 1))
    learned(rows(50), sums)
    for indices, _ in rows(10, seed=1):
        ones, threes = (viewed(indices, np.full(indices.size, value)) for value in (1.0, 3.0))
        found = [score_multinomial(FEATURES, sums, places, units, places.size) for places, units in (ones, threes)]
        assert found[0] == pytest.approx(found[1], rel=1e-14)
    assert score_multinomial(FEATURES, sums, np.zeros(1, np.uint32), np.zeros(1), 1) == 0.0


# in the Tracker -------------------------------------------------------------------------------------------------------
def counts(n: int = 600, words: int = 200, classes: int = 2) -> tuple[Any, np.ndarray]:
    """Counts of words that all rows have; those of a class are more frequent in its rows."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, classes, n)
    rates = np.where(np.arange(words) % classes == y[:, None], 1.5, 1.0)
    return csr_matrix(1.0 + rng.poisson(rates)), y


@pytest.mark.parametrize("classes", [2, 3])
def test_it_learns_from_counts_what_presence_does_not_tell(classes: int) -> None:
    X, y = counts(classes=classes)
    learner = dl.Tracker()
    learner.learn_many(X, y)
    errors = {(voter.view, voter.rule): voter.mistakes for voter in learner.experts(None if classes == 2 else 0)}
    assert errors[VALUES] < 0.5 * errors["max", "bayes"]
    assert learner._engine.bank.own[2] == VALUES_BANK


def test_it_does_not_live_on_the_last_labels() -> None:
    """Labels come in runs of ten on average; shuffling within blocks of 50 rows removes most of them."""
    rng = np.random.default_rng(0)
    y = np.cumsum(rng.random(3000) < 0.1) % 2
    X = csr_matrix(1.0 + rng.poisson(np.where(np.arange(200) % 2 == y[:, None], 1.1, 1.0)))
    mixed = np.concatenate([start + rng.permutation(50) for start in range(0, len(y), 50)])
    given, shuffled = mistakes(X, y), mistakes(X[mixed], y[mixed])
    assert abs(given[VALUES] - shuffled[VALUES]) < 0.01 * len(y)
    assert given["max", "pa"] < 0.5 * shuffled["max", "pa"]  # a short memory gains much from the runs


def mistakes(X: Any, y: np.ndarray) -> dict[tuple[str, str], int]:
    """The mistakes of each voter of a Tracker."""
    learner = dl.Tracker()
    learner.learn_many(X, y)
    return {(voter.view, voter.rule): voter.mistakes for voter in learner.experts()}


def test_feature_weights_and_explanations_follow_the_counts() -> None:
    X, y = counts()
    learner = dl.Tracker()
    learner.learn_many(X, y)
    weights = dict(learner.feature_weights())
    signs = np.array([weights[k] for k in range(X.shape[1])]) * np.where(np.arange(X.shape[1]) % 2 == 1, 1.0, -1.0)
    assert np.mean(signs > 0.0) > 0.9
    found = learner.explain_one(X[0])
    assert found.score == math.fsum(found.contributions.values())


def test_a_head_that_starts_late_and_the_split_of_two_labels() -> None:
    """Class 0 gets the sums of two labels the other way round; a third class starts with none."""
    X, y = counts(120)
    two, three = dl.Tracker(), dl.Tracker()
    two.learn_many(X, y)
    three.learn_many(X, y)
    three.learn_one(X[0], 7, 0.5)
    before, after = (learner._engine.bank.heads.value_sums for learner in (two, three))
    sums = before[0].reshape(-1, 2)[: X.shape[1] + 1]
    joined = after[:, : 2 * len(sums)].reshape(-1, len(sums), 2)
    places, units = X.indices[X.indptr[0] : X.indptr[1]] + 1, X[0].data / np.linalg.norm(X[0].data)
    more = np.zeros(len(sums))
    more[places], more[0] = 0.5 * units, 0.5 * units.sum()
    assert joined[1] == pytest.approx(sums + np.stack([more, 0.0 * more], axis=1))
    assert joined[0] == pytest.approx(sums[:, ::-1] + np.stack([more, 0.0 * more], axis=1))
    assert joined[2] == pytest.approx(np.stack([0.0 * more, more], axis=1))


def test_files_with_sums_below_0_are_refused() -> None:
    X, y = counts(60)
    learner = dl.Tracker()
    learner.learn_many(X, y)
    bank = learner._engine.bank
    arrays = bank.saved(bank.features)
    arrays["linear value_sums"][0, -1] = -1.0
    with pytest.raises(ValueError, match="value_sums"):
        bank.copy().restore(bank.features, bank.classes, bank.several, arrays, bank.turned)


def test_the_expert_appears_with_the_first_feature_too_many() -> None:
    learner = dl.Tracker()
    learner.learn_one(dict.fromkeys(range(DENSE_FEATURES), 1.0), 1)
    assert VALUES not in learner._engine.bank.voter_names()
    before = learner._engine.bank.shares()[5 + MULTINOMIAL]
    learner.learn_one(dict.fromkeys(range(DENSE_FEATURES + 1), 1.0), -1)
    bank = learner._engine.bank
    assert bank.voter_names()[-1] == VALUES and bank.shares()[5 + MULTINOMIAL] > 0.0 < before
