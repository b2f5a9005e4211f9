"""The Tracker's two banks side by side: the recipe as published, and the extended one, which is the default.

    DRIFTLINE_DATA=FOLDER python benchmarks/tracker_bank.py [TEXT]

prints the error of both on every stream with TEXT in its name, over all draws of it, and the change of the error with
its standard error over the draws; then the mean change of each kind of stream. Without DRIFTLINE_DATA, streams are
drawn. It takes some minutes.
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

BANKS = ("recipe", "extended")
WORSE = 0.01


class Tally:
    """What both banks did on the draws of one stream."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse
        self.rows = 0
        self.mistakes: list[list[int]] = []

    def play(self, draw: Draw) -> None:
        """Learn a draw with both, each guessing an example before it learns it."""
        self.rows += len(draw.y)
        votes = [dl.Tracker(bank).learn_many(draw.X, draw.y) for bank in BANKS]
        self.mistakes.append([int(np.sum((vote >= 0.0) != (draw.y > 0.0))) for vote in votes])

    @property
    def change(self) -> float:
        """The logarithm of the ratio of both errors."""
        recipe, extended = np.sum(self.mistakes, axis=0)
        return math.log(extended / recipe)

    def cells(self, name: str) -> list[str]:
        """A line of the table."""
        mistakes = np.array(self.mistakes, float)
        recipe, extended = mistakes.sum(axis=0)
        gain = mistakes[:, 1] - mistakes[:, 0]
        error = f"{100 * gain.std(ddof=1) * math.sqrt(len(gain)) / recipe:.1f}" if len(gain) > 1 else "-"
        change = f"{100 * (extended / recipe - 1.0):+.1f} %"
        errors = [f"{made / self.rows:.4f}" for made in (recipe, extended)]
        return [name, str(len(gain)), f"{self.rows:,}", *errors, change, error]


def kind_of(name: str, sparse: bool) -> str:
    """Which streams this one is counted with."""
    rows = "sparse" if sparse else "dense"
    if name.endswith("+ 0.4"):
        return f"{rows}, 40 % wrong labels"
    if "+" in name:
        return f"{rows}, fewer wrong labels"
    return f"{rows}, {'short' if ':' in name else 'long'}"


def play(draws: Iterable[Draw], text: str) -> dict[str, Tally]:
    """Play all draws, by name."""
    tallies: dict[str, Tally] = {}
    for draw in draws:
        if text in draw.name:
            tell(f"playing {draw.name}")
            tallies.setdefault(draw.name, Tally(issparse(draw.X))).play(draw)
    tell("")
    return tallies


def render(tallies: dict[str, Tally]) -> str:
    """Streams, then kinds of them, then what became worse."""
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
    """Play and print."""
    folder = os.environ.get("DRIFTLINE_DATA")
    tallies = play(tracker_streams.drawn(), text)
    if folder:
        tallies |= play(tracker_streams.real(Path(folder)), text)
    else:
        print("Drawn streams only. Set DRIFTLINE_DATA to the folder of the real ones for those.\n")
    print(render(tallies) if tallies else f"tracker_bank: no stream has {text!r} in its name")
    return 0 if tallies else 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
