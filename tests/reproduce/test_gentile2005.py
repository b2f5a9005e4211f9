"""The claims of Gentile's tutorial: streams, repeatable work, and verdicts."""

from __future__ import annotations

import json
import lzma
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import driftline as dl
from driftline.reproduce import Setting, Sources
from driftline.reproduce.data_origins import RecordingSources
from driftline.reproduce.gentile2005 import (
    EXPERIMENT,
    batch,
    labels,
    newsgroups,
    norms,
    shares,
    spectrum,
    verdict_forms,
)
from driftline.reproduce.gentile2005.batch import choices
from driftline.reproduce.gentile2005.batch import stream as batch_stream
from driftline.reproduce.gentile2005.labels import data as labels_data
from driftline.reproduce.gentile2005.labels import runs as labels_runs
from driftline.reproduce.gentile2005.norms import claims as norms_claims
from driftline.reproduce.gentile2005.norms import runs as norms_runs
from driftline.reproduce.gentile2005.norms import stream as norms_stream
from driftline.reproduce.gentile2005.parts import PARTS, answers_of, learner_seed, part_named
from driftline.reproduce.gentile2005.records import Record, Records, answer
from driftline.reproduce.gentile2005.shares import claims as shares_claims
from driftline.reproduce.gentile2005.shares import stream as shares_stream
from driftline.reproduce.gentile2005.spectrum import stream as spectrum_stream
from driftline.reproduce.gentile2005.spectrum.runs import AS, FIRST, second_order_name
from driftline.reproduce.plotting import style
from driftline.reproduce.sources import NEWS, SPAM

QUICK = Setting(quick=True)
REAL = os.environ.get("DRIFTLINE_DATA")


@pytest.fixture(scope="module")
def answers():
    """A quick run without data, two seeds a task and one of those that take long, as its folder would give it back."""
    found = {}
    for task in EXPERIMENT.tasks(QUICK):
        few = 1 if "plugged" in task.key else 2
        what = {**task.what, "seeds": task.what["seeds"][:few]}
        found[task.key] = json.loads(json.dumps(EXPERIMENT.solve(json.loads(json.dumps(what)), QUICK), allow_nan=False))
    return found


def test_every_part_has_answers_rows_figures_and_notes(answers):
    rows = EXPERIMENT.rows(answers)
    assert {row["part"] for row in rows} == set(PARTS)
    assert len({tuple(row) for row in rows}) == 1
    assert all(np.isfinite(row["value"]) for row in rows)
    with style():
        drawings = list(EXPERIMENT.drawings(answers))
    names = [one.name for one in drawings]
    assert len(set(names)) == len(names)
    assert {name.partition("-")[0] for name in names} == set(PARTS)
    assert all(one.figure.get_figwidth() <= 5.5 and len(one.caption) > 80 for one in drawings)
    assert all(ax.get_xlabel() for one in drawings for ax in one.figure.axes)
    assert any("Digits, odd against even, replace it" in note for note in EXPERIMENT.notes(answers))


def test_verdicts_of_a_run_carry_finite_numbers_or_are_undecided(answers):
    found = EXPERIMENT.verdicts(answers)
    assert len(found) > 40
    for one in found:
        assert one.claim and one.where and one.says.endswith(".")
        assert one.holds is None or all(np.isfinite(list(one.numbers.values())))


@pytest.mark.parametrize("setting", [Setting(), QUICK, Setting(sources=Sources(fetch=True))])
def test_tasks_are_different_dozens_and_plain(setting):
    tasks = EXPERIMENT.tasks(setting)
    assert len({task.key for task in tasks}) == len(tasks) < 100
    assert all(json.loads(json.dumps(task.what)) == task.what for task in tasks)
    assert all(task.key.startswith(f"{task.what['part']}-") for task in tasks)
    every = {}
    for task in tasks:
        seen = every.setdefault((task.what["part"], task.what["stream"]), [])
        seen += task.what["seeds"]
    assert all(seeds == list(range(len(seeds))) for seeds in every.values())
    least = 2 if setting.quick else 20
    assert all(len(seeds) >= least for seeds in every.values())


