"""Bank: each column has the same bits as the same learner alone; the leader's score is used."""

from __future__ import annotations

import copy
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import rules
from driftline.engines.composed import bank_columns
from driftline.engines.state import FIRST, INFEASIBLES
from driftline.rules.composed.bank import fits
from driftline.saved import load
from tests.oracles.composed import Bank
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import rows_of
from tests.support.linear_cases import CASES, Case, stream

COLUMNS = [case for case in CASES if fits(case.learner().rule)]
SECOND = [Case("arow", {"r": 0.3}), Case("arow", {"diagonal": True}), Case("scw"), Case("secondorderperceptron")]
EVERY_KIND = pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])


def assert_alone(lone: dl.Learner, alone: dl.Learner) -> None:
    """A column has become what a learner that was alone has become."""
    assert type(lone) is type(alone)
    assert repr(lone) == repr(alone)
    own, other = snapshot(lone), snapshot(alone)  # a column has no recent rounds for its probabilities
    assert_same(own, {name: value for name, value in other.items() if not name.startswith("recent_")})


def test_there_is_every_two_number_rule() -> None:
    assert {case.name for case in COLUMNS} == {case.name for case in CASES} - {"l1pa"}
    assert len(COLUMNS) > 32, "wide tiles and narrow ones are both used"


@EVERY_KIND
@pytest.mark.parametrize("width", [1, 7, 8, 31, 32, 33, 50, 76])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_columns_are_learners_that_are_alone(kind: str, width: int, dtype: Any) -> None:
    data = stream(width, rounds=150, n=width, density=0.6, decades=1.0, weights=(0.0, 0.3, 1.0, 1.0, 2.5))
    rows = rows_of(kind, data.X)
    bank = dl.Bank([case.learner().rule for case in COLUMNS], dtype=dtype)
    bank.learn_many(rows, data.y, data.w)
    scores = bank.column_scores_many(rows)
    for k, case in enumerate(COLUMNS):
        alone = case.learner(dtype=dtype)
        alone.learn_many(rows, data.y, data.w)
        assert_alone(bank[k], alone)
        assert scores[:, k].tobytes() == alone.score_many(rows).tobytes()


@pytest.mark.parametrize("scale", [None, "unit", "standard", dl.RandomFourier(24)])
@pytest.mark.parametrize("bias", [True, False])
def test_whatever_the_options(scale: Any, bias: bool) -> None:
    data = stream(3, rounds=120, n=6)
    some = [*COLUMNS[::5], *SECOND]
    options: dict[str, Any] = {"scale": scale, "bias": bias, "labels": (-1.0, 1.0)}
    bank = dl.Bank([case.learner().rule for case in some], **options)
    scores = [bank.learn_one(x, y) for x, y in zip(data.X[:60], data.y[:60], strict=True)]
    each = bank.test_then_train_each(data.X[60:], data.y[60:])
    for k, case in enumerate(some):
        alone = case.learner(**options)
        first = alone.learn_many(data.X[:60], data.y[:60])
        assert min(abs(first - scores)) == 0.0
        trials = alone.test_then_train(data.X[60:], data.y[60:])
        for name in ("y", "scores", "updated", "infeasible", "asked"):
            assert np.array_equal(getattr(each[k], name), getattr(trials, name)), name
        assert_alone(bank[k], alone)


def test_norms_are_tracked_and_scales_multiplied_out_as_alone() -> None:
    data = stream(5, rounds=4000, n=12)
    some = ["norma(alpha=0.9, lam=0.9)", "l2pa(beta=1.5)", "alma(B=0.5)", "romma", "shrunkpa(alpha=1.0)", "pa"]
    for dtype in ("float64", "float32"):
        bank = dl.Bank(some, dtype=dtype)  # type: ignore[arg-type]
        bank.learn_many(data.X, data.y)
        for k in range(len(bank)):
            alone = type(bank[k])(**vars(bank.rule.learners[k]), dtype=dtype)  # type: ignore[call-arg]
            alone.learn_many(data.X, data.y)
            assert_alone(bank[k], alone)
        assert bank[0]._engine.state[0] < 1.0 and bank[1]._engine.state[3] < bank[1].updates


def test_columns_that_are_not_updated_keep_even_the_sign_of_zero() -> None:
    rows = np.array([[1.0, -1e-50], [-1.0, 1.0], [1.0, 1.0]])  # a step too small for a weight of 32 bits leaves -0
    bank, alone = (
        dl.Bank(["perceptron", "pa1(C=0.1)"], dtype="float32", bias=False),
        dl.Perceptron(dtype="float32", bias=False),
    )
    for learner in (bank, alone):
        learner.learn_many(rows, [1, 0, 1])
    assert [column.updates for column in bank.columns] == [1, 3] and math.copysign(1.0, alone._engine.v[FIRST + 1]) < 0
    assert_alone(bank[0], alone)


