"""Compare the mean absolute errors of driftline's regressors and its peers, all at their defaults.

    python -m regression [--no-peers] [--only TEXT] [--json FILE]

All get the same standardised numbers. Without DRIFTLINE_DATA, Elec2 is left out. Results of the
peers are cached on disk.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import machine
import numpy as np
import only
import peer_results
from columns import align
from error.rivals import Rival
from error.stored import Stream
from terminal import tell

import driftline as dl
from driftline.rules.experts.expert_rule import ExpertRule
from driftline.version import __version__
from regression import streams

CACHE = peer_results.CACHE
RIVALS = (
    Rival("river linear regression", "river", "LinearRegression"),
    Rival("river PA", "river", "PARegressor"),
    Rival("river Bayesian linear regression", "river", "BayesianLinearRegression"),
    Rival("scikit-learn SGD", "scikit-learn", "SGDRegressor"),
    Rival("scikit-learn PA-I", "scikit-learn", "SGDRegressor-pa1"),
    Rival("Vowpal Wabbit", "vowpalwabbit", "default"),
    Rival("Vowpal Wabbit --coin", "vowpalwabbit", "coin"),
    Rival("river Hoeffding tree", "river", "HoeffdingTreeRegressor", slow=True),
    Rival("river Hoeffding adaptive tree", "river", "HoeffdingAdaptiveTreeRegressor", slow=True),
    Rival("river nearest neighbours", "river", "KNNRegressor", slow=True),
    Rival("river AMRules", "river", "AMRules", slow=True),
    Rival("river Mondrian forest", "river", "AMFRegressor", slow=True),
    Rival("river adaptive random forest", "river", "ARFRegressor", slow=True),
)
TRACKER = "driftline TrackerRegressor"
BASELINE = "last target"
LEAST_WON = 4


def main(arguments: list[str]) -> int:
    """Run the benchmark, print the table and write the JSON. A missed target is not an error."""
    options = _options(arguments)
    absent: dict[str, str] = {}
    found: dict[tuple[str, str], float] = {}
    scenes = streams.every(options.data, absent)
    try:
        names = only.chosen(options.only, [stream.name for stream in scenes])
    except ValueError as error:
        options.refuse(str(error))
    scenes = [stream for stream in scenes if stream.name in names]
    for stream in scenes:
        found[BASELINE, stream.name] = float(np.abs(np.diff(stream.y, prepend=0.0)).mean())
        for name, make in ours().items():
            tell(f"running {name} on {stream.name}")
            found[name, stream.name] = float(np.abs(stream.y - make().learn_many(stream.X, stream.y)).mean())
    if options.no_peers:
        absent["peers"] = "not asked for (--no-peers)"
    else:
        found |= _theirs(scenes, absent)
    tell("")
    won = _won(scenes, found)
    report = {
        "machine": machine.describe(),
        "driftline": __version__,
        "rows": {stream.name: stream.rows for stream in scenes},
        "errors": [{"learner": who, "stream": where, "mae": mae} for (who, where), mae in found.items()],
        "won": won,
        "absent": absent,
    }
    CACHE.mkdir(exist_ok=True)
    options.json.write_text(json.dumps(report, indent=1) + "\n")
    print(_table(scenes, found, won, absent))
    return 0


def ours() -> dict[str, Callable[[], dl.Learner]]:
    """Return a factory for each single regressor that takes features."""
    rules = {name: make for name, make in dl.REGISTRY.items() if _is_single_regressor(make)}
    return {f"driftline {make.__name__}": make for make in rules.values()}


def _is_single_regressor(make: type[dl.Learner]) -> bool:
    try:
        rule = make().rule
    except (TypeError, ValueError):  # needs other learners
        return False
    return rule.regresses and not isinstance(rule, ExpertRule)


def _theirs(scenes: list[Stream], absent: dict[str, str]) -> dict[tuple[str, str], float]:
    """Return the mean absolute errors of the peers."""
    told = peer_results.results("regression", RIVALS, scenes, absent)
    return {(rival.name, stream.name): float(text) for rival, stream, _, text in told}


def _won(scenes: list[Stream], found: dict[tuple[str, str], float]) -> list[str]:
    """Return the streams on which the TrackerRegressor is below every peer."""
    won = []
    for stream in scenes:
        theirs = [found[rival.name, stream.name] for rival in RIVALS if (rival.name, stream.name) in found]
        if theirs and found[TRACKER, stream.name] < min(theirs):
            won.append(stream.name)
    return won


def _table(scenes: list[Stream], found: dict[tuple[str, str], float], won: list[str], absent: dict[str, str]) -> str:
    """Return the errors as text: a line for each learner, a column for each stream."""
    rows = [["mean absolute error", *(stream.name.removeprefix("regression-") for stream in scenes)]]
    for name in (*ours(), *(rival.name for rival in RIVALS), BASELINE):
        cells = [f"{found[name, s.name]:.4g}" if (name, s.name) in found else "-" for s in scenes]
        if set(cells) != {"-"}:
            rows.append([f"  {name}", *cells])
    lines = [f"{stream.name}: {stream.rows:,} x {stream.X.shape[1]:,}" for stream in scenes]
    lines += ["", *align(rows, words=1), ""]
    lines.append("All learners have their default parameters. An error of 1 is one standard deviation of the target.")
    if len(scenes) > LEAST_WON and "peers" not in absent:
        verdict = "met" if len(won) >= LEAST_WON else "missed"
        told = f"the TrackerRegressor is below every peer on {len(won)} of {len(scenes)}"
        lines.append(f"target, at least {LEAST_WON} streams: {told}: {verdict}")
    lines += [f"left out: {name}: {why}" for name, why in absent.items()]
    return "\n".join(lines)


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="bench-regression", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--no-peers", action="store_true", help="run only driftline")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="run only streams with TEXT in their name (default: all)"
    )
    parser.add_argument(
        "--json",
        type=Path,
        default=CACHE / "regression.json",
        help="JSON file to write (default: .cache/regression.json)",
    )
    options = parser.parse_args(arguments, argparse.Namespace(data=None, refuse=parser.error))
    if folder := os.environ.get("DRIFTLINE_DATA"):
        options.data = Path(folder)
        if not options.data.is_dir():
            parser.error(f"DRIFTLINE_DATA must be a folder, got {folder!r}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
