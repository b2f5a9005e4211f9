"""Compiled code is cached on disk under its signature and source, and never mixed up."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftline
from driftline.internals import compiled
from driftline.internals.compiled import STAMPED
from tests.support.compiled_source import SOURCE, imported

__all__ = ["imported"]


def between_index_and_code(function: Any, happens: Callable[[], None]) -> None:
    """Let something happen when this function's entry in the index is written and its code is not."""
    file = function._cache._cache_file
    write = file._save_data

    def later(name: str, data: Any) -> None:
        happens()
        write(name, data)

    file._save_data = later


def test_two_processes_that_save_at_once_do_not_take_each_others_code(imported: Callable[[str], Any]) -> None:
    one, other = imported(SOURCE), imported(SOURCE)
    index = Path(one._cache._cache_file._index_path)

    def overwrites() -> None:
        index.unlink()  # the other one saw no entry yet
        assert other(np.ones(3, np.float32)) == 3.0

    between_index_and_code(one, overwrites)
    assert one(np.ones(3)) == 3.0
    for _ in range(2):
        found = imported(SOURCE)
        assert (found(np.ones(3, np.float32)), found(np.ones(3))) == (3.0, 3.0)
    # what was lost is there again
    assert sum(found.stats.cache_hits.values()) == 2


def test_old_code_is_not_taken_for_new(imported: Callable[[str], Any]) -> None:
    changed = SOURCE.replace("0.0", "10.0")
    assert imported(SOURCE)(np.ones(3)) == 3.0
    saves, reads = imported(changed), imported(changed)
    answers = []
    between_index_and_code(saves, lambda: answers.append(reads(np.ones(3))))
    assert [saves(np.ones(3)), *answers] == [13.0, 13.0]


HOME = Path(driftline.__file__).parent
ROOMS = sorted({path.parent.relative_to(HOME) for room in STAMPED for path in (HOME / room).rglob("*.py")})


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's sources, of which stamps are taken."""
    home = tmp_path / "driftline"
    shutil.copytree(HOME, home, ignore=shutil.ignore_patterns("__pycache__", "reproduce"))
    monkeypatch.setattr(compiled, "HOME", home)
    return home


def stamps(home: Path) -> dict[str, str]:
    """The stamp of a function of each package folder, taken anew as another process would."""
    compiled._source_stamp.cache_clear()
    compiled.stamp_of.cache_clear()
    return {room: compiled.stamp_of(str(home / room / "deep" / "down.py")) for room in STAMPED}


@pytest.mark.parametrize("folder", ROOMS, ids=str)
def test_a_changed_source_changes_the_stamp_of_all_that_may_be_compiled_with_it(copied: Path, folder: Path) -> None:
    before = stamps(copied)
    changed = next(path for path in sorted((copied / folder).glob("*.py")))
    changed.write_text(changed.read_text() + "\n# changed\n")
    after = stamps(copied)
    room = folder.parts[0]
    for other, below in STAMPED.items():
        assert (after[other] != before[other]) == (room in below), other


def test_a_renamed_source_changes_the_stamp(copied: Path) -> None:
    before = stamps(copied)["engines"]
    file = copied / "engines" / "linear" / "pnorm.py"
    file.rename(file.with_name("zz.py"))
    assert stamps(copied)["engines"] != before


@pytest.mark.parametrize("room", STAMPED)
def test_stamps_cover_every_folder_that_compiled_code_imports(room: str) -> None:
    imported = set()
    for path in (HOME / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("driftline"):
                names = [f"{node.module}.{name.name}" for name in node.names]
                imported |= {name.split(".")[1] for name in names if len(name.split(".")) > 1}
    holding = {folder for folder in imported if folder in STAMPED}
    assert holding <= set(STAMPED[room])


def test_compiled_functions_live_in_stamped_folders_only() -> None:
    for path in HOME.rglob("*.py"):
        kinds = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
        names = {name.name for node in kinds if node.module == "driftline.internals.compiled" for name in node.names}
        if names & {"jit", "leaf", "fused", "inlined", "brief"}:
            assert path.relative_to(HOME).parts[0] in STAMPED, path
