"""The strong bank as a whole: bits, files, limits of the families, memory."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.joint.families import EXPERTS, FAMILIES, LIMITS
from driftline.engines.joint.joint_bank import AT_ONCE, JointBank
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.rules.tracker.tracker import DENSE_BANK, FULL_BANK, VALUES_BANK
from tests.support.nonlinear_families import bits


class Stream(NamedTuple):
    X: Any
    y: list[str]
    w: np.ndarray

    def part(self, start: int, stop: int) -> Stream:
        return Stream(self.X[start:stop], self.y[start:stop], self.w[start:stop])


def dense(n: int, d: int, classes: int) -> Stream:
    """Features with missing values, some weights of 0, classes that appear one after the other."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    rank = X[:, 0].argsort().argsort() * classes // n
    y = np.minimum(rank, 1 + np.arange(n) * 2 * classes // n)
    X[rng.random(X.shape) < 0.05] = math.nan
    return Stream(X, [f"label {k}" for k in y], rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.2, 0.6, 0.1]))


def growing(n: int, d: int, classes: int) -> Stream:
    """Dicts whose features grow from 2 to d."""
    X, y, w = dense(n, d, classes)
    rng = np.random.default_rng(1)
    known = np.maximum(2, np.arange(n) * d // n)
    rows = [
        {f"f{k}": x[k] for k in range(most) if rng.random() < 0.7} for x, most in zip(X.tolist(), known, strict=True)
    ]
    return Stream(rows, y, w)


STREAMS = {
    "two labels": dense(300, 4, 2),
    "classes": dense(300, 4, 4),
    "dicts": growing(200, 14, 3),
    "many features": growing(150, 170, 3),
    "wide": dense(40, 301, 3),
}


def bank_of(learner: dl.Learner) -> JointBank:
    bank: JointBank = learner._engine.bank  # type: ignore[attr-defined]
    return bank


def learned(stream: Stream, cuts: Any = ()) -> dl.Tracker:
    learner, edges = dl.Tracker(), [0, *cuts, len(stream.y)]
    for start, stop in pairwise(edges):
        learner.learn_many(*stream.part(start, stop))
    return learner


def state_of(learner: dl.Tracker) -> dict[str, tuple[Any, ...]]:
    return bits(learner._engine.saved(bank_of(learner).features))


# bits -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", STREAMS)
def test_the_split_into_blocks_does_not_matter(name: str) -> None:
    stream = STREAMS[name]
    n = len(stream.y)
    due = state_of(learned(stream))
    assert state_of(learned(stream, range(1, n))) == due
    assert state_of(learned(stream, sorted(np.random.default_rng(3).integers(1, n, 5)))) == due


def late(weights: list[float], widths: list[int]) -> Stream:
    """Dicts with 0 to 199 of 200 features, as given for the last rows; 30 rows with three features before them."""
    rng = np.random.default_rng(4)
    rows = [dict(enumerate(rng.normal(size=k).tolist())) for k in [3] * 30 + widths]
    return Stream(rows, ["a" if row[0] > 0.0 else "b" for row in rows], np.array([1.0] * 30 + weights))


@pytest.mark.parametrize("width", [129, 150, 301])
def test_a_row_of_weight_0_with_too_many_features_keeps_all_families(width: int) -> None:
    """The rows after it are learned by all experts, in the same block or not, as if it had not been there."""
    rows = late([0.0, *[1.0] * 20, 0.0, 1.0], [width, *[3] * 20, width, 3])
    without = Stream(*([x for x, w in zip(part, rows.w, strict=True) if w > 0.0] for part in rows))  # type: ignore[arg-type]
    due = bits(bank_of(learned(without)).saved(3))
    for cuts in ((), (30,), range(1, len(rows.y))):
        bank = bank_of(learned(rows, cuts))
        assert not bank.left
        assert bits(bank.saved(3)) == due, cuts


def test_a_family_that_has_left_learns_no_rows_of_a_block_that_begins_with_weight_0() -> None:
    rows = late([1.0] + [0.0] * AT_ONCE + [1.0] * 40, [140] + [3] * (AT_ONCE + 40))
    whole = learned(rows)
    assert bank_of(whole).left == set(FAMILIES)
    assert state_of(learned(rows, range(1, len(rows.y)))) == state_of(whole)


def test_wide_rows_of_weight_0_leave_room_for_later_sparse_rows() -> None:
    X = np.zeros((40, 200))
    X[:, :30] = np.random.default_rng(6).normal(size=(40, 30))
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    tested, plain = dl.Tracker(), dl.Tracker()
    tested.learn_many(np.ones((2, 200)), [1.0, -1.0], 0.0)
    tested.learn_many(csr_matrix(X), y)
    plain.learn_many(csr_matrix(X), y)
    assert bank_of(tested).curved["forest"].features >= 30
    assert bits(bank_of(tested).saved(200)) == bits(bank_of(plain).saved(200))


@pytest.mark.parametrize("name", STREAMS)
def test_scores_change_nothing_and_are_those_of_learning(name: str) -> None:
    stream = STREAMS[name]
    n = len(stream.y)
    learner = learned(stream.part(0, n - 20))
    before = state_of(learner)
    row = stream.X[n - 20]
    scores = learner.score_many(stream.X[n - 20 :])
    told = learner.predict_proba_one(row)
    assert state_of(learner) == before
    assert np.array_equal(learner.score_many([row] if isinstance(row, dict) else row[None]), scores[:1])
    bank = bank_of(learner)
    learner.learn_one(row, stream.y[0], 1.0)
    p = bank.combination.guesses[-1]
    np.testing.assert_allclose(sorted(told.values()), sorted(p[: len(told)]), rtol=1e-15, atol=1e-15)


def test_a_copy_goes_on_alone() -> None:
    stream = STREAMS["classes"]
    learner = learned(stream.part(0, 200))
    bank, copied = bank_of(learner), deepcopy(learner)
    twin, before = bank.copy(), state_of(learner)
    parts = [bank.own, *bank.views, *bank.heads, *bank.combination.first, bank.combination.shares, bank.mass]
    theirs = [twin.own, *twin.views, *twin.heads, *twin.combination.first, twin.combination.shares, twin.mass]
    assert not any(np.shares_memory(a, b) for a, b in zip(parts, theirs, strict=True))
    copied.learn_many(*stream.part(200, 300))
    assert state_of(learner) == before == bits(learner._engine.saved(bank.features))
    learner.learn_many(*stream.part(200, 300))
    assert state_of(learner) == state_of(copied) != before


# files ----------------------------------------------------------------------------------------------------------------
def restored(bank: JointBank, arrays: dict[str, np.ndarray]) -> JointBank:
    made = JointBank()
    made.restore(bank.features, bank.classes, bank.several, arrays, bank.turned)
    return made


def saved(bank: JointBank) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in bank.saved(bank.features).items()}


