"""Fuzz a target: ``python fuzz/hunt.py readers --inputs 100000``.

The targets are ``readers`` (data files), ``models`` (model files with a right checksum) and
``stored`` (caches and checkpoints with right checksums). Each input must be read, or refused with
a one-line error. A finding is a crash, a hang, high memory use, an error of another kind, or an
example that is neither a row nor a fault. Worker processes check the inputs and are restarted when
they die. Inputs with findings are written to ``fuzz/found``. An input depends only on the target,
the seed and its number: ``--first N --inputs 1`` repeats one.

The mutations start from valid files and reach deep without coverage guidance. Most of the code
under test is compiled by numba or belongs to Arrow, which coverage tools cannot see.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic, sleep

import numpy as np
from targets import MODULES, target_of

HERE = Path(__file__).parent
SECONDS = 10.0
"""An input that takes longer counts as a hang. START_SECONDS is the limit for the start."""
START_SECONDS = 1800.0
MOST_FOUND = 200
POLL = 0.05


class Worker:
    """A process that checks inputs first, first + step, ... below stop; restarted if it dies."""

    def __init__(self, command: list[str], first: int, stop: int, step: int, folder: Path) -> None:
        self.command = command
        self.first, self.stop, self.step = first, stop, step
        self.findings: list[tuple[int, str]] = []
        self.kinds: Counter[str] = Counter()
        self.folder = folder
        self.progress_file = folder / f"worker-{first}"
        self.progress_file.write_bytes(bytes(16))
        self.done = 0
        self._start(first)

    def _start(self, first: int) -> None:
        self.last_input = -1
        self.since = monotonic()
        np.memmap(self.progress_file, np.int64, "r+")[:] = -1
        given = [first, self.stop, self.step, self.progress_file]
        # a worker that dies leaves its files behind: they are removed with the folder
        environment = {**os.environ, "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "TMPDIR": str(self.folder)}
        self.process = subprocess.Popen(
            [*self.command, *map(str, given)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        )
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = b""
        self.output_tail: list[str] = []

    def update(self) -> bool:
        """Update the progress; return whether there is more to do."""
        self._read_output()
        at = int(np.memmap(self.progress_file, np.int64, "r")[0])
        if at != self.last_input:
            self.last_input, self.since = at, monotonic()
            self.done = max(self.done, (at - self.first) // self.step)
        code = self.process.poll()
        if code is None:
            if monotonic() - self.since > (SECONDS if at >= 0 else START_SECONDS):
                return self._restart_after(at, f"took more than {SECONDS:g} s")
            return True
        self._read_output()
        if code == 0:
            self.done = len(range(self.first, self.stop, self.step))
            return False
        return self._restart_after(at, f"ended the process with code {code}: {' '.join(self.output_tail)[-300:]!r}")

    def _restart_after(self, at: int, what: str) -> bool:
        """Record a finding for input ``at`` and restart the worker after it."""
        if at < 0:
            raise SystemExit(f"fuzz: a worker must start, got {what}")
        self.findings.append((at, what))
        self.end()
        if at + self.step >= self.stop:
            return False
        self._start(at + self.step)
        return True

    def _read_output(self) -> None:
        """Parse the worker's output: ``number<TAB>finding`` or ``=kind outcome<TAB>count``."""
        assert self.process.stdout is not None
        self.text += self.process.stdout.read() or b""
        *lines, self.text = self.text.split(b"\n")
        for line in lines:
            number, tab, what = line.decode("utf-8", "replace").partition("\t")
            if tab and number.isdecimal():
                self.findings.append((int(number), what))
            elif tab and number.startswith("="):
                self.kinds[number[1:]] += int(what)
            else:
                self.output_tail = [*self.output_tail, number][-8:]

    def end(self) -> None:
        """Kill the process if it is still running."""
        self.process.kill()
        self.process.communicate()


def hunt(command: list[str], first: int, inputs: int, workers: int) -> tuple[list[tuple[int, str]], Counter[str]]:
    """Return the findings as (number, what), and the counts of read and refused inputs."""
    with tempfile.TemporaryDirectory(prefix="driftline-fuzz-") as folder:
        pool = [Worker(command, first + k, first + inputs, workers, Path(folder)) for k in range(min(workers, inputs))]
        try:
            begun = monotonic()
            busy = list(pool)
            while busy:
                busy = [worker for worker in busy if worker.update()]
                _show(sum(worker.done for worker in pool), inputs, sum(len(w.findings) for w in pool), begun)
                if sum(len(worker.findings) for worker in pool) >= MOST_FOUND:
                    break
                sleep(POLL)
        finally:
            for worker in pool:
                worker.end()
    return sorted(one for worker in pool for one in worker.findings), sum((w.kinds for w in pool), Counter())


def _show(done: int, inputs: int, found: int, begun: float) -> None:
    if sys.stderr.isatty():
        rate = done / max(1e-9, monotonic() - begun)
        print(f"\r{done:,} of {inputs:,} inputs, {rate:,.0f}/s, {found} found ", end="", file=sys.stderr, flush=True)


def main() -> int:
    """Check inputs; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=MODULES)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    begun, warm = monotonic(), target_of(given.target).warm
    command = [sys.executable, str(HERE / "hunt_worker.py"), given.target, str(given.seed), str(warm)]
    found, kinds = hunt(command, given.first, given.inputs, given.workers)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for kind, count in sorted(kinds.items()):
        print(f"{kind:<20}{count:>10,}")
    for number, what in found:
        print(f"input {number}: {what}\n  saved as {_saved(given.target, given.seed, number)}")
    print(
        f"{given.target}: {given.inputs:,} inputs, seed {given.seed}: {len(found)} found in {monotonic() - begun:.0f} s"
    )
    return 1 if found else 0


def _saved(target: str, seed: int, number: int) -> Path:
    """Write an input to ``fuzz/found``."""
    one = target_of(target).input_of(seed, number)
    folder = HERE / "found"
    folder.mkdir(exist_ok=True)
    path = folder / f"{target}-{seed}-{number}-{one.name}"
    path.write_bytes(one.data)
    about = {name: value for name, value in one._asdict().items() if name != "data"}
    path.with_name(path.name + ".about").write_text(f"{about}\n")
    return path


if __name__ == "__main__":
    raise SystemExit(main())
