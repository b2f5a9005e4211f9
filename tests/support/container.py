"""Processes as in a container: read-only sources, an unwritable home, and no right to override that."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import driftline

NOBODY = 65534
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
# the first that can start Python is taken; root cannot be kept from writing by the mode of a file
USERS = ("nobody", "root without capabilities") if os.geteuid() == 0 else ("this user",)
DIRECTORY, FILE = 0o555, 0o444
LEFT_OUT = ("NUMBA_", "XDG_CACHE_HOME", "TMPDIR", "HOME", "PYTHON")


def _drop_capabilities() -> None:
    """Root then has only the rights that the mode of a file gives to its owner."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if ctypes.CDLL(None, use_errno=True).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def _rights(user: str) -> dict[str, Any]:
    if user == "nobody":
        return {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
    return {"preexec_fn": _drop_capabilities} if user.startswith("root") else {}


@dataclass(frozen=True)
class Container:
    """Folders ``site`` (the sources), ``home``, ``tmp`` and ``work``; only the last two can be written."""

    root: Path
    user: str
    python: str = sys.executable

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run Python in ``work`` with these arguments."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
        own = {"HOME": str(self.root / "home"), "TMPDIR": str(self.root / "tmp"), "PYTHONPATH": str(self.root / "site")}
        command = [self.python, *arguments]
        work, rights = self.root / "work", _rights(self.user)
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=work, env=kept | own | env, **rights
        )

    def printed(self, code: str, **env: str) -> str:
        """What the code prints; it must succeed without a word on stderr."""
        done = self.run("-c", code, **env)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout


def read_only(folder: Path, keep_execution: bool = False) -> None:
    for path in folder.rglob("*"):
        if not path.is_symlink():
            executable = path.is_dir() or (keep_execution and path.stat().st_mode & 0o100)
            path.chmod(DIRECTORY if executable else FILE)
    folder.chmod(DIRECTORY)


def writable(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def starts(made: Container) -> bool:
    try:
        return made.run("-c", "import numba, orjson").returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


@contextmanager
def container() -> Iterator[Container]:
    """A container; skips if no user without special rights can start Python here."""
    root = Path(tempfile.mkdtemp())
    try:
        root.chmod(0o755)
        home = Path(driftline.__file__).parent
        shutil.copytree(home, root / "site" / "driftline", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("home", "tmp", "work"):
            (root / name).mkdir()
        (root / "tmp").chmod(0o1777)
        (root / "work").chmod(0o777)
        read_only(root / "site")
        read_only(root / "home")
        made = next(filter(starts, (Container(root, user) for user in USERS)), None)
        if made is None:
            pytest.skip("impossible")
        yield made
    finally:
        writable(root)
        shutil.rmtree(root)