@pytest.mark.parametrize("part", ["spectrum", "shares"])
def test_a_piece_of_work_repeats_itself_and_depends_on_the_seeds(part):
    task = next(task for task in EXPERIMENT.tasks(QUICK) if task.what["part"] == part)
    first, again = (EXPERIMENT.solve({**task.what, "seeds": [1]}, QUICK) for _ in range(2))
    assert first == again
    assert first["records"] == [one for one in EXPERIMENT.solve(task.what, QUICK)["records"] if one["seed"] == 1]
    other = EXPERIMENT.solve({**task.what, "seeds": [1]}, Setting(quick=True, seed=5))
    assert other != first
    beside = EXPERIMENT.solve({**task.what, "seeds": [0]}, QUICK)["records"]
    assert [one["found"] for one in beside] != [one["found"] for one in first["records"]]


def test_answers_of_a_part_are_its_own(answers):
    assert sum(len(answers_of(part, answers)) for part in PARTS) == len(answers)
    assert all(part_named(part).verdicts({}) == [] for part in PARTS)
    assert all(list(part_named(part).drawings({})) == [] for part in PARTS)


def test_values_come_in_the_order_of_seeds():
    records = Records(tuple(Record("w", "l", 2.0, seed, {"m": 10.0 * seed}) for seed in (2, 0, 1)))
    assert records.values("m", "w", "l", 2.0) == [0.0, 10.0, 20.0]
    assert records.values("m", "w", "l") == []


# streams


@pytest.mark.parametrize("axis", ["small", "large"])
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_variances_spread_as_said_and_the_target_is_along_one(axis, spread):
    X, y, u = spectrum_stream.draw(spread, axis, 20_000, np.random.default_rng(3))
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0)
    np.testing.assert_array_equal(np.sign(X @ u), y)
    variances = np.linalg.eigvalsh(X.T @ X / len(X))
    assert spread / 1.5 < variances[-1] / variances[0] < 1.5 * spread
    if spread > 1.0:
        along = float(np.mean((X @ u) ** 2))
        assert along == pytest.approx(variances[0 if axis == "small" else -1], rel=0.1)


def test_examples_keep_away_from_the_boundary():
    X, y, u = spectrum_stream.draw(1.0, "small", 20_000, np.random.default_rng(3))
    # lengths before scaling are at most about sqrt(30) + 4
    assert (y * (X @ u)).min() > spectrum_stream.GAP / spectrum_stream.UNIT / (np.sqrt(30) + 4.0)


def test_a_sparse_target_has_dense_examples():
    X, y, u = norms_stream.sparse_target(9, 300, np.random.default_rng(1))
    assert np.all(np.abs(X) == 1.0)
    assert np.count_nonzero(u) == 9 and set(np.unique(u)) <= {-1.0, 0.0, 1.0}
    assert (y * (X @ u)).min() == 1.0


def test_a_dense_target_has_sparse_examples():
    X, y, u = norms_stream.dense_target(300, np.random.default_rng(1))
    assert np.all(np.diff(X.indptr) == norms_stream.PRESENT) and X.has_canonical_format
    assert np.all(np.abs(X.data) == 1.0) and np.all(np.abs(u) == 1.0)
    assert (y * (X @ u)).min() == 1.0


@pytest.mark.parametrize("p", [2.0, 4.0, norms_runs.LARGEST])
def test_the_bound_is_that_of_the_norms(p):
    X, y, u = norms_stream.sparse_target(31, 200, np.random.default_rng(2))
    q = p / (p - 1.0)
    unit = u / np.sum(np.abs(u) ** q) ** (1.0 / q)
    radius = (np.sum(np.abs(X) ** p, axis=1) ** (1.0 / p)).max()
    expected = (p - 1.0) * radius**2 / (y * (X @ unit)).min() ** 2
    assert norms_runs.bound_of(p, 1.0, 31, norms_stream.FEATURES) == pytest.approx(expected)


def test_the_bounds_cross_where_it_is_said():
    at = norms_claims.crossing()
    assert norms_claims.favoured_by_bound(at - 1) == norms_runs.LARGEST
    assert norms_claims.favoured_by_bound(at) == 2.0
    assert norms_stream.RELEVANT[0] < at < norms_stream.RELEVANT[-1]


