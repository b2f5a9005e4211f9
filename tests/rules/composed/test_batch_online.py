"""BatchOnline: agreement with its oracle, its schedule of fits, the same bits after loading."""

from __future__ import annotations

import math
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import driftline as dl
from driftline.engines.composed import estimators
from driftline.engines.composed import stored_examples as examples
from driftline.engines.composed.estimators import classifiers, named, text_of
from driftline.saved import ModelError, load
from tests.oracles.composed import BatchOnline, seed_of
from tests.support.bitwise import assert_same, refused, snapshot
from tests.support.learner_cases import dicts
from tests.support.linear_cases import stream

DATA = stream(41, rounds=90, n=4, drift=0.0, noise=0.1)


class Ridge:
    """An object with fit and predict, and nothing else of scikit-learn's."""

    def __init__(self) -> None:
        self.w = np.zeros(0)

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.w = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.where(X @ self.w >= 0.0, 1, -1)


class Recording(Ridge):
    """Remembers the number of rows of every fit, of whatever copy of it."""

    fits: list[int]

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        super().fit(X, y)
        type(self).fits.append(len(X))


@pytest.mark.parametrize("schedule", ["geometric", "every", "mistake"])
@pytest.mark.parametrize(("rho", "first", "most"), [(0.1, 2, 1000), (0.5, 7, 25), (2.0, 1, 3)])
@pytest.mark.parametrize("text", ["RidgeClassifier(alpha=0.5)", "SGDClassifier(max_iter=5, tol=None)"])
def test_it_is_what_its_definition_says(text: str, schedule: Any, rho: float, first: int, most: int) -> None:
    X, y = DATA.X, DATA.y
    learner = dl.BatchOnline(text, schedule, rho, first=first, most=most, seed=7)
    trials = learner.test_then_train(X, y)
    oracle = BatchOnline(named(text), schedule, rho, first, most, 7)
    scores, times = [oracle.learn(*one) for one in zip(X, y, strict=True)], oracle.times
    assert trials.scores == pytest.approx(np.array(scores), rel=1e-9, abs=1e-12)
    assert set(times) <= set((np.flatnonzero(trials.updated) + 1).tolist())
    assert learner._engine.fits == len(times)  # type: ignore[attr-defined]
    assert learner.updates == trials.updated.sum()


