"""`make bench-error`: what counts as a mistake, what is compared, and what is stored."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

import driftline as dl
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from error import __main__ as command  # noqa: E402
from error import ours, streams, table, targets, worker  # noqa: E402
from error.kept import Kept  # noqa: E402
from error.measures import auc, calibration_error, log_loss  # noqa: E402
from error.play import GLANCE, Guess, Outcome, play  # noqa: E402
from error.pool import Job, Pool  # noqa: E402
from error.results import Result  # noqa: E402
from error.rivals import ARF, MODULES, RIVALS, RIVER_PA, Rival  # noqa: E402
from error.stored import Stream, load  # noqa: E402

VERSIONS = dict.fromkeys(MODULES, "1.0")


def drawn(n: int = 300, *, name: str = "small", seed: int = 0) -> Stream:
    [(X, y)] = dl.streams.SwitchingHyperplane(n=n, d=4, noise=0.1, seed=seed, block=n)
    return Stream(name, seed, X, y)


def words(seed: int = 3) -> Stream:
    X = csr_matrix(random_array((50, 400), density=0.05, format="csr", rng=seed))
    return Stream("words", seed, X, np.where(np.arange(50) % 3 == 0, 1.0, -1.0))


class Parrot:
    """Guesses the label that it saw last, at first negative."""

    def __init__(self) -> None:
        self.last = False

    def __call__(self, x: int, positive: bool) -> Guess:
        guess, self.last = self.last, positive
        return Guess(guess)


# the loop ---------------------------------------------------------------------------------------------------
def test_guesses_count_before_their_label_is_seen() -> None:
    labels = [True, True, False, False, True, False]
    outcome = play(Parrot(), range(6), labels)
    assert (outcome.rows, outcome.mistakes) == (6, 4)


def test_a_learner_out_of_time_is_stopped() -> None:
    ticks = iter(range(100))
    outcome = play(Parrot(), range(1000), [True] * 1000, limit=3.0, clock=lambda: float(next(ticks)))
    assert outcome == Outcome(3 * GLANCE, 1, 3.0)


def test_a_learner_in_time_sees_all() -> None:
    ticks = iter(range(100))
    outcome = play(Parrot(), range(GLANCE + 1), [True] * (GLANCE + 1), limit=3.0, clock=lambda: float(next(ticks)))
    assert outcome == Outcome(GLANCE + 1, 1, 2.0)


# the numbers ------------------------------------------------------------------------------------------------
def test_errors_and_times_are_over_all_draws() -> None:
    result = Result("a", "s", 100, [Outcome(100, 10, 0.2), Outcome(100, 20, 0.4)])
    assert result.error == pytest.approx(0.15)
    assert result.microseconds == pytest.approx(3000.0)
    assert result.standard_error == pytest.approx(0.05)
    assert result.microseconds_in_one_call is None
    assert not result.cut and not result.ours


def test_a_run_cut_short_is_known_as_such() -> None:
    result = Result("a", "s", 100, [Outcome(100, 10, 0.2), Outcome(50, 20, 0.4)])
    assert result.cut and result.error == pytest.approx(0.2) and result.microseconds == pytest.approx(4000.0)
    assert result.standard_error is None


def tracker(wrong: list[int], seconds: float = 1e-3) -> Result:
    mask = np.array(wrong, dtype=bool)
    return Result("T", "elec2", len(wrong), [Outcome(len(wrong), int(mask.sum()), seconds)], [mask], [seconds / 2])


def peer(rival: Rival, rows: int, mistakes: int, seconds: float) -> Result:
    return Result(rival.name, "elec2", 100, [Outcome(rows, mistakes, seconds)])


def test_every_target_is_met_or_missed() -> None:
    good, bad = tracker([1] * 5 + [0] * 95), tracker([1] * 6 + [0] * 94)
    cheap, dear = peer(ARF, 100, 6, 0.0499), peer(ARF, 100, 6, 0.0501)  # one call of ours takes half the time
    pa = peer(RIVER_PA, 100, 30, 0.002)
    assert errors_and_times([good, dear, pa]) == [True, True, True, True]
    assert errors_and_times([bad, cheap, pa]) == [False, False, False, True]
    slow_ours = tracker([1] * 5 + [0] * 95, 0.0042)
    assert errors_and_times([slow_ours, pa]) == [True, True, None, False]


def errors_and_times(results: list[Result]) -> list[bool | None]:
    verdicts = targets.judge("elec2", results, "T")
    return [one.met for one in verdicts if one.aim.startswith(("error", "time"))]


def test_probabilities_are_compared_over_what_the_peer_has_seen() -> None:
    said = np.array([0.9, 0.2, 0.1, 0.9])
    ours_said = ours.Said(said, np.array([True, False, True, False]))
    wrong = np.array([0, 0, 1, 1], bool)
    made = Result("T", "elec2", 4, [Outcome(4, 2, 1.0, 1.25, 0.5, 0.4)], [wrong], [1.0], [ours_said])
    first_two = float(-np.log([0.9, 0.8]).mean())
    for theirs, met in ((first_two + 1e-9, True), (first_two - 1e-9, False)):
        stopped = Result(ARF.name, "elec2", 4, [Outcome(2, 1, 1.0, theirs, 1.0, 0.1)])
        by_aim = {one.aim: one.met for one in targets.judge("elec2", [made, stopped], "T")}
        assert by_aim["log loss below every peer's"] is met
        assert by_aim["AUC at most 0.005 below the best"] is True
        assert by_aim["calibration error < 0.06"] is False
    silent = Result(ARF.name, "elec2", 4, [Outcome(4, 1, 1.0)])
    by_aim = {one.aim: one.met for one in targets.judge("elec2", [made, silent], "T")}
    assert by_aim["log loss below every peer's"] is None


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
    assert {one.met for one in targets.judge("elec2", [peer(ARF, 100, 6, 1.0)], "T")} == {None}
    assert [one.met for one in targets.judge("digits", [tracker([0, 1])], "T")] == [None] * 3
    assert {one.met for one in targets.judge("plane-15", [tracker([0, 1])], "T")} == {None}


def test_a_peer_cut_short_is_compared_over_what_it_has_seen() -> None:
    late, early = tracker([0] * 50 + [1] * 50), tracker([1] * 5 + [0] * 95)
    stopped = peer(ARF, 50, 4, 1.0)
    assert late.error > stopped.error > early.error
    assert next(v for v in targets.judge("digits", [late, stopped], "T")).met is True
    assert next(v for v in targets.judge("digits", [early, stopped], "T")).met is False


# streams ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("stream", [drawn(), words()], ids=["dense", "sparse"])
def test_a_stream_comes_back_from_its_file(stream: Stream, tmp_path: Path) -> None:
    again = load(stream.save(tmp_path))
    assert (again.name, again.seed, again.sparse, again.digest) == (
        stream.name,
        stream.seed,
        stream.sparse,
        stream.digest,
    )
    assert again.X.shape == stream.X.shape
    assert abs(again.X - stream.X).sum() == 0.0
    np.testing.assert_array_equal(again.y, stream.y)


def test_another_number_or_label_is_another_stream() -> None:
    stream = drawn()
    X, y = stream.X.copy(), stream.y.copy()
    X[7, 2] += 1.0
    y[3] = -y[3]
    assert len({stream.digest, replace(stream, X=X).digest, replace(stream, y=y).digest}) == 3


def test_nominal_columns_of_numbers_are_numbers() -> None:
    text = (
        "@relation r\n@attribute day {1,2}\n@attribute p numeric\n@attribute c {UP,DOWN}\n\n@data\n1,.5,UP\n2,3,DOWN\n"
    )
    X, y = streams.arff(text, "UP")
    np.testing.assert_array_equal(X, [[1.0, 0.5], [2.0, 3.0]])
    np.testing.assert_array_equal(y, [1.0, -1.0])


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    absent: dict[str, str] = {}
    assert streams.real(tmp_path, absent) == []
    assert set(absent) == set(targets.MOST)


# what is kept -----------------------------------------------------------------------------------------------
def test_an_outcome_is_found_again_only_for_the_same_peer_version_stream_and_seed(tmp_path: Path) -> None:
    stream, outcome = drawn(), Outcome(300, 30, 1.5)
    kept = Kept(tmp_path, VERSIONS, 60.0)
    assert kept.get(ARF, stream) is None
    kept.put(ARF, stream, outcome)
    assert kept.get(ARF, stream) == outcome
    assert Kept(tmp_path, VERSIONS, 10.0).get(ARF, stream) == outcome
    assert Kept(tmp_path, {**VERSIONS, ARF.package: "1.1"}, 60.0).get(ARF, stream) is None
    assert kept.get(RIVER_PA, stream) is None
    assert kept.get(ARF, replace(stream, seed=1)) is None
    assert kept.get(ARF, replace(stream, y=-stream.y)) is None


def test_a_run_cut_short_counts_only_under_its_limit(tmp_path: Path) -> None:
    stream, outcome = drawn(), Outcome(200, 30, 61.0)
    Kept(tmp_path, VERSIONS, 60.0).put(ARF, stream, outcome)
    assert Kept(tmp_path, VERSIONS, 60.0).get(ARF, stream) == outcome
    assert Kept(tmp_path, VERSIONS, 90.0).get(ARF, stream) is None


# ours and a peer --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("stream", [drawn(), words()], ids=["dense", "sparse"])
def test_ours_makes_the_label_errors_of_the_learner(stream: Stream) -> None:
    for make in ours.learners({}).values():
        learner = make(stream.sparse)
        learner.learn_many(stream.X, stream.y)
        played = ours.run(make, stream)
        assert played.outcome.mistakes == played.wrong.sum() == learner.label_errors
        assert played.outcome.rows == stream.rows


def test_one_at_a_time_must_be_what_one_call_is() -> None:
    made = iter([dl.PA1(), dl.PA1(), dl.PA1(), dl.Perceptron(), dl.PA1(), dl.PA1()])
    with pytest.raises(RuntimeError, match="must equal those of one call, got"):
        ours.run(lambda sparse: next(made), drawn())


class Parrots:
    """A peer whose learners are parrots and whose examples are the sums of rows."""

    def learner(self, model: str, seed: int, sparse: bool) -> Parrot:
        return Parrot()

    def examples(self, stream: Stream) -> list[float]:
        return [float(total) for total in stream.X.sum(axis=1)]


def test_a_peer_starts_anew_on_every_stream(tmp_path: Path) -> None:
    labels = [np.array([1.0, 1.0, -1.0]), np.array([-1.0, -1.0, -1.0])]
    files = [Stream("s", seed, np.zeros((3, 2)), y).save(tmp_path) for seed, y in enumerate(labels)]
    assert [(one.rows, one.mistakes) for one in worker.outcomes(Parrots(), "", math.inf, files)] == [(3, 2), (3, 0)]


def test_all_draws_share_the_time_of_a_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed: list[float] = []

    def slow(step: Any, examples: Any, positive: Any, limit: float) -> Outcome:
        allowed.append(limit)
        return Outcome(len(positive), 0, 4.0)

    monkeypatch.setattr(worker, "play", slow)
    files = [Stream("s", seed, np.zeros((3, 2)), np.ones(3)).save(tmp_path) for seed in range(3)]
    assert [one.seconds for one in worker.outcomes(Parrots(), "", 10.0, files)] == [4.0] * 3
    assert allowed == [10.0, 6.0, 2.0]


def test_without_time_nothing_is_played() -> None:
    assert play(Parrot(), range(5), [True] * 5, limit=-1.0) == Outcome(0, 0, 0.0)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for an interpreter is a shell script")
def test_outcomes_are_kept_as_they_come_and_a_failure_is_told(tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text(
        """#!/bin/sh
        echo '{"rows": 60, "mistakes": 6, "seconds": 0.5}'
        if [ $4 = bad ]; then echo 'first word' >&2; echo 'last word' >&2; exit 3; fi
        echo '{"rows": 50, "mistakes": 5, "seconds": 0.5}'
        """
    )
    script.chmod(0o755)
    draws = [drawn(60), drawn(60, seed=1)]
    came: list[tuple[str, int, int]] = []

    def put(rival: Rival, stream: Stream, outcome: Outcome) -> None:
        came.append((rival.model, stream.seed, outcome.rows))

    pool = Pool(script, tmp_path / "streams", put, lambda message: None)
    good, bad = (Rival(f"a {model} one", "scikit-learn", model, slow=True) for model in ("good", "bad"))
    failed = pool.run([Job(good, draws, 60.0), Job(bad, draws, 60.0)])
    assert sorted(came) == [("bad", 0, 60), ("good", 0, 60), ("good", 1, 50)]
    assert failed == {"a bad one on small": "ended with code 3 after 1 of 2 runs: last word"}


# the command ------------------------------------------------------------------------------------------------
def test_the_command_draws_streams_where_there_are_no_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    monkeypatch.setattr(command, "CACHE", tmp_path)
    monkeypatch.setattr(streams, "DRAWN_ROWS", 200)
    monkeypatch.setattr(streams, "PLANE_ROWS", 200)
    monkeypatch.setattr(streams, "DRAWN_PHASE", 10)
    monkeypatch.setattr(command, "_regressors", lambda options: 0)  # they have tests of their own
    told = tmp_path / "told.json"
    assert command.main(["--no-peers", "--json", str(told)]) == 0
    printed = capsys.readouterr().out
    assert "Set DRIFTLINE_DATA" in printed and "left out: peers: not asked for" in printed
    report = json.loads(told.read_text())
    assert [stream["name"] for stream in report["streams"]] == [
        "drawn-sea",
        "drawn-hyperplane",
        "digits",
        "plane-15",
        "plane-1",
    ]
    assert [stream["draws"] for stream in report["streams"]] == [1, 1, 3, 1, 1]
    names = [result["learner"] for result in report["streams"][0]["results"]]
    assert "driftline PA1" in names and all(f"  {name} " in printed for name in names)


@pytest.mark.parametrize(
    ("arguments", "data", "says"),
    [
        (["--limit", "0"], "", "--limit must be > 0, got 0.0"),
        (["--json", "nowhere/x.json"], "", "--json must be a file in an existing folder, got nowhere/x.json"),
        (["--only", "moon"], "", "--only must be part of one of these names, got 'moon': drawn-sea; "),
        ([], "nowhere", "DRIFTLINE_DATA must be a folder, got 'nowhere'"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_one_line(
    arguments: list[str], data: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DRIFTLINE_DATA", data)
    with pytest.raises(SystemExit) as stopped:
        command.main(arguments)
    assert stopped.value.code == 2 and says in capsys.readouterr().err


def test_a_folder_without_any_stream_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DRIFTLINE_DATA", str(tmp_path))
    with pytest.raises(SystemExit):
        command.main([])
    assert f"DRIFTLINE_DATA must be a folder of streams, got '{tmp_path}'" in capsys.readouterr().err


def test_a_run_that_is_taken_up_again_has_the_time_that_was_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    draws = [drawn(seed=seed) for seed in range(3)]
    kept = Kept(tmp_path, VERSIONS, 60.0)
    kept.put(ARF, draws[1], Outcome(300, 30, 20.0))
    asked: list[Job] = []

    def run(pool: Pool, jobs: list[Job]) -> dict[str, str]:
        asked.extend(job for job in jobs if job.rival is ARF)
        return {}

    monkeypatch.setattr(Pool, "run", run)
    monkeypatch.setattr(command.environment, "ensure", lambda folder: (tmp_path, {}))
    for fresh in (False, True):
        command._play([draws], kept, argparse.Namespace(fresh=fresh, limit=60.0), {})
    assert [([stream.seed for stream in job.streams], job.limit) for job in asked] == [
        ([0, 2], 40.0),
        ([0, 1, 2], 60.0),
    ]


def test_the_table_marks_what_was_cut_short() -> None:
    results = [tracker([1] * 5 + [0] * 95), peer(ARF, 50, 4, 1.0)]
    stream: dict[str, Any] = {"name": "elec2", "rows": 100, "features": 8, "sparse": False, "draws": 1}
    report = {
        "machine": {"cpu": "c", "cores": 2, "system": "s", "python": "p"},
        "versions": {"river": "1"},
        "limit": 300.0,
        "streams": [{**stream, "results": [result.told() for result in results]}],
        "verdicts": [verdict.told() for verdict in targets.judge("elec2", results, "T")],
        "absent": {"x": "why"},
    }
    lines = [" ".join(line.split()) for line in table.render(report).splitlines()]
    assert "T 0.0500" in lines and f"{ARF.name} 0.0800*" in lines
    assert f"{ARF.name} on elec2: 50 of 100" in lines
    assert f"elec2 time of {ARF.name} >= 100x 4000.0x (2000.0x one at a time) met" in lines
    assert "left out: x: why" in lines


def test_every_rival_has_a_module_and_a_pin() -> None:
    assert {rival.package for rival in RIVALS} == set(MODULES) == set(command._pins())
    assert len({rival.name for rival in RIVALS}) == len(RIVALS)
