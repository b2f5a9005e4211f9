"""The targets of `make bench-error`: what is compared with what, and when a target is met."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.benchmarks.error_cases import peer, tracker
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from error import targets  # noqa: E402
from error.measures import auc, calibration_error, log_loss  # noqa: E402
from error.ours import Played, Said  # noqa: E402
from error.play import Outcome  # noqa: E402
from error.results import Result  # noqa: E402
from error.rivals import ARF, RIVER_PA  # noqa: E402
from error.stored import Stream  # noqa: E402
from error.verdict import Verdict  # noqa: E402

GOOD, BAD = [1] * 5 + [0] * 95, [1] * 6 + [0] * 94
BELOW_PEERS = "error below every peer's"


def judged(stream: Stream | str, results: Sequence[Result]) -> dict[str, Verdict]:
    """The verdicts by target, about the learners T, L (light) and A (AROW)."""
    if isinstance(stream, str):
        stream = Stream(stream, 0, np.zeros((100, 8)), np.ones(100))
    return {one.aim: one for one in targets.judge(stream, results, "T", "L", "A")}


def test_the_error_has_a_limit() -> None:
    aim = "error <= 0.0530"
    assert judged("elec2", [tracker(GOOD)])[aim].met is True
    assert judged("elec2", [tracker(BAD)])[aim].met is False
    assert "error <= 0.0530" not in judged("digits", [tracker(GOOD)])


def test_a_peer_that_errs_as_often_is_not_beaten() -> None:
    assert judged("elec2", [tracker(GOOD), peer(ARF, 100, 6, 1.0)])[BELOW_PEERS].met is True
    equal = judged("elec2", [tracker(BAD), peer(ARF, 100, 6, 1.0)])[BELOW_PEERS]
    assert (equal.met, equal.close) == (False, True)


def test_a_miss_is_close_within_one_standard_deviation() -> None:
    # the learners differ in 10 rows: in 4 or 2 of them the peer is wrong
    for wrong, close in ((4, True), (2, False)):
        rows = np.zeros(100, int)
        rows[wrong:10] = 1
        found = judged("elec2", [tracker(rows.tolist()), peer(ARF, 100, wrong, 1.0)])[BELOW_PEERS]
        assert (found.met, found.close) == (False, close)


def test_the_nearest_peer_is_named_and_the_others_are_counted() -> None:
    found = judged("elec2", [tracker(BAD), peer(ARF, 100, 5, 1.0), peer(RIVER_PA, 50, 0, 1.0)])[BELOW_PEERS]
    assert found.met is False and found.close is False
    assert found.got.startswith(f"0.1200 against 0.0000 of {RIVER_PA.name}, -6 mistakes")
    assert found.got.endswith("2 peers not beaten")


def test_a_peer_cut_short_is_compared_over_what_it_has_seen() -> None:
    late, early = tracker([0] * 50 + [1] * 50), tracker(GOOD)
    stopped = peer(ARF, 50, 4, 1.0)
    assert late.error > stopped.error > early.error
    assert judged("digits", [late, stopped])[BELOW_PEERS].met is True
    assert judged("digits", [early, stopped])[BELOW_PEERS].met is False


def test_a_draw_that_was_not_reached_counts_nothing() -> None:
    outcome, none = Outcome.of(np.array([True, False]), 1.0, None), Outcome.of(np.zeros(0, bool), 0.0)
    ours = Result("T", "s", 4, [outcome, outcome])
    theirs = Result("a", "s", 4, [replace(outcome, log_loss=0.5), none])
    assert ours.lead(theirs) == (0.0, 0.0) and ours.error_over(theirs.outcomes) == 0.5
    assert theirs.cut and theirs.error == 0.5 and theirs.measure("log_loss") == 0.5 and theirs.measure("auc") is None


@pytest.mark.parametrize("rows", [1999, 2000])
def test_experts_and_arow_are_compared_on_long_streams(rows: int) -> None:
    stream = Stream("s", 0, np.zeros((rows, 20)), np.ones(rows))
    zeros = [0] * (rows - 111)

    def met(wrong: int) -> list[bool | None]:
        ours = tracker([1] * wrong + [0] * (rows - wrong), best_expert=100)
        others = [tracker([1] * 100 + zeros + [0] * 11, name=name) for name in "LA"]
        found = judged(stream, [ours, *others])
        names = ("best expert", "AROW", "light bank")
        return [found[aim].met for name in names if (aim := f"mistakes <= {name}'s + 1 % + root") in found]

    many = 3 if rows >= targets.LONG else 1
    assert met(111) == [True] * many and met(112) == [False] * many


def test_the_time_depends_on_the_kind_of_stream() -> None:
    ours, light = tracker(GOOD), tracker(GOOD, name="L")  # one call takes 5 us per row, one at a time 10
    for features, classes, aim, least in ((10, 2, "40x", 0.02), (30, 7, "30x", 0.015), (30, 10, "30x", 0.015)):
        y = np.arange(100) % classes if classes > 2 else np.ones(100)
        stream = Stream("s", 0, np.zeros((100, features)), y)
        for seconds, met in ((1.01 * least, True), (0.99 * least, False)):
            found = judged(stream, [ours, light, peer(ARF, 100, 6, seconds)])
            assert found[f"time of {ARF.name} >= {aim}"].met is met
    for features, classes in ((11, 2), (30, 6), (30, 11)):
        y = np.arange(100) % classes if classes > 2 else np.ones(100)
        found = judged(Stream("s", 0, np.zeros((100, features)), y), [ours, light, peer(ARF, 100, 6, 1.0)])
        assert not any(aim.startswith(f"time of {ARF.name} >= 40x") or aim.endswith(">= 30x") for aim in found)


def test_the_light_bank_is_timed() -> None:
    light = tracker(GOOD, name="L")
    for name, least in targets.LIGHT_TIMES.items():
        rival = {ARF.name: ARF, RIVER_PA.name: RIVER_PA}[name]
        for factor in (1.01, 0.99):
            found = judged("elec2", [light, peer(rival, 100, 6, factor * least * 0.5e-3)])
            assert found[f"time of {name} >= {least:g}x the light bank's"].met is (factor > 1.0)


def test_probabilities_are_compared_over_what_the_peer_has_seen() -> None:
    said = Said(np.array([0.9, 0.2, 0.1, 0.9]), np.array([True, False, True, False]))
    outcome = Outcome.of(np.array([0, 0, 1, 1], bool), 1.0, said.measures(4))
    outcome = replace(outcome, calibration=0.4)
    made = Result("T", "elec2", 4, [outcome], [Played(outcome, (4, 1.0), said, None)])
    first_two = float(-np.log([0.9, 0.8]).mean())
    other = Outcome.of(np.array([True, False]), 1.0)
    for theirs, met in ((first_two + 1e-9, True), (first_two - 1e-9, False)):
        stopped = Result(ARF.name, "elec2", 4, [replace(other, log_loss=theirs, auc=1.0, calibration=0.1)])
        found = judged("elec2", [made, stopped])
        assert found["log loss below every peer's"].met is met
        assert found["AUC at most 0.005 below the best"].met is True
        assert found["calibration error < 0.06"].met is False
    silent = Result(ARF.name, "elec2", 4, [other])
    assert judged("elec2", [made, silent])["log loss below every peer's"].met is None


def test_measures_agree_with_scikit_learn() -> None:
    from sklearn import metrics

    rng = np.random.default_rng(0)
    said, positive = rng.integers(1, 40, 500) / 40.0, rng.random(500) < 0.3
    assert log_loss(said, positive) == pytest.approx(metrics.log_loss(positive, said), rel=1e-12)
    assert auc(said, positive) == pytest.approx(metrics.roc_auc_score(positive, said), rel=1e-12)
    assert auc(said, np.ones(500, bool)) is None
    assert calibration_error(np.full(10, 0.5), np.arange(10) % 2 == 0, bins=2) < 0.11
    assert calibration_error(np.full(10, 1.0), np.zeros(10, bool)) == 1.0


def test_targets_without_a_tracker_or_a_peer_are_not_judged() -> None:
    assert {one.met for one in judged("elec2", [peer(ARF, 100, 6, 1.0)]).values()} == {None}
    assert {one.met for one in judged("digits", [tracker([0, 1])]).values()} == {None}
    assert {one.met for one in judged("plane-15", [tracker([0, 1])]).values()} == {None}
