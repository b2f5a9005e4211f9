"""``driftline warm`` runs the tasks of the learners that are named, in processes, and says what it compiled."""

from __future__ import annotations

import pytest

import driftline as dl
from driftline.internals.compiled import INTERPRETED
from driftline.warm_up.parallel import chosen
from driftline.warm_up.tasks import tasks
from tests.support.processes import printed, python

MAIN = """
import sys
from driftline.cli.main import main
raise SystemExit(main({arguments!r}))
"""


def test_each_learner_has_tasks_and_only_its_own_are_chosen() -> None:
    assert {task.learner for task in tasks()} == {*dl.REGISTRY, ""}
    assert {task.learner for task in chosen(["pa1", "tracker"])} == {"pa1", "tracker"}
    assert len(chosen([])) == len(tasks())


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_second_call_compiles_nothing() -> None:
    code = MAIN.format(arguments=["warm", "Halving", "--processes", "1"])
    printed(code)
    done = python("-c", code)
    assert done.stdout == f"{len(chosen(['halving']))} tasks done, 0 functions compiled\n"
    assert done.stderr == ""  # no bar in a pipe


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["warm", "pa7"], "a learner must be one of"),
        (["warm", "pa1", "--processes", "0"], "--processes must be >= 1, got 0"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str) -> None:
    done = python("-c", MAIN.format(arguments=arguments))
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
