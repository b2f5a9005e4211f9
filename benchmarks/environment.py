"""The virtual environment of the peers, created once with the versions pinned in peers.txt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("peers.txt")
SHARED = ("numpy", "scipy")  # every peer needs these; the others may fail one by one


def ensure(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return the interpreter of the environment in `folder`, and the reason for each failed
    package.
    """
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = [line.strip() for line in REQUIREMENTS.read_text().splitlines() if line.strip()]
    stamp = folder / "installed.txt"
    if not (stamp.exists() and python.exists()):
        made = _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        if made is not None:
            return python, {pin.split("==")[0]: f"no virtual environment: {made}" for pin in pins}
        stamp.write_text("")
    done = stamp.read_text().splitlines()
    failed: dict[str, str] = {}
    for pin in pins:
        if pin in done:
            continue
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        why = _run([*install, "--constraint", str(REQUIREMENTS), pin])
        if why is None:
            done.append(pin)
        else:
            failed[pin.split("==")[0]] = why
    stamp.write_text("\n".join(done))
    missing = [name for name in SHARED if name in failed]
    if missing:
        return python, {pin.split("==")[0]: f"needs {missing[0]}: {failed[missing[0]]}" for pin in pins}
    return python, failed


def _run(command: list[str]) -> str | None:
    """Run `command`. Return None, or on failure its first ERROR line, or else its last line."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return None
    lines = [line for line in (result.stderr or result.stdout).splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith("ERROR")]
    return (marked or lines[-1:] or [f"exit {result.returncode}"])[0]