def test_new_features_come_to_all_columns() -> None:
    bank, alone = dl.Bank(["pa1(C=0.1)", "arow(diagonal=True)"]), dl.PA1(C=0.1)
    for i in range(200):
        x, y = {f"f{i}": 1.0, f"f{i % 7}": 0.5}, i % 3 == 0
        assert bank.column_scores_one({**x, "new": 3.0, "newer": 4.0})[0] == alone.score_one(x)
        bank.learn_one(x, y)
        alone.learn_one(x, y)
    assert_alone(bank[0], alone)
    hashed = dl.Bank(["pa1(C=0.1)"], hashing=dl.Hashing(6))
    hashed.learn_one({"a": 1.0}, True)
    assert hashed[0].n_features == 64


@EVERY_KIND
def test_a_column_goes_on_by_itself(kind: str) -> None:
    data = stream(7, rounds=80, n=9, density=0.5)
    rows = rows_of(kind, data.X)
    bank = dl.Bank(["perceptron", "norma(lam=0.2)", "arow", "l2pa(beta=2)"], scale="standard")
    bank.learn_many(rows[:40], data.y[:40])
    before, lone = snapshot(bank), bank.learners
    for k, learner in enumerate(lone):
        scores = learner.learn_many(rows[40:], data.y[40:])
        assert_same(before, snapshot(bank))
        whole = copy.deepcopy(bank)
        assert whole.test_then_train_each(rows[40:], data.y[40:])[k].scores.tobytes() == scores.tobytes()
        assert_alone(whole[k], learner)
    assert_alone(bank[-1], bank[3])
    with pytest.raises(IndexError):
        bank[4]


def test_the_bank_follows_the_leader() -> None:
    data = stream(11, rounds=300, n=4, noise=0.1)
    names = ["perceptron", "pa1(C=0.01)", "arow", "norma(lam=0.01)"]
    bank, twin = dl.Bank(names), dl.Bank(names)
    each = twin.test_then_train_each(data.X, data.y)
    wrong = np.array([trials.y * trials.scores <= 0.0 for trials in each])
    before = np.concatenate([np.zeros((4, 1)), np.cumsum(wrong, axis=1)[:, :-1]], axis=1)
    leaders = np.argmin(before, axis=0)
    assert len(set(leaders.tolist())) > 1
    due = np.array([each[k].scores[i] for i, k in enumerate(leaders)])
    assert bank.learn_many(data.X, data.y).tobytes() == due.tobytes()
    assert bank.mistakes == int(np.sum(data.y * due <= 0.0))
    assert bank.updates == int(np.any([trials.updated for trials in each], axis=0).sum())
    assert bank.best == int(np.argmin([column.mistakes for column in bank.columns]))
    assert bank.score_many(data.X).tobytes() == bank.column_scores_many(data.X)[:, bank.best].tobytes()
    assert bank.weights() == bank[bank.best].weights()
    assert bank.predict_one(data.X[0]) == bank[bank.best].predict_one(data.X[0])


@EVERY_KIND
def test_the_bank_agrees_with_its_oracle(kind: str) -> None:
    data = stream(12, rounds=200, n=5, density=0.7, noise=0.1, weights=(0.0, 0.5, 1.0, 2.0))
    rows, some = rows_of(kind, data.X), [*COLUMNS[::4], *SECOND]
    options: dict[str, Any] = {"labels": (-1.0, 1.0)}
    bank = dl.Bank([case.learner().rule for case in some], **options)
    oracle = Bank([case.learner(**options) for case in some])
    for i in range(200):
        assert bank.learn_one(rows[i], data.y[i], data.w[i]) == oracle.learn(rows[i], data.y[i], data.w[i])
        assert bank.best == oracle.best
    assert (bank.mistakes, bank.updates) == (oracle.mistakes, oracle.updates)
    for lone, alone in zip(bank.learners, oracle.learners, strict=True):
        assert_alone(lone, alone)


def test_columns_tell_what_they_have_done() -> None:
    data = stream(13, rounds=200, n=4)
    bank = dl.Bank([dl.L2PA(beta=0.4), dl.NORMA(rho=0.5), dl.AROW()])
    bank.learn_many(data.X, data.y)
    for k, column in enumerate(bank.columns):
        run = dl.run(dl.REGISTRY[type(column.rule).__name__.lower()](**vars(column.rule)), (data.X, data.y))
        for name in ("mistakes", "label_errors", "margin_errors", "updates", "infeasible", "hinge"):
            assert getattr(column, name) == getattr(run, name), name
        assert bank[k].rule == column.rule
    assert bank.columns[0].infeasible > 0


