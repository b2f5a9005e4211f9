"""The experiment on Winnow, the Perceptron and halving: streams, counts and conclusions."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import driftline as dl
from driftline.reproduce.experiment import Setting
from driftline.reproduce.winnow import (
    EXPERIMENT,
    alternating,
    growing,
    moving,
    shrinking,
    verdicts_growing,
    verdicts_moving,
)
from driftline.reproduce.winnow.growth_laws import (
    Estimate,
    bracket,
    crossing,
    crossing_point,
    exponent,
    growth,
    jackknife,
)
from driftline.reproduce.winnow.learner_runs import as_sparse_rows, run_learners
from driftline.reproduce.winnow.rate_selection import best_rate_at_each_size, best_rate_at_sparse_end
from driftline.reproduce.winnow.runs import PER_SEED, Runs, Table, flat_runs
from driftline.reproduce.winnow.sizes import FULL, NEEDED, QUICK, RATES, RELEVANT, SHOWN
from driftline.reproduce.winnow.tasks import learner_seed
from driftline.reproduce.winnow.verdict_forms import (
    bounds_predict_crossing,
    fewer,
    growth_exponent,
    growth_law,
    overtaking,
    within_bounds,
)
from driftline.reproduce.winnow.verdicts_shrinking import summed_over_dimensions
from driftline.streams.synthetic.sphere import directions

QUICKLY = Setting(quick=True)
ATTRIBUTES = np.array([100.0, 300.0, 1000.0, 3000.0, 10000.0])


def rng(*key: int) -> np.random.Generator:
    return np.random.default_rng([7, *key])


def table(mean: np.ndarray, spread: float, seeds: int = 12, x: np.ndarray = ATTRIBUTES, key: int = 0) -> Table:
    """Made-up counts about a mean, with the noise of this key."""
    counts = mean * np.abs(1.0 + spread * rng(len(mean), key).standard_normal((seeds, len(mean))))
    return Table(x, counts, 2.0 * mean, np.full(len(x), True))


def cut(counts: Table, last: int) -> Table:
    """The same, but some run of the largest sizes still erred when its rounds ended."""
    return replace(counts, settled=np.arange(len(counts.x)) < len(counts.x) - last)


# streams


@pytest.mark.parametrize("r", NEEDED)
def test_thresholds_are_of_relevant_attributes_and_all_examples_are_hard(r: int) -> None:
    target = growing.Threshold(r, RELEVANT, 37)
    X, y = target.draw(rng(r), 4000)
    assert X.shape == (4000, RELEVANT + 37)
    assert np.array_equal(y > 0.0, X[:, :RELEVANT].sum(axis=1) >= r)
    with_constant = np.column_stack([X, np.ones(len(X))])
    assert np.array_equal(y * (with_constant @ target.u), np.full(len(X), 0.5))
    assert abs(X[:, RELEVANT:].mean() - 0.5) < 0.01  # dense: 148,000 fair coins, a standard error of 0.0013
    assert abs(y.mean()) < 0.08
    assert np.ptp(X[y > 0.0][:, :RELEVANT].mean(axis=0)) < 0.08  # no relevant attribute is preferred


@pytest.mark.parametrize("r", NEEDED)
def test_bounds_speak_of_these_thresholds(r: int) -> None:
    target = growing.Threshold(r, RELEVANT, 37)
    X, y = target.draw(rng(r), 2000)
    winnow, balanced, perceptron = target.winnow(), target.balanced(), target.perceptron()
    mu = target.u[:-1] / r
    assert pytest.approx(mu.sum()) == winnow.U
    assert (X[y > 0.0] @ mu >= 1.0 - 1e-12).all()
    assert (X[y < 0.0] @ mu <= 1.0 - winnow.delta + 1e-12).all()
    with_constant = np.column_stack([X, np.ones(len(X))])
    assert (with_constant**2).sum(axis=1).max() <= perceptron.R**2 + 1e-9
    assert 0.5 / np.linalg.norm(target.u) == pytest.approx(perceptron.gamma)
    assert 0.5 / np.abs(target.u).sum() == pytest.approx(balanced.gamma)
    assert balanced.n == target.n + 1


@pytest.mark.parametrize("k", QUICK.relevant)
def test_the_path_trades_the_density_of_the_target_for_that_of_examples(k: int) -> None:
    target = moving.Majority(QUICK.attributes, k)
    X, y = target.draw(rng(k), 500)
    assert (X.sum(axis=1) == target.active).all()
    assert (X[:, :k].sum(axis=1) == SHOWN).all()
    assert np.count_nonzero(target.u) == k
    assert (y * (X @ target.u) >= 1.0).all()
    assert target.perceptron().value == pytest.approx(SHOWN * target.n)
    assert abs(y.mean()) < 0.15


def test_the_path_ends_with_all_attributes_relevant() -> None:
    for sizes in (QUICK, FULL):
        assert sizes.relevant[0] == 2 * SHOWN
        assert sizes.relevant[-1] == sizes.attributes


def test_a_rate_that_is_too_large_for_the_margin_has_no_bound() -> None:
    target = moving.Majority(QUICK.attributes, 14)
    assert target.at_rate(0.05) is not None
    assert target.at_rate(1.6) is None


@pytest.mark.parametrize("d", [2, 3, 6])
def test_points_lie_on_discs_at_the_margin(d: int) -> None:
    u = directions(rng(d), 1, d)
    X, y = shrinking.Discs(d, 0.03).draw(rng(d, 1), u, 4000)
    np.testing.assert_allclose(y * (X @ u[0]), 0.03, atol=1e-12)
    lengths = np.linalg.norm(X, axis=1)
    assert lengths.max() <= 1.0 + 1e-12
    # uniform on a disc of d - 1 dimensions: half of its content lies within 2^(-1/(d-1)) of its radius
    inner = np.sqrt(lengths**2 - 0.03**2) < math.sqrt(1.0 - 0.03**2) * 0.5 ** (1.0 / (d - 1))
    assert abs(inner.mean() - 0.5) < 0.04


# counts


def test_a_race_counts_what_runs_count_and_rests_when_calm() -> None:
    target = growing.Threshold(1, RELEVANT, 20)
    blocks = list(target.blocks(rng(3), 6000))
    X, y = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    run = dl.run(dl.Perceptron(), (X.astype(float), y), progress=False)
    whole = run_learners({"p": dl.Perceptron()}, blocks)["p"]
    assert (whole["mistakes"], whole["wrong"], whole["rounds"]) == (run.mistakes, run.label_errors, 6000)
    calm = run_learners({"p": dl.Perceptron()}, blocks, patience=1000)["p"]
    assert calm["settled"] == 1
    assert 1000 <= calm["rounds"] < 6000


def test_who_errs_to_the_end_has_not_settled() -> None:
    X = np.ones((400, 1))
    against = np.where(np.arange(400) % 2 == 0, -1.0, 1.0)  # the tie is answered with +1, and so on
    blocks = [(X[k : k + 100], against[k : k + 100]) for k in range(0, 400, 100)]
    assert run_learners({"p": dl.Perceptron(bias=False)}, blocks)["p"]["settled"] == 0
    kind = [*blocks[:3], (X[:100], np.full(100, 1.0))]
    found = run_learners({"p": dl.Perceptron(bias=False)}, [*kind, kind[-1]])["p"]
    assert found["rounds"] == 500
    assert found["settled"] == 0  # one mistake in the last 200 rounds, and 100 of 500 are quiet
    assert run_learners({"p": dl.Perceptron(bias=False)}, [*kind, kind[-1], kind[-1]])["p"]["settled"] == 1
    assert run_learners({"p": dl.Perceptron(bias=False)}, [*kind, kind[-1]], patience=100)["p"]["settled"] == 1


@pytest.mark.parametrize("gamma", [0.32, 0.1, 0.032])
def test_the_order_against_the_perceptron_is(gamma: float) -> None:
    stream = alternating.Alternating(2, gamma)
    blocks = list(stream.blocks(rng(8), stream.rounds))
    X, y = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    assert np.linalg.norm(X, axis=1).max() <= 1.0 + 1e-12
    u = (y[:, None] * X)[1:3].sum(axis=0) / (2.0 * gamma)  # what two neighbours have in common
    np.testing.assert_allclose(y * (X @ u), gamma, atol=1e-12)
    run = dl.run(dl.Perceptron(bias=False), (X, y), progress=False)
    assert run.mistakes == math.floor((1.0 - gamma**2) / (2.0 * gamma**2)) + 1


def test_sparse_rows_are_the_same_rows() -> None:
    target = growing.Threshold(3, RELEVANT, 50)
    X, y = target.draw(rng(4), 300)
    assert np.array_equal(as_sparse_rows(X).toarray(), X)
    dense = run_learners({"w": dl.Winnow(10.0, 1.3, bias=False)}, [(X, y)])
    assert dense == run_learners({"w": dl.Winnow(10.0, 1.3, bias=False)}, [(X, y)], sparse=("w",))


@pytest.fixture(scope="module")
def answers() -> dict:
    return {
        task.key: json.loads(json.dumps(EXPERIMENT.solve(task.what, QUICKLY))) for task in EXPERIMENT.tasks(QUICKLY)
    }


def test_pieces_of_work_are_told_apart_and_do_not_know_one_another(answers: dict) -> None:
    tasks = EXPERIMENT.tasks(QUICKLY)
    assert len(answers) == len(tasks)
    for part in (growing.PART, moving.PART, shrinking.PART, alternating.PART):
        task = [task for task in tasks if task.what["part"] == part][-1]
        what = {**task.what, "seeds": [1]}
        alone = EXPERIMENT.solve(what, QUICKLY)["runs"]
        among = [{**group, **{name: group[name][1:2] for name in PER_SEED}} for group in answers[task.key]["runs"]]
        assert alone == [group for group in among if group["part"] == part]
        if part != alternating.PART:  # which is the same but for its plane
            assert EXPERIMENT.solve(what, Setting(quick=True, seed=1))["runs"] != alone
    full = EXPERIMENT.tasks(Setting())
    assert len({task.key for task in full}) == len(full) < 60


def test_learners_that_draw_numbers_draw_others_for_another_setting() -> None:
    every = range(FULL.seeds + FULL.tuning)
    assert [learner_seed(Setting(), seed) for seed in every] == list(every)
    assert not {learner_seed(Setting(seed=1), seed) for seed in every} & {
        learner_seed(Setting(seed=2), seed) for seed in every
    }


def test_the_seed_of_a_setting_reaches_the_centre_of_mass(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    version_space = dl.VersionSpace
    monkeypatch.setattr(
        dl, "VersionSpace", lambda seed, bias: given.append(seed) or version_space(seed=seed, bias=bias)
    )
    for setting in (Setting(), Setting(seed=3)):
        EXPERIMENT.solve({"part": alternating.PART, "d": 2, "margins": [0.75], "seeds": [5]}, setting)
    assert given == [5, learner_seed(Setting(seed=3), 5)]
    assert given[1] != 5


def test_every_run_is_there_once(answers: dict) -> None:
    rows = EXPERIMENT.rows(answers)
    assert len({tuple(row) for row in rows}) == 1
    keys = {(row["part"], row["where"], row["x"], row["seed"], row["learner"]) for row in rows}
    assert len(keys) == len(rows)
    assert rows == EXPERIMENT.rows(dict(reversed(answers.items())))
    seeds = {part: {row["seed"] for row in rows if row["part"] == part} for part in (moving.PART, moving.TUNING)}
    assert seeds[moving.PART] == set(range(QUICK.seeds))
    assert not seeds[moving.PART] & seeds[moving.TUNING]


def test_a_quick_run_finds_what_is_beyond_doubt(answers: dict) -> None:
    verdicts = EXPERIMENT.verdicts(answers)
    json.dumps([dict(verdict.numbers) for verdict in verdicts], allow_nan=False)
    assert len({(verdict.claim, verdict.where) for verdict in verdicts}) == len(verdicts)
    bounds = [verdict for verdict in verdicts if "bound" in verdict.claim and verdict.claim.startswith("No run")]
    assert [verdict.holds for verdict in bounds] == [True] * 4
    ahead = [verdict for verdict in verdicts if verdict.claim.startswith("With enough irrelevant")]
    assert [verdict.holds for verdict in ahead] == [True] * 4


def test_figures_and_notes_are_made_of_a_quick_run(answers: dict) -> None:
    drawn = list(EXPERIMENT.drawings(answers))
    assert len({drawing.name for drawing in drawn}) == len(drawn) >= 8
    for drawing in drawn:
        assert drawing.figure.get_size_inches()[0] <= 5.5
        assert all(ax.get_xlabel() and ax.get_ylabel() for ax in drawing.figure.axes)
    assert all(EXPERIMENT.notes(answers))


# laws


def test_leaving_out_a_seed_gives_the_error_of_a_mean() -> None:
    counts = rng(5).random((9, 1))
    found = jackknife(lambda mean: float(mean[0]), counts)
    assert found.value == pytest.approx(counts.mean())
    assert found.error == pytest.approx(counts.std(ddof=1) / 3.0)
    assert math.isnan(jackknife(lambda mean: float(mean[0]), counts[:1]).error)


def test_an_exponent_is_found_again() -> None:
    found = exponent(table(2.0 * ATTRIBUTES**0.7, 0.02))
    assert found.low < 0.7 < found.high
    assert found.high - found.low < 0.05


def test_a_crossing_is_found_where_it_is() -> None:
    flat, rising = np.full(5, 30.0), ATTRIBUTES**0.5
    assert crossing_point(ATTRIBUTES, flat, rising) == pytest.approx(900.0)
    assert crossing_point(ATTRIBUTES, flat, 9.0 * rising) == -math.inf
    assert crossing_point(ATTRIBUTES, rising, 0.1 * rising) == math.inf
    found = crossing(table(flat, 0.02), table(rising, 0.02, key=1))
    assert found is not None
    assert found.low < 900.0 < found.high
    assert crossing(table(flat, 0.02), table(9.0 * rising, 0.02)) is None


def test_who_is_ahead_from_where_on() -> None:
    flat, rising = table(np.full(5, 30.0), 0.02), table(ATTRIBUTES**0.5, 0.02)
    assert bracket(flat, rising) == (300.0, 1000.0)
    assert bracket(rising, flat) == (10000.0, math.inf)
    assert bracket(flat, table(9.0 * ATTRIBUTES**0.5, 0.02)) == (0.0, 100.0)


def test_equal_counts_leave_a_crossing_open() -> None:
    counts = np.tile([4.0, 2.0, 2.0, 5.0, 5.0], (6, 1)) + 0.01 * np.arange(6)[:, None]
    first = Table(ATTRIBUTES, counts, ATTRIBUTES, np.full(5, True))
    steps = np.array([[-2.0, 0.0, 0.0, 4.0, 15.0]]) + 0.001 * rng(9).standard_normal((6, 5)) * [1, 0, 0, 1, 1]
    found = crossing(first, replace(first, counts=first.counts + steps))
    assert found is not None
    assert found.low == pytest.approx(300.0)
    assert found.high == pytest.approx(1000.0)


def test_intervals_decide_or_do_not() -> None:
    assert [Estimate(0.0, 0.0, low, high).sign for low, high in ((1.0, 2.0), (-2.0, -1.0), (-1.0, 1.0))] == [
        True,
        False,
        None,
    ]
    nothing = Estimate(1.0, math.nan, math.nan, math.nan)
    assert nothing.sign is None
    assert nothing.within(0.0, 2.0) is None
    inside = [Estimate(0.0, 0.0, low, high).within(0.9, 1.1) for low, high in ((0.95, 1.0), (0.5, 0.8), (0.8, 1.0))]
    assert inside == [True, False, None]


# verdicts on made-up counts


@pytest.mark.parametrize("logarithmic", [True, False])
def test_growth_is_told_from_growth(logarithmic: bool) -> None:
    line, curve = 10.0 * np.log(ATTRIBUTES), 0.5 * ATTRIBUTES**0.9
    assert growth_law("", "", table(line, 0.01), logarithmic, "n").holds is logarithmic
    assert growth_law("", "", table(curve, 0.01), logarithmic, "n").holds is not logarithmic
    assert growth_law("", "", table(line, 0.9, 3), logarithmic, "n").holds is None
    assert growth_law("", "", table(line, 0.0, 1), logarithmic, "n").holds is None


@pytest.mark.parametrize("logarithmic", [True, False])
def test_a_law_that_is_merely_less_wrong_is_none(logarithmic: bool) -> None:
    flat = np.array([30.0, 60.0, 90.0, 90.0, 90.0])  # neither: it grows and stops
    steep = np.array([100.0, 110.0, 130.0, 1000.0, 9000.0])  # neither: it hardly grows and then shoots up
    assert growth(table(flat, 0.01)).advantage.sign is True
    assert growth(table(steep, 0.01)).advantage.sign is False
    assert growth_law("", "", table(flat, 0.01), logarithmic, "n").holds is None
    assert growth_law("", "", table(steep, 0.01), logarithmic, "n").holds is None


def test_counts_that_the_rounds_set_are_not_judged() -> None:
    line, curve = table(10.0 * np.log(ATTRIBUTES), 0.01), table(0.5 * ATTRIBUTES, 0.01)
    for found in (growth_law("", "", cut(line, 1), True, "n"), growth_exponent("", "", cut(curve, 2), 1.0, 0.1, "n")):
        assert found.holds is None
        assert "10,000" in found.says
    bent = replace(curve, counts=np.minimum(curve.counts, 1500.0))  # what a cut-off makes of a straight line
    assert growth_exponent("", "", bent, 1.0, 0.1, "n").holds is False
    found = growth_exponent("", "", cut(bent, 1), 1.0, 0.1, "n")
    assert found.holds is True
    assert found.says.endswith("n = 10,000.")
    assert "Left out" not in growth_exponent("", "", curve, 1.0, 0.1, "n").says


def test_a_turn_is_sought_where_both_fell_silent() -> None:
    flat, rising = table(np.full(5, 30.0), 0.02), table(ATTRIBUTES**0.5, 0.02)
    assert bounds_predict_crossing("", "", {"w": (flat, cut(rising, 1))}, "n").holds is True
    found = bounds_predict_crossing("", "", {"w": (cut(flat, 2), cut(rising, 1))}, "n")
    assert found.holds is None
    assert list(found.numbers) == ["bounds turn at, w"]
    early = replace(rising, settled=np.array([True, True, False, True, True]))
    assert bounds_predict_crossing("", "", {"w": (flat, early)}, "n").numbers["ahead from, w"] == 3000.0


def test_an_exponent_is_judged_by_its_interval() -> None:
    assert growth_exponent("", "", table(ATTRIBUTES, 0.02), 1.0, 0.1, "n").holds is True
    assert growth_exponent("", "", table(ATTRIBUTES**0.5, 0.02), 1.0, 0.1, "n").holds is False
    assert growth_exponent("", "", table(ATTRIBUTES**0.9, 0.3), 1.0, 0.1, "n").holds is None


def test_fewer_is_judged_by_the_paired_difference() -> None:
    few, many, mixed = [1.0, 2.0, 1.5], [9.0, 11.0, 10.0], [0.0, 3.0, 1.5]
    assert fewer("", "", ("a", "b"), few, many).holds is True
    assert fewer("", "", ("a", "b"), many, few).holds is False
    assert fewer("", "", ("a", "b"), few, mixed).holds is None


def test_overtaking_is_judged_at_the_largest_size() -> None:
    flat, rising, names = np.full(5, 30.0), ATTRIBUTES**0.5, ("a", "b")
    found = overtaking("", "", table(flat, 0.02), table(rising, 0.02, key=1), names, "n")
    assert found.holds is True
    assert found.numbers["low"] < 900.0 < found.numbers["high"]
    always = overtaking("", "", table(flat, 0.02), table(9.0 * rising, 0.02), names, "n")
    assert always.holds is True
    assert always.numbers["ahead from"] == 100.0
    assert "turns at" not in always.numbers
    never = overtaking("", "", table(rising, 0.02), table(flat, 0.02), names, "n")
    assert never.holds is False
    assert never.numbers["behind up to"] == 10000.0
    same = overtaking("", "", table(flat, 0.5), table(flat, 0.5), names, "n")
    assert same.holds is None
    assert "neither" in same.says


def test_bounds_foretell_a_turn_or_do_not() -> None:
    flat, rising = table(np.full(5, 30.0), 0.02), table(ATTRIBUTES**0.5, 0.02)
    late = replace(rising, bounds=0.4 * rising.bounds)
    above = replace(rising, counts=9.0 * rising.counts)
    silent = replace(rising, bounds=9.0 * rising.bounds)
    vague = replace(rising, counts=flat.counts[::-1])
    answers = {"good": True, "late": False, "above": False, "silent": None, "vague": None}
    pairs = {"good": rising, "late": late, "above": above, "silent": silent, "vague": vague}
    for name, second in pairs.items():
        assert bounds_predict_crossing("", "", {name: (flat, second)}, "n").holds is answers[name], name
    assert (
        bounds_predict_crossing("", "", {name: (flat, pairs[name]) for name in ("good", "late", "vague")}, "n").holds
        is False
    )
    assert bounds_predict_crossing("", "", {name: (flat, pairs[name]) for name in ("good", "vague")}, "n").holds is None


def made_up(part: str, where: str, learner: str, counts: Table, first: int = 0) -> dict:
    """The answer of a piece of work that found these counts."""
    seeds = len(counts.counts)
    groups = []
    for k, x in enumerate(counts.x):
        place = {"part": part, "where": where, "x": float(x), "learner": learner, "bound": float(counts.bounds[k])}
        column = counts.counts[:, k].tolist()
        settled = [1] * (seeds - 1) + [int(counts.settled[k])]
        lists = (list(range(first, first + seeds)), column, column, [100] * seeds, settled)
        groups.append({**place, **dict(zip(PER_SEED, lists, strict=True))})
    return {"runs": groups}


def runs_of(*answers: dict) -> Runs:
    return Runs(flat_runs({str(k): answer for k, answer in enumerate(answers)}))


def test_one_run_above_its_bound_is_one_too_many() -> None:
    counts = table(np.full(5, 30.0), 0.0)
    good = runs_of(made_up("growing", "w", "a", counts))
    assert within_bounds("", "", good, "growing", {"a": "a"}).holds is True
    counts.counts[3, 2] = 61.0
    bad = within_bounds("", "", runs_of(made_up("growing", "w", "a", counts)), "growing", {"a": "a"})
    assert bad.holds is False
    assert bad.numbers["largest share, a"] == pytest.approx(61.0 / 60.0)


@pytest.mark.parametrize("count", ["mistakes", "wrong"])
def test_rates_are_chosen_on_seeds_that_are_not_judged(count: str) -> None:
    x = np.array([14.0, 28.0])
    found = []
    for k, eta in enumerate(RATES):
        judged = table(np.full(2, 100.0 - k), 0.0, 3, x)
        tuning = table(np.array([50.0 + 10.0 * abs(k - 1), 50.0 + 10.0 * abs(k - 3)]), 0.0, 2, x)
        found.append(made_up(moving.PART, moving.WHERE, moving.rate(eta), judged))
        found.append(made_up(moving.TUNING, moving.WHERE, moving.rate(eta), tuning, 3))
        for group in found[-1]["runs"]:  # by the other count, the first would be chosen
            group["wrong" if count == "mistakes" else "mistakes"] = [float(k)] * 2
    runs = runs_of(*found)
    best = best_rate_at_each_size(runs, count)
    assert best.rates == [RATES[1], RATES[3]]
    assert best.table(count).counts.tolist() == [[99.0, 97.0]] * 3
    assert best_rate_at_sparse_end(runs, count).rates == [RATES[1]] * 2


def test_a_win_by_luck_is_said_to_be_one() -> None:
    x = np.array([14.0, 28.0])
    found = []
    for part, first, seeds in ((moving.PART, 0, 3), (moving.TUNING, 3, 2)):
        for name in (moving.PERCEPTRON, moving.THEOREM, *map(moving.rate, RATES)):
            found.append(made_up(part, moving.WHERE, name, table(np.array([80.0, 100.0]), 0.0, seeds, x), first))
            lucky = 30.0 if name == moving.PERCEPTRON else 10.0
            for group in found[-1]["runs"]:
                group["wrong"] = [one - lucky - 0.1 * k for k, one in enumerate(group["wrong"])]
    verdicts = [one for one in verdicts_moving.verdicts(runs_of(*found)) if one.claim.startswith("As the target")]
    assert ["lucky" in " ".join(one.numbers) for one in verdicts] == [False] * 3 + [True] * 3
    for one in verdicts[3:]:
        assert one.numbers["of it lucky ties"] == pytest.approx(20.0)
        assert one.numbers["difference at the largest"] == pytest.approx(20.0)
        assert "0.0 remain" in one.says


def grown(winnow: np.ndarray, perceptron: np.ndarray, last: int = 0) -> Runs:
    """Made-up growth; the Perceptron had not fallen silent at so many of the largest sizes."""
    tables = {name: table(winnow, 0.01) for name in (growing.WINNOW, growing.BALANCED)}
    tables[growing.PERCEPTRON] = cut(table(perceptron, 0.01), last)
    return runs_of(*(made_up(growing.PART, "1 of 5", name, one) for name, one in tables.items()))


def test_growing_attributes_are_judged_as_a_whole() -> None:
    line, curve = 10.0 * np.log(ATTRIBUTES), 0.5 * ATTRIBUTES
    good = list(verdicts_growing.verdicts(grown(line, curve)))
    assert [verdict.holds for verdict in good] == [True, True, True, True, True, True, None, True]
    bad = list(verdicts_growing.verdicts(grown(curve, line)))
    assert [verdict.holds for verdict in bad[:6]] == [False] * 6
    endless = list(verdicts_growing.verdicts(grown(line, curve, 2)))
    assert [verdict.holds for verdict in endless] == [True, True, None, None, True, True, None, True]


def test_dimensions_are_summed_seed_by_seed() -> None:
    one = table(np.array([1.0, 2.0]), 0.1, 3, np.array([5.0, 6.0]))
    runs = runs_of(*(made_up(shrinking.PART, shrinking.stream_name(d), "a", one) for d in (2, 3)))
    np.testing.assert_allclose(summed_over_dimensions(runs, "a").counts, 2.0 * one.counts)
    both = [made_up(shrinking.PART, shrinking.stream_name(d), "a", cut(one, d - 2)) for d in (2, 3)]
    assert summed_over_dimensions(runs_of(*both), "a").settled.tolist() == [True, False]
