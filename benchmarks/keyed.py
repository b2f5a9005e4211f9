"""A learner for each of a million keys: memory, file sizes, speed in memory and spilled, and a resume after SIGKILL.

    python benchmarks/keyed.py [--keys N] [--rows N]

Keys follow Zipf's law. Both runs learn the same blocks of 10,000 rows in turn, so that other work on
the machine slows both. The memory per key is the growth of the process.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import driftline as dl

FEATURES, BLOCK, SHARE = 10, 10_000, 10
TARGET = 0.3  # of the speed with all keys in memory


def block(number: int, keys: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, labels and keys of one block; the same for the same number."""
    rng = np.random.default_rng(number)
    X = rng.normal(size=(BLOCK, FEATURES))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0.0, 1.0, -1.0)
    # Zipf's law with exponent 1 on the ranks 1 to keys, by the inverse of its integral
    return X, y, np.minimum(np.exp(rng.random(BLOCK) * np.log(keys + 1.0)).astype(np.int64), keys)


def every_key(keys: int) -> list[np.ndarray]:
    """Each key once, in blocks."""
    order = np.random.default_rng(0).permutation(keys) + 1
    return [order[start : start + BLOCK] for start in range(0, keys, BLOCK)]


def resident() -> int:
    """The bytes of memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def feed(keyed: dl.Keyed, number: int, keys: int, chosen: np.ndarray | None = None) -> float:
    """Learn one block; return the seconds."""
    X, y, own = block(number, keys)
    if chosen is not None:
        X, y, own = X[: chosen.size], y[: chosen.size], chosen
    started = perf_counter()
    keyed.learn_many(X, y, keys=own)
    return perf_counter() - started


def measure(keys: int, blocks: int, folder: Path) -> bool:
    memory = dl.Keyed(dl.PA1(labels=(-1.0, 1.0)))
    feed(memory, 0, keys)  # compiled
    memory = dl.Keyed(dl.PA1(labels=(-1.0, 1.0)))
    before = resident()
    filled = sum(feed(memory, 0, keys, chosen) for chosen in every_key(keys))
    per_key = (resident() - before) / keys
    print(f"{keys:,} keys of PA1, {FEATURES} features, one row each: {keys / filled:,.0f} rows/s")
    print(f"memory per key, all in memory: {per_key:,.0f} bytes")
    before = resident()
    spilled = dl.Keyed(dl.PA1(labels=(-1.0, 1.0)), max_keys_in_memory=keys // SHARE, spill=folder)
    filled = sum(feed(spilled, 0, keys, chosen) for chosen in every_key(keys))
    growth = (resident() - before) / keys
    print(f"the same, 1/{SHARE} of the keys in memory: {keys / filled:,.0f} rows/s, {growth:,.0f} bytes per key")
    path = folder / "checkpoint"
    started = perf_counter()
    spilled.checkpoint(path, 0)
    took = perf_counter() - started
    print(f"full checkpoint: {path.stat().st_size / keys:,.0f} bytes per key, {took:.1f} s")
    times = np.array([[feed(one, number, keys) for one in (memory, spilled)] for number in range(1, blocks + 1)])
    speeds = blocks * BLOCK / times.sum(axis=0)
    ratio = speeds[1] / speeds[0]
    print(f"Zipf, {blocks * BLOCK:,} rows: {speeds[0]:,.0f} rows/s in memory, {speeds[1]:,.0f} spilled: {ratio:.2f}x")
    changed = len(spilled.changed())
    started = perf_counter()
    written = spilled.checkpoint(path, blocks)
    took = perf_counter() - started
    print(f"checkpoint of {changed:,} changed keys: {took:.2f} s, {written / took:,.0f} keys/s")
    same = sorted(spilled.worst(100)) == sorted(memory.worst(100))
    spilled.close()
    return same and ratio >= TARGET and killed(keys, blocks, path, memory, folder)


def killed(keys: int, blocks: int, path: Path, memory: dl.Keyed, folder: Path) -> bool:
    """Whether a run that goes on from the checkpoint and is killed twice gives the same bits."""
    for kill_after in (2, 3, None):
        command = [
            sys.executable,
            __file__,
            "--go-on",
            str(path),
            "--keys",
            str(keys),
            "--rows",
            str(2 * blocks * BLOCK),
        ]
        with subprocess.Popen([*command, "--spill", str(folder)], stdout=subprocess.PIPE) as run:
            assert run.stdout is not None
            lines = 0
            while run.stdout.readline():
                lines += 1
                if lines == kill_after:
                    os.kill(run.pid, signal.SIGKILL)
                    break
    for number in range(blocks + 1, 2 * blocks + 1):
        feed(memory, number, keys)
    resumed = dl.Keyed.load(path, max_keys_in_memory=keys // SHARE, spill=folder)
    same = resumed.next == 2 * blocks and dict(resumed.states()) == dict(memory.states())
    print(f"resumed after two SIGKILLs, {len(resumed):,} keys: {'the same bits' if same else 'OTHER BITS'}")
    return same


def go_on(path: Path, keys: int, blocks: int, spill: Path) -> None:
    keyed = dl.Keyed.load(path, max_keys_in_memory=keys // SHARE, spill=spill)
    assert keyed.next is not None
    for number in range(keyed.next + 1, blocks + 1):
        feed(keyed, number, keys)
        keyed.checkpoint(path, number)
        print(number, flush=True)


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000, help="number of keys (default: 1000000)")
    parser.add_argument("--rows", type=int, default=200_000, help="rows after each key had one (default: 200000)")
    parser.add_argument("--go-on", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--spill", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    blocks = max(1, options.rows // BLOCK)
    if options.go_on:
        go_on(options.go_on, options.keys, blocks, options.spill)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure(options.keys, blocks, Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
