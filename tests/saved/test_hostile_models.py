"""Model files with a right checksum that an attacker has made: each finding of the fuzzer stays fixed."""

from __future__ import annotations

import copy
import math
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.engines.composed import batch_online
from driftline.engines.state import FIRST
from driftline.internals.numeric.triangular import column
from driftline.saved import ModelError, load
from driftline.saved.container import write
from driftline.saved.model import state_of
from tests.support.bitwise import FORM, assert_same, snapshot
from tests.support.learner_cases import OTHERS, Other, examples
from tests.support.linear_cases import one_of_each

Change = Callable[[dict[str, Any], dict[str, np.ndarray]], None]
MULTIPLE, CONSTANT = 64, 64 << 20
"""As stated in the guide and in the docstring of ``load``."""


def learned(learner: dl.Learner, feed: str = "signed") -> dl.Learner:
    X, y = examples(feed)
    learner.learn_many(X, y)
    return learner


def changed(learner: dl.Learner, change: Change, path: Path) -> Path:
    meta, arrays = state_of(learner)
    meta, arrays = copy.deepcopy(meta), {name: array.copy() for name, array in arrays.items()}
    change(meta, arrays)
    write(path, "model", meta, arrays)
    return path


def element(name: str, at: Any, value: float) -> Change:
    return lambda meta, arrays: arrays[name].__setitem__(at, value)


def projectron() -> dl.Learner:
    return dl.Kernelized("perceptron", "rbf", evict="projectron", eta=0.5)


def forgetron() -> dl.Learner:
    return dl.Kernelized("perceptron", "rbf", budget=5, evict="forgetron")


def random_budget() -> dl.Learner:
    return dl.Kernelized("perceptron", "rbf", budget=5, evict="random")


