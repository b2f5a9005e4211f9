"""LabelEfficient: agreement with its oracle, the asking protocol, and refusals."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack

import driftline as dl
from driftline.engines.composed.label_efficient import AskingEngine, LinearAskingEngine
from driftline.rules.composed.label_efficient import coin
from driftline.streams import read
from tests.oracles import linear as oracles
from tests.oracles import splitmix64
from tests.oracles.composed import LabelEfficient, chance
from tests.oracles.second_order import SecondOrderPerceptron
from tests.oracles.splitmix64 import MASK
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import dicts
from tests.support.linear_cases import mislabelled, one_of_each, stream, weights_of

SEEDS = range(40)
GRID = (0.05, 0.5, 5.0)
PARTS = ("perceptron", "pa1(C=0.5)", "norma(alpha=0.5, lam=0.02)", "pnormperceptron(p=3)", "l1pa(beta=3)")
every_part = pytest.mark.parametrize("part", PARTS)
every_variant = pytest.mark.parametrize("variant", ["constant", "adaptive"])


# the coin -------------------------------------------------------------------------------------------------------------
def test_the_coin_is_splitmix64() -> None:
    assert splitmix64.output(0, 0) == 0xE220A8397B1DCDAF  # the first number of the reference program
    for seed in (0, 1, 7, 1 << 32, (1 << 63) + 5, MASK):
        for number in (0, 1, 2, 1000, 1 << 40, 1 << 52):
            assert coin(np.uint64(seed), np.uint64(number)) == splitmix64.coin(seed, number)


def test_coins_are_even_and_know_nothing_of_each_other() -> None:
    U = np.array([[splitmix64.coin(seed, number) for number in range(2000)] for seed in range(20)])
    assert U.min() >= 0.0 and U.max() < 1.0
    assert np.abs(np.histogram(U, 20, (0.0, 1.0))[0] / U.size - 0.05).max() < 0.005
    ranks = (U - 0.5) * math.sqrt(12.0)
    alike = ranks @ ranks.T / U.shape[1] - np.diag((ranks**2).mean(axis=1))
    assert np.abs(alike).max() < 0.1
    assert abs((ranks[:, 1:] * ranks[:, :-1]).mean()) < 0.02


# agreement with the oracle --------------------------------------------------------------------------------------------
ORACLES: dict[str, Callable[[int], oracles.Oracle]] = {
    "perceptron": oracles.Perceptron,
    "pa1(C=0.5)": lambda n: oracles.PA1(n, 0.5, "margin"),
    "norma(alpha=0.5, lam=0.02)": lambda n: oracles.NORMA(n, 0.5, 0.02, 1.0, 2.0),
    "pnormperceptron(p=3)": lambda n: oracles.PNormPerceptron(n, 3.0),
    "l1pa(beta=3)": lambda n: oracles.L1PA(n, 3.0, "mistake"),
}


@every_part
@every_variant
@pytest.mark.parametrize("b", GRID)
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_it_follows_the_oracle(part: str, variant: str, b: float, kind: str) -> None:
    data = stream(5, rounds=600, n=6, density=0.8)
    for seed, bias in ((0, False), (11, True)):
        learner = dl.LabelEfficient(part, b, variant, seed, bias=bias)
        X = np.hstack([np.full((600, 1), float(bias)), data.X])
        inside = ORACLES[part](7)
        oracle = LabelEfficient(inside, b, variant, seed, learner.rule.norm)
        scores, asked = [oracle.learn(*one) for one in zip(X, data.y, strict=True)], oracle.asked
        trials = learner.test_then_train(data.X if kind == "dense" else data.csr, data.y)
        assert trials.asked.tolist() == asked
        np.testing.assert_allclose(trials.scores, scores, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(weights_of(learner, 6), inside.w, rtol=1e-9, atol=1e-9)
        assert learner.asked == sum(asked) and learner.updates == inside.updates
        assert learner.mistakes == np.count_nonzero(data.y * np.array(scores) <= 0.0)
        assert 0 < sum(asked) < 600 or b == GRID[-1]


@every_variant
@pytest.mark.parametrize("part", ["perceptron", "l2pa(beta=2, infeasible='best')", "romma(when='margin')"])
def test_the_compiled_loop_and_the_loop_over_rows_leave_the_same_bits(part: str, variant: str) -> None:
    data = stream(6, rounds=400, n=6, density=0.6, weights=(0.0, 1.0, 2.0))
    fast = dl.LabelEfficient(part, 0.4, variant, 3)
    slow = dl.LabelEfficient(part, 0.4, variant, 3)
    assert type(fast._engine) is LinearAskingEngine
    slow._engine = AskingEngine(slow.rule, slow._engine.part)
    for X in (data.X, data.csr):
        one, other = (learner.test_then_train(X, data.y, data.w) for learner in (fast, slow))
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-12, atol=1e-12)
        assert one.asked.tolist() == other.asked.tolist()
        assert_same(snapshot(fast), snapshot(slow))


# all labels -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", one_of_each(), ids=str)
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_one_that_always_asks_is_the_learner_inside_bit_for_bit(case: Any, kind: str) -> None:
    data = stream(7, rounds=200, n=5, density=0.7, weights=(0.0, 1.0, 2.0))
    X: Any = {"dense": data.X, "csr": data.csr, "dicts": dicts(data.X)}[kind]
    for b, variant in ((math.inf, "constant"), (1e300, "adaptive"), (math.inf, "adaptive")):
        inside, asking = case.learner(), dl.LabelEfficient(case.learner(), b, variant)
        due, found = inside.test_then_train(X, data.y, data.w), asking.test_then_train(X, data.y, data.w)
        assert found.scores.tolist() == due.scores.tolist()
        assert found.updated.tolist() == due.updated.tolist() and found.infeasible.tolist() == due.infeasible.tolist()
        own, given = snapshot(inside), snapshot(asking)
        assert given.pop("asking")[1] == np.count_nonzero(data.w) == asking.asked
        assert_same(own, given)
        assert asking.weights() == inside.weights()


def test_labels_asked_are_as_many_as_expected() -> None:
    """The labels asked for less their conditional probabilities are a martingale: its mean is 0."""
    data = stream(8, rounds=300, n=5)
    for variant in ("constant", "adaptive"):
        for b in GRID:
            surplus, variance = [], 0.0
            for seed in SEEDS:
                learner = dl.LabelEfficient("perceptron", b, variant, seed, bias=False)
                trials = learner.test_then_train(data.X, data.y)
                longest = np.maximum.accumulate(np.linalg.norm(data.X, axis=1))
                before = np.concatenate([[0], np.cumsum(trials.updated)[:-1]])
                each = zip(trials.scores, longest, before, strict=True)
                p = np.array([chance(variant, b, r, size, k) for r, size, k in each])
                surplus.append(learner.asked - p.sum())
                variance += float((p * (1.0 - p)).sum())
            assert abs(sum(surplus)) < 4.0 * math.sqrt(variance)


def test_the_larger_b_the_more_labels() -> None:
    data = stream(9, rounds=1000, n=5)
    for variant in ("constant", "adaptive"):
        asked = [[dl.LabelEfficient(b=b, variant=variant, seed=seed) for seed in range(8)] for b in GRID]
        for learners in asked:
            for learner in learners:
                learner.learn_many(data.X, data.y)
        means = [np.mean([learner.asked for learner in learners]) for learners in asked]
        assert means == sorted(means) and means[0] < 0.7 * means[-1]


# second order ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("b", [0.02, 0.2, 2.0])
def test_the_second_order_variant_follows_its_oracle(diagonal: bool, kind: str, b: float) -> None:
    data = stream(14, rounds=400, n=30, density=0.1)
    for a, seed, bias in ((1.0, 0, not diagonal), (0.1, 5, False)):  # sums of a constant 1 may vanish but for rounding
        X = np.hstack([np.full((400, 1), float(bias)), data.X])
        inside = SecondOrderPerceptron(31, a, diagonal)
        oracle = LabelEfficient(inside, b, "second", seed)
        scores, asked = [oracle.learn(*one) for one in zip(X, data.y, strict=True)], oracle.asked
        part = dl.SecondOrderPerceptron(a, diagonal=diagonal, bias=bias)
        learner = dl.LabelEfficient(part, b, "second", seed)
        trials = learner.test_then_train(data.X if kind == "dense" else data.csr, data.y)
        assert trials.asked.tolist() == asked and 0 < sum(asked) < 400
        np.testing.assert_allclose(trials.scores, scores, rtol=1e-9, atol=1e-9)
        rows = data.X[:1] if kind == "dense" else data.csr[:1]
        spread = learner._engine.part.spread(learner._encoder.many(rows, False))
        assert spread == pytest.approx(X[0] @ np.linalg.solve(inside.A, X[0]), rel=1e-9)


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("b", [0.3, 1.0, 3.0])
def test_expected_mistakes_of_second_order_stay_within_their_bound(noise: float, b: float) -> None:
    """M <= D + b / (2 gamma^2) (a + lambda_u) + logdet / (2 b), as means over the seeds."""
    X, y, u, gamma = mislabelled(2, noise)
    hinge = np.maximum(0.0, 1.0 - y * (X @ u) / gamma)
    mistakes, bounds = [], []
    for seed in SEEDS:
        learner = dl.LabelEfficient("secondorderperceptron", b, "second", seed, bias=False)
        updated = learner.test_then_train(X, y).updated
        along = 1.0 + float(((X[updated] @ u) ** 2).sum())
        logdet = np.linalg.slogdet(np.eye(6) + X[updated].T @ X[updated])[1]
        mistakes.append(learner.mistakes)
        bounds.append(hinge[updated].sum() + b / (2.0 * gamma**2) * along + logdet / (2.0 * b))
    assert 3.0 < np.mean(mistakes) <= np.mean(bounds)


def test_one_of_second_order_that_always_asks_is_the_learner_inside() -> None:
    data = stream(15, rounds=200, n=5)
    inside = dl.SecondOrderPerceptron(0.5)
    asking = dl.LabelEfficient("secondorderperceptron(a=0.5)", math.inf, "second")
    assert asking.learn_many(data.X, data.y).tolist() == inside.learn_many(data.X, data.y).tolist()
    known = snapshot(asking)
    assert known.pop("asking")[:2].tolist() == [200.0, 200.0]
    assert_same(snapshot(inside), known)


def test_one_of_second_order_with_a_large_a_is_the_perceptron() -> None:
    """With a large, A is a I, q is 0, and scores are those of the Perceptron over a."""
    data = stream(16, rounds=300, n=5)
    a = 1e9
    second = dl.LabelEfficient(f"secondorderperceptron(a={a})", 0.5 / a, "second", 3)
    first = dl.LabelEfficient("perceptron", 0.5, "constant", 3)
    one, other = (learner.test_then_train(data.X, data.y) for learner in (second, first))
    assert one.asked.tolist() == other.asked.tolist()
    np.testing.assert_allclose(a * one.scores, other.scores, rtol=1e-5, atol=1e-5)


# the protocol ---------------------------------------------------------------------------------------------------------
def same_but_for_unseen_mistakes(one: dl.Learner, other: dl.Learner) -> None:
    a, b = snapshot(one), snapshot(other)
    for known in (a, b):
        known["state"][6:9] = 0.0  # mistakes, label errors, margin errors
    assert_same(a, b)


@pytest.mark.parametrize(
    ("part", "variant"),
    [*((part, variant) for part in PARTS for variant in ("constant", "adaptive")), ("secondorderperceptron", "second")],
)
@pytest.mark.parametrize("scale", [None, "unit", "standard"])
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_asking_and_skipping_is_a_run(part: str, variant: Any, scale: Any, kind: str) -> None:
    data = stream(10, rounds=80, n=5, density=0.6)
    X: Any = {"dense": data.X, "csr": data.csr, "dicts": dicts(data.X)}[kind]
    made = [dl.LabelEfficient(part, 0.4, variant, 2, scale=scale) for _ in range(3)]
    service, run, loop = made
    trials = run.test_then_train(X, data.y)
    for i in range(80):
        before = snapshot(service)
        asks = service.asks(X[i])
        assert asks is service.asks(X[i]) is bool(trials.asked[i])
        assert_same(before, snapshot(service))
        score = service.learn_one(X[i], data.y[i]) if asks else service.skip(X[i])
        assert score == trials.scores[i] == loop.learn_one(X[i], data.y[i])
    assert_same(snapshot(run), snapshot(loop))
    same_but_for_unseen_mistakes(run, service)
    seen = (trials.y * trials.scores <= 0.0) & trials.asked
    assert (service.n_seen, service.asked, service.mistakes) == (80, run.asked, seen.sum())
    assert 0 < service.asked < 80


@every_part
@every_variant
def test_labels_that_are_not_asked_for_do_not_matter(part: str, variant: str) -> None:
    data = stream(11, rounds=300, n=5)
    one, other = (dl.LabelEfficient(part, 0.4, variant, 4) for _ in range(2))
    trials = one.test_then_train(data.X, data.y)
    flipped = np.where(trials.asked, data.y, -data.y)
    assert other.test_then_train(data.X, flipped).scores.tolist() == trials.scores.tolist()
    same_but_for_unseen_mistakes(one, other)
    assert other.mistakes != one.mistakes
    third = dl.LabelEfficient(part, 0.4, variant, 4)
    third.learn_many(data.X, np.where(trials.asked, -data.y, data.y))
    assert third.score_many(data.X).tolist() != one.score_many(data.X).tolist()


def test_a_label_that_cannot_be_had_may_be_left_out() -> None:
    learner = dl.LabelEfficient()
    assert learner.asks({"a": 1.0})
    assert learner.skip({"a": 1.0}) == 0.0
    assert (learner.n_seen, learner.asked, learner.updates, learner.mistakes) == (1, 0, 0, 0)
    assert learner.predict_one({"a": 1.0}) is None
    learner.learn_one({"a": 1.0}, "yes")
    assert (learner.asked, learner.updates) == (1, 1)


def test_seeds_differ_and_a_seed_is_a_run() -> None:
    data = stream(12, rounds=300, n=5)
    runs = [dl.LabelEfficient(b=0.3, seed=seed).test_then_train(data.X, data.y) for seed in (1, 1, 2, MASK)]
    asked = [tuple(trials.asked.tolist()) for trials in runs]
    assert asked[0] == asked[1] and len(set(asked)) == 3


@every_variant
def test_zero_examples_are_asked_for(variant: str) -> None:
    learner = dl.LabelEfficient(variant=variant, bias=False)
    trials = learner.test_then_train(np.zeros((4, 2)), np.array([1.0, -1.0, 1.0, 1.0]))
    assert trials.asked.all() and not trials.scores.any() and learner.mistakes == 4


def test_a_part_brings_its_own_options() -> None:
    learner = dl.LabelEfficient(dl.PA1(0.5, scale="unit", bias=False), 2.0)
    assert learner.rule.learner == dl.PA1(0.5).rule
    assert learner.options["scale"] == "unit" and learner.options["bias"] is False
    assert dl.LabelEfficient(dl.PA1(scale="unit"), scale=None).options["scale"] is None
    assert repr(dl.LabelEfficient()) == "LabelEfficient(learner=Perceptron(), b=1.0, variant='constant', seed=0)"


# what is refused ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"b": 0.0}, "b must be > 0, got 0.0"),
        ({"b": -1}, "b must be > 0, got -1"),
        ({"b": "many"}, "b must be a number, got 'many'"),
        ({"variant": "third"}, "variant must be 'constant' or 'adaptive' or 'second', got 'third'"),
        ({"variant": "second"}, "learner must be of second order for variant 'second', got Perceptron()"),
        ({"seed": -1}, f"seed must be a whole number from 0 to {MASK}, got -1"),
        ({"seed": 1 << 64}, f"seed must be a whole number from 0 to {MASK}, got {1 << 64}"),
        ({"seed": 0.5}, f"seed must be a whole number from 0 to {MASK}, got 0.5"),
        ({"seed": True}, f"seed must be a whole number from 0 to {MASK}, got True"),
        ({"learner": dl.LabelEfficient()}, "learner must be a rule that learns every label it is given, got Label"),
        ({"learner": 3}, "a learner must be a driftline learner, its rule or its name, got 3. Pass PA1(C=0.5)"),
        ({"learner": "perceptro"}, "a learner must be a name with parameters such as 'pa1(C=0.5)', got 'perceptro'"),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.LabelEfficient(**parameters)
    assert str(caught.value).startswith(f"LabelEfficient: {message}")


@pytest.mark.parametrize("part", ["kernelized(perceptron, poly)", "kernelsecondorder", "multilinearperceptron"])
def test_adaptive_asking_needs_the_length_of_an_example(part: str) -> None:
    message = r"^LabelEfficient: learner must not be over a kernel .* k\(x, x\), got .*\. Set variant='constant'$"
    with pytest.raises(ValueError, match=message):
        dl.LabelEfficient(part, variant="adaptive")
    assert dl.LabelEfficient(part, variant="constant").rule.variant == "constant"


@pytest.mark.parametrize("seed", [np.int64(3), np.uint64(MASK)])
def test_a_seed_of_numpy(seed: Any, tmp_path: Path) -> None:
    learner, due = dl.LabelEfficient(seed=seed), dl.LabelEfficient(seed=int(seed))
    assert repr(learner) == repr(due)
    learner.save(tmp_path / "a.dl")
    assert dl.load(tmp_path / "a.dl").rule == due.rule


KNN = "batchonline('KNeighborsClassifier(n_neighbors=5)')"
UNFIT = [
    ("winnow", {"a": -2.5}, ("no negative feature", "got -2.5")),
    (KNN, {"a": 1.0}, (f"a score from {KNN[13:-2]}", "n_neighbors")),
]


@pytest.mark.parametrize("w", [1.0, 0.0])
@pytest.mark.parametrize(("part", "x", "words"), UNFIT)
def test_what_the_part_cannot_score_is_refused(part: str, x: Any, words: tuple[str, ...], w: float) -> None:
    """With the row, in this learner's name; a round that only tests is no other."""
    learner = dl.LabelEfficient(part, math.inf)
    fine = {"a": 1.0, "b": 1.0}
    learner.learn_many([fine, fine], [True, False])
    with refused(learner, *words, "LabelEfficient: x must"):
        learner.learn_one(x, True, w)
    rows = [fine, x] if part != KNN else [x, x]
    with refused(learner, *words, f"row {1 if part != KNN else 0} must"):
        learner.learn_many(rows, [True, False], [0.0 if part == KNN else 1.0, w])
    with refused(learner, *words, "LabelEfficient: x must"):
        learner.skip(x)
    with refused(learner, *words, "LabelEfficient: x must"):
        learner.asks(x)
    with refused(learner, *words):
        learner.score_one(x)
    with refused(learner, *words):
        learner.score_many([x])


