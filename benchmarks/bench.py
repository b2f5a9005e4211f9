"""Speed, side by side: driftline, a bare C loop, scikit-learn, river and Vowpal Wabbit, interleaved.

    python benchmarks/bench.py [--quick] [--repeats N] [--json FILE] [--no-peers] [--only TEXT]

Every contestant reads the same arrays, in a process that stays alive, on one thread where nothing else is said.
A repeat runs every task once, heat by heat, in rotating order, so that a busy moment of the machine hits all
alike. What is timed is one training pass of a fresh learner; making the learner and cutting the rows into blocks
happen before the clock starts, for all. Files, which are in memory by then, are timed from opening one to the
saved model. It needs about 3 GB of memory and 1 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import advice
import data
import environment
import l1_problems
import machine
import only
import race
import results
import startup
import table
import text_files
from contest import HEATS
from terminal import tell
from worker import WARM_ROWS

CACHE = Path(__file__).resolve().parent / ".cache"
# the C loop and ours read the very same memory; files have a process of their own, as those of the peers have
HERE = {"here": ["c_loop", "ours", "runs", "l1_ours", "second_order", "banks", "kernels"], "here-text": ["text_ours"]}
EXPERTS, START_UP = "experts", "start-up"
CHOICES = (*HEATS, EXPERTS, START_UP)
PEERS = {
    "scikit-learn": ["peers.sklearn_linear", "peers.sklearn_loader"],
    "river": ["peers.river_dicts"],
    "vowpalwabbit": ["peers.vw_text", "peers.vw_driver"],
    "clarabel": ["peers.qp_solver"],
}


def main(arguments: list[str]) -> int:
    """Run the benchmark; print the table and write the JSON. A missed target is no error."""
    options = _options(arguments)
    sizes = data.Sizes.quick() if options.quick else data.Sizes()
    folder = CACHE / ("data-quick" if options.quick else "data")
    tell(f"drawing the data into {folder.name} unless it is there")
    data.ensure(folder, sizes)
    l1_problems.ensure()
    tell("writing it as text unless it is there")
    text_files.ensure(folder, WARM_ROWS)
    absent: dict[str, str] = {}
    workers = [
        race.Worker(Path(sys.executable), folder, modules, CACHE / f"{name}.log") for name, modules in HERE.items()
    ]
    if options.no_peers:
        absent.update(dict.fromkeys(PEERS, "not asked for (--no-peers)"))
    else:
        tell("installing the peers unless they are there")
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
    experts = started = None
    if EXPERTS in options.chosen:
        tell("asking experts")
        experts = advice.measure(options.repeats)
    if START_UP in options.chosen:
        tell("starting fresh processes")
        started = startup.measure(options.repeats)
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
        "start_up": started,
        "absent": absent,
    }
    options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(table.render(report))
    return 0


def _gather(workers: list[race.Worker], absent: dict[str, str]) -> tuple[list[race.Entry], dict[str, str]]:
    """Wait for every worker to warm up; return all their tasks, and their versions."""
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
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows, 3 repeats")
    parser.add_argument("--repeats", type=int, help="how often every task runs (5; quick: 3)")
    parser.add_argument("--json", type=Path, default=CACHE / "bench.json", help="where the JSON goes")
    parser.add_argument("--no-peers", action="store_true", help="only driftline and the C loop")
    parser.add_argument("--only", default="", metavar="TEXT", help="only parts with this in their name")
    options = parser.parse_args(arguments)
    if options.repeats is None:
        options.repeats = 3 if options.quick else 5
    try:
        options.chosen = only.chosen(options.only, CHOICES)
    except ValueError as error:
        parser.error(str(error))
    if options.repeats < 1:
        parser.error(f"--repeats must be >= 1, got {options.repeats}")
    if not options.json.parent.is_dir() and options.json.parent != CACHE:
        parser.error(f"--json must lie in a folder that exists, got {options.json}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