GAP = "a factor with nonzero entries between the bias feature and the first feature"
CASES: list[tuple[Callable[[], dl.Learner], Change, str]] = [
    (projectron, element("state", 0, -1.0), "state ["),  # the room check and the update disagreed: heap overflow
    (projectron, element("state", 0, 1e-300), "state ["),
    (projectron, element("book", 0, 1.0), "slots 1, "),
    (forgetron, element("state", 0, 0.0), "state ["),
    (forgetron, element("state", 1, -1.0), "state ["),
    (forgetron, element("book", 6, math.nan), "book that are not finite"),
    (forgetron, element("slots", (1, 0), -1.0), "support vectors with a negative norm"),
    (random_budget, element("book", 0, 2.0), "slots 2, "),
    (lambda: dl.Kernelized(), lambda meta, arrays: arrays["book"].__setitem__(1, 3.0), "support vectors in slots that"),
    (lambda: dl.PA1(), element("v", slice(1, 8), math.nan), "nonzero weights between the bias feature"),
    (lambda: dl.L2PA(), element("state", 0, -1.0), "state ["),
    (lambda: dl.Averaged(), element("z", 3, 1.0), "nonzero weights between the bias feature"),
    (lambda: dl.SecondOrderPerceptron(), element("factor", column(12) + 3, -1.0), GAP),
    (lambda: dl.AROW(), element("factor", column(8) + 3, 5e-324), GAP),
    (lambda: dl.SCW(), element("factor", column(9) + 7, 7.0), GAP),
    (lambda: dl.LabelEfficient("arow"), element("factor", column(11) + 1, 2.0**63), GAP),
    (lambda: dl.Committee("arow, pa1"), element("0 factor", column(1), 2.0**64), GAP),
    (lambda: dl.Bank(["arow", "pa1"]), element("0 factor", column(5), 2.0**32), GAP),
    (lambda: dl.OneVsRest("arow"), element("0 factor", column(7) + 6, 1.0), GAP),
    (lambda: dl.Averaged(), element("totals", 1, 2.5), "totals that are no counters"),
    (lambda: dl.Bank(["pa1", "l2pa"]), element("states", (1, 0), -1.0), "state ["),
    (lambda: dl.VersionSpace(), element("samples", 0, math.nan), "samples outside [-2, 2]"),
    (lambda: dl.VersionSpace(), element("cuts", 0, 1e308), "cuts outside [-2, 2]"),
    (lambda: dl.MultilinearPerceptron(most=9), element("added", 0, 2**64 - 1), "added that are no counters"),
    (lambda: dl.MultilinearPerceptron(most=9), element("added", 0, 2**52 + 1), "added that are no counters"),
    (lambda: dl.GridHalving(gamma=3.0), element("state", 0, 2.0), "state ["),
    (lambda: dl.BatchOnline(), element("counts", 1, 1 << 60), "counts ["),
    (lambda: dl.BatchOnline(), element("labels", slice(None), 1.0), "examples of one label"),
    (lambda: dl.PA1(), lambda meta, arrays: meta["counters"].update(n_seen=(1 << 52) + 1), "n_seen 45035"),
    (lambda: dl.Committee(), element("0 counters", 0, 0.5), "counters that are no counters"),
    (lambda: dl.Committee(), lambda meta, arrays: arrays.update({"7 v": np.zeros(9)}), "arrays ['0', '1'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_number_that_a_loop_would_trust_is_refused(number: int, tmp_path: Path) -> None:
    make, change, words = CASES[number]
    learner = learned(make())
    learner.save(tmp_path / "good.dl")
    load(tmp_path / "good.dl")
    with pytest.raises(ModelError) as caught:
        load(changed(learner, change, tmp_path / "bad.dl"))
    assert f"got {words}" in str(caught.value)
    assert FORM.match(str(caught.value))


def gap_of(name: str, array: np.ndarray, size: int) -> list[int]:
    """The positions between the bias feature and the first of the features, ``size`` with both."""
    kind = name.split()[-1]
    if kind == "factor":
        within = [column(k) + row for k in range(FIRST) for row in range(k)]
        return within + [column(k) + row for k in range(FIRST, size) for row in range(1, FIRST)]
    like_v = kind in ("v", "z", "W", "weights", "variances") and array.shape[0] == size and array.size > 0
    return list(range(1, FIRST)) if like_v else []


LAID_OUT = [*OTHERS, *(Other(case.name, case.parameters) for case in one_of_each())]


@pytest.mark.parametrize("case", [one for one in LAID_OUT if "kernel" not in one.name], ids=str)
def test_every_number_between_the_bias_feature_and_the_first_feature_is_refused(case: Other, tmp_path: Path) -> None:
    learner = learned(case.learner(), case.feed)
    meta, arrays = state_of(learner)
    for name, array in arrays.items():
        for at in gap_of(name, array, FIRST + meta["features"]):
            with pytest.raises(ModelError):
                load(changed(learner, element(name, at, 1.0), tmp_path / "bad.dl"))


# memory and work ------------------------------------------------------------------------------------------------------
def peak_of(path: Path, refused: bool) -> float:
    """The peak of the memory while a file is loaded, as a part of what is promised."""
    tracemalloc.start()
    try:
        if refused:
            with pytest.raises(ModelError):
                load(path)
        else:
            load(path)
        return tracemalloc.get_traced_memory()[1] / (MULTIPLE * path.stat().st_size + CONSTANT)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("declared", [False, True])
def test_labels_without_classes_take_no_memory(declared: bool, tmp_path: Path) -> None:
    """A tracker takes 60 kB for each class: 1.2 GB for these."""

    def claim(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        meta["labels"] = list(range(20_000))
        meta["labels_declared"] = declared

    three = dl.Tracker(labels=(0.0, 1.0, 2.0, 3.0))
    path = changed(learned(three, "classes"), claim, tmp_path / "a.dl")
    assert peak_of(path, refused=True) < 1.0


def test_a_file_of_brackets(tmp_path: Path) -> None:
    def nest(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        inner: list[Any] = []
        for _ in range(400):
            inner = [inner]
        meta["versions"]["x"] = [inner] * 1_000

    assert peak_of(changed(dl.PA1(), nest, tmp_path / "a.dl"), refused=False) < 1.0


def test_declared_labels_come_back(tmp_path: Path) -> None:
    for make in (dl.Tracker, dl.OneVsRest, dl.MulticlassPA):
        learner = learned(make(labels=(3.0, 1.0, 2.0, 0.0)), "classes")
        learner.save(tmp_path / "a.dl")
        loaded = load(tmp_path / "a.dl")
        assert loaded.labels == (3.0, 1.0, 2.0, 0.0)
        assert repr(loaded) == repr(learner)
        assert_same(snapshot(loaded), snapshot(learner))
        loaded.save(tmp_path / "b.dl")
        assert (tmp_path / "a.dl").read_bytes() == (tmp_path / "b.dl").read_bytes()


def test_no_estimator_is_fitted_while_a_file_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forest(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        meta["parameters"]["estimator"] = "RandomForestClassifier(n_estimators=100000000)"

    path = changed(learned(dl.BatchOnline()), forest, tmp_path / "a.dl")
    monkeypatch.setattr(batch_online, "fitted", lambda *given: pytest.fail("fitted"))
    assert "n_estimators=100000000" in repr(load(path))


def test_a_fit_that_fails_after_loading_is_an_error_of_the_call(tmp_path: Path) -> None:
    def wrong(meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        meta["parameters"]["estimator"] = "LogisticRegression(C=-1.0)"

    loaded = load(changed(learned(dl.BatchOnline()), wrong, tmp_path / "a.dl"))
    with pytest.raises(ValueError, match=r"^BatchOnline: x must have a score from LogisticRegression\(C=-1.0\), got "):
        loaded.score_one(np.zeros(5))
    assert loaded.weights() == {}


def test_fits_that_are_far_away_are_saved(tmp_path: Path) -> None:
    learner = learned(dl.BatchOnline(rho=1e30))
    learner.save(tmp_path / "a.dl")
    assert_same(snapshot(load(tmp_path / "a.dl")), snapshot(learner))


def test_products_of_features_are_computed_on_first_use(tmp_path: Path) -> None:
    learner: Any = learned(dl.MultilinearPerceptron())
    learner.save(tmp_path / "a.dl")
    loaded: Any = load(tmp_path / "a.dl")
    assert loaded._engine.due and loaded._engine.triples.size.sum() == 0
    X, _ = examples("signed")
    assert loaded.score_many(X).tolist() == learner.score_many(X).tolist()
    assert not loaded._engine.due
    assert_same(snapshot(loaded), snapshot(learner))


def test_a_grid_takes_the_memory_of_its_points(tmp_path: Path) -> None:
    learner: Any = dl.GridHalving(gamma=0.004, features=1, bias=False, most=4_000_000)
    learner.learn_many([[1.0], [-1.0]], [1, 0])
    learner.save(tmp_path / "a.dl")
    loaded: Any = load(tmp_path / "a.dl")
    assert_same(snapshot(loaded), snapshot(learner))
    for one in (learner, loaded):
        one.learn_many([[1.0], [-1.0], [1.0]], [0, 0, 1])  # no candidate is left: all come back
    assert_same(snapshot(loaded), snapshot(learner))


# what the product writes ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", [*OTHERS, *(Other(case.name, case.parameters) for case in one_of_each())], ids=str)
def test_a_learner_that_has_overflowed_is_saved_and_loaded(case: Other, tmp_path: Path) -> None:
    X, y = examples(case.feed)
    if case.feed in ("signed", "classes", "targets"):
        X = X * np.array([1.0, 1e20, 1.0, 1e59, 1.0])
    learner = case.learner()
    heavy = 1.0 if case.name == "batchonline" else 1e9
    with np.errstate(all="ignore"):
        for k in range(24):
            part = slice(5 * k % 60, 5 * k % 60 + 5)
            try:
                learner.learn_many(X[part], y[part] if k % 2 else y[part][::-1], heavy if k % 3 else 1.0)
            except ValueError:
                continue
    learner.save(tmp_path / "a.dl")
    loaded = load(tmp_path / "a.dl")
    assert_same(snapshot(loaded), snapshot(learner))


def test_weights_of_a_forest_take_no_memory_for_columns_that_a_file_merely_claims(tmp_path: Path) -> None:
    """Only the address space is claimed here; under a limit of memory the call would fail."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    learner = dl.BatchOnline("RandomForestClassifier(n_estimators=3)", bias=False)
    learner.learn_many(csr_matrix(X), X[:, 0] > 0)
    path = changed(learner, lambda meta, arrays: meta.update(features=2**31), tmp_path / "a.dl")
    loaded = load(path)
    assert loaded.n_features == 2**31
    tracemalloc.start()
    assert loaded.weights() == {}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
