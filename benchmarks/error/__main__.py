"""Compare the prequential errors of driftline and its peers, all at their defaults.

    python -m error [--fresh] [--kept] [--no-peers] [--peer NAME]... [--only TEXT] [--limit SECONDS]
                    [--processes N] [--shuffled] [--json FILE]

DRIFTLINE_DATA is the folder of the real streams. Without it the streams are packaged or synthetic.
Results of the peers are cached on disk by version, stream and seed, because forests take some
milliseconds per example. driftline always runs again. The streams whose names begin with
"regression-" have real targets; their errors are mean absolute ones.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import environment
import machine
import only
from terminal import tell

from driftline.version import __version__
from error import baselines, ours, table, targets
from error.kept import Kept
from error.pool import Job, Pool
from error.results import Result
from error.rivals import RIVALS, Rival
from error.stored import Stream
from error.streams import catalogue

CACHE = Path(__file__).resolve().parents[1] / ".cache"
LIMIT = 300.0
REGRESSION = "regression"
FOLDERS = ("20news", "covtype", "elec2", "keystroke", "sea", "spam", "svmlight", "usenet", "usps")


def main(arguments: list[str]) -> int:
    """Run the benchmark, print the table and write the JSON. A missed target is not an error."""
    options = _options(arguments)
    if options.only.startswith(REGRESSION):
        return _regressors(options)
    absent: dict[str, str] = {}
    scenes = _scenes(options, absent)
    versions = _pins()
    kept = Kept(CACHE / "error", versions, options.limit)
    results = _ours(scenes, absent) + _baselines(scenes)
    if options.no_peers:
        absent["peers"] = "not asked for (--no-peers)"
    else:
        jobs = _jobs(scenes, kept, options)
        if options.kept:
            absent |= {job.name: "not cached (--kept)" for job in jobs}
        else:
            _play(jobs, kept, options, absent)
        results += _theirs(scenes, kept, options.peer)
    tell("")
    report = {
        "machine": machine.describe(),
        "versions": {"driftline": __version__, **({} if options.no_peers else versions)},
        "limit": options.limit,
        "shuffled": catalogue.BLOCK if options.shuffled else 0,
        "streams": [_told(draws, results) for draws in scenes],
        "verdicts": [
            verdict.told()
            for (stream, *_) in scenes
            for verdict in targets.judge(stream, _of(stream, results), ours.TRACKER, ours.LIGHT, ours.AROW)
        ],
        "absent": absent,
    }
    CACHE.mkdir(exist_ok=True)
    options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(table.render(report))
    if not options.only:
        print()
        return _regressors(options)
    return 0


def _regressors(options: Any) -> int:
    """Run the benchmark of regressors."""
    from regression.__main__ import main

    CACHE.mkdir(exist_ok=True)
    arguments = ["--only", options.only, "--json", str(CACHE / "regression.json")]
    return main([*arguments, *(["--no-peers"] if options.no_peers else [])])


def _scenes(options: Any, absent: dict[str, str]) -> list[list[Stream]]:
    """Return the requested streams, with synthetic ones for the real ones if DRIFTLINE_DATA is not
    set.
    """
    some = ", ".join(FOLDERS)
    if options.data is None:
        print(f"Packaged and synthetic streams only. Set DRIFTLINE_DATA to the folder of {some} to use these.\n")
    elif not any((options.data / name).is_dir() for name in FOLDERS):
        options.refuse(f"DRIFTLINE_DATA must be a folder of streams, got {str(options.data)!r}. It needs {some}")
    try:
        names = only.chosen(options.only, catalogue.names(options.data))
    except ValueError as error:
        options.refuse(str(error))
    tell("reading the streams")
    found = catalogue.read(options.data, names, absent)
    return [[catalogue.shuffled(stream) for stream in draws] for draws in found] if options.shuffled else found


def _ours(scenes: list[list[Stream]], absent: dict[str, str]) -> list[Result]:
    """Run driftline's learners on every stream."""
    results = []
    for name, make in ours.learners().items():
        for draws in scenes:
            tell(f"running {name} on {draws[0].name}")
            try:
                played = [ours.run(make, stream) for stream in draws]
            except Exception as error:  # keep the results of the others
                absent[f"{name} on {draws[0].name}"] = f"{type(error).__name__}: {error}"
                continue
            results.append(Result(name, draws[0].name, _rows(draws), [one.outcome for one in played], played))
    return results


