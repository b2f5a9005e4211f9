"""Compare two banks of the Tracker: the published recipe, and the light bank, which was the default.

    DRIFTLINE_DATA=FOLDER python benchmarks/tracker_bank.py [TEXT]

The script runs every stream with TEXT in its name. It prints the error of both banks over all
draws of the stream, and the change of the error with its standard error over the draws. Then it
prints the mean change for each kind of stream. Without DRIFTLINE_DATA only synthetic streams are
used. It takes several minutes.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tracker_streams
from columns import align
from scipy.sparse import issparse
from terminal import tell
from tracker_streams import Draw

import driftline as dl

BANKS = ("recipe", "light")
WORSE = 0.01


class Tally:
    """The mistakes of both banks on the draws of one stream."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse
        self.rows = 0
        self.mistakes: list[list[int]] = []

    def play(self, draw: Draw) -> None:
        """Run both banks on a draw. Each example is predicted before it is learned."""
        self.rows += len(draw.y)
        votes = [dl.Tracker(bank).learn_many(draw.X, draw.y) for bank in BANKS]
        self.mistakes.append([int(np.sum((vote >= 0.0) != (draw.y > 0.0))) for vote in votes])

    @property
    def change(self) -> float:
        """The logarithm of the error of the light bank divided by that of the recipe."""
        recipe, light = np.sum(self.mistakes, axis=0)
        return math.log(light / recipe)

    def cells(self, name: str) -> list[str]:
        """Return the cells of one row of the table."""
        mistakes = np.array(self.mistakes, float)
        recipe, light = mistakes.sum(axis=0)
        gain = mistakes[:, 1] - mistakes[:, 0]
        error = f"{100 * gain.std(ddof=1) * math.sqrt(len(gain)) / recipe:.1f}" if len(gain) > 1 else "-"
        change = f"{100 * (light / recipe - 1.0):+.1f} %"
        errors = [f"{made / self.rows:.4f}" for made in (recipe, light)]
        return [name, str(len(gain)), f"{self.rows:,}", *errors, change, error]


def kind_of(name: str, sparse: bool) -> str:
    """Return the kind of stream over which the change is averaged."""
    rows = "sparse" if sparse else "dense"
    if name.endswith("+ 0.4"):
        return f"{rows}, 40 % wrong labels"
    if "+" in name:
        return f"{rows}, fewer wrong labels"
    return f"{rows}, {'short' if ':' in name else 'long'}"


def play(draws: Iterable[Draw], text: str) -> dict[str, Tally]:
    """Run both banks on all draws. Return the results by stream name."""
    tallies: dict[str, Tally] = {}
    for draw in draws:
        if text in draw.name:
            tell(f"running {draw.name}")
            tallies.setdefault(draw.name, Tally(issparse(draw.X))).play(draw)
    tell("")
    return tallies


def render(tallies: dict[str, Tally]) -> str:
    """Return the tables of streams and kinds of streams, and the streams with a larger error."""
    head = ["stream", "draws", "rows", *BANKS, "change", "+-"]
    lines = align([head, *(tally.cells(name) for name, tally in tallies.items())], words=1)
    kinds: dict[str, list[float]] = {}
    for name, tally in tallies.items():
        kinds.setdefault(kind_of(name, tally.sparse), []).append(tally.change)
        kinds.setdefault("all", []).append(tally.change)
    rows = [["streams", "number", "mean change", "+-"]]
    for kind, changes in sorted(kinds.items()):
        error = f"{100 * np.std(changes, ddof=1) / math.sqrt(len(changes)):.2f}" if len(changes) > 1 else "-"
        rows.append([kind, str(len(changes)), f"{100 * np.mean(changes):+.2f} %", error])
    worse = [name for name, tally in tallies.items() if tally.change > math.log1p(WORSE)]
    last = f"worse by more than {WORSE:.0%} of the error: {', '.join(worse) or 'none'}"
    return "\n".join([*lines, "", *align(rows, words=1), "", last])


def main(text: str = "") -> int:
    """Run the comparison and print the tables."""
    folder = os.environ.get("DRIFTLINE_DATA")
    tallies = play(tracker_streams.drawn(), text)
    if folder:
        tallies |= play(tracker_streams.real(Path(folder)), text)
    else:
        print("Synthetic streams only. Set DRIFTLINE_DATA to the folder of the real streams to add them.\n")
    print(render(tallies) if tallies else f"tracker_bank: no stream has {text!r} in its name")
    return 0 if tallies else 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