def test_weights_that_have_overflowed_are_refused() -> None:
    learner = dl.LabelEfficient("pnormperceptron(p=3)", math.inf, bias=False)
    learner.learn_one({"a": 1.0}, True)
    learner._engine.part.v[8:10] = math.inf
    with refused(learner, "x must have a finite score, got weights that have overflowed"):
        learner.learn_one({"a": 1.0}, False)
    with refused(learner, "x must have a finite score"):
        learner.skip({"a": 1.0})


def test_asking_leaves_no_name_behind() -> None:
    learner = dl.LabelEfficient("batchonline('GaussianNB()')")
    learner.learn_many([{"a": 1.0}, {"b": 1.0}], [True, False])
    learner.asks({"a": 1.0, "new": 1.0, "other": 1.0})
    assert learner._engine.part.features == learner.n_features == 2
    assert learner.weights() == {}
    with refused(learner):
        learner.asks({"newer": math.inf})
    assert learner._engine.part.features == 2


@pytest.mark.parametrize("part", ["perceptron", "pnormperceptron(p=3)"])
def test_what_is_refused_changes_nothing(part: str) -> None:
    learner = dl.LabelEfficient(part, 0.3, scale="standard")
    learner.learn_many([{"a": 1.0}, {"a": -1.0, "b": 2.0}], [True, False])
    for x in ({"a": -math.inf}, {"new": math.inf}, {"a": 1e70}, {"a": []}, [1.0, 2.0]):
        with refused(learner):
            learner.skip(x)
        with refused(learner):
            learner.asks(x)
        with refused(learner):
            learner.learn_one(x, True)


