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

import driftline as dl
from tests.benchmarks.error_cases import classes, drawn, peer, tracker, words
from tests.support.paths import ROOT

BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:
    sys.path.insert(0, BENCHMARKS)
from error import __main__ as command  # noqa: E402
from error import baselines, ours, table, targets, worker  # noqa: E402
from error.kept import Kept  # noqa: E402
from error.play import GLANCE, Guess, Outcome, play  # noqa: E402
from error.pool import Job, Pool  # noqa: E402
from error.results import Result  # noqa: E402
from error.rivals import ARF, MODULES, RIVALS, RIVER_PA, Rival  # noqa: E402
from error.stored import Stream  # noqa: E402
from error.streams import catalogue, digits, generated  # noqa: E402

VERSIONS = dict.fromkeys(MODULES, "1.0")


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
    assert outcome.wrong.tolist() == [True, False, True, False, True, True]


def test_classes_are_guessed_by_number_and_have_no_measures() -> None:
    guesses = iter([None, 5, 2, 5])
    outcome = play(lambda x, label: Guess(next(guesses)), range(4), [5, 5, 5, 2])
    assert outcome.wrong.tolist() == [True, False, True, True]
    assert outcome.mistakes == 3 and outcome.auc is None


def test_a_learner_out_of_time_is_stopped() -> None:
    ticks = iter(range(100))
    outcome = play(Parrot(), range(1000), [True] * 1000, limit=3.0, clock=lambda: float(next(ticks)))
    assert outcome == Outcome.of(np.arange(3 * GLANCE) < 1, 3.0)


def test_a_learner_in_time_sees_all() -> None:
    ticks = iter(range(100))
    outcome = play(Parrot(), range(GLANCE + 1), [True] * (GLANCE + 1), limit=3.0, clock=lambda: float(next(ticks)))
    assert outcome == Outcome.of(np.arange(GLANCE + 1) < 1, 2.0)


# the numbers ------------------------------------------------------------------------------------------------
def test_errors_and_times_are_over_all_draws() -> None:
    result = Result("a", "s", 200, [Outcome(100, 10, 0.2), Outcome(100, 20, 0.4)])
    assert result.error == pytest.approx(0.15)
    assert result.microseconds == pytest.approx(3000.0)
    assert result.standard_error == pytest.approx(0.05)
    assert result.microseconds_in_one_call is None
    assert not result.cut and not result.ours


def test_a_run_cut_short_is_known_as_such() -> None:
    result = Result("a", "s", 200, [Outcome(100, 10, 0.2), Outcome(50, 20, 0.4)])
    assert result.cut and result.error == pytest.approx(0.2) and result.microseconds == pytest.approx(4000.0)
    assert result.standard_error is None


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
@pytest.mark.parametrize("stream", [drawn(), words(), classes()], ids=["dense", "sparse", "classes"])
def test_ours_makes_the_label_errors_of_the_learner(stream: Stream) -> None:
    for name, make in ours.learners().items():
        learner = make(stream)
        wrong = learner.learn_block(stream.X, stream.y).wrong
        played = ours.run(make, stream)
        assert played.outcome.mistakes == learner.label_errors and (played.outcome.wrong == wrong).all()
        assert played.outcome.rows == stream.rows
        assert (played.said is None) == stream.several
        alone = stream.several and name != ours.TRACKER  # experts of one label against the others
        assert (played.best_expert is None) == (alone or "Tracker" not in name)


def test_the_best_expert_has_the_fewest_mistakes() -> None:
    stream, learner = drawn(), dl.Tracker()
    learner.learn_many(stream.X, stream.y)
    assert ours.best_expert(learner) == min(one.mistakes for one in learner.experts())


def test_the_light_bank_is_taken_if_the_tracker_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dl.Tracker(bank=ours.light_bank()).parameters["bank"] in ("light", "extended")
    monkeypatch.setattr(dl, "Tracker", lambda bank: None)
    assert ours.light_bank() == "light"


