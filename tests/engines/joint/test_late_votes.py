"""The votes when labels come late: agreement with an oracle."""

from __future__ import annotations

import pickle
from collections import deque
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.engines.joint.combination import CLASSES, LEADER, LEARNED, new_combination
from driftline.engines.joint.families import EXPERTS
from driftline.engines.joint.joint_bank import JointBank
from driftline.engines.joint.late_votes import (
    FRESH,
    GRID,
    HEAD_START,
    measure_surety,
    record_size,
    vote_late,
    weigh_surely,
)
from driftline.engines.joint.rounds import Buffers
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.learners.late_rounds import learn_late, record_of
from driftline.rules.tracker.tracker import FULL_BANK
from tests.oracles.late_votes import LateVotes
from tests.support.joint_rounds import Scored, scored
from tests.support.nonlinear_families import bits

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
AT_ONCE = 70  # rows at the start whose labels come at once; all classes have appeared then


class Compiled:
    """Both combinations of the strong bank, over given scores."""

    def __init__(self, classes: int) -> None:
        self.first, self.cast = new_combination(EXPERTS, classes), new_combination(EXPERTS, classes, GRID)
        self.errors, self.average = np.array([HEAD_START, 0.0]), np.zeros(self.cast.votes.size)
        self.classes = classes

    def round(self, rows: Scored, scores: np.ndarray, i: int, known: int, learns: bool, record: Any) -> Any:
        """Row i; return the vote and the probability of each class. The record is read or written."""
        y, w = rows.y[i : i + 1], rows.w[i : i + 1] if learns else np.zeros(1)
        numbers = (rows.seen[i : i + 1], rows.seen[i : i + 1], rows.members[i : i + 1], np.array([known]), y)
        buffers = Buffers(scores[i : i + 1].copy(), np.zeros((1, 0)), w, *(k.astype(np.int64) for k in numbers))
        mass, guesses = np.zeros((2, 1, self.classes))
        self.first.counts[CLASSES] = self.cast.counts[CLASSES] = known
        both = self.first, self.cast, self.errors, self.average, buffers, 1, FULL_BANK
        vote_late(*both, mass, guesses, np.zeros((1, 0)), record)
        return mass[0, :known], guesses[0, :known]


def noisy(rows: Scored) -> Scored:
    """Most experts have the scores of other rows."""
    scores, others = rows.scores.copy(), np.arange(EXPERTS) % 8 > 0
    scores[:, :, others] = np.random.default_rng(2).permutation(scores[:, :, others])
    return rows._replace(scores=scores)


def own_class(heads: int) -> np.ndarray:
    """The class of each head."""
    return np.arange(heads) if heads > 1 else np.array([1])


def weighted(rows: Scored) -> Scored:
    return rows._replace(w=np.random.default_rng(1).choice([1e-6, 0.3, 1.0, 40.0], len(rows.y)))


STREAMS = {
    "two labels": noisy(scored(180, 2, 1)),
    "classes that appear late": noisy(scored(180, 4, 4)),
    "weights": weighted(noisy(scored(120, 3, 3))),
}


@pytest.mark.parametrize("delay", [0, 9])
@pytest.mark.parametrize("name", STREAMS)
def test_votes_shares_and_probabilities_are_those_by_hand(name: str, delay: int) -> None:
    """Some labels at once, others late; when the label comes, some experts know it."""
    rows = STREAMS[name]
    n, heads = len(rows.y), rows.scores.shape[1]
    later = rows.scores.copy()
    later[:, :, ::3] = np.abs(later[:, :, ::3]) * np.where(rows.y[:, None] == own_class(heads), 1.0, -1.0)[:, :, None]
    later[0] = 0.0  # nobody has learned
    own, by_hand = Compiled(max(2, heads)), LateVotes()
    waiting: deque[Any] = deque()
    known, changed = 2, 0  # rows in which the two combinations differ

    def learn(i: int, record: Any, asked: Any) -> None:
        nonlocal known
        own.round(rows, later, i, known, True, record)
        by_hand.learn(later[i, : min(known, heads)], rows.active(i), known, rows.y[i], rows.w[i], asked)
        known = max(known, rows.y[i] + 1)
        np.testing.assert_allclose(own.errors, by_hand.errors, **CLOSE)
        np.testing.assert_allclose(own.cast.shares, by_hand.cast.G.reshape(GRID, -1), **CLOSE)
        np.testing.assert_allclose(own.average, by_hand.cast.A, **CLOSE)
        assert own.cast.errors.tolist() == by_hand.cast.errors.tolist()

    for i in range(n):
        if i < AT_ONCE and delay > 0:
            learn(i, np.zeros((0, 0)), None)
            continue
        if len(waiting) > delay:
            learn(*waiting.popleft())
        record = np.zeros((1, record_size(known if heads > 1 else 1)))
        mass, guesses = own.round(rows, rows.scores, i, known, False, record)
        asked = by_hand.vote(rows.scores[i, : min(known, heads)], rows.active(i), known)
        np.testing.assert_allclose(mass, by_hand.mass, **CLOSE)
        np.testing.assert_allclose(guesses, by_hand.p, **CLOSE)
        changed += by_hand.first.mass().argmax() != by_hand.mass.argmax()
        waiting.append((i, record, asked))
    assert own.cast.counts[LEARNED] == by_hand.cast.t
    assert changed > 0