@pytest.mark.parametrize("changes", [0, 7, 79])
def test_one_expert_is_good_at_a_time(changes):
    Z, y, who = shares_stream.draw(changes, 8000, np.random.default_rng(4))
    assert np.count_nonzero(np.diff(who)) == changes
    assert all(b - a == 8000 // (changes + 1) for a, b in pairwise([-1, *np.flatnonzero(np.diff(who)), 7999]))
    wrong = y[:, None] != Z
    good = wrong[np.arange(8000), who]
    assert good.mean() == pytest.approx(shares_stream.GOOD, abs=0.01)
    others = (wrong.sum() - good.sum()) / (8000 * (shares_stream.EXPERTS - 1))
    assert others == pytest.approx(shares_stream.OTHERS, abs=0.01)


@pytest.mark.parametrize("name", ["clean", "noisy"])
def test_fresh_examples_are_other_ones_of_the_same_source(name):
    (X, y), (fresh, z) = batch_stream.draw(name, 0, Setting())
    assert X.shape == (batch_stream.ROUNDS, batch_stream.DIMENSIONS) and len(fresh) == len(z) == batch_stream.FRESH
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in fresh}
    plane = np.linalg.lstsq(fresh, z, rcond=None)[0]
    turned = np.mean(np.sign(fresh @ plane) != z)
    assert turned == pytest.approx(batch_stream.NOISE[name], abs=0.02)
    assert np.mean(np.sign(X @ plane) != y) == pytest.approx(batch_stream.NOISE[name], abs=0.04)


def test_common_features_are_those_of_the_most_examples():
    X, _ = labels_data.stream("digits", 0, QUICK)
    assert labels_data.common(X).shape == X.shape
    wide = X[:, np.repeat(np.arange(X.shape[1]), 10)].tocsr()
    counts = np.sort(wide.getnnz(axis=0))[::-1][: labels_data.COMMON]
    assert sorted(labels_data.common(wide).getnnz(axis=0), reverse=True) == counts.tolist()


def test_coins_of_learners_are_others_for_another_setting(monkeypatch):
    every = range(100)
    assert [learner_seed(Setting(), seed) for seed in every] == list(every)
    assert not {learner_seed(Setting(seed=1), seed) for seed in every} & {
        learner_seed(Setting(seed=2), seed) for seed in every
    }
    given = []

    class Noted(dl.LabelEfficient):
        def __init__(self, learner, b, variant, seed, **options):
            given.append(seed)
            super().__init__(learner, b, variant, seed, **options)

    monkeypatch.setattr(dl, "LabelEfficient", Noted)
    for seed in (0, 3):
        labels.solve({"stream": "digits", "seeds": [1]}, Setting(quick=True, seed=seed))
    assert set(given) == {1, learner_seed(Setting(seed=3), 1)} and len(set(given)) == 2


def test_notes_say_what_seeds_of_the_labels_part_are():
    assert "order of the same examples" in labels.notes(label_answers(105, 100, 30))[1]
    only = {"x": answer([Record("spam", "constant", 0.1, 0, {"mistakes": 1.0})])}
    assert not any("order of the same" in note for note in labels.notes(only))


# choices


@pytest.mark.parametrize("seed", range(4))
def test_the_printed_choice_is_the_least_penalised_error(seed):
    (X, y), _ = batch_stream.draw("noisy", seed, QUICK)
    found, certificate, online = choices.classifier(choices.PRINTED, choices.perceptron(), (X, y))
    learner, T, mistakes, values = choices.perceptron(), len(y), 0, []
    penalty = np.log(T / choices.DELTA)
    for t in range(T):
        errors = np.sum((learner.score_many(X[t:]) >= 0.0) != (y[t:] > 0.0))
        values.append(errors / (T - t) + np.sqrt(penalty / (T - t)))
        mistakes += (learner.learn_one(X[t], y[t]) >= 0.0) != (y[t] > 0.0)
    assert found.n_seen == int(np.argmin(values))
    assert online == mistakes / T
    assert certificate < 1.0
    assert certificate == pytest.approx(mistakes / T + 6.0 * np.sqrt(penalty / T))


