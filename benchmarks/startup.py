"""The start-up time in new processes: import numba, import driftline, learn a first example."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import Any

COMMANDS = {
    "python": "pass",
    "import numba": "import numba",
    # "import driftline" alone imports lazily
    "import driftline and all of it": "from driftline import *",
    "import driftline, learn one example": "import driftline as dl; dl.PA1().learn_one({'a': 1.0}, True)",
}
ALLOWED = 0.3


def measure(repeats: int) -> dict[str, Any]:
    """Return the median seconds of each command in a new process, after one round that fills the
    caches.

    Bytecode files are written, as for every package that pip installs.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(repeats + 1):
        for name, code in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, env=kept)
            if turn:
                seconds[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    extra = medians["import driftline and all of it"] - medians["import numba"]
    return {"medians": medians, "beyond_numba": extra, "allowed": ALLOWED}


def lines(told: dict[str, Any]) -> list[str]:
    """Return the times and the verdict as lines of text."""
    times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in told["medians"].items())
    verdict = "met" if told["beyond_numba"] <= told["allowed"] else "missed"
    return [
        f"start-up (new processes): {times}",
        f"  in addition to import numba: {told['beyond_numba']:.2f} s, target <= {told['allowed']} s  {verdict}",
    ]
