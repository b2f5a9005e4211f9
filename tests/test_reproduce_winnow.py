"""The experiment on Winnow, the Perceptron and halving: its streams, its counts, and what it concludes from them."""

import json
import math

import numpy as np
import pytest

import driftline as dl
from driftline.reproduce.experiment import Setting
from driftline.reproduce.winnow import EXPERIMENT, growing, moving, shrinking
from driftline.reproduce.winnow.chosen import everywhere, from_sparse_end
from driftline.reproduce.winnow.judged import fewer, foretold, kept, law, overtaking, power
from driftline.reproduce.winnow.laws import Found, crossing, exponent, jackknife, overtaken
from driftline.reproduce.winnow.race import listed, race
from driftline.reproduce.winnow.runs import Runs, Table, gathered
from driftline.reproduce.winnow.sizes import FULL, NEEDED, QUICK, RATES, RELEVANT, SHOWN
from driftline.reproduce.winnow.verdicts_shrinking import summed
from driftline.streams.sphere import directions

QUICKLY = Setting(quick=True)
ATTRIBUTES = np.array([100.0, 300.0, 1000.0, 3000.0, 10000.0])


def rng(*key: int) -> np.random.Generator:
    return np.random.default_rng([7, *key])


def table(mean: np.ndarray, spread: float, seeds: int = 12, x: np.ndarray = ATTRIBUTES, bound: float = 2.0) -> Table:
    """Made-up counts about a mean."""
    return Table(x, mean * np.abs(1.0 + spread * rng(len(mean)).standard_normal((seeds, len(mean)))), bound * mean)


# streams


@pytest.mark.parametrize("r", NEEDED)
def test_thresholds_are_of_relevant_attributes_and_all_examples_are_hard(r: int) -> None:
    target = growing.Threshold(r, RELEVANT, 37)
    X, y = target.drawn(rng(r), 4000)
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
    X, y = target.drawn(rng(r), 2000)
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
    X, y = target.drawn(rng(k), 500)
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
    X, y = shrinking.Discs(d, 0.03).drawn(rng(d, 1), u, 4000)
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
    whole = race({"p": dl.Perceptron()}, blocks)["p"]
    assert (whole["mistakes"], whole["wrong"], whole["rounds"]) == (run.mistakes, run.label_errors, 6000)
    calm = race({"p": dl.Perceptron()}, blocks, calm=1000)["p"]
    assert calm["quiet"] >= 1000
    assert calm["rounds"] < 6000


def test_sparse_rows_are_the_same_rows() -> None:
    target = growing.Threshold(3, RELEVANT, 50)
    X, y = target.drawn(rng(4), 300)
    assert np.array_equal(listed(X).toarray(), X)
    dense = race({"w": dl.Winnow(10.0, 1.3, bias=False)}, [(X, y)])
    assert dense == race({"w": dl.Winnow(10.0, 1.3, bias=False)}, [(X, y)], sparse=("w",))


@pytest.fixture(scope="module")
def answers() -> dict:
    return {
        task.key: json.loads(json.dumps(EXPERIMENT.solve(task.what, QUICKLY))) for task in EXPERIMENT.tasks(QUICKLY)
    }


def test_pieces_of_work_are_told_apart_and_do_not_know_one_another(answers: dict) -> None:
    tasks = EXPERIMENT.tasks(QUICKLY)
    assert len(answers) == len(tasks)
    for part in (growing.PART, moving.PART, shrinking.PART):
        task = [task for task in tasks if task.what["part"] == part][-1]
        assert EXPERIMENT.solve(json.loads(json.dumps(task.what)), QUICKLY) == answers[task.key]
        assert EXPERIMENT.solve(task.what, Setting(quick=True, seed=1)) != answers[task.key]
    full = EXPERIMENT.tasks(Setting())
    assert len({task.key for task in full}) == len(full) < 60


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
    assert [verdict.holds for verdict in bounds] == [True] * 3
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
    assert overtaken(ATTRIBUTES, flat, rising) == pytest.approx(900.0)
    assert overtaken(ATTRIBUTES, flat, 9.0 * rising) == -math.inf
    assert overtaken(ATTRIBUTES, rising, 0.1 * rising) == math.inf
    found = crossing(table(flat, 0.02), table(rising, 0.02))
    assert found is not None
    assert found.low < 900.0 < found.high
    assert crossing(table(flat, 0.02), table(9.0 * rising, 0.02)) is None


