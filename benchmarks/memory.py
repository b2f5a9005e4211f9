"""Measure the memory of `driftline run` on a file much larger than the allowed memory.

    python benchmarks/memory.py [--gigabytes G] [--kind svm|svm.gz|csv] [--keep]

The script writes the file, runs the command in a subprocess and samples the RssAnon of that
process. RssAnon excludes the pages of files that the system can drop. The exit status is 1 if the
peak is above the limit.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent / ".cache"
ALLOWED = 400.0  # MB
SPARE = 1e9  # bytes of disk that must stay free
PAUSE = 0.01  # seconds between two samples
SEED, PIECES, ROWS, FEATURES, WIDTH, COLUMNS = 7, 16, 4_000, 50_000, 76, 50
KINDS = {"svm": (), "svm.gz": (), "csv": ("--target", "label")}


def main(arguments: list[str]) -> int:
    """Write the file, run the command and print the peak memory.

    Return 0 if the peak is within the limit, 1 if it is not, 2 if the run failed.
    """
    options = _options(arguments)
    size = int(options.gigabytes * 1e9)
    file = FOLDER / f"memory.{options.kind}"
    FOLDER.mkdir(exist_ok=True)
    free = shutil.disk_usage(FOLDER).free
    if free < size + SPARE:
        need = (size + SPARE) / 1e9
        problem = f"{need:.1f} GB of disk must be free, got {free / 1e9:.1f} GB. Free some, or reduce --gigabytes"
        print(f"memory: {problem}", file=sys.stderr)
        return 2
    try:
        print(f"writing {options.gigabytes:g} GB of text into {file.name}", file=sys.stderr)
        rows, written = write(file, options.kind, size)
        command = [sys.executable, "-m", "driftline.cli", "run", str(file), "--json", *KINDS[options.kind]]
        peak, seconds, code, printed = watch(command)
    finally:
        if not options.keep:
            file.unlink(missing_ok=True)
    seen = json.loads(printed)["runs"][0]["examples"] if code == 0 else None
    if seen != rows:
        print(f"memory: the run must see {rows:,} rows, got {seen} and exit code {code}", file=sys.stderr)
        return 2
    met = peak <= ALLOWED
    print(f"{options.kind}: peak RssAnon {peak:.0f} MB, target <= {ALLOWED:.0f} MB  {'met' if met else 'missed'}")
    print(f"{rows:,} rows, {written / 1e6:,.0f} MB of text, {seconds:.1f} s, {written / 1e6 / seconds:.0f} MB/s")
    return 0 if met else 1


def write(file: Path, kind: str, size: int) -> tuple[int, int]:
    """Write about `size` bytes of text from a fixed seed.

    Return the number of rows and of bytes.
    """
    rng = np.random.default_rng(SEED)
    head = b"label," + ",".join(f"x{k}" for k in range(COLUMNS)).encode() + b"\n" if kind == "csv" else b""
    draw = _csv if kind == "csv" else _svmlight
    pieces = list(islice(draw(rng), PIECES))
    rows, written = 0, len(head)
    with gzip.open(file, "wb", compresslevel=1) if kind.endswith(".gz") else file.open("wb") as opened:
        opened.write(head)
        while written < size:
            piece = pieces[rng.integers(PIECES)]
            opened.write(piece)
            rows, written = rows + ROWS, written + len(piece)
    return rows, written


def watch(command: list[str]) -> tuple[float, float, int, str]:
    """Run the command.

    Return its peak RssAnon in MB, its seconds, its exit code and its output.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0.0
    try:
        while process.poll() is None:
            peak = max(peak, _rss_anon(process.pid))
            time.sleep(PAUSE)
    finally:
        process.kill()
    seconds = time.perf_counter() - start
    return peak, seconds, process.returncode, process.communicate()[0]


def _rss_anon(pid: int) -> float:
    """Return the RssAnon of a process in MB, or 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def _svmlight(rng: np.random.Generator) -> Iterator[bytes]:
    """Yield blocks of sparse rows with labels from a hidden linear target."""
    target = rng.standard_normal(FEATURES)
    while True:
        lines = []
        for _ in range(ROWS):
            index = np.unique(rng.integers(FEATURES, size=WIDTH))
            value = rng.random(index.size)
            pairs = " ".join([f"{i}:{v:.6g}" for i, v in zip(index.tolist(), value.tolist(), strict=True)])
            lines.append(f"{1 if value @ target[index] > 0.0 else -1} {pairs}\n")
        yield "".join(lines).encode()


def _csv(rng: np.random.Generator) -> Iterator[bytes]:
    """Yield blocks of dense rows with labels from a hidden linear target.

    The label comes first.
    """
    target = rng.standard_normal(COLUMNS)
    while True:
        X = rng.standard_normal((ROWS, COLUMNS))
        y = np.where(X @ target > 0.0, "yes", "no").tolist()
        cells = ([f"{value:.6g}" for value in row] for row in X.tolist())
        yield "".join([f"{label},{','.join(row)}\n" for label, row in zip(y, cells, strict=True)]).encode()


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="memory", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=3.0, help="size of the text in GB (default: 3)")
    parser.add_argument("--kind", choices=KINDS, default="svm", help="format of the file (default: svm)")
    parser.add_argument("--keep", action="store_true", help="do not delete the file")
    options = parser.parse_args(arguments)
    if not options.gigabytes > 0.0:
        parser.error(f"--gigabytes must be > 0, got {options.gigabytes:g}")
    if not Path("/proc/self/status").exists():
        parser.error("/proc/self/status must exist, got no such file. Run it on Linux")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