def test_only_the_last_has_no_certificate():
    data, _ = batch_stream.draw("clean", 0, QUICK)
    certified = {choice: choices.classifier(choice, choices.perceptron(), data)[1] for choice in choices.ALL}
    assert [choice for choice, limit in certified.items() if limit is None] == [choices.LAST]


def test_a_learner_given_some_labels_learns_from_these_only():
    X, y = labels_data.stream("digits", 0, QUICK)
    every = labels_runs.mistakes(dl.Perceptron(bias=False), X, y)
    assert labels_runs.mistakes(dl.Perceptron(bias=False), X, y, np.ones(len(y), bool)) == every
    assert labels_runs.mistakes(dl.Perceptron(bias=False), X, y, np.zeros(len(y), bool)) == len(y)
    half = np.arange(len(y)) % 2 == 0
    alone = dl.Perceptron(bias=False)
    alone.learn_many(X[half], y[half])
    given = dl.Perceptron(bias=False)
    labels_runs.mistakes(given, X, y, half)
    assert given.weights() == alone.weights()


# verdicts


@pytest.mark.parametrize("shift, holds", [(-5.0, True), (5.0, False), (0.0, None)])
def test_fewer_follows_the_paired_difference(shift, holds):
    b = [100.0, 150.0, 90.0, 200.0]
    a = [value + shift + noise for value, noise in zip(b, (0.1, -0.2, 0.2, -0.1), strict=True)]
    found = verdict_forms.fewer("c", "w", ("a", "b"), a, b)
    assert found.holds is holds
    assert found.numbers["difference"] == pytest.approx(shift, abs=0.1)


@pytest.mark.parametrize("limit, holds", [(10.0, True), (1.0, False), (5.0, None)])
def test_at_most_follows_the_interval(limit, holds):
    assert verdict_forms.at_most("c", "w", "x", [4.9, 5.1, 5.0, 5.05], limit).holds is holds


def test_always_means_every_run():
    assert verdict_forms.within_limits("c", "w", [1.0, 2.0], [1.0, 3.0]).holds is True
    assert verdict_forms.within_limits("c", "w", [1.0, 3.5], [1.0, 3.0]).holds is False


@pytest.mark.parametrize("failures, seeds, holds", [(0, 60, True), (0, 20, None), (1, 60, None), (20, 80, False)])
def test_a_rate_is_judged_by_what_so_many_seeds_can_say(failures, seeds, holds):
    found = verdict_forms.failure_rate_at_most("c", "w", [k < failures for k in range(seeds)], 0.05)
    assert found.holds is holds
    assert found.numbers["least rate"] <= failures / seeds <= found.numbers["largest rate"]


JITTER = (0.0, 1.0, -1.0, 2.0, -2.0, 1.0, 0.0, -1.0)


def label_answers(few, many, chance, asked_more=0.0):
    """Two values of b: of 1,000 rounds the first asks for 400 and makes ``few`` mistakes, the other for 900."""
    records = []
    for seed, jitter in enumerate(JITTER):
        for variant in labels_runs.ASKING:
            for b, asked, made in ((0.1, 400, few), (1.0, 900, many)):
                expected = asked + jitter - asked_more
                found = {"rounds": 1000, "asked": asked, "mistakes": made + jitter, "at random": made + chance}
                found |= {"all labels": 100, "expected": expected}
                records.append(Record("text", variant, b, seed, found))
            if variant == "constant":
                found = {"rounds": 1000, "asked": 500, "mistakes": 110 + jitter, "at random": 110 + chance}
                found |= {"all labels": 100, "expected": 500 + jitter - asked_more}
                records.append(Record("text", variant, labels_runs.PRESCRIBED, seed, found))
    records.append(Record("text", labels_runs.LIMIT, labels_runs.PRESCRIBED, 0, {"bound": 400.0}))
    return {"labels-text-000": answer(records)}


def verdict(found, claim, where=""):
    (one,) = [one for one in found if claim in one.claim and where in one.where]
    return one


@pytest.mark.parametrize("few, strict, loose", [(105, True, True), (115, False, True), (140, False, False)])
def test_few_labels_suffice_where_the_best_b_that_asks_for_few_is_nearly_as_good(few, strict, loose):
    found = labels.verdicts(label_answers(few, 100, 30))
    for variant in ("adaptive", "second"):
        assert verdict(found, "more mistakes than with all", variant).holds is strict
        assert verdict(found, "points of that with all", variant).holds is loose
        assert verdict(found, "points of that with all", variant).numbers["b"] == 0.1