def learned_late(delay: int = 5) -> tuple[dl.Tracker, deque[Any]]:
    """A learner whose labels come late, and its open rows."""
    learner, waiting = dl.Tracker(labels=("no", "yes")), deque[Any]()
    for x in np.random.default_rng(3).normal(size=(40, 2)):
        if len(waiting) > delay:
            learn_late(learner, *waiting.popleft())
        waiting.append((x, "yes" if x[0] > 0.0 else "no", record_of(learner, x)))
    return learner, waiting


def bank_of(learner: dl.Tracker) -> JointBank:
    bank: JointBank = learner._engine.bank  # type: ignore[attr-defined]
    return bank


def test_the_most_frequent_labels_have_no_share() -> None:
    cast = bank_of(learned_late()[0]).cast
    assert cast is not None
    assert not cast.shares[:, 0].any()
    assert cast.shares[:, LEADER].all()


def test_files_in_which_labels_have_shares_are_loaded_and_learn() -> None:
    """The most frequent labels once had votes."""
    learner, waiting = learned_late()
    bank = bank_of(learner)
    arrays = bank.arrays()
    shares = arrays["late shares"] = arrays["late shares"].copy()
    shares[:, 0] = shares[:, -1] = shares[:, -1] / 2.0
    bank.restore(2, 2, False, arrays)
    assert bank.cast is not None
    np.testing.assert_allclose(bank.cast.shares[:, LEADER], shares[:, LEADER] + shares[:, 0], **CLOSE)
    for one in waiting:
        learn_late(learner, *one)
    assert bank.cast is not None
    assert not bank.cast.shares[:, 0].any()
    np.testing.assert_allclose(bank.cast.shares.sum(), 1.0, **CLOSE)


def test_the_mean_shares_are_saved() -> None:
    bank, other = bank_of(learned_late()[0]), JointBank()
    arrays = bank.arrays()
    assert not np.allclose(bank.late_average, arrays["late shares"].sum(axis=0))
    other.restore(2, 2, False, arrays)
    assert bits(other.arrays()) == bits(arrays)
    assert bits(pickle.loads(pickle.dumps(bank)).arrays()) == bits(arrays)


def test_files_without_mean_shares_start_with_the_shares() -> None:
    bank = bank_of(learned_late()[0])
    arrays = bank.arrays()
    del arrays["late late_average"]
    bank.restore(2, 2, False, arrays)
    assert bits({"mean": bank.late_average}) == bits({"mean": arrays["late shares"].sum(axis=0)})


@pytest.mark.parametrize("share", [-1e-9, 1.1, np.nan])
def test_files_with_impossible_mean_shares_are_refused(share: float) -> None:
    bank = bank_of(learned_late()[0])
    arrays = bank.arrays()
    arrays["late late_average"][3] = share
    with pytest.raises(ValueError, match="late_average"):
        bank.restore(2, 2, False, arrays)


def test_a_record_without_the_number_of_labels_counts_as_if_none_had_come_since() -> None:
    """Records of earlier versions."""
    (learner, waiting), (other, _) = learned_late(), learned_late()
    x, y, record = waiting.popleft()
    cast = bank_of(other).cast
    assert cast is not None
    counted = record.copy()
    counted[-1] = cast.counts[LEARNED]
    learn_late(learner, x, y, record[:-1])
    learn_late(other, x, y, counted)
    assert bits(bank_of(learner).arrays()) == bits(bank_of(other).arrays())
    third, _ = learned_late()
    learn_late(third, x, y, record)
    assert bits(bank_of(third).arrays()) != bits(bank_of(other).arrays())


@pytest.mark.parametrize("count", [-1.0, np.nan, -np.inf])
def test_a_record_with_an_impossible_number_of_labels_is_not_used(count: float) -> None:
    (learner, waiting), (other, _) = learned_late(), learned_late()
    x, y, record = waiting.popleft()
    record[-1] = count
    learn_late(learner, x, y, record)
    learn_late(other, x, y, np.zeros(0))
    assert bits(bank_of(learner).arrays()) == bits(bank_of(other).arrays())


def test_an_expert_that_is_sure_gives_its_class_more() -> None:
    """Two sure experts against three unsure ones, all with the same share."""
    cast = new_combination(EXPERTS, 2, GRID)
    surety = np.ones(cast.votes.size)
    cast.votes[:], cast.prior[:] = -1.0, 1.0
    for j, (vote, score) in enumerate([(1, 0.9), (1, 0.8), (0, 0.1), (0, 0.2), (0, 0.0)]):
        cast.votes[OTHERS + j] = vote
        cast.F[vote, j], cast.F[1 - vote, j] = score, -score
    measure_surety(cast, 2, surety)
    np.testing.assert_allclose(surety[OTHERS : OTHERS + 5], [0.95, 0.9, 0.55, 0.6, 0.5], **CLOSE)
    weigh_surely(cast, np.full(cast.votes.size, 0.2), surety, 2)
    np.testing.assert_allclose(cast.mass, [0.33 + 0.15, 0.37 + 0.15], **CLOSE)


@pytest.mark.parametrize("vote", [-1.0, 2.0, 0.5, 1e300, np.nan, np.inf])
def test_a_record_with_an_impossible_vote_is_not_used(vote: float) -> None:
    (learner, waiting), (other, _) = learned_late(), learned_late()
    x, y, record = waiting.popleft()
    record[FRESH] = vote
    learn_late(learner, x, y, record)
    learn_late(other, x, y, np.zeros(0))
    assert bits(bank_of(learner).arrays()) == bits(bank_of(other).arrays())