def test_fits_grow_geometrically() -> None:
    X, y = np.ones((3000, 1)), np.where(np.arange(3000) % 2, 1.0, -1.0)
    Recording.fits = []
    dl.BatchOnline(Recording(), rho=0.1, most=None).learn_many(X, y)
    due = [2]
    while (following := max(due[-1] + 1, -(-11 * due[-1] // 10))) <= 3000:
        due.append(following)
    assert Recording.fits == due
    assert sum(due) <= (1.0 + 1.0 / 0.1) * due[-1] + 200
    Recording.fits = []
    dl.BatchOnline(Recording(), rho=0.1, most=200).learn_many(X, y)
    full = next(t for t in due if t >= 200)
    assert Recording.fits == [t for t in due if t < 200] + [200] * (1 + (3000 - full) // 20)


def test_before_there_are_two_classes() -> None:
    learner = dl.BatchOnline(Ridge(), labels=("no", "yes"))
    assert learner.score_one({"a": 1.0}) == 1.0 and learner.predict_one({}) == "yes"
    assert learner.learn_one({"a": 1.0}, "no") == 1.0
    assert [learner.learn_one({"a": 1.0}, "no") for _ in range(5)] == [-1.0] * 5
    assert learner.fitted is None and learner.updates == 1
    learner.learn_one({"b": 1.0}, "yes")
    assert isinstance(learner.fitted, Ridge) and learner.updates == 2
    waiting = dl.BatchOnline(Ridge(), first=100)
    waiting.learn_many(np.ones((4, 1)), [-1.0, 1.0, 1.0, -1.0])
    assert waiting.score_many(np.ones((1, 1))).tolist() == [1.0]  # as many of each
    waiting.learn_many(np.ones((1, 1)), [-1.0])
    assert waiting.score_many(np.ones((1, 1))).tolist() == [-1.0]


def test_a_window_of_one_class_says_that_class() -> None:
    learner = dl.BatchOnline(Ridge(), "every", most=3)
    X, y = np.array([[1.0], [-1.0], [1.0], [1.0], [1.0], [-1.0]]), np.array([1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
    learner.learn_many(X[:4], y[:4])
    assert learner.fitted is not None
    learner.learn_many(X[4:5], y[4:5])
    assert learner.fitted is None and learner.score_one(X[1]) == 1.0
    learner.learn_many(X[5:], y[5:])
    assert learner.fitted is not None and learner.score_one(X[1]) == -1.0


def test_nothing_is_seen_before_its_time() -> None:
    X, y = DATA.X, DATA.y.copy()
    before = dl.BatchOnline("RidgeClassifier()", "every").learn_many(X, y)
    y[50:] = -y[50:]
    after = dl.BatchOnline("RidgeClassifier()", "every").learn_many(X, y)
    assert before[:51].tolist() == after[:51].tolist()
    assert (before[51:] != after[51:]).any()


def test_scores_of_all_kinds() -> None:
    X, y = DATA.X, DATA.y
    due: dict[str, Any] = {
        "LogisticRegression(C=0.3)": lambda model: model.decision_function(X),
        "GaussianNB()": lambda model: 2.0 * model.predict_proba(X)[:, 1] - 1.0,
    }
    for text, scores in due.items():
        learner = dl.BatchOnline(text, "every")
        learner.learn_many(X, y)
        model = named(text).fit(X, y)
        assert learner.score_many(X) == pytest.approx(scores(model), rel=1e-9), text
    own = dl.BatchOnline(Ridge(), "every")
    own.learn_many(X, y)
    ridge = Ridge()
    ridge.fit(X, y)
    assert own.score_many(X).tolist() == ridge.predict(X).tolist()


def test_sparse_rows_and_features_that_come_later() -> None:
    X, y = DATA.X * (np.abs(DATA.X) > 0.7), DATA.y
    kept = []
    for text in ("LogisticRegression()", "GaussianNB()"):  # the second takes no sparse rows
        by_csr, by_dense = dl.BatchOnline(text, rho=0.3), dl.BatchOnline(text, rho=0.3)
        scores = by_csr.learn_many(csr_matrix(X), y)
        # lbfgs stops at other iterates for other arithmetic: close, not equal
        assert scores == pytest.approx(by_dense.learn_many(X, y), abs=1e-3)
        kept.append(by_csr._engine.model.sparse)  # type: ignore[attr-defined]
    assert kept == [True, False]
    learner = dl.BatchOnline("LogisticRegression()", "every")
    for i in range(30):
        learner.learn_one({f"word{i // 3}": 1.0, "z": float(i)}, bool(i % 2))
    assert learner.fitted.coef_.shape == (1, 11) and learner.n_features == 11
    x = {"word1": 1.0, "z": 2.0}
    assert learner.score_one({**x, "unknown": 1e9}) == learner.score_one(x)
    grown = dl.BatchOnline("LogisticRegression()", first=4, rho=100.0)
    grown.learn_many(dicts(np.eye(5)[[0, 1, 0, 1]]), [True, False, True, False])
    grown.learn_many([{"new": 3.0}], [True])
    assert grown.fitted.coef_.shape == (1, 2)
    assert grown.score_one({"a": 1.0, "new": 3.0}) == grown.score_one({"a": 1.0})


def test_weights_are_those_of_a_linear_estimator() -> None:
    learner = dl.BatchOnline("LogisticRegression()", "every")
    assert learner.weights() == {}
    learner.learn_many([{"a": 1.0}, {"b": 2.0}, {"a": 3.0, "b": 0.5}], [True, False, True])
    coef, intercept = learner.fitted.coef_[0], learner.fitted.intercept_[0]
    assert learner.weights() == {"(bias)": intercept, "a": coef[0], "b": coef[1]}
    assert learner.largest(1)[0][1] == max([intercept, *coef], key=abs)
    tree = dl.BatchOnline("DecisionTreeClassifier()", "every")
    tree.learn_many(DATA.X, DATA.y)
    assert tree.weights() == {}


def test_sample_weights_go_to_the_fit() -> None:
    X, y = DATA.X, DATA.y
    w = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=90)
    learner = dl.BatchOnline("RidgeClassifier()", "every")
    learner.learn_many(X, y, w)
    model = named("RidgeClassifier()").fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert learner.score_many(X) == pytest.approx(model.decision_function(X), rel=1e-9)
    neighbours = dl.BatchOnline("KNeighborsClassifier(n_neighbors=1)")
    neighbours.learn_many(X[:10], y[:10], np.where(np.arange(10) % 2, 1.0, 0.0))
    with refused(neighbours, "row 3", "a sample weight of 0 or 1", "got 2.0", "Leave the weights out"):
        neighbours.learn_many(X[10:20], y[10:20], [1.0, 0.0, 1.0, 2.0, *[1.0] * 6])
    with refused(neighbours, "got 2.0"):
        neighbours.learn_one(X[0], y[0], 2.0)


# chance ---------------------------------------------------------------------------------------------------------------
def test_chance_follows_from_the_seed_and_the_number_of_the_fit() -> None:
    text = "RandomForestClassifier(n_estimators=3)"

    def scores(seed: int, text: str = text) -> list[float]:
        np.random.default_rng().random()
        return dl.BatchOnline(text, rho=1.0, seed=seed).learn_many(DATA.X, DATA.y).tolist()

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)
    learner = dl.BatchOnline(text, "every", seed=3)
    learner.learn_many(DATA.X[:20], DATA.y[:20])
    fits = learner._engine.fits  # type: ignore[attr-defined]
    assert learner.fitted.get_params()["random_state"] == seed_of(3, fits) != seed_of(3, fits - 1)
    own = text[:-1] + ", random_state=5)"
    assert scores(1, own) == scores(2, own)


# texts ----------------------------------------------------------------------------------------------------------------
def test_objects_that_a_text_describes() -> None:
    learner = dl.BatchOnline(LogisticRegression(C=0.1, solver="liblinear"))
    assert learner.rule.estimator == "LogisticRegression(C=0.1, solver='liblinear')"
    assert repr(named(learner.rule.estimator)) == learner.rule.estimator
    assert dl.BatchOnline(GaussianNB()).rule.estimator == "GaussianNB()"
    nested = "BaggingClassifier(estimator=LogisticRegression(C=2.0), max_samples=0.5, n_estimators=3)"
    text = text_of(named(nested))
    assert text is not None and text_of(named(text)) == text
    assert named(text).get_params()["estimator__C"] == 2.0
    assert named("MLPClassifier(hidden_layer_sizes=(3, 2))").hidden_layer_sizes == (3, 2)
    assert named("SVC(class_weight={-1: 2.0, 1: 1.0}, C=inf)").get_params()["C"] == math.inf
    assert text_of(Ridge()) is None and text_of(make_pipeline(StandardScaler(), LogisticRegression())) is None


def test_classifiers_in_lists() -> None:
    given = VotingClassifier([("a", LogisticRegression(C=0.5)), ("b", GaussianNB())], voting="soft", weights=[2, 1])
    text = text_of(given)
    assert text is not None and repr(named(text)) == repr(given)
    inner = dict(named(text).estimators)
    assert inner["a"].C == 0.5 and isinstance(inner["b"], GaussianNB)
    learner = dl.BatchOnline(given, rho=1.0)
    assert learner.rule.estimator == text
    learner.learn_many(DATA.X, DATA.y)
    due = named(text).set_params(a__random_state=0).fit(DATA.X[:64], DATA.y[:64])
    assert learner.score_many(DATA.X) == pytest.approx(2.0 * due.predict_proba(DATA.X)[:, 1] - 1.0, abs=1e-9)
    piped = VotingClassifier([("a", make_pipeline(StandardScaler(), LogisticRegression())), ("b", GaussianNB())])
    assert text_of(piped) is None
    usable = dl.BatchOnline(piped, rho=1.0)
    usable.learn_many(DATA.X, DATA.y)
    assert isinstance(usable.fitted, VotingClassifier) and usable.mistakes < 40


@pytest.mark.parametrize("value", [[], (), {}, (1,), [(1.5, None), "a"], {1: -math.inf, -1: [math.inf]}, -math.inf])
def test_parameters_of_all_kinds_come_back(value: Any) -> None:
    given = SVC(class_weight=value)
    text = text_of(given)
    found = named(text).class_weight if text is not None else None
    assert found == value and type(found) is type(value)


def test_every_text_comes_back() -> None:
    found = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # some are deprecated
        for kind in classifiers().values():
            try:
                text = text_of(kind())
            except TypeError:
                continue
            assert text is None or repr(named(text)) == repr(kind()), text
            found += text is not None
    assert found > 30


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "LogisticRegression(C=__import__('os'))",
        "LogisticRegression(C=open('x'))",
        "LogisticRegression().fit",
        "LogisticRegression(**{'C': 1.0})",
        "LogisticRegression(D=1.0)",
        "LinearRegression()",
        "logisticregression()",
        "os",
        "",
        "(" * 500,
        "3",
        "ClassifierChain()",
    ],
)
def test_texts_that_name_no_classifier(text: str) -> None:
    with pytest.raises(ValueError, match=r"^BatchOnline: estimator must be a classifier of .*, got .*\. Correct it"):
        dl.BatchOnline(text)


# saving ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("schedule", ["geometric", "mistake"])
@pytest.mark.parametrize("text", ["LogisticRegression(C=0.5)", "ExtraTreeClassifier()", "SGDClassifier()"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_a_loaded_model_is_fitted_to_the_same_bits(text: str, schedule: Any, kind: str, tmp_path: Path) -> None:
    """Also where examples of the last fit are not kept any more."""
    data = stream(43, rounds=160, n=3, drift=0.0, noise=0.02)
    X = data.csr if kind == "csr" else data.X
    learner, past = dl.BatchOnline(text, schedule, rho=0.9, most=20), []
    for start in range(0, 160, 16):
        learner.learn_many(X[start : start + 16], data.y[start : start + 16])
        learner.save(tmp_path / "a.dl")
        loaded = load(tmp_path / "a.dl")
        assert loaded.score_many(X[:10]).tolist() == learner.score_many(X[:10]).tolist()
        assert_same(snapshot(loaded), snapshot(learner))
        past.append(learner._engine._past())  # type: ignore[attr-defined]
        assert learner._engine.arrays()["labels"].size <= 40
    assert max(past) >= 4
    assert loaded.learn_many(X[:40], data.y[:40]).tolist() == learner.learn_many(X[:40], data.y[:40]).tolist()


def test_what_has_no_name_can_be_used_but_not_saved(tmp_path: Path) -> None:
    for estimator in (Ridge(), make_pipeline(StandardScaler(), LogisticRegression())):
        learner = dl.BatchOnline(estimator)
        learner.learn_many(DATA.X, DATA.y)
        assert learner.mistakes < 40
        with pytest.raises(ModelError, match=r"^save: a parameter must be a plain value .*, got .*\. Use .* a name"):
            learner.save(tmp_path / "a.dl")
        assert not (tmp_path / "a.dl").exists()


def test_an_object_is_copied() -> None:
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    learner = dl.BatchOnline(estimator)
    estimator.set_params(logisticregression__C=-1.0)
    learner.learn_many(DATA.X, DATA.y)
    assert not hasattr(estimator[-1], "coef_")
    assert learner.fitted[-1].random_state is not None


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [
        ("counts", lambda a: a[:4], "counts of shape"),
        ("counts", lambda a: a * 2, "counts"),
        ("counts", lambda a: a - [0, 0, 0, 1, 0], "counts"),
        ("counts", lambda a: a * [1, 1, 0, 1, 1], "counts"),
        ("indptr", lambda a: a[::-1].copy(), "do not fit together"),
        ("indptr", lambda a: a[:-1], "indptr of shape"),
        ("indices", lambda a: a + np.uint32(1), "do not fit together"),
        ("indices", lambda a: a * np.uint32(0), "without some of its columns"),
        ("labels", lambda a: a * 2.0, "labels of examples other than -1 and"),
        ("labels", lambda a: np.ones_like(a), "cannot be fitted"),
        ("weights", lambda a: -a, "labels of examples other than -1 and"),
        ("values", lambda a: a * math.nan, "not finite"),
        ("dense", lambda a: a + np.uint8(1), "do not fit together"),
    ],
)
def test_saved_examples_must_be_possible(name: str, change: Any, what: str) -> None:
    learner = dl.BatchOnline("LogisticRegression()")
    learner.learn_many(DATA.X, DATA.y)
    arrays = dict(learner._engine.saved(4))
    dl.BatchOnline("LogisticRegression()")._engine.restore(4, arrays)
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=what):
        dl.BatchOnline("LogisticRegression()")._engine.restore(4, arrays)


# what is refused ------------------------------------------------------------------------------------------------------
def test_a_fit_that_fails_changes_nothing() -> None:
    learner = dl.BatchOnline("LogisticRegression(C=-1.0)", first=5)
    learner.learn_many(DATA.X[:4], DATA.y[:4])
    with refused(learner, "x must allow LogisticRegression(C=-1.0) to be fitted", "C", "Correct"):
        learner.learn_one(DATA.X[4], DATA.y[4])
    with refused(learner, "row 0"):
        learner.learn_many(DATA.X[4:9], DATA.y[4:9])
    positive = dl.BatchOnline("MultinomialNB()", "every", first=30)
    positive.learn_many(np.abs(DATA.X[:29]), DATA.y[:29])
    with refused(positive, "row 3", "Negative values"):
        positive.learn_many(np.vstack([np.abs(DATA.X[29:32]), DATA.X[32:40]]), DATA.y[29:40])
    twin = dl.BatchOnline("MultinomialNB()", "every", first=30)
    for one in (positive, twin):
        one.learn_many(np.abs(DATA.X[29 * (one is positive) :]), DATA.y[29 * (one is positive) :])
    assert_same(snapshot(positive), snapshot(twin))


def test_a_row_that_cannot_be_scored_changes_nothing() -> None:
    learner = dl.BatchOnline("KNeighborsClassifier(n_neighbors=5)")
    y = np.array([1.0, -1.0, 1.0, -1.0])
    with refused(learner, "row 2", "must have a score from", "raise first"):
        learner.learn_many(DATA.X[:4], y)
    learner.learn_many(DATA.X[:2], y[:2])
    with refused(learner, "x must have a score from KNeighborsClassifier(n_neighbors=5)"):
        learner.score_many(DATA.X[:1])
    with refused(learner, "raise first"):
        learner.learn_one(DATA.X[2], y[2])
    fine = dl.BatchOnline("KNeighborsClassifier(n_neighbors=5)", first=5)
    assert np.isfinite(fine.learn_many(DATA.X, DATA.y)).all()


def test_an_array_that_would_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "LARGEST", 100)
    learner = dl.BatchOnline("GaussianNB()", "every")
    learner.learn_many(dicts(np.eye(5)), [True, False] * 2 + [True])
    with refused(learner, "too many for a dense array", "6 rows of 65 columns"):
        learner.learn_many([{f"f{i}": 1.0 for i in range(60)}], [False])


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.utils", None)
    monkeypatch.setattr(estimators, "classifiers", classifiers.__wrapped__)
    what = r"^BatchOnline needs scikit-learn: pip install \"driftline\[sklearn\]\"$"
    with pytest.raises(ImportError, match=what):
        dl.BatchOnline("GaussianNB()")
    learner = dl.BatchOnline()
    learner.learn_one({"a": 1.0}, True)
    before = snapshot(learner)
    with pytest.raises(ImportError, match=what):
        learner.learn_one({"b": 1.0}, False)
    assert_same(before, snapshot(learner))


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"estimator": 3}, "estimator must be a text, or an object with fit and predict, got 3"),
        ({"estimator": LogisticRegression}, "estimator must be a text, or an object with fit and predict, got <class"),
        ({"estimator": StandardScaler()}, "estimator must be a text, or an object with fit and predict, got Standard"),
        ({"schedule": "daily"}, "schedule must be 'geometric' or 'every' or 'mistake', got 'daily'"),
        ({"rho": 0.0}, "rho must be > 0, got 0.0"),
        ({"first": 0}, "first must be a whole number >= 1, got 0"),
        ({"first": 1.5}, "first must be a whole number >= 1, got 1.5"),
        ({"first": 50, "most": 20}, "most must be a whole number >= 50, got 20"),
        ({"most": 1}, "most must be a whole number >= 2, got 1"),
        ({"most": True}, "most must be a whole number >= 2, got True"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"bias": True}, "bias must be False"),
        ({"dtype": "float32"}, "dtype must be 'float64'"),
    ],
)
def test_wrong_parameters(wrong: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=f"^BatchOnline: {what}"):
        dl.BatchOnline(**wrong)