def test_b_is_chosen_on_some_seeds_and_judged_on_others():
    found = label_answers(105, 100, 30)
    for record in found["labels-text-000"]["records"]:
        if record["seed"] % 2 == 1 and record["parameter"] == 0.1:
            record["found"]["mistakes"] += 100.0
    one = verdict(labels.verdicts(found), "more mistakes than with all", "adaptive")
    assert one.holds is False and one.numbers["difference"] == pytest.approx(1.05, abs=0.02)


@pytest.mark.parametrize("chance, holds", [(30, True), (-30, False), (0, None)])
def test_asking_is_compared_with_chance(chance, holds):
    assert verdict(labels.verdicts(label_answers(105, 100, chance)), "random labels", "constant").holds is holds


@pytest.mark.parametrize("more, holds", [(0.0, True), (10.0, False)])
def test_labels_asked_for_are_compared_with_the_formula(more, holds):
    assert verdict(labels.verdicts(label_answers(105, 100, 30, more)), "b / (b + |score|)").holds is holds


def test_expected_mistakes_are_compared_with_their_bound():
    found = label_answers(105, 100, 30)
    assert verdict(labels.verdicts(found), "within the bound").holds is True
    found["labels-text-000"]["records"][-1]["found"]["bound"] = 50.0
    assert verdict(labels.verdicts(found), "within the bound").holds is False


def runs(where, mistakes, bound=1e6):
    """Records of learners by name and parameter, with some spread over seeds."""
    return [
        Record(where, learner, parameter, seed, {"rounds": 2000, "mistakes": made + jitter, "bound": bound})
        for (learner, parameter), made in mistakes.items()
        for seed, jitter in enumerate(JITTER)
    ]


def test_spectrum_verdicts_follow_what_the_bounds_foresee():
    seconds = [second_order_name(a) for a in AS]

    def judge(flat, small, large, bound=2000.0):
        records = []
        for axis, wide in (("small", small), ("large", large)):
            records += runs(axis, {(FIRST, 1.0): 50.0, (FIRST, 1000.0): 500.0}, 1000.0)
            levels = {(second, 1.0): flat for second in seconds} | {(second, 1000.0): wide for second in seconds}
            records += runs(axis, levels, bound)
        return [one.holds for one in spectrum.verdicts({"spectrum-x-000": answer(records)})]

    # flat, along the smallest, along the largest, the gain grows, bounds kept: for either a
    assert judge(60.0, 60.0, 600.0) == 2 * [True, False, True, True, True]
    assert judge(20.0, 600.0, 300.0) == 2 * [False, True, False, False, True]
    assert judge(20.0, 60.0, 300.0, bound=800.0) == 2 * [True, True, True, True, True]
    assert judge(50.0, 900.0, 500.0, bound=800.0) == 2 * [None, False, None, False, False]


def test_norms_verdicts_follow_what_the_bounds_foresee():
    def judge(sparse, dense):
        records = []
        for relevant in norms_stream.RELEVANT:
            for_large = relevant < norms_claims.crossing()
            p2, large = (500.0, sparse) if for_large else (dense, 500.0)
            levels = {("p-norm Perceptron", 2.0): p2, ("p-norm Perceptron", norms_runs.LARGEST): large}
            records += runs(norms_runs.sparse_name(relevant), levels)
        levels = {("p-norm Perceptron", 2.0): dense, ("p-norm Perceptron", norms_runs.LARGEST): 500.0}
        records += runs(norms_runs.DENSE, levels)
        return norms.verdicts({"norms-x-000": answer(records)})

    assert all(one.holds is True for one in judge(100.0, 100.0))
    held = [one.holds for one in judge(900.0, 100.0)]
    assert held[:3] == [False] * 3 and all(held[3:])
    assert all("in the first 2,000 rounds" in one.claim for one in judge(100.0, 100.0)[:-1])


