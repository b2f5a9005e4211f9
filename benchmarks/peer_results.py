"""One number for each peer and stream, from a cache on disk or from a new process."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import environment
from error.rivals import Rival
from error.stored import Stream
from terminal import tell

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".cache"


def results(
    package: str,
    rivals: Sequence[Rival],
    streams: Sequence[Stream],
    absent: dict[str, str],
    settings: Sequence[str] = (),
) -> Iterator[tuple[Rival, Stream, str, str]]:
    """Yield the peer, the stream, the setting and the number that ``package.worker`` printed.

    The setting is an argument of the worker; without ``settings`` it is empty and not passed. The
    reasons for missing results go to ``absent``.
    """
    python, failed = environment.ensure(CACHE / "venv")
    pins = environment.REQUIREMENTS.read_text()
    folder = CACHE / package
    folder.mkdir(parents=True, exist_ok=True)
    for rival in rivals:
        if rival.package in failed:
            absent[rival.name] = failed[rival.package]
            continue
        for stream in streams:
            for setting in settings or ("",):
                words = [setting] if setting else []
                key = hashlib.sha256(" ".join([pins, str(rival), stream.digest, *words]).encode()).hexdigest()[:16]
                file = folder / ("-".join([rival.model, stream.name, *words, key]) + ".txt")
                if not file.exists():
                    tell(f"running {rival.name} on {stream.name} {setting}")
                    command = [str(python), "-m", f"{package}.worker", rival.package, rival.model, *words]
                    try:
                        file.write_text(_printed([*command, str(stream.save(CACHE / "error-streams"))]))
                    except subprocess.CalledProcessError as error:
                        absent[f"{rival.name} on {stream.name}"] = (error.stderr.splitlines() or ["no output"])[-1]
                        continue
                yield rival, stream, setting, file.read_text()


def _printed(command: list[str]) -> str:
    """Return what a process of low priority and one thread prints."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(
        ["nice", "-n", "19", *command] if os.name == "posix" else command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **threads, "PYTHONPATH": str(HERE)},
    )
    return done.stdout.strip()
