"""Compare the speed of driftline, a bare C loop, scikit-learn, river and Vowpal Wabbit.

    python benchmarks/bench.py [--quick] [--repeats N] [--json FILE] [--no-peers] [--only TEXT]

Every contestant reads the same arrays in a long-running process, on one thread unless its name
says otherwise. Tasks that are compared with each other form a heat. A repeat runs the tasks of
each heat in turn, in rotating order, so that noise of the machine affects all of them alike. The
time is that of one training pass of a new learner; creating the learner and cutting the rows into
blocks are not timed. For files, the time runs from opening the file, which is already in memory,
to the saved model. The benchmark needs about 3 GB of memory and 2 GB of disk. The service is
under the load of wrk, if it is installed: apt-get install wrk.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import advice
import alarms
import data
import dicts
import environment
import first_runs
import keyed
import l1_problems
import machine
import metrics_cost
import only
import race
import results
import scaling
import startup
import table
import tables
import text_files
import unsorted_rows
from contest import HEATS
from serve import replay, speed
from terminal import tell
from worker import WARM_ROWS

CACHE = Path(__file__).resolve().parent / ".cache"
# driftline and the C loop read the same memory; files are read in a separate process, as for the
# peers
HERE = {"here": ["c_loop", "ours", "runs", "l1_ours", "second_order", "banks", "kernels"], "here-text": ["text_ours"]}
EXPERTS, START_UP, TABLES = "experts", "start-up", "csv and parquet tables"
METRICS, ALARMS, UNSORTED = "metrics of runs", "alarms", "unsorted sparse rows"
DICTS, SERVE, REPLAY, SCALE = "lists of dicts", "serve", "serve-replay", "scale"
KEYED = "keyed: a million keys"
FIRST = "start: first and second runs"
CHOICES = (*HEATS, EXPERTS, START_UP, FIRST, TABLES, METRICS, ALARMS, UNSORTED, DICTS, SERVE, REPLAY, SCALE, KEYED)
APART: dict[str, tuple[Callable[[Any], Any], Callable[[Any], list[str]]]] = {
    START_UP: (lambda options: startup.measure(options.repeats), startup.lines),
    FIRST: (
        lambda options: first_runs.measure(first_runs.peers_python(options.no_peers), min(options.repeats, 3)),
        first_runs.lines,
    ),
    TABLES: (lambda options: tables.measure(CACHE / "tables", options.repeats), tables.lines),
    ALARMS: (lambda options: alarms.measure(), alarms.lines),
    METRICS: (lambda options: metrics_cost.measure(options.repeats), metrics_cost.lines),
    UNSORTED: (lambda options: unsorted_rows.measure(options.repeats), unsorted_rows.lines),
    DICTS: (lambda options: dicts.measure(options.repeats), dicts.lines),
    SERVE: (lambda options: speed.measure(options.repeats, _python_of_server(options), CACHE, tell), speed.lines),
    REPLAY: (lambda options: replay.measure(min(options.repeats, 3), options.events, CACHE, tell), replay.lines),
    SCALE: (lambda options: scaling.measure(options.repeats), scaling.lines),
    KEYED: (lambda options: keyed.measure(100_000 if options.quick else 1_000_000), keyed.lines),
}
"""Parts that need neither the data nor the workers of the heats: how they are measured and shown."""
PEERS = {
    "scikit-learn": ["peers.sklearn_linear", "peers.sklearn_loader"],
    "river": ["peers.river_dicts"],
    "vowpalwabbit": ["peers.vw_text", "peers.vw_driver"],
    "clarabel": ["peers.qp_solver"],
}


def main(arguments: list[str]) -> int:
    """Run the benchmark, print the table and write the JSON. A missed target is not an error."""
    options = _options(arguments)
    if set(options.chosen) <= set(APART):
        for name in options.chosen:
            measure, lines = APART[name]
            print("\n".join(lines(measure(options))), flush=True)
        return 0
    sizes = data.Sizes.quick() if options.quick else data.Sizes()
    folder = CACHE / ("data-quick" if options.quick else "data")
    tell(f"drawing the data into {folder.name} if it is missing")
    data.ensure(folder, sizes)
    l1_problems.ensure()
    tell("writing the data as text if it is missing")
    text_files.ensure(folder, WARM_ROWS)
    absent: dict[str, str] = {}
    workers = [
        race.Worker(Path(sys.executable), folder, modules, CACHE / f"{name}.log") for name, modules in HERE.items()
    ]
    if options.no_peers:
        absent.update(dict.fromkeys(PEERS, "not asked for (--no-peers)"))
    else:
        tell("installing the peers if they are missing")
        python, failed = environment.ensure(CACHE / "venv")
        for package, modules in PEERS.items():
            if package in failed:
                absent[package] = failed[package]
            else:
                workers.append(race.Worker(python, folder, modules, CACHE / f"{package}.log"))
    try:
        entries, versions = _gather(workers, absent)
        entries = [entry for entry in entries if entry.heat in options.chosen]
        race.repeat(entries, options.repeats, tell)
    finally:
        for worker in workers:
            worker.close()
    absent.update({entry.key: entry.error for entry in entries if entry.error is not None})
    experts = None
    if EXPERTS in options.chosen:
        tell("timing expert algorithms")
        experts = advice.measure(options.repeats)
    apart: dict[str, Any] = dict.fromkeys(APART)
    for name in APART:
        if name in options.chosen:
            tell(f"timing {name}")
            apart[name] = APART[name][0](options)
    tell("")
    report = {
        "machine": machine.describe(),
        "versions": versions,
        "quick": options.quick,
        "repeats": options.repeats,
        "sizes": vars(sizes),
        "nonzeros_per_row": data.nonzeros_per_row(folder),
        **results.summarise(entries, options.chosen),
        "experts": experts,
        "start_up": apart[START_UP],
        "first_runs": apart[FIRST],
        "tables": apart[TABLES],
        "alarms": apart[ALARMS],
        "metrics": apart[METRICS],
        "unsorted": apart[UNSORTED],
        "dicts": apart[DICTS],
        "serve": apart[SERVE],
        "serve_replay": apart[REPLAY],
        "scale": apart[SCALE],
        "keyed": apart[KEYED],
        "absent": absent,
    }
    options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(table.render(report))
    return 0


def _python_of_server(options: Any) -> Path | None:
    """The interpreter of the peers, if it can run river behind FastAPI; None without peers."""
    if options.no_peers:
        return None
    python, failed = environment.ensure(CACHE / "venv")
    return None if set(speed.PACKAGES) & set(failed) else python


def _gather(workers: list[race.Worker], absent: dict[str, str]) -> tuple[list[race.Entry], dict[str, str]]:
    """Wait until every worker has warmed up. Return the tasks and versions of all workers."""
    entries: list[race.Entry] = []
    versions: dict[str, str] = {}
    for worker in workers:
        tell(f"warming up {', '.join(worker.modules)}")
        answer = worker.ready()
        entries += [race.Entry(key, heat, name, rows, worker) for key, heat, name, rows in answer["tasks"]]
        versions.update(answer["versions"])
        absent.update(answer["absent"])
    return entries, versions


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a twentieth of the rows and 3 repeats")
    parser.add_argument("--repeats", type=int, help="number of repeats (default: 5, with --quick 3)")
    parser.add_argument(
        "--json", type=Path, default=CACHE / "bench.json", help="JSON file to write (default: .cache/bench.json)"
    )
    parser.add_argument("--no-peers", action="store_true", help="run only driftline and the C loop")
    parser.add_argument(
        "--events", type=int, help="events of the log that serve-replay reads (default: 1,000,000, with --quick 50,000)"
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="run only parts with TEXT in their name (default: all)"
    )
    options = parser.parse_args(arguments)
    if options.repeats is None:
        options.repeats = 3 if options.quick else 5
    try:
        options.chosen = only.chosen(options.only, CHOICES)
    except ValueError as error:
        parser.error(str(error))
    if options.events is None:
        options.events = replay.EVENTS // (20 if options.quick else 1)
    if options.events < 1:
        parser.error(f"--events must be >= 1, got {options.events}")
    if options.repeats < 1:
        parser.error(f"--repeats must be >= 1, got {options.repeats}")
    if not options.json.parent.is_dir() and options.json.parent != CACHE:
        parser.error(f"--json must be a file in an existing folder, got {options.json}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