@pytest.mark.parametrize("part", ["l2pa(beta=0.1, infeasible='raise')", "l1pa(beta=0.1, infeasible='raise')"])
def test_only_a_row_that_is_asked_for_can_be_refused(part: str) -> None:
    X, y = np.diag([20.0, 20.0, 1.0]), np.ones(3)
    learner = dl.LabelEfficient(part, 1e-9, bias=False)
    with refused(learner, "row 2", "within beta = 0.1", "Raise beta"):
        learner.learn_many(X, y)  # a score of 0 asks
    before = learner._engine.asking.copy()
    assert learner._engine.learn(learner._encoder.many(X[2:], True), np.ones((4, 1))) == 0
    assert learner._engine.asking.tolist() == before.tolist()  # by itself, if it is a part of another
    learner.learn_many(X[:2], y[:2])
    assert not learner.asks(X[0] / 20.0)
    learner.learn_one(X[0] / 20.0, -1.0)  # as infeasible as that, if its label were asked for
    assert learner.infeasible == 0 and learner.n_seen == 3


@pytest.mark.parametrize(
    "asking", [[3.0, 4.0, 1.0], [2.5, 1.0, 1.0], [3.0, -1.0, 1.0], [3.0, 1.0, math.nan], [3.0, 1.0]]
)
def test_a_file_with_impossible_rounds_is_no_model(asking: list[float]) -> None:
    learner = dl.LabelEfficient()
    good = learner._engine.saved(0)
    with pytest.raises(ValueError, match="asking"):
        learner._engine.restore(0, good | {"asking": np.array(asking)})
    with pytest.raises(ValueError, match="asking"):
        learner._engine.restore(0, {name: array for name, array in good.items() if name != "asking"})


