"""Compare the errors of driftline and its peers with late labels, all at their defaults.

    python -m delay [--no-peers] [--only TEXT] [--rows N] [--json FILE]

DRIFTLINE_DATA is the folder of the real streams. Without it the streams are synthetic. Row t is
predicted at its turn and learned just before row t + delay + 1 is predicted. Results of the peers
are cached on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import machine
import numpy as np
import only
import peer_results
from columns import align
from error.rivals import Rival
from error.stored import Stream
from error.streams import catalogue, tables
from error.streams.generated import whole
from terminal import tell

import driftline as dl
from delay.loop import last_known_label
from driftline.version import __version__

CACHE = peer_results.CACHE
DELAYS = (0, 100, 1000)
ROWS = 20_000
COVTYPE_CLASS = 1  # the most frequent of seven, against the others
OURS: dict[str, Callable[[], dl.Learner]] = {
    "driftline Tracker": dl.Tracker,
    "driftline AROW": dl.AROW,
    "driftline AROW, standard scale": lambda: dl.AROW(scale="standard"),
    "driftline PA1": dl.PA1,
    "driftline PA1, standard scale": lambda: dl.PA1(scale="standard"),
}
RIVALS = (
    Rival("river Hoeffding adaptive tree", "river", "HoeffdingAdaptiveTreeClassifier"),
    Rival("river logistic regression", "river", "LogisticRegression"),
    Rival("river PA", "river", "PAClassifier"),
    Rival("scikit-learn SGD, hinge", "scikit-learn", "SGDClassifier"),
    Rival("river ARF, 10 trees", "river", "ARFClassifier"),
)
BASELINE = "last label known"
EARLY = {"negative before any label": 1.0, "positive before any label": -1.0}  # the label that is then wrong


def main(arguments: list[str]) -> int:
    """Run the benchmark, print the table and write the JSON."""
    options = _options(arguments)
    absent: dict[str, str] = {}
    scenes = _scenes(options, absent)
    found = {(BASELINE, s.name, n): last_known_label((s.y > 0.0).tolist(), n) for s in scenes for n in DELAYS}
    for name, make in OURS.items():
        for stream in scenes:
            for delay in DELAYS:
                tell(f"running {name} on {stream.name} with delay {delay}")
                run = dl.run(make(), (stream.X, stream.y), delay=delay, progress=False)
                found[name, stream.name, delay] = run.label_errors
    if options.no_peers:
        absent["peers"] = "not asked for (--no-peers)"
    else:
        found |= _theirs(scenes, absent)
    tell("")
    report = {
        "machine": machine.describe(),
        "driftline": __version__,
        "rows": {stream.name: stream.rows for stream in scenes},
        "wrong": [{"learner": who, "stream": where, "delay": n, "wrong": k} for (who, where, n), k in found.items()],
        "absent": absent,
    }
    CACHE.mkdir(exist_ok=True)
    options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(_table(scenes, found, absent))
    return 0


def _scenes(options: Any, absent: dict[str, str]) -> list[Stream]:
    """Return the requested streams, at most ``rows`` rows of each."""
    plane = dl.streams.RotatingHyperplane(n=options.rows, d=10, angle=0.001, noise=0.05)
    drifting = whole("hyperplane", 0, plane)
    if options.data is None:
        print("Synthetic streams only. Set DRIFTLINE_DATA to the folder of elec2, sea and covtype to use these.\n")
        found = [whole("drawn-sea", 0, dl.streams.SEA(n=options.rows)), drifting]
    else:
        found = [draws[0] for draws in catalogue.read(options.data, ("elec2", "sea"), absent)]
        found += [_covtype(options.data), drifting]
    try:
        names = only.chosen(options.only, [stream.name for stream in found])
    except ValueError as error:
        options.refuse(str(error))
    rows = options.rows
    return [Stream(s.name, s.seed, s.X[:rows], s.y[:rows]) for s in found if s.name in names]


def _covtype(folder: Path) -> Stream:
    [stream] = tables.covtype(folder)
    return replace(stream, y=np.where(stream.y == COVTYPE_CLASS, 1.0, -1.0))


def _theirs(scenes: list[Stream], absent: dict[str, str]) -> dict[tuple[str, str, int], int]:
    """Return the wrong predictions of the peers."""
    told = peer_results.results("delay", RIVALS, scenes, absent, [str(delay) for delay in DELAYS])
    return {(rival.name, stream.name, int(delay)): int(text) for rival, stream, delay, text in told}


def before_any_label(stream: Stream, delay: int, wrong: float) -> int:
    """Return the number of rows with the label ``wrong`` until the first label has arrived."""
    return int((stream.y[: delay + 1] == wrong).sum())


def _table(scenes: list[Stream], found: dict[tuple[str, str, int], int], absent: dict[str, str]) -> str:
    """Return the errors as text: a line for each learner, a column for each stream and delay."""
    columns = [(stream, delay) for stream in scenes for delay in DELAYS]
    rows = [["prequential error", *(stream.name for stream, _ in columns)], ["  delay", *(f"{n}" for _, n in columns)]]
    for name in (*OURS, *(rival.name for rival in RIVALS), BASELINE):
        shares = [
            f"{found[name, stream.name, n] / stream.rows:.4f}" if (name, stream.name, n) in found else "-"
            for stream, n in columns
        ]
        if set(shares) != {"-"}:
            rows.append([f"  {name}", *shares])
    for name, wrong in EARLY.items():
        rows.append(
            [f"  {name}", *(f"{before_any_label(stream, n, wrong) / stream.rows:.4f}" for stream, n in columns)]
        )
    lines = [f"{stream.name}: {stream.rows:,} x {stream.X.shape[1]:,}" for stream in scenes]
    lines += ["", *align(rows, words=1), ""]
    lines.append("All learners have their default parameters. Linear peers get a running standard scaler.")
    lines.append("Until the first label has come, an answer is arbitrary. Trackers, river and scikit-learn then say")
    lines.append(
        "negative, AROW and PA say positive. The last two lines are the share of such rows that this gets wrong."
    )
    lines += [f"left out: {name}: {why}" for name, why in absent.items()]
    return "\n".join(lines)


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="bench-delay", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--no-peers", action="store_true", help="run only driftline")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="run only streams with TEXT in their name (default: all)"
    )
    parser.add_argument(
        "--rows", type=int, default=ROWS, help=f"the most rows of a stream, more than 1,000 (default: {ROWS:,})"
    )
    parser.add_argument(
        "--json", type=Path, default=CACHE / "delay.json", help="JSON file to write (default: .cache/delay.json)"
    )
    options = parser.parse_args(arguments, argparse.Namespace(data=None, refuse=parser.error))
    if options.rows <= max(DELAYS):
        parser.error(f"--rows must be more than {max(DELAYS)}, got {options.rows}")
    if folder := os.environ.get("DRIFTLINE_DATA"):
        options.data = Path(folder)
        if not options.data.is_dir():
            parser.error(f"DRIFTLINE_DATA must be a folder, got {folder!r}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
