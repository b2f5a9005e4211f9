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
from time import perf_counter, process_time
from typing import Any

import numpy as np

import driftline as dl

FEATURES, BLOCK, SHARE = 10, 10_000, 10
LABELS = (-1.0, 1.0)
TARGET = 0.3  # of the speed with all keys in memory
STATED = 600
"""The most bytes per key, all keys in memory: a target."""
STATED_PEAK = 500e6
"""The memory of a process with a million keys, a tenth of them in memory: a target."""


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


def peak() -> int:
    """The most bytes of memory of this program so far; ru_maxrss would include the process that started it."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def feed(keyed: dl.Keyed, number: int, keys: int, chosen: np.ndarray | None = None) -> np.ndarray:
    """Learn one block; return its elapsed and its processor seconds."""
    X, y, own = block(number, keys)
    if chosen is not None:
        X, y, own = X[: chosen.size], y[: chosen.size], chosen
    started = np.array([perf_counter(), process_time()])
    keyed.learn_many(X, y, keys=own)
    return np.array([perf_counter(), process_time()]) - started


def measure(keys: int = 1_000_000, rows: int = 200_000) -> dict[str, Any]:
    """All figures by name.

    Parameters
    ----------
    keys
        The number of keys.
    rows
        About the rows of the runs, after each key had one.
    """
    blocks = max(1, rows // BLOCK)
    with tempfile.TemporaryDirectory() as folder:
        return _measured(keys, blocks, Path(folder))


def _measured(keys: int, blocks: int, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"keys": keys, "rows": blocks * BLOCK}
    one_by_one = dl.Keyed(dl.PA1())  # without declared labels each key takes its turn
    feed(one_by_one, 0, keys)
    found["speed_one_by_one"], found["busy_one_by_one"] = (BLOCK / feed(one_by_one, 1, keys)).tolist()
    feed(dl.Keyed(dl.PA1(labels=LABELS)), 0, keys)  # compiled
    del one_by_one
    memory = dl.Keyed(dl.PA1(labels=LABELS))
    before = resident()
    each_once = sum(feed(memory, 0, keys, chosen) for chosen in every_key(keys))
    found["speed_new_keys"], found["busy_new_keys"] = (keys / each_once).tolist()
    found["bytes_per_key"] = (resident() - before) / keys
    spilled = dl.Keyed(dl.PA1(labels=LABELS), max_keys_in_memory=keys // SHARE, spill=folder)
    each_once = sum(feed(spilled, 0, keys, chosen) for chosen in every_key(keys))
    found["speed_new_keys_spilled"] = float(keys / each_once[0])
    path = folder / "checkpoint"
    started = perf_counter()
    spilled.checkpoint(path, 0)
    found["checkpoint_seconds"] = perf_counter() - started
    found["checkpoint_bytes_per_key"] = path.stat().st_size / keys
    times = np.array([[feed(one, number, keys) for one in (memory, spilled)] for number in range(1, blocks + 1)])
    (found["speed"], found["busy"]), (found["speed_spilled"], _) = (blocks * BLOCK / times.sum(axis=0)).tolist()
    started = perf_counter()
    found["changed"] = spilled.checkpoint(path, blocks)
    found["changed_seconds"] = perf_counter() - started
    spilled.close()
    del spilled
    found["peak_bytes"] = killed(keys, blocks, path, folder)
    for number in range(blocks + 1, 2 * blocks + 1):
        feed(memory, number, keys)
    with dl.Keyed.load(path, max_keys_in_memory=keys // SHARE, spill=folder) as resumed:
        same = resumed.next == 2 * blocks and len(resumed) == len(memory) and resumed.totals == memory.totals
        states = dict(memory.states())
        found["same_bits"] = same and all(states[key] == state for key, state in resumed.states())
    return found


def lines(found: dict[str, Any]) -> list[str]:
    """The figures in words."""
    ratio = found["speed_spilled"] / found["speed"]
    return [
        f"{found['keys']:,} keys of PA1, {FEATURES} features, blocks of {BLOCK:,} rows",
        f"new keys: {found['speed_new_keys']:,.0f} rows/s, with 1/{SHARE} of them in memory "
        f"{found['speed_new_keys_spilled']:,.0f} rows/s",
        f"memory per key, all in memory: {found['bytes_per_key']:,.0f} bytes (target: at most {STATED})",
        f"full checkpoint: {found['checkpoint_bytes_per_key']:,.0f} bytes per key, {found['checkpoint_seconds']:.1f} s",
        f"Zipf, {found['rows']:,} rows: {found['speed']:,.0f} rows/s all in memory, {found['speed_spilled']:,.0f} with "
        f"1/{SHARE} of the keys in memory: {ratio:.2f}x (target: {TARGET}x)",
        f"Zipf, one key after another: {found['speed_one_by_one']:,.0f} rows/s",
        f"rows per second of processor time, all in memory: {found['busy_new_keys']:,.0f} of new keys, "
        f"{found['busy']:,.0f} of Zipf's law, {found['busy_one_by_one']:,.0f} one key after another",
        f"checkpoint of {found['changed']:,} changed keys: {found['changed_seconds']:.2f} s",
        f"a process that loads the checkpoint and goes on with 1/{SHARE} of the keys in memory: peak of "
        f"{found['peak_bytes'] / 1e6:,.0f} MB (target: at most {STATED_PEAK / 1e6:,.0f})",
        f"resumed after two SIGKILLs: {'the same bits' if found['same_bits'] else 'OTHER BITS'}",
    ]


def good(found: dict[str, Any]) -> bool:
    """Whether all targets are met."""
    fits = found["bytes_per_key"] <= STATED and found["peak_bytes"] <= STATED_PEAK
    return bool(found["same_bits"] and fits and found["speed_spilled"] >= TARGET * found["speed"])


def killed(keys: int, blocks: int, path: Path, folder: Path) -> int:
    """Let processes go on from the checkpoint, the first two until a SIGKILL; return the peak memory of the last."""
    command = [sys.executable, __file__, "--go-on", str(path), "--spill", str(folder)]
    command += ["--keys", str(keys), "--rows", str(2 * blocks * BLOCK)]
    peak = 0
    for kill_after in (2, 3, None):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as run:
            assert run.stdout is not None
            for number, line in enumerate(run.stdout, 1):
                peak = int(line.split()[1])
                if number == kill_after:
                    os.kill(run.pid, signal.SIGKILL)
                    break
        for left in folder.glob("*.spill"):
            left.unlink()
    return peak


def go_on(path: Path, keys: int, blocks: int, spill: Path) -> None:
    """Go on from a checkpoint; print each block and the peak memory."""
    keyed = dl.Keyed.load(path, max_keys_in_memory=keys // SHARE, spill=spill)
    assert keyed.next is not None
    for number in range(keyed.next + 1, blocks + 1):
        feed(keyed, number, keys)
        keyed.checkpoint(path, number)
        print(number, peak(), flush=True)


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000, help="number of keys (default: 1000000)")
    parser.add_argument("--rows", type=int, default=200_000, help="rows after each key had one (default: 200000)")
    parser.add_argument("--go-on", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--spill", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.go_on:
        go_on(options.go_on, options.keys, options.rows // BLOCK, options.spill)
        return 0
    found = measure(options.keys, options.rows)
    print("\n".join(lines(found)))
    return 0 if good(found) else 1


if __name__ == "__main__":
    sys.exit(main())
