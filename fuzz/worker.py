"""Check inputs one after the other: ``python fuzz/worker.py SEED FIRST STOP STEP PROGRESS_FILE``.

The number of the current input is written to PROGRESS_FILE, so that the parent process knows which
input ended the worker.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from inputs import KINDS, input_of
from judge import judged

EXTRA_MEMORY = 1 << 30
"""Bytes of memory that the worker may allocate after it has started."""


def main() -> int:
    """Check the inputs and print the findings."""
    seed, first, stop, step = map(int, sys.argv[1:5])
    progress = np.memmap(sys.argv[5], np.int64, "r+")
    for number in range(2 * len(KINDS)):  # compiles, and imports the packages that formats need
        judged(input_of(-1, number))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + EXTRA_MEMORY, used + EXTRA_MEMORY))
    kinds: Counter[str] = Counter()
    for number in range(first, stop, step):
        progress[0] = number
        one = input_of(seed, number)
        came, wrong = judged(one)
        kinds[f"{one.kind} {came or 'found'}"] += 1
        if wrong is not None:
            print(f"{number}\t{wrong}", flush=True)
    for kind, count in kinds.items():
        print(f"={kind}\t{count}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