def test_weights_that_have_overflowed_do_not_lead() -> None:
    bank = dl.Bank(["norma(alpha=1e305, lam=0)", "pa1(C=0.1)"], bias=False)
    for _ in range(3):
        bank.learn_one({"a": 1e5}, True)
    assert bank.best == 0 and not np.isfinite(bank.column_scores_one({"a": 1e5})[0])
    assert bank.score_one({"a": 1e5}) == bank[1].score_one({"a": 1e5})


def test_what_one_column_refuses_no_column_learns() -> None:
    strict = dl.L2PA(beta=0.5, when="margin", infeasible="raise").rule
    bank = dl.Bank(["arow", "pa", strict, "norma(lam=0.1)"], bias=False, labels=(-1.0, 1.0))
    bank.learn_many(np.array([[3.0, 4.0], [4.0, -3.0]]), [1.0, -1.0])
    with refused(bank, "beta = 0.5"):
        bank.learn_one(np.array([0.1, 0.1]), 1.0)
    with refused(bank, "row 2", "beta = 0.5"):
        bank.learn_many(np.array([[3.0, 4.0], [4.0, -3.0], [0.1, 0.1], [9.0, 9.0]]), [1.0, 1.0, 1.0, 1.0])
    bank.learn_one(np.array([9.0, 9.0]), 1.0)
    assert [learner.n_seen for learner in bank.learners] == [3] * 4


def test_too_many_features_for_one_column_are_too_many_for_all() -> None:
    bank = dl.Bank([dl.AROW(most=2), dl.PA()])
    bank.learn_one({"a": 1.0, "b": 1.0}, True)
    with refused(bank, "at most 2", "diagonal=True"):
        bank.learn_one({"c": 1.0}, False)
    bank.learn_one({"a": 1.0}, False)
    assert bank.n_seen == 2


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("part", ["columns", "arow"])
def test_an_interruption_between_parts(moment: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = stream(17, rounds=600, n=3)
    bank, twin = (dl.Bank(["arow", "pa1", "norma(lam=0.1)"]) for _ in range(2))
    twin.learn_many(data.X, data.y)
    home: Any = bank_columns if part == "columns" else bank._engine.others[0]
    real, calls = home.learn, []

    def interrupting(*args: Any) -> int:
        calls.append(1)
        if moment == "before" and len(calls) == 2:
            raise KeyboardInterrupt
        done: int = real(*args)
        if moment == "after" and len(calls) == 2:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(home, "learn", interrupting)
    with pytest.raises(KeyboardInterrupt):
        bank.learn_many(data.X, data.y)
    monkeypatch.setattr(home, "learn", real)
    assert_same(snapshot(bank), snapshot(twin))


def test_memory_does_not_grow_with_the_block() -> None:
    bank = dl.Bank(["pa1", "norma(lam=0.1)"])
    data = stream(19, rounds=5000, n=3)
    bank.learn_many(data.X[:10], data.y[:10])
    sizes = {name: array.nbytes for name, array in bank._engine.arrays().items()}
    bank.learn_many(data.X, data.y)
    assert {name: array.nbytes for name, array in bank._engine.arrays().items()} == sizes
    assert bank._engine.scores.shape[0] < 1000


def test_rows_of_weights_start_on_cache_lines() -> None:
    for dtype, count in (("float64", 3), ("float32", 17)):
        bank = dl.Bank([f"pa1(C={k + 1})" for k in range(count)], dtype=dtype)  # type: ignore[arg-type]
        bank.learn_many(np.eye(40), [k % 2 for k in range(40)])
        V = bank._engine.V
        assert V.ctypes.data % 64 == 0 and V.strides[0] % 64 == 0 and V.dtype == dtype


def test_learners_may_be_given_in_any_way() -> None:
    bank = dl.Bank([dl.PA1(C=0.5, scale="unit"), rules.NORMA(lam=0.1), "arow"])
    assert bank.options["scale"] == "unit" and len(bank) == 3
    assert [type(one).__name__ for one in bank.rule.learners] == ["PA1", "NORMA", "AROW"]
    assert len(dl.Bank("pa1(C=0.5), romma")) == 2 and len(dl.Bank()) == 3


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"learners": []}, "learners must be one or more, got []"),
        ({"learners": ["pnormperceptron"]}, "p = 2"),
        ({"learners": ["norma(p=3)"]}, "p = 2"),
        ({"learners": ["l1pa"]}, "two numbers"),
        ({"learners": ["l2pa(sigma=0.1)"]}, "sigma = 0"),
        ({"learners": ["committee"]}, "two numbers"),
        ({"learners": ["pa1(C=-1)"]}, "C must be > 0"),
        ({"learners": ["arow"], "dtype": "float32"}, "dtype must be 'float64' with AROW"),
        ({"learners": [dl.PA(scale="unit"), dl.PA1()]}, "learners must have the same options"),
        ({"learners": [3]}, "a learner must be a driftline learner"),
    ],
)
def test_what_makes_no_bank(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=r"^Bank: ") as caught:
        dl.Bank(**given)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("state", np.zeros(5)),
        ("states", np.zeros((3, 4))),
        ("states", np.full((2, 5), -1.0)),
        ("tallies", np.full((3, INFEASIBLES - 4), 0.5)),
        ("tallies", np.arange(3.0 * (INFEASIBLES - 4)).reshape(3, -1)),
        ("hinges", np.full(3, -1.0)),
        ("weights", np.ones((FIRST + 2, 2))),
        ("weights", np.zeros((FIRST + 3, 2))),
        ("other", np.zeros(1)),
        ("1 v", np.zeros(1)),
    ],
)
def test_no_engine_is_made_of_what_none_can_have_saved(name: str, array: np.ndarray) -> None:
    bank = dl.Bank(["pa1", "arow", "romma"])
    bank.learn_many(np.array([[1.0, 0.0], [0.0, 1.0]]), [True, False])
    arrays = {key: value.copy() for key, value in bank._engine.saved(2).items()}
    fresh = dl.Bank(["pa1", "arow", "romma"])._engine
    fresh.restore(2, dict(arrays))
    assert_same(fresh.arrays() | {"state": 0}, bank._engine.arrays() | {"state": 0})
    with pytest.raises(ValueError):
        dl.Bank(["pa1", "arow", "romma"])._engine.restore(2, arrays | {name: array})


