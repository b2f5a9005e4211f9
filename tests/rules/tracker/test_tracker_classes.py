"""Tracker on more than two labels: it stays a Tracker, and nothing it knew is lost."""

from __future__ import annotations

import copy
import os
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits

import driftline as dl
from driftline.cli.main import main
from driftline.engines.joint.joint_engine import JointClassesEngine
from driftline.engines.tracker.class_trackers import TrackerClassesEngine
from tests.support.bitwise import assert_same, refused, same_bits, snapshot

ROWS, THIRD = 120, 47
RNG = np.random.default_rng(5)
X = RNG.normal(size=(ROWS, 4)) * (RNG.random((ROWS, 4)) < 0.8)
Y = np.argmax(X @ RNG.normal(size=(4, 4)), axis=1)
Y[:THIRD] %= 2
Y[THIRD] = 3
LABELS = np.array(["b", "a", "d", "c"])[Y]
FEEDS = {"dense": X, "csr": csr_matrix(X), "dicts": [dict(zip("wxyz", row, strict=True)) for row in X.tolist()]}
Bank = Literal["strong", "light"]
ENGINES = {"strong": JointClassesEngine, "light": TrackerClassesEngine}
both = pytest.mark.parametrize("bank", ENGINES)
every_feed = pytest.mark.parametrize("feed", FEEDS)


def learned(feed: str, stop: int = ROWS, bank: Bank = "strong", **options: Any) -> dl.Tracker:
    tracker = dl.Tracker(bank, **options)
    for i in range(stop):
        tracker.learn_one(FEEDS[feed][i], LABELS[i])
    return tracker


def alike(a: dl.Learner, b: dl.Learner) -> bool:
    one, other = a._engine.arrays(), b._engine.arrays()
    return type(a) is type(b) and one.keys() == other.keys() and all(same_bits(one[k], other[k]) for k in one)


@both
def test_with_the_third_label_the_engine_is_one_for_several_classes(bank: Bank) -> None:
    tracker = learned("dense", THIRD, bank)
    assert type(tracker) is dl.Tracker and isinstance(tracker.score_one(X[0]), float)
    mistakes = tracker.mistakes
    tracker.learn_one(X[THIRD], LABELS[THIRD])
    assert type(tracker) is dl.Tracker and tracker.rule.several and tracker.mistakes == mistakes + 1
    assert isinstance(tracker._engine, ENGINES[bank]) and type(tracker.score_one(X[0])) is float
    assert set(tracker.labels) == set(LABELS[: THIRD + 1]) and list(tracker.scores_one(X[0])) == list(tracker.labels)
    assert repr(tracker) == f"Tracker(bank={bank!r})" and tracker.kind == "Tracker" and tracker.n_seen == THIRD + 1


def test_the_trackers_of_the_first_two_labels_know_all_that_the_one_knew() -> None:
    """They are what two Trackers are that have learned "is it this label?" from the first example on."""
    tracker = learned("dense", bank="light")
    engine: Any = tracker._engine
    assert isinstance(engine, TrackerClassesEngine)
    first, second = LABELS[0], next(label for label in LABELS if label != LABELS[0])
    for k, label in enumerate((first, second)):
        one = dl.Tracker("light", labels=(False, True) if engine.sign_of(k) > 0.0 else (True, False))
        one.learn_many(X, label == LABELS)
        assert engine.members[k].arrays().keys() == one._engine.arrays().keys()
        for name, array in one._engine.arrays().items():
            assert same_bits(array, engine.members[k].arrays()[name]), (label, name)
        assert tracker.scores_many(X)[:, k].tolist() == (engine.sign_of(k) * one.score_many(X)).tolist()


def test_a_label_that_appears_late_is_learned_from_there_on() -> None:
    tracker = learned("dense", bank="light")
    late = dl.Tracker("light", labels=(False, True))
    late.learn_many(X[THIRD:], LABELS[THIRD:] == LABELS[THIRD])
    assert tracker.scores_many(X)[:, 2].tolist() == late.score_many(X).tolist()