def test_norms_say_how_far_their_rounds_reach():
    records = [
        one
        for k, relevant in enumerate(norms_stream.RELEVANT)
        for one in runs(norms_runs.sparse_name(relevant), {("p-norm Perceptron", 2.0): 600.0 + 20.0 * k})
    ]
    assert "p = 2 errs in 30 to 34 % of them" in norms.notes({"norms-x-000": answer(records)})[-1]


def test_shares_verdicts_turn_with_the_numbers():
    def judge(none, some, bound=1e6):
        levels = {("weighted majority", 0.0): 100.0, ("weighted majority", 7.0): 500.0}
        levels |= {("fixed share", 0.0): none, ("fixed share", 7.0): some}
        return [one.holds for one in shares.verdicts({"shares-x-000": answer(runs("experts", levels, bound))})]

    assert judge(101.0, 150.0) == [True] * 4
    assert judge(110.0, 600.0) == [False, False, True, True]
    assert judge(101.0, 150.0, bound=120.0) == [True, True, False, False]


def test_what_sharing_may_cost_is_little():
    assert 0.0 < shares_claims.price() < 3.0


def test_batch_verdicts_turn_with_the_numbers():
    def judge(risk, limit, seeds=60):
        records = []
        for seed in range(seeds):
            jitter = 0.001 * (seed % 3)
            for choice in choices.ALL:
                found = {"risk": (0.2 if choice == choices.LAST else risk) + jitter, "mistakes on line": 0.2}
                found |= {} if choice == choices.LAST else {"certificate": limit}
                records.append(Record("w", choice, None, seed, found))
        return batch.verdicts({"batch-x-000": answer(records)})

    assert all(one.holds is True for one in judge(0.1, 0.15))
    assert {one.holds for one in judge(0.1, 0.15, seeds=20) if "exceeds" in one.claim} == {None}
    found = judge(0.3, 0.1)
    assert {one.holds for one in found if "smaller risk" in one.claim or "exceeds" in one.claim} == {False}
    assert {one.holds for one in judge(0.1, 0.9) if "tight" in one.claim} == {False}


# data


def folder_with_spam(path: Path, lines: str) -> Setting:
    file = path / SPAM
    file.parent.mkdir()
    file.write_bytes(lzma.compress(lines.encode()))
    return Setting(sources=RecordingSources.over(Sources(str(path))))


def test_spam_is_read_in_its_order(tmp_path):
    setting = folder_with_spam(tmp_path, "1 3:1 5:1\n0 1:1\n0 3:1\n1 5:1\n")
    assert labels_data.streams(setting) == ["spam"]
    X, y = labels_data.stream("spam", 0, setting)
    assert y.tolist() == [1.0, -1.0, -1.0, 1.0]
    assert [np.count_nonzero(row) for row in X.toarray()] == [2, 1, 1, 1]
    assert np.array_equal(X.toarray()[0], X.toarray()[2] + X.toarray()[3])
    used = setting.sources.used()
    assert used[SPAM.as_posix()].startswith("the user's folder, sha256 ")
    assert used == {NEWS.as_posix(): "nowhere", SPAM.as_posix(): used[SPAM.as_posix()]}


def test_damaged_spam_is_named(tmp_path):
    setting = folder_with_spam(tmp_path, "1 3:one\n")
    with pytest.raises(ValueError, match=r"katakis_spam.* must be an svmlight file of e-mails"):
        labels_data.stream("spam", 0, setting)


@pytest.mark.parametrize(
    "read", [lambda: newsgroups.posts(QUICK, np.random.default_rng()), lambda: labels_data.stream("spam", 0, QUICK)]
)
def test_text_that_is_not_at_hand_is_asked_for(read):
    with pytest.raises(ValueError, match=r"must be available, got no data\. Set DRIFTLINE_DATA"):
        read()


@pytest.mark.skipif(REAL is None, reason="needs DRIFTLINE_DATA")
def test_real_text_is_asked_for_and_beats_chance():
    setting = Setting(quick=True, sources=Sources(REAL))
    assert labels_data.streams(Setting(sources=Sources(REAL))) == ["news", "spam"]
    (task, *_) = [task for task in EXPERIMENT.tasks(setting) if task.key.startswith("labels-news-0")]
    found = labels.verdicts({task.key: EXPERIMENT.solve(task.what, setting)})
    assert all(one.holds is True for one in found if "at random" in one.claim)
