"""Judge inputs one after the other: ``python fuzz/worker.py SEED FIRST STOP STEP NOTED``.

The number of the input at hand stands in the file NOTED, for whoever has to tell which one ended the process.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from inputs import KINDS, input_of
from judge import judged

ROOM = 1 << 30
"""Bytes that the worker may take in addition to those it has when it starts."""


def main() -> int:
    """Judge the inputs; print what is found."""
    seed, first, stop, step = map(int, sys.argv[1:5])
    noted = np.memmap(sys.argv[5], np.int64, "r+")
    for number in range(2 * len(KINDS)):  # compiles, and loads what formats need
        judged(input_of(-1, number))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    kinds: Counter[str] = Counter()
    for number in range(first, stop, step):
        noted[0] = number
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