def _baselines(scenes: list[list[Stream]]) -> list[Result]:
    results = []
    for draws in scenes:
        found = [baselines.outcomes(stream) for stream in draws]
        results += [Result(name, draws[0].name, _rows(draws), [one[name] for one in found]) for name in found[0]]
    return results


def _jobs(scenes: list[list[Stream]], kept: Kept, options: Any) -> list[Job]:
    """Return a job for each peer and stream without a cached result."""
    jobs = []
    for rival in options.peer:
        for draws in (draws for draws in scenes if rival.suits(draws[0])):
            known = [None if options.fresh else kept.get(rival, stream) for stream in draws]
            wanted = [stream for stream, outcome in zip(draws, known, strict=True) if outcome is None]
            spent = sum(outcome.seconds for outcome in known if outcome is not None)
            if wanted:
                jobs.append(Job(rival, wanted, options.limit - spent))
    return jobs


def _play(jobs: list[Job], kept: Kept, options: Any, absent: dict[str, str]) -> None:
    """Run the jobs and cache their results."""
    if not jobs:
        return
    tell("installing the peers if they are missing")
    python, failed = environment.ensure(CACHE / "venv")
    absent.update({job.rival.package: failed[job.rival.package] for job in jobs if job.rival.package in failed})
    pool = Pool(python, CACHE / "error-streams", kept.put, tell, options.processes)
    absent.update(pool.run([job for job in jobs if job.rival.package not in failed]))


def _theirs(scenes: list[list[Stream]], kept: Kept, peers: Sequence[Rival]) -> list[Result]:
    """Return the cached results of every peer that has run on all draws of a stream."""
    results = []
    for draws in scenes:
        for rival in peers:
            outcomes = [outcome for stream in draws if (outcome := kept.get(rival, stream)) is not None]
            if len(outcomes) == len(draws) and any(outcome.rows for outcome in outcomes):
                results.append(Result(rival.name, draws[0].name, _rows(draws), outcomes))
    return results


def _told(draws: list[Stream], results: list[Result]) -> dict[str, Any]:
    stream = draws[0]
    return {
        "name": stream.name,
        "rows": _rows(draws),
        "features": stream.X.shape[1],
        "sparse": stream.sparse,
        "classes": len(stream.classes),
        "draws": len(draws),
        "results": [result.told() for result in _of(stream, results)],
    }


def _rows(draws: list[Stream]) -> int:
    return sum(stream.rows for stream in draws)


def _of(stream: Stream, results: list[Result]) -> list[Result]:
    return [result for result in results if result.stream == stream.name]


def _pins() -> dict[str, str]:
    """Return the pinned version of each peer."""
    pins = (line.strip().split("==") for line in environment.REQUIREMENTS.read_text().splitlines() if line.strip())
    packages = {rival.package for rival in RIVALS}
    return {name: version for name, version in pins if name in packages}


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="bench-error", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="run the peers again and ignore cached results")
    parser.add_argument("--kept", action="store_true", help="use only cached results of the peers and run none")
    parser.add_argument("--no-peers", action="store_true", help="run only driftline")
    parser.add_argument(
        "--peer", action="append", metavar="NAME", help="run only this peer; may be given several times (default: all)"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="run only streams with TEXT in their name (default: all)"
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"time limit of a peer on a stream, in seconds (default: {LIMIT:g})"
    )
    parser.add_argument("--processes", type=int, default=2, help="number of slow peers that run at a time (default: 2)")
    parser.add_argument(
        "--shuffled", action="store_true", help=f"shuffle each stream within blocks of {catalogue.BLOCK}, as a control"
    )
    parser.add_argument(
        "--json", type=Path, default=CACHE / "error.json", help="JSON file to write (default: .cache/error.json)"
    )
    options = parser.parse_args(arguments, argparse.Namespace(data=None, refuse=parser.error))
    if folder := os.environ.get("DRIFTLINE_DATA"):
        options.data = Path(folder)
        if not options.data.is_dir():
            parser.error(f"DRIFTLINE_DATA must be a folder, got {folder!r}")
    known = {rival.name: rival for rival in RIVALS}
    if unknown := set(options.peer or ()) - set(known):
        parser.error(f"--peer must be one of {', '.join(known)}, got {', '.join(sorted(unknown))}")
    options.peer = [known[name] for name in options.peer or known]
    if not options.limit > 0.0:
        parser.error(f"--limit must be > 0, got {options.limit}")
    if options.processes < 1:
        parser.error(f"--processes must be >= 1, got {options.processes}")
    if not options.json.parent.is_dir() and options.json.parent != CACHE:
        parser.error(f"--json must be a file in an existing folder, got {options.json}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