def test_equal_counts_leave_a_crossing_open() -> None:
    first = Table(ATTRIBUTES, np.tile([2.0, 2.0, 2.0, 5.0, 5.0], (6, 1)), ATTRIBUTES)
    second = Table(ATTRIBUTES, np.tile([2.0, 2.0, 2.0, 9.0, 20.0], (6, 1)), ATTRIBUTES)
    found = crossing(first, second)
    assert found is not None
    assert (found.low, found.high) == (100.0, 1000.0)


def test_intervals_decide_or_do_not() -> None:
    assert [Found(0.0, 0.0, low, high).sign for low, high in ((1.0, 2.0), (-2.0, -1.0), (-1.0, 1.0))] == [
        True,
        False,
        None,
    ]
    nothing = Found(1.0, math.nan, math.nan, math.nan)
    assert nothing.sign is None
    assert nothing.within(0.0, 2.0) is None
    inside = [Found(0.0, 0.0, low, high).within(0.9, 1.1) for low, high in ((0.95, 1.0), (0.5, 0.8), (0.8, 1.0))]
    assert inside == [True, False, None]


# verdicts on made-up counts


@pytest.mark.parametrize("logarithmic", [True, False])
def test_growth_is_told_from_growth(logarithmic: bool) -> None:
    line, curve = 10.0 * np.log(ATTRIBUTES), 0.5 * ATTRIBUTES**0.9
    assert law("", "", table(line, 0.01), logarithmic, "n").holds is logarithmic
    assert law("", "", table(curve, 0.01), logarithmic, "n").holds is not logarithmic
    assert law("", "", table(line, 0.9, 3), logarithmic, "n").holds is None
    assert law("", "", table(line, 0.0, 1), logarithmic, "n").holds is None


def test_an_exponent_is_judged_by_its_interval() -> None:
    assert power("", "", table(ATTRIBUTES, 0.02), 1.0, 0.1).holds is True
    assert power("", "", table(ATTRIBUTES**0.5, 0.02), 1.0, 0.1).holds is False
    assert power("", "", table(ATTRIBUTES**0.9, 0.3), 1.0, 0.1).holds is None


def test_fewer_asks_both_ways_of_counting() -> None:
    few, many, mixed = [1.0, 2.0, 1.5], [9.0, 11.0, 10.0], [0.0, 3.0, 1.5]
    assert fewer("", "", ("a", "b"), [("x", few, many), ("y", few, many)]).holds is True
    assert fewer("", "", ("a", "b"), [("x", many, few), ("y", many, few)]).holds is False
    assert fewer("", "", ("a", "b"), [("x", few, many), ("y", many, few)]).holds is None
    assert fewer("", "", ("a", "b"), [("x", few, many), ("y", few, mixed)]).holds is None


def test_overtaking_is_judged_at_the_largest_size() -> None:
    flat, rising, names = np.full(5, 30.0), ATTRIBUTES**0.5, ("a", "b")
    found = overtaking("", "", table(flat, 0.02), table(rising, 0.02), names, "n")
    assert found.holds is True
    assert found.numbers["low"] < 900.0 < found.numbers["high"]
    always = overtaking("", "", table(flat, 0.02), table(9.0 * rising, 0.02), names, "n")
    assert always.holds is True
    assert "turns at" not in always.numbers
    assert "every size" in always.says
    assert overtaking("", "", table(rising, 0.02), table(flat, 0.02), names, "n").holds is False
    same = overtaking("", "", table(flat, 0.5), table(flat, 0.5), names, "n")
    assert same.holds is None


