"""Committee: members learn as they would alone, and are weighted by the experts' rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import rules
from driftline.engines.state import FIRST, MISTAKES, SEEN
from driftline.internals.rows import DenseRows
from tests.oracles.composed import Committee
from tests.support.bitwise import assert_same, refused, same_bits, snapshot
from tests.support.expert_sequences import best_partition
from tests.support.learner_cases import rows_of
from tests.support.linear_cases import stream

DATA = stream(7, rounds=300, n=6, density=0.6, weights=(0.0, 0.5, 1.0))
MEMBERS = "perceptron, pa1(C=0.1), norma(lam=0.01), l1pa(beta=2.0), pnormperceptron(p=3.0)"


def alone(committee: Any, **options: Any) -> list[dl.Learner]:
    """The members as learners of their own."""
    return [dl.REGISTRY[type(rule).__name__.lower()](**vars(rule), **options) for rule in committee.rule.learners]


# ------------------------------------------------------------------------------------------------ what it is made of
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
@pytest.mark.parametrize("scale", [None, "standard"])
@pytest.mark.parametrize("advice", ["sign", "score"])
def test_members_learn_as_alone_and_are_combined_as_experts(kind: str, scale: Any, advice: Any) -> None:
    committee = dl.Committee(MEMBERS, "fixedshare(eta=1.0, alpha=0.05)", advice, scale=scale)
    found = committee.test_then_train(rows_of(kind, DATA.X), DATA.y, DATA.w)
    oracle = Committee(alone(committee, scale=scale), dl.FixedShare(1.0, 0.05), advice)
    singles, experts, rows = oracle.learners, oracle.combine, rows_of(kind, DATA.X)
    assert found.scores.tolist() == [oracle.learn(rows[i], DATA.y[i], DATA.w[i]) for i in range(len(DATA.y))]
    assert [member.share for member in committee.members] == experts.distribution().tolist()
    assert [member.mistakes for member in committee.members] == [one.mistakes for one in singles]
    for engine, single in zip(committee._engine.members, singles, strict=True):
        for name, array in engine.arrays().items():
            assert same_bits(array, single._engine.arrays()[name]), name
    assert found.updated.tolist() == (DATA.w > 0.0).tolist()
    assert committee.mistakes == np.count_nonzero(found.scores * DATA.y <= 0.0)
    assert committee.score_many(rows).tolist() == [oracle.score(rows[i]) for i in range(len(DATA.y))]


def test_a_committee_of_one_says_what_its_member_says() -> None:
    committee, single = dl.Committee(["pa1"]), dl.PA1()
    found, due = committee.learn_many(DATA.X, DATA.y), single.learn_many(DATA.X, DATA.y)
    assert found.tolist() == np.where(due >= 0.0, 1.0, -1.0).tolist()
    assert committee.members[0].share == 1.0


def test_the_default() -> None:
    committee = dl.Committee()
    assert committee.rule == rules.Committee()
    assert [type(rule).__name__ for rule in committee.rule.learners] == ["Perceptron", "PA1", "NORMA"]
    assert [member.share for member in committee.members] == pytest.approx([1 / 3] * 3)
    assert committee.rule.combine == rules.FixedShare() == dl.FixedShare().rule
    assert committee.weights() == {}
    assert not committee.rule.refuses


def test_members_may_be_given_in_any_way() -> None:
    due = dl.Committee([rules.PA1(0.5), rules.NORMA(lam=0.01)], rules.FixedShare(1.0, 0.1)).rule
    for learners in (
        [dl.PA1(C=0.5), dl.NORMA(lam=0.01)],
        ["pa1(C=0.5)", dl.NORMA(lam=0.01)],
        ("PA1(0.5)", rules.NORMA(lam=0.01)),
        "pa1(C=0.5), norma(lam=0.01)",
        "[pa1(0.5), norma(lam=0.01)]",
    ):
        for combine in (dl.FixedShare(1.0, 0.1), "fixedshare(1.0, alpha=0.1)"):
            assert dl.Committee(learners, combine).rule == due
    assert dl.Committee("pa1").rule.learners == (rules.PA1(),)


def test_committees_of_committees() -> None:
    inner = dl.Committee(["pa", "perceptron"], "adahedge")
    outer = dl.Committee([inner, "pa1"], "halving")
    outer.learn_many(DATA.X, DATA.y)
    inner.learn_many(DATA.X, DATA.y)
    assert outer.members[0].mistakes == inner.mistakes


# ------------------------------------------------------------------------------------------------ how good it is
def calm_and_jumpy(seed: int, phases: int = 6, length: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """In turns: one target with a tenth of the labels wrong, and a new target every 80 rounds with all labels right."""
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for k in range(phases):
        calm = k % 2 == 0
        every, noise = (length, 0.1) if calm else (80, 0.0)
        parts += dl.streams.SwitchingHyperplane(length, 8, every=every, noise=noise, seed=100 * seed + k)
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


SLOW_AND_FAST = "pa1(C=0.1), pa"


@pytest.mark.parametrize("learners", [SLOW_AND_FAST, f"{SLOW_AND_FAST}, alma, norma(lam=0.003)"])
def test_it_beats_its_best_member_where_that_changes(learners: str) -> None:
    """Large steps are best while the target jumps, small ones while labels are wrong; by a tenth, on every seed."""
    for seed in range(6):
        X, y = calm_and_jumpy(seed)
        committee, fixed = dl.Committee(learners, dl.FixedShare()), dl.Committee(learners, dl.ExponentialWeights())
        committee.learn_many(X, y)
        fixed.learn_many(X, y)
        best = min(member.mistakes for member in committee.members)
        assert committee.mistakes < 0.9 * best
        assert 0.97 * best < fixed.mistakes < 1.02 * best  # weights that do not forget are as good as one learner


def test_it_costs_little_where_one_member_is_best_all_the_time() -> None:
    for seed in range(3):
        for every, noise in ((4000, 0.1), (80, 0.0)):
            X, y = next(iter(dl.streams.SwitchingHyperplane(4000, 8, every=every, noise=noise, seed=seed, block=4000)))
            committee = dl.Committee(SLOW_AND_FAST)
            committee.learn_many(X, y)
            assert committee.mistakes <= 1.03 * min(member.mistakes for member in committee.members)


def test_shares_follow_the_phase() -> None:
    X, y = calm_and_jumpy(3)
    committee = dl.Committee(SLOW_AND_FAST)
    for k in range(6):
        committee.learn_many(X[2000 * k : 2000 * (k + 1)], y[2000 * k : 2000 * (k + 1)])
        slow, fast = (member.share for member in committee.members)
        assert (slow > fast) == (k % 2 == 0)


@pytest.mark.parametrize("seed", range(3))
def test_its_loss_is_bounded_by_the_best_sequence_of_members(seed: int) -> None:
    X, y = calm_and_jumpy(seed)
    eta, k, rounds = 0.5, 5, len(y)
    alpha = k / (rounds - 1)
    committee = dl.Committee(SLOW_AND_FAST, dl.FixedShare(eta, alpha))
    scores = committee.learn_many(X, y)
    errors = np.column_stack([(one.learn_many(X, y) >= 0.0) != (y > 0.0) for one in alone(committee)])
    best = best_partition(errors.astype(float), k)
    cost = math.log(2) + k * math.log(1 / alpha) - (rounds - 1 - k) * math.log1p(-alpha)
    bound = (eta * best + cost) / (1.0 - math.exp(-eta))
    loss = 0.5 * np.abs(scores - y).sum()
    assert 0.7 * bound < loss <= bound
    assert best < 0.85 * errors.sum(axis=0).min()


# ------------------------------------------------------------------------------------------------ all or nothing
PICKY = "l1pa(beta=1.0, when='margin', infeasible='raise')"


def picky() -> Any:
    """The second member refuses rows with no value of 1 or more, the third those with none of 0.6 or more."""
    return dl.Committee(["perceptron", PICKY, PICKY.replace("1.0", "1.7")], bias=False)


def test_what_one_member_refuses_no_member_learns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], 30)
    X[:, 0] = 2.0
    X[12] = [0.8, 0.0, 0.0, 0.0]  # too small for the second
    X[20] = [0.1, 0.0, 0.0, 0.0]  # for both
    committee = picky()
    assert committee.rule.refuses
    with refused(committee, "row 12 must", "beta"):
        committee.learn_many(X, y)
    committee.learn_many(X[:12], y[:12])
    with refused(committee, "x must", "beta"):
        committee.learn_one(X[12], y[12])
    with refused(committee, "row 1 must"):
        committee.learn_many(X[19:22], y[19:22])
    twin = picky()
    twin.learn_many(X[:12], y[:12])
    assert committee.learn_many(X[13:20], y[13:20]).tolist() == twin.learn_many(X[13:20], y[13:20]).tolist()
    assert_same(snapshot(committee), snapshot(twin))


def test_the_first_to_refuse_is_named() -> None:
    """The vote refuses a row before the one that a member refuses."""
    X, y = np.array([[2.0], [2.0], [2.0], [0.1]]), np.array([-1.0, -1.0, 1.0, 1.0])
    committee = dl.Committee(["perceptron", PICKY], dl.Halving("raise"), bias=False)
    with refused(committee, "row 0 must leave an expert that was never wrong"):
        committee.learn_many(X, y)  # a score of 0 is shown as +1
    with refused(committee, "x must leave an expert"):
        committee.learn_one(X[0], y[0])
    committee = dl.Committee(["perceptron", PICKY], bias=False)
    with refused(committee, "row 3 must"):
        committee.learn_many(X, y)


@pytest.mark.parametrize("advice", ["sign", "score"])
def test_what_one_member_cannot_score_the_committee_cannot(advice: Any) -> None:
    """What Winnow has no word for is no word against it."""
    committee = dl.Committee(["perceptron", "winnow"], advice=advice, bias=False)
    committee.learn_many([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    with refused(committee, "x must have no negative feature, got -1.0. Use BalancedWinnow"):
        committee.score_one([-1.0, 0.0])
    with refused(committee, "row 1 must have no negative feature, got -2.0"):
        committee.score_many([[1.0, 0.0], [1.0, -2.0], [1.0, 0.0], [-3.0, 1.0]])
    with refused(committee, "x must have no negative feature"):
        committee.learn_one([-1.0, 0.0], 1)
    with refused(committee, "row 1 must have no negative feature"):
        committee.learn_many([[1.0, 0.0], [1.0, -2.0]], [-1, 1])
    scores = np.zeros(3)
    committee._engine.score(DenseRows(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])), scores)
    due = committee.score_many([[1.0, 0.0], [0.0, 1.0]])
    assert np.isnan(scores[1])
    assert scores[[0, 2]].tolist() == due.tolist()


@pytest.mark.parametrize("advice", ["sign", "score"])
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("scale", [None, "standard"])
def test_a_member_whose_weights_have_overflowed(advice: Any, nested: bool, scale: Any) -> None:
    """It has nothing to say, so nobody learns."""
    inner = dl.Committee(["pa1", "perceptron"], advice=advice)
    committee = dl.Committee([inner if nested else "pa1", "perceptron"], advice=advice, bias=False, scale=scale)
    committee.learn_many([[1.0, 1.0], [-1.0, 1.0], [2.0, 0.5]], [1, -1, 1])
    assert not committee.rule.refuses
    first = committee._engine.members[0]
    (first.members[0] if nested else first).v[FIRST:] = np.nan
    words = "must have a finite score from every learner, got NaN from weights that have overflowed"
    X, y = np.array([[1.0, 0.7], [1.0, -0.6], [1.0, 0.0]]), [-1, -1, -1]
    with refused(committee, f"row 0 {words}. Take smaller parameters"):
        committee.learn_many(X, y)
    with refused(committee, f"x {words}"):
        committee.learn_one(X[0], 1)
    with refused(committee, "a score must be finite, got weights that have overflowed"):
        committee.score_many(X)


def test_the_rows_before_an_overflow_are_taken_back() -> None:
    committee = dl.Committee(["pa", "norma"], advice="score", bias=False)
    committee.learn_many([{"a": 1.0, "b": 1.0, "c": 1.0}], [1])
    committee._engine.members[1].v[FIRST + 1 : FIRST + 3] = [np.inf, -np.inf]
    rows = [{"a": 1.0}, {"a": -1.0}, {"b": 1.0, "c": 1.0}]
    with refused(committee, "row 2 must have a finite score from every learner"):
        committee.learn_many(rows, [-1, -1, 1])
    committee.learn_many(rows[:2], [-1, -1])
    with refused(committee, "x must have a finite score from every learner"):
        committee.learn_one(rows[2], 1)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_an_interruption_between_members(moment: str, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    committee, twin = dl.Committee(["pa1", "norma"]), dl.Committee(["pa1", "norma"])
    engine = [*committee._engine.members, committee._engine.combiner][part]
    original = engine.learn
    calls = []

    def interrupted(rows: Any, trials: Any) -> int:
        calls.append(trials.shape)
        if len(calls) > 1:
            return original(rows, trials)
        if moment == "after":
            original(rows, trials)
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        committee.learn_many(DATA.X, DATA.y)
    monkeypatch.undo()
    twin.learn_many(DATA.X, DATA.y)
    assert_same(snapshot(committee), snapshot(twin))
    assert committee.n_seen == len(DATA.y)


# ------------------------------------------------------------------------------------------------ options, bad input
def test_options_of_members_become_its_own() -> None:
    committee = dl.Committee([dl.PA1(scale="unit", bias=False), dl.PA(scale="unit", bias=False), "norma"])
    assert (committee.options["scale"], committee.options["bias"]) == ("unit", False)
    assert dl.Committee([dl.PA1(scale="unit")], scale=None).options["scale"] is None
    assert dl.Committee(["pa1", "pa"], scale="standard", dtype="float32").options["dtype"] == "float32"
    assert dl.Committee(["multilinearperceptron", "pa1"]).options["bias"] is False


NO_EXPERTS = "learners must not be of experts, whose features are advice: pass such a rule as combine"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (
            {"learners": [dl.PA1(scale="unit"), dl.PA()]},
            "learners must have the same options, got {'scale': 'unit'} and {}",
        ),
        ({"learners": []}, "learners must be one or more, got []"),
        ({"learners": 3}, "learners must be one or more, got 3"),
        ({"learners": ["pa9"]}, "a learner must be a name with parameters such as 'pa1(C=0.5)', got 'pa9'"),
        ({"learners": "pa1(C="}, "a learner must be a name with parameters such as 'pa1(C=0.5)', got 'pa1(C='"),
        ({"learners": [object]}, "a learner must be a driftline learner, its rule or its name, got <class 'object'>"),
        ({"combine": "pa1"}, "combine must be a rule of experts such as FixedShare(), got PA1("),
        ({"combine": "halving", "advice": "score"}, "advice must be 'sign' with Halving, got 'score'"),
        ({"combine": "halv"}, "combine must be a name with parameters"),
        ({"advice": "loud"}, "advice must be 'sign' or 'score', got 'loud'"),
        (
            {"learners": ["pa1", "multilinearperceptron"], "bias": True},
            "bias must be False with MultilinearPerceptron, got True",
        ),
        ({"learners": ["pa1", "arow"], "dtype": "float32"}, "dtype must be 'float64' with AROW, got 'float32'"),
        ({"learners": ["pa1", "adahedge"]}, f"{NO_EXPERTS}, got AdaHedge()"),
        ({"learners": [dl.FixedShare()]}, f"{NO_EXPERTS}, got FixedShare(eta=0.5, alpha=0.003)"),
    ],
    ids=str,
)
def test_what_makes_no_committee(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.Committee(**given)
    assert str(caught.value).startswith(f"Committee: {what}")


def test_a_member_must_be_new() -> None:
    used = dl.PA1()
    used.learn_one({"a": 1.0}, True)
    with pytest.raises(ValueError, match="a learner must be new, got one that has seen 1 examples"):
        dl.Committee([used])


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("0 v", None),
        ("0 counters", None),
        ("2 v", np.zeros(14)),
        ("0 counters", np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])),
        ("0 counters", np.array([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
        ("combine shares", np.ones(3)),
        ("combine shares", np.array([1.0])),
        ("state", np.zeros(5)),
        ("v", np.zeros(14)),
    ],
)
def test_no_engine_is_made_of_what_none_can_have_saved(name: str, array: Any) -> None:
    committee = dl.Committee(["pa1", "pa"])
    committee.learn_many(DATA.X, DATA.y)
    saved = {key: one.copy() for key, one in committee._engine.saved(6).items()}
    fresh = dl.Committee(["pa1", "pa"])._engine
    fresh.restore(6, saved)
    assert fresh.members[0].state[MISTAKES] == committee.members[0].mistakes
    assert fresh.combiner.state[SEEN] == len(DATA.y)
    if array is None:
        del saved[name]
    else:
        saved[name] = array
    with pytest.raises(ValueError):
        dl.Committee(["pa1", "pa"])._engine.restore(6, saved)


def test_a_part_that_has_no_use_for_a_constant_is_no_reason_to_refuse_the_others() -> None:
    data = stream(3, rounds=60, n=3)
    given = dl.Committee([dl.PA1(), dl.Tracker()])
    named = dl.Committee("pa1, tracker")
    assert given.options["bias"] is named.options["bias"] is False
    assert given.learn_many(data.X, data.y).tolist() == named.learn_many(data.X, data.y).tolist()
    assert dl.Committee([dl.PA1(bias=False), dl.Tracker()]).options["bias"] is False
    with pytest.raises(ValueError, match=r"bias must be False with Tracker, got True\. Leave it out"):
        dl.Committee([dl.PA1(), dl.Tracker()], bias=True)
    with pytest.raises(ValueError, match=r"the same options, got \{'scale': 'unit'\} and \{\}"):
        dl.Committee([dl.PA1(scale="unit"), dl.Tracker()])


@pytest.mark.parametrize("rule", [rules.Committee, rules.Bank])
def test_weights_of_single_precision_are_for_those_whose_parts_all_may_have_them(rule: Any) -> None:
    assert rule((rules.PA1(), rules.Perceptron())).single
    assert not rule((rules.PA1(), rules.AROW())).single