def test_a_saved_bank_of_floats_of_32_bits_goes_on(tmp_path: Any) -> None:
    data = stream(23, rounds=100, n=5)
    bank = dl.Bank(dl.grid("norma", alpha=[0.1, 1.0], lam=[0.0, 0.1]), dtype="float32")
    bank.learn_many(data.X[:50], data.y[:50])
    bank.save(tmp_path / "bank.dl")
    loaded = load(tmp_path / "bank.dl")
    for one in (bank, loaded):
        one.learn_many(data.X[50:], data.y[50:])
    assert_same(snapshot(bank), snapshot(loaded))
    assert isinstance(loaded, dl.Bank) and loaded.columns == bank.columns


def test_mistakes_of_a_column_keep_the_perceptron_bound() -> None:
    rng = np.random.default_rng(29)
    X = rng.normal(size=(2000, 4))
    u = np.array([1.0, -2.0, 0.5, 1.0])
    X = X[np.abs(X @ u) > 0.5]
    bank = dl.Bank(["pa1(C=0.01)", "perceptron"], bias=False)
    bank.learn_many(X, np.sign(X @ u))
    R, gamma = float(np.max(np.linalg.norm(X, axis=1))), float(np.min(np.abs(X @ u))) / math.sqrt(float(u @ u))
    assert 0 < bank.columns[1].mistakes <= (R / gamma) ** 2


def test_the_record_of_a_block_is_made_once() -> None:
    """With a second copy of the scores, and a third, each block of a sweep would ask the system for memory."""
    data = stream(13, rounds=4000, n=3)
    bank = dl.Bank([f"pa1(C={C})" for C in range(1, 51)])
    bank.test_then_train_each(data.X[:10], data.y[:10])
    tracemalloc.start()
    try:
        each = bank.test_then_train_each(data.X, data.y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * sum(one.scores.nbytes + one.events.nbytes for one in each)
    assert all(one.scores.flags.c_contiguous for one in each), "ledgers read rounds in order"


def test_records_of_rows_that_are_learned_in_pieces_are_joined() -> None:
    data = stream(14, rounds=40, n=3)
    options: dict[str, Any] = {"scale": dl.RandomFourier(1 << 16), "labels": (-1.0, 1.0)}  # 16 rows at a time
    each = dl.Bank(["pa1(C=0.1)", "norma", "perceptron"], **options).test_then_train_each(data.X, data.y)
    for one, alone in zip(each, (dl.PA1(0.1, **options), dl.NORMA(**options), dl.Perceptron(**options)), strict=True):
        trials = alone.test_then_train(data.X, data.y)
        assert np.array_equal(one.scores, trials.scores) and np.array_equal(one.events, trials.events)
