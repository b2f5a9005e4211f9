"""The script that kills servers that share a database."""

from __future__ import annotations

import subprocess
import sys

from tests.support.paths import ROOT


def test_another_server_takes_over_when_one_is_killed_under_load() -> None:
    command = [sys.executable, str(ROOT / "torture" / "serve_fleet.py"), "--rounds", "1", "--lease", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "1 kills, 0 suspensions of 2 servers" in done.stdout and "all bits equal" in done.stdout
