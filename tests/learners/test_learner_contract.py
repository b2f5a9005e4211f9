"""The contract of every learner that is not linear.

Blocks equal loops bit for bit, scoring changes nothing, copies and saved models go on exactly, a
refused call changes nothing, and the command line runs the learner.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import driftline as dl
from driftline.cli.main import main
from driftline.saved import load
from tests.support.bitwise import LINEAR, assert_same, loaded_for_reading, refused, snapshot
from tests.support.learner_cases import OTHERS, ROWS, Other, dicts, examples

every_other = pytest.mark.parametrize("case", OTHERS, ids=str)
once_each = pytest.mark.parametrize("case", list({case.name: case for case in reversed(OTHERS)}.values()), ids=str)
every_kind = pytest.mark.parametrize("kind", ["dense", "csr", "dicts"])
CUTS = ([0, ROWS], [0, 1, 2, 30, ROWS], [0, 17, 17, 18, 41, ROWS])


def block(case: Other, kind: str) -> Any:
    X, _ = examples(case.feed)
    return {"dense": X, "csr": csr_matrix(X), "dicts": dicts(X)}[kind]


def labels(case: Other) -> np.ndarray:
    return examples(case.feed)[1]


def by_loop(learner: dl.Learner, case: Other, kind: str, start: int, stop: int) -> list[float]:
    X, y = block(case, kind), labels(case)
    return [learner.learn_one(X[i], y[i]) for i in range(start, stop)]


def expected(learner: dl.Learner, x: Any, y: float) -> float:
    """What learning is to return: the score; of several classes, that of y less the highest other."""
    if not learner.rule.several:
        return learner.score_one(x)
    scores = learner.scores_one(x)
    others = [score for label, score in scores.items() if label != y]
    if y not in scores:
        return -max([0.0, *others])
    return scores[y] - max(others, default=0.0)


def test_every_learner_is_tried_somewhere() -> None:
    assert {case.name for case in OTHERS} | set(LINEAR) == set(dl.REGISTRY)


@every_other
@every_kind
@pytest.mark.parametrize("options", [{}, {"scale": "unit"}, {"labels": (-1.0, 1.0)}], ids=["plain", "unit", "declared"])
def test_blocks_are_loops(case: Other, kind: str, options: Any) -> None:
    if case.advised and "scale" in options:
        pytest.skip("advice is not scaled")
    if case.regresses and "labels" in options:
        pytest.skip("a regressor has no labels")
    one = case.learner(**options)
    scores = by_loop(one, case, kind, 0, ROWS)
    for cuts in CUTS:
        many = case.learner(**options)
        found = [many.learn_many(block(case, kind)[i:j], labels(case)[i:j]) for i, j in pairwise(cuts)]
        assert np.concatenate(found).tolist() == scores
        assert_same(snapshot(one), snapshot(many))
    assert np.isfinite(scores).all()
    assert one.n_seen == ROWS and (one.margin_errors if one.rule.regresses else one.mistakes) > 0


@every_other
@every_kind
def test_scoring_changes_nothing(case: Other, kind: str) -> None:
    learner, X = case.learner(), block(case, kind)
    for start, stop in ((0, 0), (0, 30)):  # also before anything was learned
        by_loop(learner, case, kind, start, stop)
        before = snapshot(learner)
        many = learner.score_many(X)
        assert [learner.score_one(X[i]) for i in range(ROWS)] == many.tolist()
        if not learner.rule.regresses:
            each = learner.scores_many(X)
            assert [list(learner.scores_one(X[i]).values()) for i in range(ROWS)] == each.tolist()
        assert_same(before, snapshot(learner))
    assert [learner.predict_one(X[i]) for i in range(ROWS)] == learner.predict_many(X).tolist()
    learner.weights(), learner.largest(3), repr(learner)


@every_other
@every_kind
def test_learning_returns_the_score_before_it(case: Other, kind: str) -> None:
    learner, X, y = case.learner(), block(case, kind), labels(case)
    for i in range(ROWS):
        score = expected(learner, X[i], y[i])
        assert learner.learn_one(X[i], y[i]) == pytest.approx(score, rel=1e-9, abs=1e-12)
    again = case.learner()
    trials = again.test_then_train(X, y)
    assert trials.scores.tolist() == case.learner().learn_many(X, y).tolist()
    assert int(trials.updated.sum()) == again.updates == learner.updates


@every_other
@pytest.mark.parametrize("kind", ["dense", "dicts"])
def test_copies_and_saved_models_go_on_exactly(case: Other, kind: str, tmp_path: Path) -> None:
    X, y = block(case, kind), labels(case)
    learner = case.learner()
    for at in (0, 1, 30):
        learner = case.learner()
        by_loop(learner, case, kind, 0, at)
        learner.save(tmp_path / "a.dl")
        learner.save(tmp_path / "b.dl")
        loaded = load(tmp_path / "a.dl")
        loaded.save(tmp_path / "c.dl")
        bytes_ = {name: (tmp_path / f"{name}.dl").read_bytes() for name in "abc"}
        assert bytes_["a"] == bytes_["b"] == bytes_["c"]
        assert repr(loaded) == repr(learner)
        assert_same(snapshot(learner), snapshot(loaded))
        others = [loaded, copy.deepcopy(learner), pickle.loads(pickle.dumps(learner)), loaded_for_reading(learner)]
        assert others[-1].score_one(X[at]) == learner.score_one(X[at])
        scores = learner.learn_many(X[at:], y[at:]).tolist()
        for other in others:
            assert other.learn_many(X[at:], y[at:]).tolist() == scores
            assert_same(snapshot(learner), snapshot(other))


@every_other
def test_what_is_refused_changes_nothing(case: Other) -> None:
    X, y = (part.copy() for part in examples(case.feed))
    learner, twin = case.learner(), case.learner()
    for one in (learner, twin):
        one.learn_many(X[:30], y[:30])
    for value in () if learner.rule.takes_missing else (math.nan, math.inf, 1e70):
        bad = X[30:40].copy()
        bad[7, 2] = value
        with refused(learner):
            learner.learn_many(bad, y[30:40])
        with refused(learner):
            learner.learn_one(bad[7], y[37])
        with refused(learner):
            learner.score_many(bad)
    third = [] if case.feed == "classes" or case.name == "tracker" else [["a"] * 10]
    for wrong in (y[30:39], [math.nan] * 10, *third):
        with refused(learner):
            learner.learn_many(X[30:40], wrong)
    with refused(learner):
        learner.learn_many(X[30:40, :4], y[30:40])
    assert learner.learn_many(X[30:], y[30:]).tolist() == twin.learn_many(X[30:], y[30:]).tolist()
    assert_same(snapshot(learner), snapshot(twin))


@every_other
def test_a_weight_of_0_only_tests(case: Other) -> None:
    X, y = examples(case.feed)
    declared = {} if case.regresses else {"labels": tuple(sorted({*y.tolist()}))}
    learner, twin = (case.learner(**declared) for _ in range(2))
    for i in range(ROWS):
        if i % 3:
            twin.learn_one(X[i], y[i])
        learner.learn_one(X[i], y[i], 1.0 if i % 3 else 0.0)
    score = "score_many" if case.regresses else "scores_many"
    assert getattr(learner, score)(X).tolist() == getattr(twin, score)(X).tolist()


@once_each
def test_the_command_line_runs_it(
    case: Other, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if case.regresses:
        pytest.skip("tests of the command line with real targets are in tests/cli")
    if any(not isinstance(value, bool | int | float | str) for value in case.parameters.values()):
        pytest.skip("has parameters that cannot be written on a command line")
    monkeypatch.chdir(tmp_path)
    X, y = examples(case.feed)
    lines = [",".join(map(repr, [*row, int(label)])) for row, label in zip(X.tolist(), y, strict=True)]
    Path("a.csv").write_text("a,b,c,d,e,y\n" + "\n".join(lines) + "\n")
    given = [f"--{'base' if k == 'learner' else k}={v}" for k, v in case.parameters.items()]
    start = ["run", "a.csv", "--target", "y", "--learner", case.name, *given]
    assert main([*start, "--save", "m.dl", "--report", "r.html", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["runs"][0]
    learner = case.learner()
    run = dl.run(learner, dl.streams.read("a.csv", target="y"))
    assert (facts["mistakes"], facts["updates"], facts["asked"]) == (run.mistakes, run.updates, run.asked)
    learner.save("due.dl")
    assert Path("m.dl").read_bytes() == Path("due.dl").read_bytes()
    assert main([*start, "--checkpoint", "at", "--every", "25", "--save", "n.dl"]) == 0
    assert Path("n.dl").read_bytes() == Path("due.dl").read_bytes()
    assert main(["inspect", "m.dl"]) == 0
    assert main(["predict", "m.dl", "a.csv", "--target", "y"]) == 0
    assert type(learner).__name__ in Path("r.html").read_text()


@once_each
def test_a_run_is_resumed_to_the_same_bits(case: Other, tmp_path: Path) -> None:
    X, y = examples(case.feed)
    whole = dl.run(case.learner(), (X, y), history=True)
    part = dl.run(case.learner(), (X[:35], y[:35]), history=True, checkpoint=dl.Checkpoint(tmp_path, 35))
    resumed = dl.run(case.learner(), (X, y), history=True, checkpoint=dl.Checkpoint(tmp_path, 35, resume=True))
    assert part.examples == 35
    assert_same(snapshot(whole.learner), snapshot(resumed.learner))
    assert {name: column.tolist() for name, column in whole.curve.items()} == {
        name: column.tolist() for name, column in resumed.curve.items()
    }
    assert repr(whole.metrics.to_dict()) == repr(resumed.metrics.to_dict())
    if not case.regresses:
        assert (whole.mistakes, whole.asked) == (resumed.mistakes, resumed.asked)