def test_the_run_that_compiles_has_every_class() -> None:
    y = np.repeat([2, 5, 9], [200, 50, 1])
    few = ours._few(Stream("s", 0, np.zeros((251, 2)), y))
    assert few.classes == [2, 5, 9] and few.rows == ours.WARM + 2


def test_one_at_a_time_must_be_what_one_call_is() -> None:
    made = iter([dl.PA1(), dl.PA1(), dl.PA1(), dl.PA1(), dl.Perceptron(), dl.PA1()])
    with pytest.raises(RuntimeError, match="must equal those of one call, got"):
        ours.run(lambda stream: next(made), drawn())


def test_baselines_see_only_labels() -> None:
    stream = Stream("s", 0, np.zeros((6, 1)), np.array([7, 7, 3, 3, 3, 7]))
    found = baselines.outcomes(stream)
    assert found[baselines.NO_CHANGE].wrong.tolist() == [True, False, True, False, False, True]
    assert found[baselines.MAJORITY].wrong.tolist() == [True, False, True, True, True, True]


class Parrots:
    """A peer whose learners are parrots and whose examples are the sums of rows."""

    def learner(self, model: str, stream: Stream) -> Parrot:
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
    assert [one.seconds for one in worker.outcomes(Parrots(), "", 7.0, files)] == [4.0, 4.0, 0.0]
    assert allowed == [7.0, 3.0]


def test_without_time_nothing_is_played() -> None:
    assert play(Parrot(), range(5), [True] * 5, limit=-1.0) == Outcome.of(np.zeros(0, bool), 0.0)


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
    monkeypatch.setattr(generated, "DRAWN_ROWS", 200)
    monkeypatch.setattr(generated, "PLANE_ROWS", 200)
    monkeypatch.setattr(generated, "CURVED_ROWS", 200)
    monkeypatch.setattr(digits, "SMALL_PHASE", 10)
    monkeypatch.setattr(catalogue, "ALWAYS", {name: catalogue.ALWAYS[name] for name in ("led", "plane-1")})
    monkeypatch.setattr(command, "_regressors", lambda options: 0)  # they have tests of their own
    some = {name: make for name, make in ours.learners().items() if name in (ours.TRACKER, "driftline PA1")}
    monkeypatch.setattr(ours, "learners", lambda: some)
    told = tmp_path / "told.json"
    assert command.main(["--no-peers", "--json", str(told)]) == 0
    printed = capsys.readouterr().out
    assert "Set DRIFTLINE_DATA" in printed and "left out: peers: not asked for" in printed
    report = json.loads(told.read_text())
    assert [stream["name"] for stream in report["streams"]] == [
        "drawn-sea",
        "drawn-hyperplane",
        "digits",
        "led",
        "plane-1",
    ]
    assert [stream["draws"] for stream in report["streams"]] == [1, 1, 3, 1, 1]
    assert [stream["classes"] for stream in report["streams"]] == [2, 2, 2, 10, 2]
    names = [result["learner"] for result in report["streams"][0]["results"]]
    assert "driftline PA1" in names and all(f"  {name} " in printed for name in names)