def test_whole_numbers_of_numpy(tmp_path: Path) -> None:
    learner = dl.BatchOnline("GaussianNB()", first=np.int32(4), most=np.int64(30), seed=np.uint8(3))
    learner.learn_many(DATA.X, DATA.y)
    assert repr(learner) == repr(dl.BatchOnline("GaussianNB()", first=4, most=30, seed=3))
    learner.save(tmp_path / "a.dl")
    assert load(tmp_path / "a.dl").score_many(DATA.X).tolist() == learner.score_many(DATA.X).tolist()


# certificates ---------------------------------------------------------------------------------------------------------
def test_certificates_of_its_hypotheses_hold() -> None:
    """40 runs at delta = 0.1; the risk is known by the angle between the weights and the target."""
    violated = bare = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 3))
        y = np.where(X[:, 0] >= 0.0, 1.0, -1.0) * np.where(rng.random(80) < 0.1, -1.0, 1.0)
        found = dl.select(dl.BatchOnline(Ridge(), rho=0.3), (X, y), assume="iid", delta=0.1)
        ridge: Any = found.learner.fitted  # type: ignore[union-attr]
        risk = 0.5 if ridge is None else 0.1 + 0.8 * math.acos(ridge.w[0] / np.linalg.norm(ridge.w)) / math.pi
        violated += risk > found.certificate
        bare += risk > found.error
    assert violated <= 4 < 20 < bare
