"""The combination of the strong bank: agreement with its oracle, its bound, extreme numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftline import bounds
from driftline.certify.rules.tracker import fewest
from driftline.engines.joint.combination import GUARDED, LEARNED, Combination, new_combination, roomier
from driftline.engines.joint.combination_files import restored_combination, saved_combination
from driftline.engines.joint.families import EXPERTS
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.engines.tracker.voting import STACKERS
from driftline.rules.tracker.tracker import DENSE_BANK, FULL_BANK, RATE, VALUES_BANK
from tests.oracles import joint_tracker as oracles
from tests.support.joint_rounds import Scored, learned_arrays, scored, voted

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
E = 3


def weighted(rows: Scored) -> Scored:
    """Rows with weights of all sizes, a fifth of them 0."""
    w = np.random.default_rng(1).choice([0.0, 1e-6, 0.3, 1.0, 40.0], len(rows.y))
    return rows._replace(w=w)


def leaving(rows: Scored) -> Scored:
    """Experts leave: products, then neighbours and other families, then most linear ones.

    A row of weight 0 has too many features for all of them before that.
    """
    at, w = np.arange(len(rows.y)) * 10 // len(rows.y), np.ones(len(rows.y))
    seen = np.array([8, 8, 11, 40, 128, 128, 129, 129, 300, 320])[at]
    members = np.where(at < 2, FULL_BANK, np.where(at < 9, DENSE_BANK, VALUES_BANK))
    seen[5], members[5], w[5] = 400, VALUES_BANK, 0.0
    return rows._replace(seen=seen, members=members, w=w)


def broken(rows: Scored) -> Scored:
    """Scores that are not finite, and scores too small to be scaled."""
    rng, scores = np.random.default_rng(2), rows.scores.copy()
    scores[rng.random(scores.shape) < 0.02] = math.nan
    scores[rng.random(scores.shape) < 0.02] = math.inf
    scores[rng.random(scores.shape) < 0.02] = -math.inf
    scores[:, :, 3] = rng.normal(size=scores.shape[:2]) * 1e-12
    return rows._replace(scores=scores)


STREAMS = {
    "two labels": scored(150, 2, 1),
    "two classes": scored(100, 2, 2),
    "classes that appear late": scored(200, 6, 6),
    "weights": weighted(scored(150, 3, 3)),
    "weights of two labels": weighted(scored(150, 2, 1)),
    "experts that leave": leaving(scored(200, 4, 4)),
    "experts of two labels that leave": leaving(scored(200, 2, 1)),
    "scores that are not finite": broken(scored(100, 4, 4)),
    "scores of two labels that are not finite": broken(scored(100, 2, 1)),
}


def state_of(own: oracles.Combination, width: int) -> list[np.ndarray]:
    """The arrays of ``learned_arrays`` by hand; A and w have ``width`` spare places."""
    arrays = [own.G.reshape(9, -1), own.q, own.errors, own.v]
    for group in (own.first, own.second):
        size = -(-(group[0].features + width) // 4) * 4
        w, A = np.zeros((2, size)), np.tile(np.eye(size) / 3.0, (2, 1, 1))
        for k, one in enumerate(group):
            w[k, : len(one.w)], A[k, : len(one.w), : len(one.w)] = one.w, one.A
        arrays += [w.reshape(-1), A.reshape(-1)]
    return arrays


@pytest.mark.parametrize("name", STREAMS)
def test_votes_shares_and_probabilities_are_those_by_hand(name: str) -> None:
    rows = STREAMS[name]
    classes, known = max(2, rows.scores.shape[1]), rows.known
    own, by_hand = new_combination(EXPERTS, classes), oracles.Combination()
    found, before = voted(own, rows, known), FULL_BANK
    for i in range(len(rows.y)):
        c, learns = known[i], rows.w[i] > 0.0
        if learns and rows.members[i] == VALUES_BANK < before:
            for one in by_hand.first:
                one.forget(6)
            before = VALUES_BANK
        scores = rows.scores[i, : min(c, rows.scores.shape[1])]
        mass = by_hand.vote(scores if by_hand.t else np.zeros_like(scores), rows.active(i), c)
        np.testing.assert_allclose(found.mass[i, :c], mass, **CLOSE)
        np.testing.assert_allclose(found.guesses[i, :c], by_hand.p, **CLOSE)
        assert found.votes[i].tolist() == by_hand.votes.tolist(), i
        if learns:
            by_hand.learn(rows.y[i], rows.w[i])
    assert own.counts[LEARNED] == by_hand.t == np.count_nonzero(rows.w)
    assert own.counts[GUARDED] == by_hand.guarded
    assert (by_hand.guarded > 0) == ("finite" in name)
    for array, due in zip(learned_arrays(own), state_of(by_hand, classes), strict=True):
        np.testing.assert_allclose(array, due, **CLOSE)


def test_room_for_classes_and_the_split_do_not_matter() -> None:
    rows = weighted(scored(200, 5, 5))
    whole, known = new_combination(EXPERTS, 5), rows.known
    due = voted(whole, rows, known)
    own = new_combination(EXPERTS, 2)
    for i in range(len(rows.y)):
        if max(known[i], rows.y[i] + 1) > own.mass.size:
            own = roomier(own, own.mass.size + 1)
        one = voted(own, rows.part(i, i + 1), known[i : i + 1])
        assert one.mass[0, : known[i]].tobytes() == due.mass[i, : known[i]].tobytes()
        assert one.guesses[0, : known[i]].tobytes() == due.guesses[i, : known[i]].tobytes()
    own.counts[2] = whole.counts[2] = 5
    left, right = saved_combination(own, 5), saved_combination(whole, 5)
    assert all(left[name].tobytes() == right[name].tobytes() for name in right)
    restored = restored_combination(EXPERTS, 5, whole.counts[LEARNED], right)
    again = saved_combination(restored, 5)
    assert all(again[name].tobytes() == right[name].tobytes() for name in right)


# all voters are wrong -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("weight", [1.0, 800.0, 1e9])
def test_a_round_in_which_all_voters_are_wrong_keeps_the_shares(heads: int, weight: float) -> None:
    """A constant class, then another one: its first round has no voter that is right."""
    n, classes = 40, max(2, heads)
    rows = scored(n, classes, heads)
    y = np.zeros(n, np.int64)
    y[-1] = classes - 1
    scores = np.full(rows.scores.shape, -1.0)
    scores[:, 0] = 1.0 if heads > 1 else -1.0
    rows = rows._replace(y=y, scores=scores, w=np.append(np.ones(n - 1), weight))
    own = new_combination(EXPERTS, classes)
    known = np.full(n, classes)
    assert voted(own, rows.part(0, n - 1), known[:-1]).votes[-1].max() == 0.0
    before = own.shares.copy()
    assert voted(own, rows.part(n - 1, n), known[-1:]).votes.max() == 0.0
    np.testing.assert_allclose(own.shares.sum(), 1.0, rtol=0.0, atol=1e-12)
    pairs = before.sum(axis=1, keepdims=True)
    alphas = np.tile([1.0 / (n + 1.0), 1e-3, 1e-2], 3)[:, None]
    np.testing.assert_allclose(own.shares, (1.0 - alphas) * before + alphas * pairs * own.prior, **CLOSE)


# the bound ------------------------------------------------------------------------------------------------------------
def against_the_vote(rng: np.random.Generator, t: int, classes: int) -> tuple[np.ndarray, int | None]:
    return rng.normal(size=(classes, EXPERTS)), None


def one_is_right(rng: np.random.Generator, t: int, classes: int) -> tuple[np.ndarray, int | None]:
    """Another expert is right after every 150 rounds; all others agree on a wrong class."""
    y = int(rng.integers(0, classes))
    scores = np.zeros((classes, EXPERTS))
    scores[(y + 1) % classes] = 1.0
    scores[:, 7 + t // 150] = np.arange(classes) == y
    return scores, y


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("adversary", [against_the_vote, one_is_right])
def test_the_plurality_vote_keeps_its_bound(classes: int, adversary: object) -> None:
    """Families leave halfway; a removed expert counts as wrong."""
    T, shifts = 600, 8
    rng, own = np.random.default_rng(classes), new_combination(EXPERTS, classes)
    wrong, mistakes, lost = np.zeros((T, OTHERS + EXPERTS), bool), 0, 0.0
    for t in range(T):
        scores, y = adversary(rng, t, classes)  # type: ignore[operator]
        y = y if y is not None else opposed(own, scores, t)
        found = voted(own, one_round(scores, y, t), np.array([classes]))
        wrong[t] = found.votes[0] != y
        mistakes += int(found.mass[0].argmax()) != y
        lost -= math.log1p(math.expm1(-RATE) * (1.0 - found.mass[0, y]))
    least, _ = fewest(np.delete(wrong, np.s_[STACKERS:OTHERS], axis=1), shifts)
    limits: list[bounds.TrackerMistakes | bounds.TrackerStacker] = [
        bounds.TrackerMistakes(L=int(least[k]), k=k, T=T, M=EXPERTS, E=E) for k in range(shifts + 1)
    ]
    limits += [bounds.TrackerStacker(L=int(n), T=T, E=E) for n in wrong[:, STACKERS:OTHERS].sum(axis=0)]
    assert mistakes <= min(bound.value for bound in limits)
    assert lost <= min(bound.lost for bound in limits)
    assert mistakes > (0.9 * T if adversary is against_the_vote else 0)


def one_round(scores: np.ndarray, y: int, t: int, w: float = 1.0) -> Scored:
    seen = 5 if t < 300 else 200
    members = FULL_BANK if t < 300 else DENSE_BANK
    return Scored(scores[None], np.array([y]), np.array([w]), np.array([seen]), np.array([members]))


def opposed(own: Combination, scores: np.ndarray, t: int) -> int:
    """The class with the smallest share of the vote."""
    classes = len(scores)
    return int(voted(own, one_round(scores, 0, t, 0.0), np.array([classes])).mass[0].argmin())
