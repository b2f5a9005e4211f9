"""Ctrl-C ends a run between two blocks; its result so far is consistent and can be reached."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline as dl
from driftline.evaluate import Comparison, Run, Sweep
from driftline.internals.interrupt_gate import InterruptGate
from driftline.learners import LearnedBlock

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(100, 3)), RNG.integers(0, 2, 100)


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    """The handler of a terminal: whoever runs the tests may ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def blocks(until: int, size: int = 10) -> Iterator[Any]:
    """Blocks of the examples, and Ctrl-C after the first ``until`` examples."""
    for start in range(0, len(Y), size):
        if start == until:
            raise KeyboardInterrupt
        yield X[start : start + size], Y[start : start + size]


def test_the_run_so_far() -> None:
    with pytest.raises(dl.Interrupted, match="interrupted after 40 examples") as caught:
        dl.run(dl.PA1(), blocks(40))
    assert isinstance(caught.value, KeyboardInterrupt)
    found, whole = caught.value.result, dl.run(dl.PA1(), (X[:40], Y[:40]))
    assert isinstance(found, Run)
    assert (found.examples, found.mistakes, found.hinge) == (40, whole.mistakes, whole.hinge)
    assert found.learner.weights() == whole.learner.weights()


def test_before_the_first_example() -> None:
    with pytest.raises(dl.Interrupted) as caught:
        dl.run(dl.PA1(), blocks(0))
    assert caught.value.examples == caught.value.result.examples == 0


def test_a_comparison_and_a_sweep() -> None:
    with pytest.raises(dl.Interrupted) as caught:
        dl.compare([dl.PA1(), dl.Tracker()], blocks(30))
    assert isinstance(caught.value.result, Comparison)
    assert [run.examples for run in caught.value.result.runs] == [30, 30]
    with pytest.raises(dl.Interrupted) as caught:
        dl.sweep(dl.grid("pa1", C=[0.1, 1.0]), blocks(50))
    assert isinstance(caught.value.result, Sweep) and caught.value.result.examples == 50


class Pressed(dl.PA1):
    """A learner during whose third block Ctrl-C is pressed ``times`` times."""

    times = 1

    def learn_block(self, *arguments: Any, **options: Any) -> LearnedBlock:
        if self.n_seen == 20:
            for _ in range(self.times):
                signal.raise_signal(signal.SIGINT)
        return super().learn_block(*arguments, **options)


def test_the_block_that_is_being_learned_is_completed_for_all_learners() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(dl.Interrupted) as caught:
        dl.compare([Pressed(), dl.PA()], (X, Y), rows=10)
    assert [run.examples for run in caught.value.result.runs] == [30, 30]  # type: ignore[union-attr]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interrupt_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pressed, "times", 2)
    before, learner = signal.getsignal(signal.SIGINT), Pressed()
    with pytest.raises(KeyboardInterrupt) as caught:
        dl.run(learner, (X, Y), rows=10)
    assert not isinstance(caught.value, dl.Interrupted)
    assert learner.n_seen == 20 and signal.getsignal(signal.SIGINT) is before


def test_an_error_in_the_block_goes_first() -> None:
    bad = X.copy()
    bad[25, 0] = np.nan
    with pytest.raises(ValueError, match="nan"):
        dl.run(Pressed(), (bad, Y), rows=10)


def test_other_threads_and_ignored_signals_are_left_alone() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(dl.run(dl.PA1(), (X, Y)).examples))
    thread.start()
    thread.join()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        found.append(dl.run(Pressed(), (X, Y), rows=10).examples)
        with InterruptGate():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert found == [100, 100]


def test_the_checkpoint_is_saved_and_the_run_resumed(tmp_path: Path) -> None:
    checkpoint = dl.Checkpoint(tmp_path, 1000, resume=True)
    with pytest.raises(dl.Interrupted):
        dl.run(dl.PA1(), blocks(40), checkpoint=checkpoint)
    saved = (tmp_path / "checkpoint.dl").read_bytes()
    with pytest.raises(dl.Interrupted) as caught:  # before it reached the position of the checkpoint
        dl.run(dl.PA1(), blocks(20), checkpoint=checkpoint)
    assert caught.value.examples == 40
    assert (tmp_path / "checkpoint.dl").read_bytes() == saved
    run, whole = dl.run(dl.PA1(), (X, Y), checkpoint=checkpoint), dl.run(dl.PA1(), (X, Y))
    assert (run.mistakes, run.hinge, run.no_change_error) == (whole.mistakes, whole.hinge, whole.no_change_error)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.dl"]