@every_feed
@pytest.mark.parametrize("cuts", [[0, ROWS], [0, 1, 2, THIRD, ROWS], [0, THIRD - 1, THIRD + 1, THIRD + 2, ROWS]])
@pytest.mark.parametrize("scale", [None, "standard"])
@both
def test_blocks_are_loops(bank: Bank, feed: str, cuts: list[int], scale: Any) -> None:
    loop, many = dl.Tracker(bank, scale=scale), dl.Tracker(bank, scale=scale)
    scores = [loop.learn_one(FEEDS[feed][i], LABELS[i]) for i in range(ROWS)]
    found = [many.learn_many(FEEDS[feed][i:j], LABELS[i:j]) for i, j in pairwise(cuts)]
    assert np.concatenate(found).tolist() == scores
    assert alike(loop, many) and loop.labels == many.labels
    counts = ("n_seen", "mistakes", "label_errors", "margin_errors", "updates")
    assert [getattr(loop, name) for name in counts] == [getattr(many, name) for name in counts]


@both
def test_weights_of_rows_and_lists_of_labels(bank: Bank) -> None:
    w = np.linspace(0.0, 2.0, ROWS)
    loop, many = dl.Tracker(bank), dl.Tracker(bank)
    for i in range(ROWS):
        loop.learn_one(X[i], LABELS[i], float(w[i]))
    many.learn_many(X, LABELS.tolist(), w)
    assert alike(loop, many)


@every_feed
@both
def test_saved_copied_and_pickled_it_goes_on_exactly(bank: Bank, feed: str, tmp_path: Path) -> None:
    tracker = learned(feed, 90, bank)
    tracker.save(tmp_path / "t.dl")
    others = [dl.load(tmp_path / "t.dl"), copy.deepcopy(tracker), pickle.loads(pickle.dumps(tracker))]
    for i in range(90, ROWS):
        tracker.learn_one(FEEDS[feed][i], LABELS[i])
    for other in others:
        for i in range(90, ROWS):
            other.learn_one(FEEDS[feed][i], LABELS[i])
        assert alike(tracker, other) and other.labels == tracker.labels and other.mistakes == tracker.mistakes


def test_a_model_whose_classes_are_not_those_of_its_labels_is_refused(tmp_path: Path) -> None:
    engine: Any = learned("dense", bank="light")._engine
    arrays = engine.saved(4)
    fresh: Any = dl.Tracker("light", labels=("a", "b", "c", "d"))._engine
    for turned in (2, -2, 7):
        with pytest.raises(ValueError, match=f"turned {turned}"):
            fresh.restore(4, arrays | {"turned": np.array([turned])})
    fresh.restore(4, arrays)
    assert fresh.turned == engine.turned


def test_arrays_have_the_names_of_older_model_files() -> None:
    """A name that changes would make the files of earlier versions unreadable."""
    each = {
        *("own", "counters", "state", "slots", "highest", "course", "pairs", "max", "std", "forget", "quad", "means"),
        *("factors", "quad_means", "quad_factors", "words", "shares", "stack", "squares", "spread", "errors"),
        *("expert_weights", "expert_spreads", "stacker_weights", "stacker_spreads"),
        *("label_rates", "guess_shares", "labels_learned"),
    }
    tracker = learned("dense", bank="light")
    due = {f"{k} {name}" for k in range(len(tracker.labels)) for name in each}
    assert set(tracker._engine.saved(4)) == {"state", "turned", "coupling"} | due


