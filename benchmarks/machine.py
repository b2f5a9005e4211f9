"""A description of the machine."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> dict[str, str | int]:
    """Return the processor, its cores, the system and the interpreter."""
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def cpu_name() -> str:
    """Return the name of the processor, or its architecture if the name is unknown."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
