"""``driftline warm`` runs the tasks of the learners that are named, in processes, and says what it compiled."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import driftline as dl
from driftline.cli.main import main
from driftline.warm_up import parallel
from driftline.warm_up.parallel import chosen
from driftline.warm_up.tasks import Task, tasks


def test_each_learner_has_tasks_and_only_its_own_are_chosen() -> None:
    assert {task.learner for task in tasks()} == {*dl.REGISTRY, ""}
    assert {task.learner for task in chosen(["pa1", "tracker"])} == {"pa1", "tracker"}
    assert len(chosen([])) == len(tasks())


def test_every_task_of_the_learners_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[str] = []
    named = [Task(name, partial(run.append, name), name[0]) for name in ("a1", "b1", "a2", "a3")]
    monkeypatch.setattr(parallel, "tasks", lambda: named)
    # threads see the list above
    monkeypatch.setattr(parallel, "ProcessPoolExecutor", lambda processes, *_: ThreadPoolExecutor(processes))
    told: list[tuple[int, int, str]] = []
    assert parallel.warm(["a"], 2, lambda *one: told.append(one)) == (3, 0)
    assert sorted(run) == ["a1", "a2", "a3"] == sorted(name for _, _, name in told)
    assert [one[:2] for one in told] == [(1, 3), (2, 3), (3, 3)]


def test_the_command_prints_one_line_and_no_bar_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[list[str]] = []

    def warm(names: list[str], processes: int, tell: Callable[[int, int, str], None]) -> tuple[int, int]:
        asked.append(names)
        tell(1, 2, "calls of pa1()")
        return 2, 7

    monkeypatch.setattr(parallel, "warm", warm)
    assert main(["warm", "PA1", "tracker"]) == 0
    assert capsys.readouterr() == ("2 tasks done, 7 functions compiled\n", "")
    assert asked == [["pa1", "tracker"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["warm", "pa7"], "a learner must be one of"),
        (["warm", "pa1", "--processes", "0"], "--processes must be >= 1, got 0"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