@both
def test_declared_labels(bank: Bank) -> None:
    tracker = dl.Tracker(bank, labels=("a", "b", "c"))
    assert type(tracker) is dl.Tracker and repr(tracker) == f"Tracker(bank={bank!r}, labels=('a', 'b', 'c'))"
    tracker.learn_many(X, LABELS)
    assert tracker.labels == ("a", "b", "c", "d")
    if bank == "light":  # one Tracker for each class
        same = dl.OneVsRest(dl.Tracker(bank), labels=("a", "b", "c"))
        same.learn_many(X, LABELS)
        assert tracker.scores_many(X).tolist() == same.scores_many(X).tolist() and tracker.mistakes == same.mistakes


@pytest.mark.parametrize("features", range(1, 20))
@both
def test_spare_room_has_no_part_in_the_third_label(bank: Bank, features: int) -> None:
    """How much room a block made for features must not show in the places of later ones."""
    rng = np.random.default_rng(features)
    rows = [
        {f"f{k}": float(v) for k, v in enumerate(rng.normal(size=features)) if rng.random() < 0.7} for _ in range(9)
    ]
    y = ["ham", "spam"] * 4 + ["eggs"]
    late = rows[8] | {"new": 1.5, "newer": -0.5}
    one, many = dl.Tracker(bank), dl.Tracker(bank)
    for x, label in zip(rows[:8], y, strict=False):
        one.learn_one(x, label)
    many.learn_many(rows[:8], y[:8])
    for learner in (one, many):
        learner.learn_one(late, y[8])
    assert_same(snapshot(one), snapshot(many))


def test_where_two_labels_are_declared_a_third_is_refused() -> None:
    tracker = learned("dense", THIRD, labels=("a", "b"))
    with refused(tracker, "a label must be 'a' or 'b', got", "Correct it, leave labels out, or declare all of them"):
        tracker.learn_many(X, LABELS)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X, y, w: (X, [*y[:-1], float("nan")], w), f"row {ROWS - 1}, a label must be a value, got nan"),
        (lambda X, y, w: (X, y[:-1], w), "X and y must have the same length"),
        (lambda X, y, w: (X, y, np.where(np.arange(ROWS) == 100, -1.0, w)), "row 100, a sample weight must be >= 0"),
        (lambda X, y, w: ([*X[:-1].tolist(), ["x"] * 4], y, w), "an array must hold numbers"),
    ],
)
@both
def test_what_is_refused_with_a_third_label_changes_nothing(bank: Bank, spoil: Any, message: str) -> None:
    tracker = learned("dense", 20, bank)
    with refused(tracker, message):
        tracker.learn_many(*spoil(X, LABELS.tolist(), np.ones(ROWS)))
    assert type(tracker) is dl.Tracker and not tracker.rule.several
    tracker.learn_many(X[20:], LABELS[20:])
    assert alike(tracker, learned("dense", bank=bank))


@both
def test_interrupted_while_the_third_label_is_learned_it_knows_nothing_of_it(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = learned("dense", 20, bank)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ENGINES[bank], "learn", stop)
        with pytest.raises(KeyboardInterrupt):
            tracker.learn_many(X[20:], LABELS[20:])
    assert not tracker.rule.several and tracker.n_seen == 20
    tracker.learn_many(X[20:], LABELS[20:])
    assert alike(tracker, learned("dense", bank=bank))


def test_what_is_refused_of_several_classes_is_refused_without_a_copy() -> None:
    tracker = learned("dense")
    engine = tracker._engine
    for spoiled in ((X[:, :3], LABELS), (X, LABELS, -np.ones(ROWS)), (X, LABELS[:-1])):
        with pytest.raises(ValueError, match=r"^Tracker: "):
            tracker.learn_many(*spoiled)
    assert tracker._engine is engine and alike(tracker, learned("dense"))