def test_interrupted_between_two_rows_it_has_learned_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = stream(13, rounds=20, n=4)
    learner = dl.LabelEfficient("l1pa(beta=3)")
    learner.learn_many(data.X[:5], data.y[:5])
    before, learn, left = snapshot(learner), learner._engine.part.learn, iter(range(3))

    def interrupted(rows: Any, trials: Any) -> int:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return learn(rows, trials)

    monkeypatch.setattr(learner._engine.part, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(data.X[5:], data.y[5:])
    monkeypatch.undo()
    assert_same(before, snapshot(learner))


@pytest.mark.parametrize("part", ["kernelsecondorder", "l1pa(beta=3)"])
@pytest.mark.parametrize("late", [True, False])
def test_one_row_interrupted_is_learned_with_its_round_or_not_at_all(
    part: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that can takes the row back when it was learned already; another one keeps it, and its round."""
    data = stream(13, rounds=20, n=4)
    learner, twin = (dl.LabelEfficient(part, math.inf) for _ in range(2))
    for one in (learner, twin):
        one.learn_many(data.X[:5], data.y[:5])
    learn = learner._engine.part.learn

    def interrupted(rows: Any, trials: Any) -> int:
        if late:
            learn(rows, trials)
        raise KeyboardInterrupt

    monkeypatch.setattr(learner._engine.part, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_one(data.X[5], data.y[5])
    monkeypatch.undo()
    if late and part != "kernelsecondorder":
        twin.learn_one(data.X[5], data.y[5])
    assert learner.asked == learner.n_seen == twin.n_seen
    due, found = snapshot(twin), snapshot(learner)
    if late:  # the score of the round was lost, so the probabilities do not count it
        due, found = ({k: v for k, v in one.items() if not k.startswith("recent_")} for one in (due, found))
    assert_same(due, found)


# real e-mails ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def mails() -> tuple[csr_matrix, np.ndarray]:
    path = Path(os.environ.get("DRIFTLINE_DATA", ""), "spam", "katakis_spam_9324x39916.svm.xz")
    if "DRIFTLINE_DATA" not in os.environ or not path.exists():
        pytest.skip("DRIFTLINE_DATA is not set, or has no spam")
    blocks = list(read(path))
    width = max(X.width for X, _ in blocks)
    parts = [csr_matrix((X.values, X.indices.astype(int), X.indptr.astype(int)), (len(X), width)) for X, _ in blocks]
    return vstack(parts, format="csr"), np.concatenate([y for _, y in blocks])


@pytest.mark.parametrize(
    ("variant", "b", "labels", "most"),
    [("constant", 0.26, 0.36, 1.3), ("constant", 0.51, 0.51, 1.2), ("adaptive", 0.052, 0.51, 1.2)],
)
def test_a_third_of_the_labels_is_nearly_enough_for_spam(
    mails: tuple[csr_matrix, np.ndarray], variant: Any, b: float, labels: float, most: float
) -> None:
    X, y = mails
    full = dl.run(dl.Perceptron(scale="unit", bias=False), (X, y)).mistakes
    found = dl.tradeoff((X, y), [("perceptron", variant)], b=[b], seeds=20, scale="unit", bias=False)
    (curve,) = found.curves
    (point,) = curve.points
    assert curve.full == full
    assert labels - 0.02 < point.share <= labels
    assert point.mistakes + 2.0 * point.mistakes_se <= most * full
