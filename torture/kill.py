"""Kill runs at random moments and resume them: ``python torture/kill.py --kills 200``.

Each run is ``driftline run FILE --checkpoint DIR --every N --save MODEL``, killed with SIGKILL and resumed some times:
while it starts, anywhere on its way, while a checkpoint is being written, or as it ends. What it leaves must be a whole
checkpoint at every moment, and at the end a model that is byte for byte the one of a run that was never killed, with
the same counts. The first difference ends it with 1.
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
"""Of one run."""
STARTING, MIDWAY, WRITING, ENDING = "while starting", "midway", "while writing", "at the end"
POLL = 0.002


class DifferentError(Exception):
    """A run that did not end as it should have."""


@dataclass
class Result:
    """What a run left: its model, its counts, and how long it took."""

    model: bytes
    counts: Any
    seconds: float


@dataclass
class Tally:
    """Kills by the moment, as it turned out, and runs that ended with the same bytes."""

    wanted: int
    kills: Counter[str] = field(default_factory=Counter)
    resumed: int = 0
    """Runs that went on from a checkpoint after a kill midway."""
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
    """Where one run has its files."""

    data: Path
    folder: Path

    @property
    def model(self) -> Path:
        return self.folder / "model.dl"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoints" / "checkpoint.dl"

    def start(self, resume: bool) -> subprocess.Popen[str]:
        """Start the run, or take it up."""
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
        """Examples that the checkpoint has; it must be whole, whatever happened."""
        if not self.checkpoint.exists():
            return 0
        return int(read(self.checkpoint, "checkpoint")[0]["progress"]["done"])

    def writing(self) -> bool:
        """Whether a checkpoint is half-written just now."""
        return any(self.checkpoint.parent.glob(".*.tmp"))


def finished(place: Place, process: subprocess.Popen[str], begun: float) -> Result:
    """Wait for a run to end well."""
    out, err = process.communicate()
    if process.returncode != 0:
        raise DifferentError(f"{place.data.name} must end well, got code {process.returncode}: {err.strip()}")
    counts = json.loads(out)
    counts.pop("seconds")
    for run in counts["runs"]:
        run.pop("seconds")
    if left := [path.name for path in place.folder.rglob(".*.tmp") if path.parent == place.checkpoint.parent]:
        raise DifferentError(f"{place.data.name} must leave nothing half-written, got {left}")
    return Result(place.model.read_bytes(), counts, monotonic() - begun)


def wait(place: Place, process: subprocess.Popen[str], moment: str, seconds: float, rng: random.Random) -> None:
    """Wait until the moment has come, or the process has ended."""
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
    """Kill the process at that moment; which one it turned out to be, None where it had ended before."""
    before = place.done()
    wait(place, process, moment, seconds, rng)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if process.returncode != -signal.SIGKILL:
        return None
    half_written, done = place.writing(), place.done()
    if done >= ROWS:
        return ENDING
    if done == before:
        return STARTING
    return WRITING if half_written else MIDWAY


def compare(result: Result, reference: Result, name: str, folder: Path) -> None:
    """The model and the counts must be those of the run that was not killed."""
    for what in ("model", "counts"):
        if getattr(result, what) != getattr(reference, what):
            raise DifferentError(f"the {what} of {name} must be as without kills, got another one: see {folder}")


def torture(data: Path, folder: Path, reference: Result, tally: Tally, rng: random.Random) -> None:
    """One run, killed some times and resumed, compared with the one that was not."""
    place = Place(data, folder)
    folder.mkdir()
    resume = midway = False
    for _ in range(rng.randint(1, MOST_KILLS)):
        moment = rng.choices((STARTING, MIDWAY, WRITING, ENDING), (1, 5, 3, 1))[0]
        turned_out = killed(place, place.start(resume), moment, reference.seconds, rng)
        if turned_out is None:
            break
        tally.add(turned_out)
        midway |= turned_out in (MIDWAY, WRITING)
        resume = True
    compare(finished(place, place.start(True), monotonic()), reference, data.name, folder)
    with tally.lock:
        tally.runs += 1
        tally.resumed += midway


def lane(folder: Path, references: dict[str, Result], tally: Tally, seed: str) -> None:
    """Runs one after the other, until there have been enough kills."""
    rng = random.Random(seed)
    number = 0
    try:
        while not tally.enough:
            name = list(RUNS)[number % len(RUNS)]
            torture(folder / name, folder / f"{seed}-{number}", references[name], tally, rng)
            number += 1
    except Exception:
        tally.wanted = 0  # the other lanes end too
        raise


def main(argv: Sequence[str] | None = None) -> int:
    """Kill until there were enough; 1 if anything was different."""
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
            lanes = [pool.submit(lane, folder, references, tally, f"{given.seed}-{k}") for k in range(given.workers)]
            for one in lanes:
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