@pytest.mark.parametrize(
    ("y", "message"),
    [(np.array(1), "y must be 1-d"), (LABELS[:, None], r"y must be 1-d, one label per row, got shape \(120, 1\)")],
)
def test_labels_of_another_shape_are_refused_as_by_others(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learned("dense", 20).learn_many(X, y)
    with pytest.raises(ValueError, match=r"^Tracker: a label must be a value, got None"):
        learned("dense", 20).learn_one(X[0], None)


@both
def test_a_failed_block_leaves_the_tracker_of_two_labels(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = learned("dense", 20, bank)
    before = snapshot(tracker)

    def stop(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(ENGINES[bank], "learn", stop)
    with pytest.raises(MemoryError):
        tracker.learn_block(X, LABELS, keep_rows=True, keep_votes=True)
    assert_same(before, snapshot(tracker))


@both
def test_the_record_of_a_block_with_a_third_label_has_neither_rows_nor_votes(bank: Bank) -> None:
    tracker = dl.Tracker(bank)
    two = tracker.learn_block(X[:20], LABELS[:20], keep_rows=True, keep_votes=True)
    assert len(two.rows) == 1 and two.votes.shape[0] == 20 and not two.several
    several = tracker.learn_block(X[20:], LABELS[20:], keep_rows=True, keep_votes=True)
    assert several.several and several.rows == () and several.votes.size == 0


@both
def test_the_extent_of_a_vote_on_several_labels_is_that_of_all_voters(bank: Bank) -> None:
    tracker = learned("dense", bank=bank)
    weights = np.array([one.weight for one in tracker.experts()])
    length, many = tracker._engine.extent()
    assert length == pytest.approx(np.sqrt((weights**2).sum())) and many == np.count_nonzero(weights)


@pytest.mark.parametrize("scale", [None, "unit", "standard", dl.RandomFourier(8)])
@pytest.mark.parametrize("stop", [THIRD, ROWS])
def test_whatever_the_scale_it_is_loaded_as_it_was_saved(scale: Any, stop: int, tmp_path: Path) -> None:
    tracker = learned("dense", stop, scale=scale)
    tracker.save(tmp_path / "t.dl")
    again = dl.load(tmp_path / "t.dl")
    assert alike(tracker, again) and again.scores_many(X).tolist() == tracker.scores_many(X).tolist()


@both
def test_missing_values_are_taken_by_every_class(bank: Bank) -> None:
    holes = X.copy()
    holes[::7, 1] = np.nan
    tracker = dl.Tracker(bank)
    tracker.learn_many(holes, LABELS)
    assert tracker.n_missing == np.isnan(holes).sum() and tracker.n_guarded == 0
    assert np.isfinite(tracker.scores_many(holes)).all()


@both
def test_who_votes_on_which_label(bank: Bank) -> None:
    tracker = learned("dense", bank=bank)
    label = tracker.labels[1]
    own = tracker.experts(label)
    assert sum(one.weight for one in own) == pytest.approx(1.0)
    assert [one.weight for one in own] == sorted((one.weight for one in own), reverse=True)
    assert sum(one.weight for one in tracker.experts()) == pytest.approx(len(tracker.labels) if bank == "light" else 1)
    assert tracker.weights()[label][own[0].name] == own[0].weight
    assert tracker.largest(1) == [(tracker.experts()[0].name, tracker.experts()[0].weight)]
    with pytest.raises(ValueError, match="label must be one of"):
        tracker.experts("e")
    with pytest.raises(ValueError, match="label must be None with at most two labels"):
        dl.Tracker(bank).experts("a")


@both
def test_probabilities_sum_to_1_and_the_likeliest_comes_first(bank: Bank) -> None:
    tracker = learned("dense", bank=bank)
    for x in X[:20]:
        found = tracker.predict_proba_one(x)
        assert set(found) == set(tracker.labels) and sum(found.values()) == pytest.approx(1.0)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_probabilities_are_shares_of_the_votes_before_the_first_label() -> None:
    tracker = dl.Tracker("light", labels=("a", "b", "c"))
    scores, found = tracker.scores_one(X[0]), tracker.predict_proba_one(X[0])
    total = sum(1.0 + s for s in scores.values())
    assert all(found[label] == pytest.approx((1.0 + s) / total) for label, s in scores.items())
    equal = dl.Tracker(labels=("a", "b", "c")).predict_proba_one(X[0])
    assert equal == pytest.approx(dict.fromkeys("abc", 1.0 / 3.0))


@both
def test_runs_count_the_same_however_they_are_cut(bank: Bank, tmp_path: Path) -> None:
    runs = [dl.run(dl.Tracker(bank), (X, LABELS), rows=rows) for rows in (1, 7, ROWS)]
    assert {run.mistakes for run in runs} == {runs[0].mistakes} and runs[0].mistakes == runs[0].learner.mistakes
    assert {run.ledger.label_errors for run in runs} == {runs[0].ledger.label_errors}
    certified = dl.run(dl.Tracker(bank), (X, LABELS), certify=True)
    with pytest.raises(ValueError, match="must have two labels, got 4"):
        certified.certificate()


def test_the_command_line_takes_any_number_of_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "four.csv"
    rows = "\n".join(",".join(map(str, x)) + f",{y}" for x, y in zip(X.tolist(), LABELS, strict=True))
    file.write_text(f"w,x,y,z,label\n{rows}\n")
    folder = tmp_path / "kept"
    save = ["--save", str(tmp_path / "t.dl")]
    assert main(["run", str(file), "--target", "label", *save]) == 0
    whole = (tmp_path / "t.dl").read_bytes()
    assert "labels b, a, c and d" in capsys.readouterr().out
    assert main(["run", str(file), "--target", "label", "--checkpoint", str(folder), "--every", "10", *save]) == 0
    assert main(["run", str(file), "--target", "label", "--checkpoint", str(folder), "--resume", *save]) == 0
    assert (tmp_path / "t.dl").read_bytes() == whole
    assert main(["run", str(file), "--target", "label", "--labels", "a,b,c,d"]) == 0
    assert main(["inspect", str(tmp_path / "t.dl")]) == 0
    assert main(["predict", str(tmp_path / "t.dl"), str(file), "--target", "label"]) == 0
    capsys.readouterr()
    told = ["--certify", "--report", str(tmp_path / "r.html")]
    assert main(["run", str(file), "--target", "label", *told]) == 2  # but what was run is told all the same
    out, err = capsys.readouterr()
    assert out.startswith("learner ") and "labels b, a, c and d" in out and (tmp_path / "r.html").exists()
    assert "a certified run must have two labels, got 4" in err


@both
def test_digits_better_than_one_pass_of_pa_against_the_rest(bank: Bank) -> None:
    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(digits))
    train, test = order[:1200], order[1200:]
    tracker, rest = dl.Tracker(bank), dl.OneVsRest(dl.PA1())
    tracker.learn_many(images[train], digits[train])
    rest.learn_many(images[train] / 16.0, digits[train])
    wrong = np.mean(tracker.predict_many(images[test]) != digits[test])
    assert wrong < np.mean(rest.predict_many(images[test] / 16.0) != digits[test]) and wrong < 0.07


@pytest.mark.skipif("DRIFTLINE_DATA" not in os.environ, reason="DRIFTLINE_DATA names no folder of data sets")
def test_usps_in_one_pass_is_better_than_scikit_learns_pa_against_the_rest() -> None:
    import h5py
    from sklearn.linear_model import SGDClassifier

    with h5py.File(Path(os.environ["DRIFTLINE_DATA"]) / "usps" / "usps.h5") as file:
        (A, a), (B, b) = ((file[part]["data"][:], file[part]["target"][:]) for part in ("train", "test"))
    peer = SGDClassifier(loss="hinge", learning_rate="pa1", eta0=1.0, penalty=None, max_iter=1, tol=None, shuffle=False)
    peer.fit(A, a)
    tracker = dl.Tracker()
    tracker.learn_many(A.astype(float), a)
    assert np.mean(tracker.predict_many(B.astype(float)) != b) < np.mean(peer.predict(B) != b)
