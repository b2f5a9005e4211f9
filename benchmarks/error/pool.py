"""Run the peers in processes of low priority, one per learner and stream.

Slow learners may run two at a time.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from race import THREADS

from error.play import Outcome
from error.rivals import Rival
from error.stored import Stream

PACKAGES = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Job:
    """One peer on some draws of one stream, with `limit` seconds for all of them."""

    rival: Rival
    streams: list[Stream]
    limit: float

    @property
    def name(self) -> str:
        """The names of the peer and the stream."""
        return f"{self.rival.name} on {self.streams[0].name}"


@dataclass(frozen=True)
class Pool:
    """Runs jobs with the interpreter `python`.

    Streams are passed as files in `folder`. `put` is called with each outcome. `processes` is the
    number of slow learners that run at a time.
    """

    python: Path
    folder: Path
    put: Callable[[Rival, Stream, Outcome], None]
    tell: Callable[[str], None]
    processes: int = 2

    def run(self, jobs: list[Job]) -> dict[str, str]:
        """Run all jobs, the quick learners first. Return the reason for each failed job."""
        failed: dict[str, str] = {}
        for stream in (stream for job in jobs for stream in job.streams):
            # before the jobs start, because concurrent jobs share streams
            stream.save(self.folder)
        for processes, slow in ((1, False), (self.processes, True)):
            some = [job for job in jobs if job.rival.slow is slow]
            with ThreadPoolExecutor(processes) as threads:
                try:
                    for job, why in zip(some, threads.map(self._one, some), strict=True):
                        if why is not None:
                            failed[job.name] = why
                except BaseException:
                    threads.shutdown(wait=False, cancel_futures=True)
                    raise
        return failed

    def _one(self, job: Job) -> str | None:
        """Run one job and pass on each outcome. Return None, or the reason for a failure."""
        self.tell(f"running {job.name}")
        files = [str(stream.file(self.folder)) for stream in job.streams]
        command = [str(self.python), "-m", "error.worker", job.rival.package, job.rival.model, str(job.limit), *files]
        log = self.folder / f"{job.rival.model}-{job.streams[0].name}.log"
        done = 0
        with (
            log.open("w") as errors,
            subprocess.Popen(
                ["nice", "-n", "19", *command] if os.name == "posix" else command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": str(PACKAGES)},
            ) as process,
        ):
            assert process.stdout is not None
            for line in process.stdout:
                self.put(job.rival, job.streams[done], Outcome(**json.loads(line)))
                done += 1
        if done == len(job.streams):
            return None
        last = (log.read_text().splitlines() or ["no output"])[-1]
        return f"ended with code {process.returncode} after {done} of {len(job.streams)} runs: {last}"
