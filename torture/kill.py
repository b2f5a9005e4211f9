"""Kill runs at random moments and resume them: ``python torture/kill.py --kills 200``.

Each run is ``driftline run FILE --checkpoint DIR --every N --save MODEL``. It is killed with
SIGKILL and resumed several times: at its start, midway, while it writes a checkpoint, or at its
end. At every moment the checkpoint on disk must be valid. At the end, the model and the counts
must be identical, byte for byte, to those of a run that was never killed. The first difference
ends the script with code 1.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any

from files import ROWS, write_files

from driftline.saved.container import read

RUNS = {
    "a.svm": ["--learner", "pa1", "--every", "125"],
    "b.vw": ["--learner", "l2pa", "--beta", "3", "--infeasible", "best", "--hash-bits", "12", "--every", "100"],
    "c.svm.gz": ["--learner", "norma", "--scale", "standard", "--every", "150"],
    "d.vw.gz": ["--learner", "romma", "--every", "85"],
}
MOST_KILLS = 8
"""Maximum number of kills of one run."""
STARTING, MIDWAY, WRITING, ENDING = "while starting", "midway", "while writing", "at the end"
POLL = 0.002


class DifferentError(Exception):
    """A run whose result differs from that of an uninterrupted run."""


@dataclass
class Result:
    """The result of a run: its model, its counts and its duration."""

    model: bytes
    counts: Any
    seconds: float


@dataclass
class Tally:
    """The number of kills by moment, and of runs that ended with the same bytes."""

    wanted: int
    kills: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    """Number of runs resumed from a checkpoint after a kill midway."""
    runs: int = 0
    lock: Lock = field(default_factory=Lock)

    def add(self, moment: str) -> None:
        with self.lock:
            self.kills[moment] += 1
            if sys.stderr.isatty():
                print(f"\r{self.kills.total()} of {self.wanted} kills ", end="", file=sys.stderr, flush=True)

    @property
    def enough(self) -> bool:
        return self.kills.total() >= self.wanted


@dataclass
class Place:
    """The files of one run."""

    data: Path
    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / "model.dl"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoints" / "checkpoint.dl"

    def start(self, resume: bool) -> subprocess.Popen[str]:
        """Start or resume the run."""
        options = [
            *RUNS[self.data.name],
            "--checkpoint",
            str(self.checkpoint.parent),
            "--save",
            str(self.model),
            "--json",
        ]
        command = [sys.executable, "-m", "driftline.cli", "run", str(self.data), *options]
        return subprocess.Popen(
            [*command, "--resume"] if resume else command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def done(self) -> int:
        """Return the number of examples in the checkpoint, which must always be valid."""
        if not self.checkpoint.exists():
            return 0
        return int(read(self.checkpoint, "checkpoint")[0]["progress"]["done"])

    def writing(self) -> bool:
        """Return whether a checkpoint is being written."""
        return any(self.checkpoint.parent.glob(".*.tmp"))


def finished(place: Place, process: subprocess.Popen[str], begun: float) -> Result:
    """Wait for a run to finish; raise if it fails."""
    out, err = process.communicate()
    if process.returncode != 0:
        raise DifferentError(f"{place.data.name} must succeed, got code {process.returncode}: {err.strip()}")
    counts = json.loads(out)
    counts.pop("seconds")
    for run in counts["runs"]:
        run.pop("seconds")
    if left := [path.name for path in place.folder.rglob(".*.tmp") if path.parent == place.checkpoint.parent]:
        raise DifferentError(f"{place.data.name} must leave no temporary files, got {left}")
    return Result(place.model.read_bytes(), counts, monotonic() - begun)


def wait(place: Place, process: subprocess.Popen[str], moment: str, seconds: float, rng: random.Random) -> None:
    """Wait until the moment to kill, or until the process has ended."""
    begun, before = monotonic(), place.done()
    pause = rng.uniform(0.0, seconds)
    goal = before + rng.random() * (ROWS - before)

    def until(come: Callable[[], bool], poll: float) -> None:
        while process.poll() is None and not come():
            sleep(poll)

    if moment == STARTING:
        until(lambda: monotonic() - begun > 0.5 * pause, POLL)
        return
    until(lambda: place.done() > goal, POLL)
    if moment == WRITING:
        until(place.writing, 0.0)
    elif moment == ENDING:
        until(lambda: place.done() >= ROWS, 0.0)
        sleep(rng.uniform(0.0, 0.02))
    else:
        sleep(rng.uniform(0.0, 0.02))


def killed(place: Place, process: subprocess.Popen[str], moment: str, seconds: float, rng: random.Random) -> str | None:
    """Kill the process at a moment; return the actual moment, None if it had already ended."""
    before = place.done()
    wait(place, process, moment, seconds, rng)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if process.returncode != -signal.SIGKILL:
        return None
    was_writing, done = place.writing(), place.done()
    if done >= ROWS:
        return ENDING
    if done == before:
        return STARTING
    return WRITING if was_writing else MIDWAY


def compare(result: Result, reference: Result, name: str, folder: Path) -> None:
    """Raise unless model and counts equal those of the uninterrupted run."""
    for what in ("model", "counts"):
        if getattr(result, what) != getattr(reference, what):
            raise DifferentError(f"the {what} of {name} must be as without kills, got a difference: see {folder}")


def torture(data: Path, folder: Path, reference: Result, tally: Tally, rng: random.Random) -> None:
    """Kill and resume one run several times; compare it with the uninterrupted run."""
    place = Place(data, folder)
    folder.mkdir()
    resume = midway = False
    for _ in range(rng.randint(1, MOST_KILLS)):
        moment = rng.choices((STARTING, MIDWAY, WRITING, ENDING), (1, 5, 3, 1))[0]
        actual = killed(place, place.start(resume), moment, reference.seconds, rng)
        if actual is None:
            break
        tally.add(actual)
        midway |= actual in (MIDWAY, WRITING)
        resume = True
    compare(finished(place, place.start(True), monotonic()), reference, data.name, folder)
    with tally.lock:
        tally.runs += 1
        tally.resumed += midway


def run_repeatedly(folder: Path, references: dict[str, Result], tally: Tally, seed: str) -> None:
    """Do runs one after the other until there have been enough kills."""
    rng = random.Random(seed)
    number = 0
    try:
        while not tally.enough:
            name = list(RUNS)[number % len(RUNS)]
            torture(folder / name, folder / f"{seed}-{number}", references[name], tally, rng)
            number += 1
    except Exception:
        tally.wanted = 0  # the other threads stop too
        raise


def main(argv: Sequence[str] | None = None) -> int:
    """Run until there have been enough kills; return 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(argv)
    begun = monotonic()
    folder = Path(tempfile.mkdtemp(prefix="driftline-torture-"))
    write_files(folder, given.seed)
    references = {}
    for name in RUNS:
        place = Place(folder / name, folder / f"whole-{name}")
        place.folder.mkdir()
        references[name] = finished(place, place.start(False), monotonic())
    tally = Tally(given.kills)
    try:
        with ThreadPoolExecutor(given.workers) as pool:
            futures = [
                pool.submit(run_repeatedly, folder, references, tally, f"{given.seed}-{k}")
                for k in range(given.workers)
            ]
            for one in futures:
                one.result()
    except Exception as error:
        print(f"torture: {error}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    print(f"{tally.kills.total()} kills: " + ", ".join(f"{count} {moment}" for moment, count in tally.kills.items()))
    print(
        f"{tally.runs} runs, {tally.resumed} of them resumed after a kill midway: every model and count the same "
        f"to the last byte, in {monotonic() - begun:.0f} s"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
