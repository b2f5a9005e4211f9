"""driftline works in a container: sources and home cannot be written, and the user has no special rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.container import Container, container

A_RUN = """
import driftline as dl
payments = dl.streams.read(dl.datasets.payments(), target="fraud", time="when")
learner = dl.run(dl.AROW(scale="standard"), payments).learner
"""
WARNING = "driftline: a folder for compiled code must be writable, got none next to the sources"
UNWRITABLE = """
import os, tempfile
from pathlib import Path
import driftline
for folder in (Path(driftline.__file__).parent, Path.home()):
    try:
        (folder / "new").mkdir()
    except PermissionError:
        print("refused")
"""
EVERY_IMPORT = """
import pkgutil, importlib, driftline
for package in ("engines", "rules", "learners", "encode", "streams"):
    for module in pkgutil.walk_packages([f"{driftline.__path__[0]}/{package}"], f"driftline.{package}."):
        importlib.import_module(module.name)
"""


@pytest.fixture(scope="module")
def read_only() -> Iterator[Container]:
    with container() as made:
        yield made


def test_the_folders_really_cannot_be_written(read_only: Container) -> None:
    assert read_only.printed(UNWRITABLE).split() == ["refused", "refused"]


def test_no_module_warns_at_import(read_only: Container) -> None:
    assert read_only.printed(EVERY_IMPORT) == ""


def test_a_run_works_and_warns_once(read_only: Container) -> None:
    first = read_only.run("-c", A_RUN + "print(learner.n_seen)")
    assert (first.returncode, first.stdout) == (0, "10000\n"), first.stderr
    assert first.stderr.count(WARNING) == 1 and first.stderr.count("Warning") == 1, first.stderr
    assert "Set NUMBA_CACHE_DIR to a folder" in first.stderr
    folders = list((read_only.root / "tmp").iterdir())
    assert len(folders) == 1 and folders[0].stat().st_mode & 0o777 == 0o700
    # the second process finds the compiled code and has nothing to say
    assert read_only.printed(A_RUN + "print(learner.n_seen)") == "10000\n"


def test_the_command_line_runs_and_warns_once(read_only: Container) -> None:
    work = read_only.root / "work"
    (work / "mails.svm").write_text("".join(f"{1 if i % 3 else -1} {1 + i % 5}:1 {7 + i % 3}:0.5\n" for i in range(60)))
    done = read_only.run("-m", "driftline.cli", "run", "mails.svm", "--learner", "pa1", "--save", "model.dl")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(WARNING) == 1 and done.stderr.count("Warning") == 1, done.stderr
    assert (work / "model.dl").exists()
    (work / "model.dl").unlink()


def test_a_chosen_folder_is_used_without_a_warning(read_only: Container) -> None:
    chosen = str(read_only.root / "work" / "cache")
    code = "import driftline as dl; print(dl.Perceptron().learn_one({'a': 1}, True))"
    assert read_only.printed(code, NUMBA_CACHE_DIR=chosen) == "0.0\n"
    assert list(Path(chosen).rglob("*.nbc"))


def test_warnings_as_errors_do_not_break_the_calls(read_only: Container) -> None:
    code = "import driftline as dl; print(dl.ROMMA(bias=False).learn_one({'a': 1}, True))"
    other = read_only.root / "work" / "tmp"  # a cold cache
    read_only.run("-c", f"import os; os.mkdir({str(other)!r})")
    done = read_only.run("-W", "error", "-c", code, TMPDIR=str(other))
    assert (done.returncode, done.stdout) == (0, "0.0\n"), done.stderr
    assert done.stderr.startswith(WARNING) and done.stderr.count("\n") == 1
