"""Python in another process, with every warning an error."""

from __future__ import annotations

import os
import subprocess
import sys


def python(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments; its output has no colours wherever the tests run."""
    plain = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=plain | env)


def printed(code: str, **env: str) -> str:
    """What the code prints; it must succeed."""
    done = python("-c", code, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout
