"""Check inputs one after the other: ``python fuzz/hunt_worker.py TARGET SEED WARM FIRST STOP STEP FILE``.

WARM valid inputs come first: they compile what is needed, with no limit of time. The number of the
current input is written to FILE, so that the parent process knows which input ended the worker.
"""

from __future__ import annotations

import faulthandler
import resource
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from targets import target_of

EXTRA_MEMORY = 1 << 30
"""Bytes of memory that the worker may allocate after it has started."""


def main() -> int:
    """Check the inputs and print the findings."""
    faulthandler.enable()
    target = target_of(sys.argv[1])
    seed, warm, first, stop, step = map(int, sys.argv[2:7])
    progress = np.memmap(sys.argv[7], np.int64, "r+")
    for number in range(warm):  # compiles, and imports the packages that are needed
        target.judged(target.input_of(-1, number))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + EXTRA_MEMORY, used + EXTRA_MEMORY))
    kinds: Counter[str] = Counter()
    for number in range(first, stop, step):
        progress[0] = number
        one = target.input_of(seed, number)
        came, wrong = target.judged(one)
        kinds[f"{one.kind} {came or 'found'}"] += 1
        if wrong is not None:
            print(f"{number}\t{wrong}", flush=True)
    for kind, count in kinds.items():
        print(f"={kind}\t{count}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