def test_bounds_foretell_a_turn_or_do_not() -> None:
    flat, rising = table(np.full(5, 30.0), 0.02), table(ATTRIBUTES**0.5, 0.02)
    assert foretold("", "", flat, rising, "n").holds is True
    late = Table(rising.x, rising.counts, 0.4 * rising.bounds)
    assert foretold("", "", flat, late, "n").holds is False
    above = Table(flat.x, 9.0 * rising.counts, rising.bounds)
    assert foretold("", "", flat, above, "n").holds is False
    assert foretold("", "", flat, Table(flat.x, rising.counts, 9.0 * rising.bounds), "n").holds is None


def made_up(part: str, where: str, learner: str, counts: Table, first: int = 0) -> list[dict]:
    return [
        {
            "part": part,
            "where": where,
            "x": float(x),
            "seed": first + seed,
            "learner": learner,
            "mistakes": count,
            "wrong": count,
            "rounds": 100,
            "quiet": 0,
            "bound": float(bound),
        }
        for seed, row in enumerate(counts.counts)
        for x, count, bound in zip(counts.x, row, counts.bounds, strict=True)
    ]


def test_one_run_above_its_bound_is_one_too_many() -> None:
    counts = table(np.full(5, 30.0), 0.0)
    good = Runs(made_up("growing", "w", "a", counts))
    assert kept("", "", good, "growing", {"a": "a"}).holds is True
    counts.counts[3, 2] = 61.0
    bad = kept("", "", Runs(made_up("growing", "w", "a", counts)), "growing", {"a": "a"})
    assert bad.holds is False
    assert bad.numbers["largest share, a"] == pytest.approx(61.0 / 60.0)


def test_rates_are_chosen_on_seeds_that_are_not_judged() -> None:
    x = np.array([14.0, 28.0])
    rows = []
    for k, eta in enumerate(RATES):
        judged = table(np.full(2, 100.0 - k), 0.0, 3, x)
        tuning = table(np.array([50.0 + 10.0 * abs(k - 1), 50.0 + 10.0 * abs(k - 3)]), 0.0, 2, x)
        rows += made_up(moving.PART, moving.WHERE, moving.rate(eta), judged)
        rows += made_up(moving.TUNING, moving.WHERE, moving.rate(eta), tuning, 3)
    best = everywhere(Runs(rows))
    assert best.rates == [RATES[1], RATES[3]]
    assert best.table().counts.tolist() == [[99.0, 97.0]] * 3
    assert from_sparse_end(Runs(rows)).rates == [RATES[1]] * 2


def growing_answers(winnow: np.ndarray, perceptron: np.ndarray) -> dict:
    names = {growing.WINNOW: winnow, growing.BALANCED: winnow, growing.PERCEPTRON: perceptron}
    return {name: {"runs": made_up(growing.PART, "1 of 5", name, table(mean, 0.01))} for name, mean in names.items()}


def test_growing_attributes_are_judged_as_a_whole() -> None:
    from driftline.reproduce.winnow.verdicts_growing import verdicts

    line, curve = 10.0 * np.log(ATTRIBUTES), 0.5 * ATTRIBUTES
    good = list(verdicts(Runs(gathered(growing_answers(line, curve)))))
    assert [verdict.holds for verdict in good] == [True, True, True, True, True, True, None, True]
    bad = list(verdicts(Runs(gathered(growing_answers(curve, line)))))
    assert [verdict.holds for verdict in bad[:6]] == [False] * 6


def test_dimensions_are_summed_seed_by_seed() -> None:
    one = table(np.array([1.0, 2.0]), 0.1, 3, np.array([5.0, 6.0]))
    rows = [row for d in (2, 3) for row in made_up(shrinking.PART, shrinking.where(d), "a", one)]
    np.testing.assert_allclose(summed(Runs(rows), "a").counts, 2.0 * one.counts)