@pytest.mark.parametrize(
    ("arguments", "data", "says"),
    [
        (["--limit", "0"], "", "--limit must be > 0, got 0.0"),
        (["--processes", "0"], "", "--processes must be >= 1, got 0"),
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


def test_the_control_shuffles_every_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "read", lambda folder, names, absent: [[drawn(), drawn(seed=1)], [classes()]])
    options = argparse.Namespace(data=None, only="", shuffled=False, refuse=None)
    plain = [stream for draws in command._scenes(options, {}) for stream in draws]
    options.shuffled = True
    mixed = [stream for draws in command._scenes(options, {}) for stream in draws]
    for before, after in zip(plain, mixed, strict=True):
        assert after.digest == catalogue.shuffled(before).digest != before.digest


def test_a_folder_without_any_stream_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DRIFTLINE_DATA", str(tmp_path))
    with pytest.raises(SystemExit):
        command.main([])
    assert f"DRIFTLINE_DATA must be a folder of streams, got '{tmp_path}'" in capsys.readouterr().err


def test_a_run_that_is_taken_up_again_has_the_time_that_was_left(tmp_path: Path) -> None:
    draws = [drawn(seed=seed) for seed in range(3)]
    kept = Kept(tmp_path, VERSIONS, 60.0)
    kept.put(ARF, draws[1], Outcome(300, 30, 20.0))
    for fresh, due in ((False, ([0, 2], 40.0)), (True, ([0, 1, 2], 60.0))):
        jobs = command._jobs([draws], kept, argparse.Namespace(fresh=fresh, limit=60.0, peer=RIVALS))
        [job] = [job for job in jobs if job.rival is ARF]
        assert ([stream.seed for stream in job.streams], job.limit) == due


def test_peers_run_on_streams_that_suit_them(tmp_path: Path) -> None:
    kept, options = Kept(tmp_path, VERSIONS, 60.0), argparse.Namespace(fresh=False, limit=60.0, peer=RIVALS)
    dense, sparse = ({job.rival.model for job in command._jobs([[s]], kept, options)} for s in (drawn(), words()))
    assert dense - sparse == {"GaussianNB", "KNNClassifier", "KNNClassifier-500"}
    assert sparse - dense == {"MultinomialNB", "BernoulliNB"}


def test_kept_results_are_compared_and_missing_ones_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("DRIFTLINE_DATA", raising=False)
    monkeypatch.setattr(command, "CACHE", tmp_path)
    monkeypatch.setattr(catalogue, "read", lambda folder, names, absent: [[drawn()]])
    monkeypatch.setattr(ours, "learners", lambda: {ours.TRACKER: lambda stream: dl.PA1()})
    kept = Kept(tmp_path / "error", command._pins(), 60.0)
    kept.put(RIVER_PA, drawn(), Outcome.of(np.arange(300) < 290, 1.0))
    assert command.main(["--kept", "--limit", "60", "--only", "drawn-sea", "--json", str(tmp_path / "x.json")]) == 0
    printed = capsys.readouterr().out
    assert f"left out: {ARF.name} on small: not cached (--kept)" in printed
    assert f"{RIVER_PA.name} on small" not in printed and "0.9667" in printed


def test_the_table_marks_what_was_cut_short() -> None:
    results = [tracker([1] * 5 + [0] * 95), peer(ARF, 50, 4, 1.0)]
    scene = Stream("elec2", 0, np.zeros((100, 8)), np.ones(100))
    stream: dict[str, Any] = {"name": "elec2", "rows": 100, "features": 8, "sparse": False, "draws": 1, "classes": 2}
    report = {
        "machine": {"cpu": "c", "cores": 2, "system": "s", "python": "p"},
        "versions": {"river": "1"},
        "limit": 300.0,
        "shuffled": 50,
        "streams": [{**stream, "results": [result.told() for result in results]}],
        "verdicts": [verdict.told() for verdict in targets.judge(scene, results, "T", "L", "A")],
        "absent": {"x": "why"},
    }
    lines = [" ".join(line.split()) for line in table.render(report).splitlines()]
    assert "T 0.0500" in lines and f"{ARF.name} 0.0800*" in lines
    assert f"{ARF.name} on elec2: 50 of 100" in lines
    assert f"elec2 time of {ARF.name} >= 40x 4000.0x (2000.0x one at a time) met" in lines
    assert any(line.startswith("elec2 error below every peer's 0.1000 against 0.0800") for line in lines)
    assert sum(line.endswith(" close") for line in lines) == 1
    assert "The rows of each stream are shuffled within blocks of 50." in lines
    assert "left out: x: why" in lines


def test_every_rival_has_a_module_and_a_pin() -> None:
    assert {rival.package for rival in RIVALS} == set(MODULES) == set(command._pins())
    assert len({rival.name for rival in RIVALS}) == len(RIVALS)