@pytest.mark.parametrize("name", STREAMS)
def test_a_restored_bank_has_the_same_arrays(name: str) -> None:
    bank = bank_of(learned(STREAMS[name].part(0, 100)))
    assert bits(saved(restored(bank, saved(bank)))) == bits(saved(bank))


def test_spare_heads_are_not_saved() -> None:
    bank = bank_of(learned(STREAMS["classes"]))
    due = bits(saved(bank))
    bank.views, bank.heads = bank._roomy(bank.features, bank.views.course.shape[1], False, 9)
    assert len(bank.heads.own) == 9
    assert bits(saved(bank)) == due
    restored(bank, saved(bank))


def damaged(array: np.ndarray) -> list[np.ndarray]:
    """Another type, another shape, and numbers that are not finite."""
    other = np.float32 if array.dtype == np.float64 else np.float64
    made = [array.astype(other), np.append(array, array, axis=0) if array.size else np.ones(3), array.reshape(-1, 1, 1)]
    if array.dtype.kind == "f" and array.size:
        for value in (math.nan, math.inf):
            made.append(array.copy())
            made[-1].reshape(-1)[-1] = value
    return made


@pytest.mark.parametrize("name", ["two labels", "classes", "many features"])
def test_damaged_arrays_are_refused(name: str) -> None:
    bank = bank_of(learned(STREAMS[name].part(0, 140)))
    base, twin = saved(bank), bank.copy()

    def refused(arrays: dict[str, np.ndarray], classes: int = bank.classes) -> None:
        with pytest.raises(ValueError):
            twin.restore(bank.features, classes, bank.several, arrays)

    for word, array in base.items():
        for bad in damaged(array):
            refused(base | {word: bad})
        refused({other: array for other, array in base.items() if other != word})
    refused(base | {"linear more": np.zeros(1)})
    refused(base, 1)
    refused(base, bank.classes + 1)
    assert bits(saved(twin)) == bits(base)


