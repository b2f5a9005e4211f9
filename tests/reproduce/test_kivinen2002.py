"""Figure 1 of Kivinen, Smola and Williamson: streams of section 5, blind tuning, and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.reproduce import Reproduced, Setting, reproduce
from driftline.reproduce.experiment import Answer
from driftline.reproduce.kivinen2002 import EXPERIMENT, grids, solve, streams, tuning, verdicts

QUICK = Setting(quick=True)
MADE_UP = {
    grids.PERCEPTRON: [230.0, 240.0, 250.0, 245.0],
    grids.NORMA0: [200.0, 208.0, 221.0, 215.0],
    grids.ALMA0: [201.0, 211.0, 219.0, 214.0],
    grids.NORMA: [60.0, 66.0, 71.0, 68.0],
    grids.ALMA: [61.0, 65.0, 72.0, 67.0],
    grids.TRACKER: [100.0, 101.0, 102.0, 103.0],
    grids.WAVES: [80.0, 81.0, 82.0, 83.0],
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduced, Path]:
    folder = tmp_path_factory.mktemp("kivinen2002") / "out"
    return reproduce("kivinen2002", folder, QUICK, jobs=1), folder


def made_up(changed: dict[str, list[float]], widths: tuple[float, ...] = (grids.SHARED,)) -> dict[str, Answer]:
    """Answers with these mistakes at the first width, and one more on every stream at each further width."""
    answers = {}
    for task in solve.tasks(Setting(quick=widths == (grids.SHARED,))):
        mistakes = {**MADE_UP, **changed}[task.what["learner"]]
        width = task.what.get("width")
        if width is not None and width not in widths:
            continue
        worse = 0 if width is None else widths.index(width)
        answers[task.key] = {
            **task.what,
            "tuning": None if width is None else 100.0 + worse,
            "mistakes": [count + worse for count in mistakes],
        }
    return answers


def outcomes(answers: dict[str, Answer], kind: str) -> dict[str, bool | None]:
    return {one.claim: one.holds for one in verdicts.verdicts(answers) if one.where.startswith(kind)}


def test_a_quick_run_ends_in_a_report_with_every_claim_and_figure(quick: tuple[Reproduced, Path]) -> None:
    found, folder = quick
    assert found.report == folder / "report.html" and found.report.exists()
    assert len(found.verdicts) == 11
    figures = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert figures == {
        f"{name}-{kind}{more}"
        for kind in streams.KINDS
        for name, more in (("curves", ""), ("final", ""), ("grid", "-norma"), ("grid", "-alma"))
    }
    rows = (folder / "results.csv").read_text().splitlines()
    assert len(rows) == 1 + 3 * len(EXPERIMENT.tasks(QUICK))
    assert all(np.isfinite(list(one.numbers.values())).all() for one in found.verdicts)


def test_what_was_chosen_is_the_least_tried_and_judged_by_a_run_of_its_own(quick: tuple[Reproduced, Path]) -> None:
    answer = json.loads((quick[1] / "answers" / "switching-alma-0.3.json").read_text())["answer"]
    least = min(answer["tried"], key=lambda one: one["mistakes"])
    assert (answer["parameters"], answer["tuning"]) == (least["parameters"], least["mistakes"])
    assert [one["parameters"] for one in answer["tried"]] == grids.grid(grids.ALMA, quick=True)
    rule = dl.ALMA(alpha=1.0, **answer["parameters"])
    for seed, mistakes, curve in zip(answer["seeds"], answer["mistakes"], answer["curves"], strict=True):
        stream = dl.streams.SwitchingMixtures(1000, every=100, seed=seed)
        run = dl.run(dl.Kernelized(rule, f"rbf(gamma={1 / (2 * 0.3**2)})"), stream)
        assert run.mistakes == mistakes == curve[-1]
    assert answer["trials"][-1] == 1000 and len(answer["trials"]) == len(answer["curves"][0]) <= 200


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("short", [False, True])
def test_tuning_never_sees_what_is_judged(seed: int, short: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting(quick=short, seed=seed)
    drawn: list[int] = []
    monkeypatch.setattr(streams, "draw", lambda kind, seed, quick: drawn.append(seed) or ([[0.0, 1.0]], [1.0]))
    solve._tuning_mistakes(streams.DRIFTING, grids.NORMA, {"lam": 0.1, "rho": 1.0}, 0.3, setting)
    every = [Setting(seed=other, quick=kind) for other in range(4) for kind in (False, True)]
    assert drawn and not set(drawn) & {one for other in every for one in streams.test_seeds(other)}
    assert len(streams.test_seeds(setting)) == (3 if short else 20)


def test_settings_of_other_seeds_share_no_stream() -> None:
    seeds = [
        one
        for seed in range(5)
        for which in (streams.test_seeds, streams.tuning_seeds)
        for one in which(Setting(seed=seed))
    ]
    assert len(seeds) == len(set(seeds))


def test_streams_are_those_of_section_5_with_the_choices_said() -> None:
    choices = {"d": 2, "components": 2, "box": 1.0, "sd": 0.3, "keep": 1.0, "seed": 7}
    for kind, stream in (
        (streams.DRIFTING, dl.streams.DriftingMixtures(10_000, every=10, drift=0.05, **choices)),  # type: ignore[arg-type]
        (streams.SWITCHING, dl.streams.SwitchingMixtures(10_000, every=1000, **choices)),  # type: ignore[arg-type]
    ):
        X, y = streams.draw(kind, 7, quick=False)
        assert X.shape == (10_000, 2)
        np.testing.assert_array_equal(X, np.concatenate([part for part, _ in stream]))
        np.testing.assert_array_equal(y, np.concatenate([part for _, part in stream]))
        for k, means in zip(range(0, 10_000, stream.every), stream.concepts(), strict=False):
            part = slice(k, k + stream.every)
            assert (y[part] * stream.log_odds(X[part], means) > 1.0).all()


def test_grids_cover_the_learners_and_leave_out_margins_out_of_reach() -> None:
    assert grids.grid(grids.PERCEPTRON, False) == [{}]
    assert {one["rho"] for one in grids.grid(grids.ALMA, False)} <= set(grids.RHO)
    assert all(0.0 < one["rho"] <= 0.8 * one["B"] for one in grids.grid(grids.ALMA, False))
    assert all(0.0 < one["rho"] <= 0.8 / one["lam"] for one in grids.grid(grids.NORMA, False))
    for zero in (grids.NORMA0, grids.ALMA0):
        rules = [grids.make_learner(zero, one, 0.3).rule for one in grids.grid(zero, False)]
        assert all(rule.margin == 0.0 for rule in rules) and len(set(rules)) == len(rules) > 1


def test_the_perceptron_is_norma_without_margin_and_forgetting_and_scales_do_not_matter() -> None:
    stream = streams.draw(streams.SWITCHING, 3, quick=True)

    def mistakes(rule: Any) -> int:
        return dl.run(dl.Kernelized(rule, dl.kernels.Gaussian(gamma=grids.gamma(0.3))), stream).mistakes

    plain = dl.run(grids.make_learner(grids.PERCEPTRON, {}, 0.3), stream).mistakes
    assert plain == mistakes(dl.NORMA(alpha=1.0, lam=0.0, rho=0.0)) == mistakes(dl.ALMA(alpha=1.0, B=1e9, rho=0.0)) > 20
    norma = mistakes(dl.NORMA(alpha=1.0, lam=0.01, rho=1.0))
    assert norma == mistakes(dl.NORMA(alpha=4.0, lam=0.0025, rho=4.0)) != plain
    assert mistakes(dl.ALMA(alpha=1.0, B=3.0, rho=0.5)) == mistakes(dl.ALMA(alpha=4.0, B=12.0, rho=2.0)) != plain


@pytest.mark.parametrize("kind", streams.KINDS)
def test_claims_hold_where_the_numbers_carry_them(kind: str) -> None:
    found = outcomes(made_up({}), kind)
    assert set(found.values()) == {True}
    assert len(found) == (6 if kind == streams.SWITCHING else 5)


@pytest.mark.parametrize(
    "changed, claim, expected",
    [
        ({grids.NORMA: [210.0, 219.0, 230.0, 224.0]}, verdicts.CLAIMS[0][2], False),
        ({grids.NORMA: [190.0, 219.0, 210.0, 226.0]}, verdicts.CLAIMS[0][2], None),
        ({grids.ALMA: [210.0, 219.0, 230.0, 224.0]}, verdicts.CLAIMS[1][2], False),
        ({grids.NORMA0: [236.0, 247.0, 255.0, 251.0]}, verdicts.CLAIMS[2][2], False),
        ({grids.NORMA0: [236.0, 230.0, 259.0, 244.0]}, verdicts.CLAIMS[2][2], None),
        ({grids.ALMA0: [236.0, 247.0, 255.0, 251.0]}, verdicts.CLAIMS[3][2], False),
        ({grids.NORMA: [236.0, 247.0, 255.0, 251.0]}, verdicts.JUMPS[2], False),
        ({grids.NORMA: [110.0, 118.0, 121.0, 116.0]}, verdicts.ALIKE, False),
        ({grids.ALMA: [110.0, 118.0, 121.0, 116.0]}, verdicts.ALIKE, False),
        ({grids.NORMA: [60.0, 66.0, 140.0, 68.0]}, verdicts.ALIKE, None),
        ({grids.NORMA: [80.0, 84.0, 91.0, 87.0]}, verdicts.ALIKE, True),
        ({grids.NORMA: [250.0, 258.0, 271.0, 265.0]}, verdicts.ALIKE, None),
    ],
)
def test_claims_fail_or_stay_open_where_they_do_not(
    changed: dict[str, list[float]], claim: str, expected: bool | None
) -> None:
    assert outcomes(made_up(changed), streams.SWITCHING)[claim] is expected


def test_a_difference_is_judged_on_the_same_streams_though_intervals_overlap() -> None:
    changed = {grids.NORMA0: [10.0, 200.0, 400.0, 30.0], grids.NORMA: [5.0, 194.0, 396.0, 25.0]}
    verdict = verdicts.verdicts(made_up(changed))[0]
    assert verdict.holds is True and verdict.numbers["intervals overlap"] == 1.0 and "intervals overlap" in verdict.says
    assert verdict.numbers["difference"] == -5.0


def test_every_learner_gets_its_own_width_by_tuning_alone() -> None:
    widths = (0.45, 0.3, 0.2)
    answers = made_up({}, widths)
    assert tuning.policies(answers) == [tuning.OWN, tuning.SAME]
    own = tuning.chosen_answers(answers, streams.DRIFTING, tuning.OWN)
    same = tuning.chosen_answers(answers, streams.DRIFTING, tuning.SAME)
    assert {own[name]["width"] for name in grids.KERNELS} == {0.45}
    assert {same[name]["width"] for name in grids.KERNELS} == {grids.SHARED}
    answers["drifting-norma-0.2"].update(tuning=1.0, mistakes=[999.0] * 4)
    assert tuning.chosen_answers(answers, streams.DRIFTING, tuning.OWN)[grids.NORMA]["width"] == 0.2
    assert len(verdicts.verdicts(answers)) == 22


def test_a_choice_at_an_end_of_the_grid_is_told() -> None:
    tried = [{"parameters": {"lam": lam, "rho": rho}} for lam in (0.1, 0.2, 0.3) for rho in (1.0,)]
    assert tuning.parameters_at_edge({"tried": tried, "parameters": {"lam": 0.1, "rho": 1.0}}) == ["lam"]
    assert tuning.parameters_at_edge({"tried": tried, "parameters": {"lam": 0.2, "rho": 1.0}}) == []
    wider = [*tried, {"parameters": {"lam": 0.2, "rho": 0.5}}, {"parameters": {"lam": 0.3, "rho": 2.0}}]
    assert tuning.parameters_at_edge({"tried": wider, "parameters": {"lam": 0.2, "rho": 1.0}}) == [
        "rho"
    ]  # 2 only for another lam
