"""Kernelized: agreement with its oracle and with explicit features, norms, refusals."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline import kernels
from driftline.engines.state import NORM
from driftline.rules.kernel.kernel_columns import GAUSSIAN, TILE, column
from driftline.saved import ModelError
from tests.oracles.kernel import Kernelized, kernel_matrix
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.kernel_checks import close, engine_of, gaussian
from tests.support.linear_cases import stream, weights_of

RULES: list[tuple[str, dict[str, Any]]] = [
    ("perceptron", {}),
    ("projectionperceptron", {"eta": 0.7, "radius": 2.5}),
    ("norma", {"alpha": 0.5, "lam": 0.05, "rho": 1.0}),
    ("norma", {"alpha": 1.0, "lam": 0.0, "rho": 0.0}),
    ("alma", {"alpha": 0.5, "B": 2.0, "rho": 1.0}),
    ("selftuningalma", {"alpha": 0.4}),
    ("pa", {"when": "margin"}),
    ("pa1", {"C": 0.3, "when": "margin"}),
    ("pa2", {"C": 0.3, "when": "mistake"}),
    ("shrunkpa", {"alpha": 0.05, "when": "margin"}),
    ("l2pa", {"beta": 2.0, "when": "mistake"}),
    ("l2pa", {"beta": 2.0, "when": "margin"}),
    ("romma", {"when": "mistake"}),
]
KERNELS = [
    kernels.Linear(),
    kernels.Polynomial(3, 0.5, 0.2),
    kernels.Gaussian(0.3),
    kernels.Laplacian(0.2),
    kernels.Multilinear(),
]
every_rule = pytest.mark.parametrize(("name", "parameters"), RULES, ids=[f"{n}{list(p.values())}" for n, p in RULES])
every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def base(name: str, parameters: dict[str, Any]) -> dl.Learner:
    return dl.REGISTRY[name](**parameters)


# against oracles ------------------------------------------------------------------------------------------------------
@every_kernel
def test_values_are_those_of_the_definition(kernel: kernels.Kernel) -> None:
    X = stream(1, rounds=40, n=7).X
    close(kernel.between(X[:5], X), kernel_matrix(kernel, X)[:5], 1e-12)
    learner = dl.Kernelized("norma(lam=0)", kernel, bias=False)  # alpha = 1: the score is k(x, first)
    learner.learn_one(X[0], 1)
    close(learner.score_many(X), kernel_matrix(kernel, X)[0], 1e-12)


@every_rule
@pytest.mark.parametrize("kernel", [kernels.Gaussian(0.3), kernels.Polynomial(2, 1.0, 0.3)], ids=str)
def test_every_rule_is_its_oracle(name: str, parameters: dict[str, Any], kernel: kernels.Kernel) -> None:
    data = stream(2, rounds=250, n=4, weights=(0.0, 0.3, 1.0, 2.5) if name not in ("romma", "l2pa") else (1.0,))
    oracle = Kernelized(kernel_matrix(kernel, data.X), name, parameters)
    learner = dl.Kernelized(base(name, parameters), kernel, bias=False)
    scores = learner.learn_many(data.X, data.y, data.w)
    close(scores, [oracle.learn(t, y, w) for t, (y, w) in enumerate(zip(data.y, data.w, strict=True))])
    assert learner.updates == oracle.updates > 20
    norm, support = learner._engine.extent()
    assert norm == pytest.approx(math.sqrt(oracle.w_sq), rel=1e-9)
    assert support == learner.support() == len(oracle.live)


@every_kernel
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
def test_every_kernel_is_its_oracle(kernel: kernels.Kernel, bias: bool, kind: str) -> None:
    data = stream(3, rounds=150, n=5, density=0.6)
    constant = np.ones((150, 1)) if bias else np.zeros((150, 0))
    oracle = Kernelized(kernel_matrix(kernel, np.hstack([data.X, constant])), "pa1", {"C": 0.5, "when": "margin"})
    learner = dl.Kernelized("pa1(C=0.5)", kernel, bias=bias)
    rows = [{str(k): v for k, v in enumerate(x) if v} for x in data.X.tolist()]
    X = {"dense": data.X, "csr": csr_matrix(data.X), "dicts": rows}[kind]
    close(learner.learn_many(X, data.y), [oracle.learn(t, y) for t, y in enumerate(data.y)])


@every_rule
@pytest.mark.parametrize("bias", [False, True])
def test_a_linear_kernel_is_the_rule_itself(name: str, parameters: dict[str, Any], bias: bool) -> None:
    data = stream(4, rounds=400, n=6)
    plain = base(name, parameters | ({"bias": False} if not bias else {}))
    learner = dl.Kernelized(base(name, parameters), "linear", bias=bias)
    scores = learner.learn_many(data.X, data.y)
    due = plain.learn_many(data.X, data.y)
    close(scores, due)
    assert ((scores > 0.0) == (due > 0.0)).all()
    assert (learner.mistakes, learner.margin_errors, learner.updates) == (
        plain.mistakes, plain.margin_errors, plain.updates,
    )  # fmt: skip
    close(weights_of(learner, 6), weights_of(plain, 6))
    assert learner.weights().keys() == plain.weights().keys()
    assert not bias or "(bias)" in learner.weights()


def test_polynomial_and_multilinear_are_explicit_products() -> None:
    data = stream(5, rounds=200, n=4)
    X = np.hstack([data.X, np.ones((200, 1))])
    pairs = [X**2, *(math.sqrt(2.0) * X[:, [i]] * X[:, [j]] for i, j in combinations(range(5), 2))]
    powers = np.hstack([np.full((200, 1), 0.5), *(0.7 * one for one in pairs), math.sqrt(0.7) * X])
    sets = [X[:, list(s)].prod(axis=1) for size in range(6) for s in combinations(range(5), size)]
    for kernel, mapped in (("poly(2, 0.5, 0.7)", powers), ("multilinear", np.array(sets).T)):
        learner = dl.Kernelized("l2pa(beta=3, when='margin')", kernel)
        plain = dl.L2PA(3.0, when="margin", bias=False)
        close(learner.learn_many(data.X, data.y), plain.learn_many(mapped, data.y))
        assert learner.weights() == {}


def test_exp_is_right_to_the_last_place() -> None:
    rng = np.random.default_rng(0)
    squares = np.concatenate(
        [np.linspace(0.0, 707.0, 800), rng.exponential(1.0, 800), 10.0 ** rng.uniform(-20, 2, 400)]
    )
    squares = squares[: squares.size // TILE * TILE]
    tiles = np.sqrt(squares).reshape(-1, 1, TILE)
    found, c = np.zeros(squares.size), np.ones((1, squares.size))
    total = column(GAUSSIAN, (1.0, 0.0, 0.0), tiles, c, found, 0, len(tiles), np.zeros(1), 1, 0.0)
    with localcontext() as context:
        context.prec = 40
        due = [(-Decimal(one)).exp() for one in np.square(tiles).ravel().tolist()]
        worst = max(abs(Decimal(a) / b - 1) for a, b in zip(found.tolist(), due, strict=True))
    assert worst < 3e-16
    assert total == pytest.approx(math.fsum(found.tolist()), rel=1e-14)
    tiles[:] = math.sqrt(720.0)
    column(GAUSSIAN, (1.0, 0.0, 0.0), tiles, c, found, 0, len(tiles), np.zeros(1), 1, 0.0)
    assert not found.any()


def test_far_away_counts_as_nothing() -> None:
    learner = dl.Kernelized("perceptron", "rbf")
    learner.learn_many([[1e59, 0.0], [-1e59, 0.0]], [1, -1])
    assert learner.score_many([[1e59, 0.0], [0.0, 0.0], [-1e59, 0.0]]).tolist() == [1.0, 0.0, -1.0]


# features that appear -------------------------------------------------------------------------------------------------
@every_kernel
def test_features_may_appear_at_any_time(kernel: kernels.Kernel) -> None:
    data = stream(6, rounds=120, n=30, density=0.15)
    rows = [{str(k): v for k, v in enumerate(x) if v} for x in data.X.tolist()]
    late, early = dl.Kernelized("pa1", kernel, bias=False), dl.Kernelized("pa1", kernel, bias=False)
    close([late.learn_one(x, y) for x, y in zip(rows, data.y, strict=True)], early.learn_many(data.X, data.y))
    strange = [x | {"never": 0.7, "met": -0.4} for x in rows]
    wider = np.hstack([data.X, np.zeros((120, 1)), np.tile([0.7, -0.4], (120, 1))])
    fresh = dl.Kernelized("pa1", kernel, bias=False)
    fresh.learn_many(np.hstack([data.X, np.zeros((120, 3))]), data.y)
    close(late.score_many(strange), fresh.score_many(wider))
    close([late.score_one(x) for x in strange], fresh.score_many(wider))


def test_a_refused_dict_leaves_no_trace_in_distances() -> None:
    learner, twin = (dl.Kernelized("pa1", "rbf") for _ in range(2))
    for one in (learner, twin):
        one.learn_one({"a": 1.0}, True)
    with refused(learner):
        learner.learn_many([{"b": 1.0, "c": 2.0}, {"d": math.inf}], [True, False])
    strange = {"a": 0.5, "e": 0.3, "f": 0.4}
    assert learner.score_one(strange) == twin.score_one(strange) == pytest.approx(math.exp(-0.5))


def by_size(x: np.ndarray, z: np.ndarray) -> float:
    """A kernel whose values depend on how many features are known, and that fails far away."""
    return float(np.exp(-np.sum((x - z) ** 2) / x.size)) if np.abs(x).max() < 100.0 else math.nan


@pytest.mark.parametrize(
    "make",
    [
        lambda: dl.Kernelized("pa1", by_size),
        lambda: dl.KernelSecondOrder(1.0, by_size),
        lambda: dl.Kernelized("pa1", "rbf", most=2),
        lambda: dl.KernelSecondOrder(1.0, "rbf", most=2),
    ],
)
def test_what_a_refused_call_brought_is_unknown_again(make: Any) -> None:
    learner, twin = make(), make()
    for one in (learner, twin):
        one.learn_one({"a": 1.0}, True)
    bad = [{"a": 1.0, "b": 7.0}, {"c": 7.0}, {"c": 200.0}]
    with refused(learner, "row"):
        learner.learn_many(bad, [False, True, False])
    assert learner._engine.features == 1
    strange = [{"a": 1.0, "zz": 5.0}, {"b": 2.0}]
    assert learner.score_many(strange).tolist() == twin.score_many(strange).tolist()
    for one in (learner, twin):
        one.learn_one({"a": -3.0}, False)
    with refused(learner, "x must"):
        learner.learn_one({"d": 200.0, "e": 1.0}, False)
    assert learner.score_one(strange[0]) == twin.score_one(strange[0])
    assert_same(snapshot(learner), snapshot(twin))


# |w|^2 ----------------------------------------------------------------------------------------------------------------
@every_rule
def test_the_norm_is_kept_exactly(name: str, parameters: dict[str, Any]) -> None:
    data = stream(7, rounds=1500, n=3)
    learner = dl.Kernelized(base(name, parameters), "rbf", budget=40)
    learner.learn_many(data.X, data.y)
    engine = engine_of(learner)
    c = engine.state[0] * engine.expansion.slots[0, :40]
    due = float(c @ kernels.Gaussian().between(engine.vectors(), engine.vectors()) @ c)
    assert engine.extent()[0] ** 2 == pytest.approx(due, rel=1e-9)
    if learner._engine.plan.tracks:
        assert engine.state[NORM] == pytest.approx(due, rel=1e-9)
    assert due > 0.1


# bad parameters and examples ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"budget": 0}, "budget must be a whole number from 1 to 1000000000, got 0"),
        ({"budget": True}, "budget must be a whole number from 1 to 1000000000, got True"),
        ({"budget": 2.5}, "budget must be a whole number from 1 to 1000000000, got 2.5"),
        ({"most": 0}, "most must be a whole number from 1 to 1000000000, got 0"),
        ({"budget": 10**30}, "budget must be a whole number from 1 to 1000000000, got 1000000000000000000000000000000"),
        ({"most": 10**30}, "most must be a whole number from 1 to 1000000000, got 1000000000000000000000000000000"),
        ({"evict": "age", "age": 10**30}, "age must be a whole number from 1 to 1000000000000000, got 1"),
        (
            {"learner": "norma(alpha=1, lam=1e-17)", "evict": "age", "epsilon": 0.1},
            "an age of 1e+15; or give age, got 0.1",
        ),
        ({"learner": "norma(alpha=1, lam=1e-320)", "evict": "age", "epsilon": 0.1}, "epsilon must be reached within"),
        (
            {"learner": "norma(alpha=1e-200, lam=1e-200)", "evict": "age", "epsilon": 1.0},
            "epsilon must be reached within",
        ),
        ({"learner": "shrunkpa(alpha=1e-200)", "evict": "age", "epsilon": 0.1}, "epsilon must be reached within"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"seed": 1 << 63}, "seed must be below 2**63"),
        ({"evict": "newest"}, "evict must be 'oldest' or 'smallest'"),
        ({"evict": "smallest"}, "evict='smallest' must have a budget, got None"),
        ({"evict": "forgetron", "learner": "perceptron"}, "evict='forgetron' must have a budget, got None"),
        ({"evict": "forgetron", "budget": 5}, "forgetron needs the Perceptron, got PA1"),
        ({"evict": "projectron"}, "projectron needs the Perceptron, got PA1"),
        ({"evict": "projectron", "learner": "perceptron", "eta": 0.0}, "eta must be > 0, got 0.0"),
        ({"evict": "age"}, "either age or epsilon, got (None, None)"),
        ({"evict": "age", "age": 5, "epsilon": 0.1}, "either age or epsilon, got (5, 0.1)"),
        ({"evict": "age", "age": 0}, "age must be a whole number from 1 to 1000000000000000, got 0"),
        ({"evict": "age", "epsilon": 0.1}, "epsilon needs NORMA or ShrunkPA"),
        ({"evict": "age", "epsilon": 0.1, "learner": "norma(lam=0)"}, "epsilon needs NORMA or ShrunkPA that forget"),
        ({"evict": "age", "epsilon": 0.1, "learner": "norma", "kernel": "linear"}, "k(x, x) = 1"),
        ({"evict": "age", "epsilon": -1.0, "learner": "norma"}, "epsilon must be > 0, got -1.0"),
        ({"age": 5}, "age and epsilon must be None unless evict='age', got [5]"),
        ({"learner": "l1pa"}, "learner must be a rule of two numbers, such as PA1, got L1PA"),
        ({"learner": "norma(p=3)"}, "learner must have p = 2, got NORMA"),
        ({"learner": "pnormperceptron"}, "learner must have p = 2, got PNormPerceptron"),
        ({"learner": "l2pa(sigma=0.1)"}, "learner must have sigma = 0"),
        ({"learner": "rbf"}, "a learner must be a driftline learner"),
        ({"kernel": "pa1"}, "kernel must be one of driftline.kernels"),
        ({"kernel": "rbf(gamma=0)"}, "gamma must be > 0"),
        ({"kernel": "rbf(width=1)"}, "kernel must be a name with parameters"),
        ({"kernel": "cosine"}, "no 'cosine' is known"),
        ({"kernel": 5}, "kernel must be one of driftline.kernels, its name, or a function, got 5"),
        ({"kernel": "poly(degree=0)"}, "degree must be a whole number from 1 to 20"),
        ({"kernel": "poly(degree=2.0)"}, "degree must be a whole number from 1 to 20"),
        ({"kernel": "poly(offset=-1)"}, "offset must be >= 0"),
        ({"dtype": "float32"}, "dtype must be 'float64', got 'float32'"),
    ],
)
def test_bad_parameters(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        dl.Kernelized(**given)
    assert words in str(caught.value)
    assert str(caught.value).startswith(("Kernelized: ", "Gaussian: ", "Polynomial: "))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1.0, 2.0], "square"),
        ([[1.0, 2.0]], "square"),
        ([["a"]], "square"),
        ([], "square"),
        ([[math.nan]], "matrix[0, 0] must be finite, got nan"),
        ([[1.0, 2.0], [3.0, 1.0]], "matrix[0, 1] and matrix[1, 0] must be equal, got (2.0, 3.0)"),
    ],
)
def test_bad_matrices(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match="Precomputed") as caught:
        kernels.Precomputed(given)
    assert words in str(caught.value)


def test_whole_numbers_may_be_those_of_numpy() -> None:
    given = {"budget": np.int32(5), "age": np.uint8(9), "seed": np.int64(3), "most": np.int64(20)}
    rule = dl.Kernelized("pa1", "rbf", evict="age", **given).rule
    assert rule == dl.Kernelized("pa1", "rbf", evict="age", **{name: int(n) for name, n in given.items()}).rule
    assert {type(getattr(rule, name)) for name in given} == {int}
    assert type(kernels.Polynomial(np.int64(3)).degree) is int


def test_the_largest_ages_and_budgets_are_learned_with() -> None:
    for given in ({"budget": 10**9}, {"evict": "age", "age": 10**15}, {"evict": "age", "epsilon": 1e-300}):
        learner = dl.Kernelized("norma(alpha=1, lam=1e-10)", "rbf", **given)
        learner.learn_many([[1.0], [2.0]], [1, -1])
        assert learner.support() == 2


def test_a_learner_that_is_a_part_gives_its_options() -> None:
    learner = dl.Kernelized(dl.PA1(0.5, bias=False, scale="unit"), kernels.Linear())
    assert learner.options["bias"] is False and learner.options["scale"] == "unit"
    assert repr(learner).startswith("Kernelized(learner=PA1(C=0.5, when='margin'), kernel=Linear(), budget=None")


def test_the_cap_refuses_with_a_remedy() -> None:
    data = stream(10, rounds=100, n=3)
    learner = dl.Kernelized("perceptron", "rbf(gamma=5)", most=20)
    with refused(learner, "support vector 21 of at most 20", "Set budget"):
        learner.learn_many(data.X, data.y)
    for x, y in zip(data.X, data.y, strict=True):
        if learner.support() == 20 and y * learner.score_one(x) <= 0.0:
            break
        learner.learn_one(x, y)
    with refused(learner, "support vector 21 of at most 20"):
        learner.learn_one(x, y)
    learner.learn_one(x, y, 0.0)
    assert learner.support() == 20


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.engines.kernel.expansion_engine.LARGEST", 1 << 17)
    data = stream(11, rounds=200, n=100)
    learner = dl.Kernelized("pa", "rbf")
    with refused(learner, "must fit into memory", "support vectors of 100 features"):
        learner.learn_many(data.X, data.y)
    learner.learn_many(data.X[:60], data.y[:60])
    with refused(learner, "features"):
        learner.learn_many(csr_matrix((2, 100_000)), [1, -1])


@pytest.mark.parametrize("name", ["expansion_engine", "kernel_second_order"])
def test_features_for_which_there_is_no_memory_are_not_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = stream(11, rounds=300, n=4)
    learner = dl.Kernelized("pa", "rbf") if name == "expansion_engine" else dl.KernelSecondOrder(1.0, "rbf")
    learner.learn_many(data.X, data.y)
    X = csr_matrix(data.X)
    due = learner.score_many(X).tolist()
    monkeypatch.setattr(f"driftline.engines.kernel.{name}.LARGEST", 1 << 20)
    with refused(learner, "the weights must fit into memory, got 600000 features"):
        learner.learn_many(csr_matrix((2, 600_000)), [1, -1])
    assert learner.score_many(X).tolist() == due
    with pytest.raises(MemoryError):
        learner._engine.reserve(600_000)
    assert learner._engine.features == 4
    assert learner.score_many(X).tolist() == due


@pytest.mark.parametrize("kernel", ["linear", lambda x, z: float(x @ z)])
def test_scores_that_overflow_are_not_blamed_on_the_example(kernel: Any) -> None:
    learner = dl.Kernelized("norma(alpha=1e300, lam=0)", kernel)
    learner.learn_one([1e3], 1)
    with refused(learner, "x must have a finite score, got weights that have overflowed. Take smaller parameters"):
        learner.learn_one([1e9], 1)
    with refused(learner, "row 1 must have a finite score"):
        learner.learn_many([[1e-3], [-1e9]], [1, 1])


@pytest.mark.parametrize("kernel", ["poly(degree=5)", "multilinear"])
def test_kernels_that_overflow_refuse_the_example(kernel: str) -> None:
    learner = dl.Kernelized("pa1", kernel)
    learner.learn_one(np.full(8, 0.5), 1)
    with refused(learner, "k(x, x) <= 1e120", "scale='unit'"):
        learner.learn_one(np.full(8, 1e30), 1)
    with refused(learner, "row 1", "k(x, x) <= 1e120"):
        learner.learn_many(np.array([np.full(8, 0.1), np.full(8, 1e30)]), [1, -1])


def test_infeasible_steps_of_the_rule_are_refused_where_asked_for() -> None:
    learner = dl.Kernelized("l2pa(beta=0.5, infeasible='raise')", "rbf")
    with refused(learner, "feasible", "Raise beta"):
        learner.learn_one([1.0], 1)
    skips = dl.Kernelized("l2pa(beta=0.5)", "rbf")
    skips.learn_one([1.0], 1)
    assert (skips.infeasible, skips.support()) == (1, 0)


# keeping --------------------------------------------------------------------------------------------------------------
def test_a_python_function_cannot_be_saved(tmp_path: Path) -> None:
    for kernel in (gaussian, kernels.Precomputed([[1.0]])):
        with pytest.raises(ModelError, match="Use a kernel or estimator that has a name"):
            dl.Kernelized("pa1", kernel).save(tmp_path / "a.dl")


def test_damaged_arrays_are_not_taken_over() -> None:
    data = stream(12, rounds=60, n=3)
    learner = dl.Kernelized("perceptron", "rbf", evict="projectron")
    learner.learn_many(data.X, data.y)
    saved = learner._engine.saved(3)
    wrong: list[tuple[str, Any, Any]] = [
        ("book", 0, 99.0), ("book", 1, 1e9), ("book", 2, 1e6), ("book", 1, -1.0), ("book", 0, 0.5), ("book", 6, np.nan),
        ("slots", (0, 0), np.nan), ("vectors", (0, 0), np.inf), ("lower", (0, 0), 0.0), ("lower", (1, 0), np.nan),
        ("state", 0, np.nan), ("state", 4, -1.0),
    ]  # fmt: skip
    for name, at, value in wrong:
        arrays = {key: array.copy() for key, array in saved.items()}
        arrays[name][at] = value
        with pytest.raises(ValueError):
            dl.Kernelized("perceptron", "rbf", evict="projectron")._engine.restore(3, arrays)
    for name in saved:
        with pytest.raises(ValueError):
            fresh = dl.Kernelized("perceptron", "rbf", evict="projectron")
            fresh._engine.restore(3, {key: array for key, array in saved.items() if key != name})
        with pytest.raises(ValueError):
            fresh._engine.restore(3, saved | {name: saved[name][..., :-1]})