COUNTERS = ["linear own", "linear slots", "combination counts", "combination errors"]


@pytest.mark.parametrize("word", COUNTERS)
def test_every_counter_that_no_bank_can_have_is_refused(word: str) -> None:
    """Some numbers in turn: below 0, huge, and for floats no whole number."""
    learner = learned(STREAMS["dicts"].part(0, 60))
    bank = bank_of(learner)
    size = saved(bank)[word].size
    for at in range(8) if word == "linear own" else (0, 1, size - 1):
        for value in (-1.0, 0.5, 2.0**60) if word != "linear slots" else (2.0**32 - 1.0,):
            arrays = saved(bank)
            arrays[word][at] = value
            with pytest.raises(ValueError):
                restored(bank, arrays)


def test_huge_finite_numbers_are_refused_or_give_scores() -> None:
    """A file may hold any finite number; scores and shares then stay in their range."""
    learner = learned(STREAMS["classes"].part(0, 80))
    bank, rng = bank_of(learner), np.random.default_rng(0)
    state = learner._engine.saved(bank.features)
    accepted = 0
    for word, array in state.items():
        if word == "state" or array.dtype != np.float64 or not array.size:
            continue
        for value in (1e300, -1e300, 0.0):
            arrays = {name: other.copy() for name, other in state.items()}
            arrays[word].reshape(-1)[rng.integers(0, array.size, 3)] = value
            twin = deepcopy(learner)
            try:
                twin._engine.restore(bank.features, arrays)
            except ValueError:
                continue
            accepted += 1
            twin.learn_many(*STREAMS["classes"].part(80, 90))
            assert all(0.0 <= p <= 1.0 for p in twin.predict_proba_one(STREAMS["classes"].X[90]).values()), word
            assert abs(bank_of(twin).shares().sum() - 1.0) < 1e-6, word
    assert accepted > 10


# limits and memory ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("width", "left", "members"),
    [
        (128, set(), DENSE_BANK),
        (129, {"forest", "paths", "waves"}, DENSE_BANK),
        (300, {"forest", "paths", "waves"}, DENSE_BANK),
        (301, set(FAMILIES), 18),
    ],
)
def test_families_leave_beyond_their_limits(width: int, left: set[str], members: int) -> None:
    learner = learned(dense(12, width, 2)._replace(w=np.ones(12)))
    bank = bank_of(learner)
    assert bank.left == left == {word for word in FAMILIES if width > LIMITS[word]}
    curved = sum(FAMILIES[word].experts for word in FAMILIES if word not in left)
    names = bank.voter_names()
    assert len(names) == len(learner.experts()) == OTHERS + members + curved
    assert ("std", "neighbours(500)") in names or "neighbours" in left
    assert {word.split()[0] for word in saved(bank)} == {"linear", "combination", *FAMILIES} - left
    inactive = [i for i in range(OTHERS + EXPERTS) if i not in bank.voters()]
    assert not bank.shares()[inactive].any()
    assert abs(bank.shares().sum() - 1.0) < 1e-9


def test_sparse_rows_of_many_features_have_linear_experts_only() -> None:
    bank = bank_of(learned(STREAMS["many features"]))
    assert bank.left == set(FAMILIES)
    assert len(bank.voters()) == OTHERS + VALUES_BANK


def size_of(bank: JointBank) -> int:
    """Bytes of all arrays of the bank."""
    own, combination = [bank.own, *bank.views, *bank.heads], bank.combination
    rest = [*bank.buffers, bank.mass, bank.guesses, *bank.found.values(), *bank.workspace]
    both = [array for array in combination if isinstance(array, np.ndarray)]
    both += [*combination.first, *combination.again]
    curved = [array for family in bank.curved.values() for array in family.arrays().values()]
    return sum(array.nbytes for array in [*own, *rest, *both, *curved])


def test_memory_does_not_grow_with_rows() -> None:
    stream = dense(2600, 3, 3)
    learner = dl.Tracker()
    learner.learn_many(*stream.part(0, 1300))
    before = size_of(bank_of(learner))
    learner.learn_many(*stream.part(1300, 2600))
    assert bank_of(learner).own[2] == FULL_BANK
    assert size_of(bank_of(learner)) == before < 20_000_000
