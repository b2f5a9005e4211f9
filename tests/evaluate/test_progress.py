"""The progress bar: rate and time left on a terminal, cleared at the end, nothing elsewhere."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import sys
import termios
from collections.abc import Iterator

import numba
import pytest

import driftline as dl
from driftline.evaluate import progress
from driftline.evaluate.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands at clock[0]."""
    now = [0.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    return now


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a terminal nobody knows, this is the width."""
    monkeypatch.setenv("COLUMNS", "80")


def test_a_bar_with_rate_and_time_left(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    line = Progress(1000, show=True, what="PA1: ")
    clock[0] = 0.1
    line.update(10)
    assert capsys.readouterr().err == ""  # too soon
    clock[0] = 2.0
    line.update(500)
    bar = "#" * 15 + "." * 15
    assert capsys.readouterr().err == f"\rPA1: 500 examples, 250/s [{bar}] 50 %, 2 s left"
    line.close()
    wiped = capsys.readouterr().err
    assert wiped.startswith("\r ") and wiped.endswith("\r")


def test_without_a_total_there_is_no_bar(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    line = Progress(None, show=True)
    clock[0] = 1.0
    line.update(500)
    assert capsys.readouterr().err == "\r500 examples, 500/s"


def test_a_line_fits_a_narrow_terminal(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that wraps cannot be rewritten; nor can blanks that wrap, where the terminal has become narrower."""
    monkeypatch.setenv("COLUMNS", "60")
    line = Progress(1000, show=True, what="PA1: ")
    clock[0] = 2.0
    line.update(500)
    assert capsys.readouterr().err == "\r" + f"PA1: 500 examples, 250/s [{'#' * 15}{'.' * 15}] 50 %"[:59]
    monkeypatch.setenv("COLUMNS", "40")
    clock[0] = 4.0
    line.update(1000)
    assert capsys.readouterr().err == "\r" + f"PA1: 1,000 examples, 250/s [{'#' * 30}"[:39]
    line.close()
    assert capsys.readouterr().err == "\r" + " " * 39 + "\r"


def test_the_width_is_that_of_the_terminal_that_errors_go_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which output that goes into a file says nothing of."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 33, 0, 0))
    monkeypatch.setenv("COLUMNS", "90")
    with os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert progress.columns() == 33
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert progress.columns() == 90
    os.close(leader)


def test_nothing_in_a_pipe(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    line = Progress(1000)
    clock[0] = 9.0
    line.update(500)
    line.close()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("shown", [True, None])
def test_what_is_compiled_is_said_where_progress_is_shown(
    shown: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once, and not where it is compiled already."""
    made = numba.njit(lambda x: x + 1.0)

    def stream() -> Iterator[tuple[dict[str, float], int]]:
        for k in range(4):
            yield {"a": made(k * 0.5)}, k % 2

    learner = dl.PA1()
    learner.learn_many([{"a": 1.0}], [1])  # whatever this takes is compiled
    for calls in (int(shown is True), 0):
        dl.run(learner, stream(), progress=shown)
        assert capsys.readouterr().err.count(progress.COMPILING) == calls
