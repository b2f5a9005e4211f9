"""A sweep on Ray is the sweep of one process, bit for bit."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline import scale
from driftline.evaluate.sweep_result import Sweep
from driftline.saved import ModelError

pytestmark = pytest.mark.usefixtures("two_workers")


def assert_same(one: Sweep, other: Sweep) -> None:
    assert type(one) is type(other)
    assert [setting.name for setting in one.settings] == [setting.name for setting in other.settings]
    for ours, theirs in zip(one.settings, other.settings, strict=True):
        (counts, arrays), (expected, curves) = ours.ledger.state(), theirs.ledger.state()
        assert counts | {"seconds": 0} == expected | {"seconds": 0}
        np.testing.assert_array_equal(arrays["curve"], curves["curve"])
        assert ours.parameters == theirs.parameters
        assert ours.run.learner.to_bytes() == theirs.run.learner.to_bytes()


def two_hundred() -> list[dl.Learner]:
    return dl.grid("norma", alpha=np.logspace(-2, 0, 50).tolist(), lam=[0.0, 1e-4, 1e-3, 1e-2])


def test_two_hundred_settings() -> None:
    stream = dl.streams.RotatingHyperplane(2000, 5, seed=1)
    assert_same(scale.sweep(two_hundred(), stream), dl.sweep(two_hundred(), stream))


def test_learners_of_several_kinds_by_name() -> None:
    learners = {"a": dl.PA1(), "b": dl.PA1(C=0.1), "tracker": dl.Tracker(), "arow": dl.AROW(scale="standard")}
    stream = [({"x": float(k % 7), "colour": "red" if k % 3 else "blue"}, "ab"[k % 2]) for k in range(300)]
    assert_same(scale.sweep(learners, stream, rows=64), dl.sweep(learners, stream, rows=64))


def test_regressors() -> None:
    rng = np.random.default_rng(0)
    stream = (X := rng.normal(size=(500, 3))), X @ np.array([1.0, -2.0, 0.5])
    learners = dl.grid("pa1regressor", C=[0.1, 1.0]) + dl.grid("arowregressor")
    assert_same(scale.sweep(learners, stream), dl.sweep(learners, stream))


def rows_with_a_huge_number(folder: Path) -> Path:
    path = folder / "rows.csv"
    rows = [f"{k % 5}.5,{k % 3},{'yes' if k % 2 else 'no'}" for k in range(200)]
    rows[150] = "1e200,1,yes"
    path.write_text("a,b,label\n" + "\n".join(rows) + "\n")
    return path


def test_files_with_a_refused_row(tmp_path: Path) -> None:
    path = rows_with_a_huge_number(tmp_path)
    streams = [dl.streams.read(path, target="label", on_error="skip") for _ in range(2)]
    learners = [*dl.grid("pa1", C=[0.1, 1.0]), dl.AROW()]
    assert_same(scale.sweep(learners, streams[0]), dl.sweep(learners, streams[1]))
    assert streams[0].skipped == streams[1].skipped == 1
    assert streams[0].reasons == streams[1].reasons


def test_errors_are_those_of_one_process(tmp_path: Path) -> None:
    path = rows_with_a_huge_number(tmp_path)
    infinite: Any = [({"a": 1.0}, 1), ({"a": float("inf")}, 0)]
    for learners, stream in (
        (dl.grid("pa1", C=[0.1, 1.0]), lambda: dl.streams.read(path, target="label")),
        ([dl.PA1(), dl.Perceptron()], lambda: infinite),
        ([dl.PA1(), dl.PA1()], lambda: infinite),
        ([dl.PA1(), dl.PA1Regressor()], lambda: infinite),
        ([dl.PA1()], lambda: "rows.csv"),
    ):
        said = []
        for sweep in (scale.sweep, dl.sweep):
            with pytest.raises(ValueError) as caught:
                sweep(learners, stream())
            said.append((type(caught.value), str(caught.value)))
        assert said[0] == said[1]


def test_finished_settings_are_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = dl.streams.RotatingHyperplane(1000, 5, seed=1)
    expected = dl.sweep(two_hundred()[:40], stream)
    scale.sweep(two_hundred()[:20], stream, folder=tmp_path)
    assert_same(scale.sweep(two_hundred()[:40], stream, folder=tmp_path), expected)
    monkeypatch.setattr(sys.modules["driftline.scale.sweep"], "_run", None)  # nothing is left to run
    assert_same(scale.sweep(two_hundred()[:40], stream, folder=tmp_path), expected)
    with pytest.raises(ModelError, match="must be the folder of a sweep over the same stream"):
        scale.sweep(two_hundred()[:2], dl.streams.RotatingHyperplane(1000, 5, seed=2), folder=tmp_path)


def test_progress_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftline.evaluate.progress.EVERY", 0.0)  # however fast the sweep is
    stream = dl.streams.RotatingHyperplane(300, 5, seed=1)
    slow = [dl.Tracker(), *dl.grid("norma", alpha=[0.1, 1.0])]
    scale.sweep(slow, stream)
    assert capsys.readouterr().err == ""  # not a terminal
    scale.sweep(slow, stream, progress=True)
    assert "settings, " in capsys.readouterr().err


SLOW = """
import sys
import driftline as dl
from driftline import scale

if __name__ == "__main__":
    stream = dl.streams.RotatingHyperplane(1_500_000, 10, seed=1)
    try:
        scale.sweep([dl.PA1(), dl.OneVsRest("tracker"), dl.Tracker()], stream, folder=sys.argv[1])
    except dl.Interrupted as stop:
        print("interrupted with", [one.name for one in stop.result.settings])
"""


def test_ctrl_c_returns_the_finished_settings(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while child.poll() is None and not list(tmp_path.glob("*/checkpoint.dl")):
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert (child.returncode, out, err) == (0, "interrupted with [\"PA1(C=1.0, when='margin')\"]\n", "")
