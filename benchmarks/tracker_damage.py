"""Measure how much the error of the Tracker's banks increases when features are damaged.

    DRIFTLINE_DATA=FOLDER python benchmarks/tracker_damage.py

The script prints the mean increase over all draws with its standard error, for every damage and
stream. Without DRIFTLINE_DATA only synthetic streams are used. It takes several minutes.
``tests/rules/tracker/test_tracker_robust.py`` has the limits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from columns import align
from error.stored import Stream
from error.streams import catalogue, digits
from terminal import tell

import driftline as dl

Bank = Literal["strong", "light", "recipe"]
BANKS: tuple[Bank, ...] = ("recipe", "light", "strong")
Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]
Labelled = tuple[Any, np.ndarray]
DRAWN = ("switching", "thresholds")
DRAWS = {"switching": 5, "thresholds": 5, "elec2": 10, "sea": 10, "usps": 20}
"""Number of draws of the damage. Synthetic streams and USPS are also drawn that often."""
USPS_DRAWS = 60


@cache
def real() -> dict[str, list[Stream]]:
    """Return the draws of each stream in the folder DRIFTLINE_DATA, with `USPS_DRAWS` draws of
    USPS.
    """
    folder = os.environ.get("DRIFTLINE_DATA")
    if not folder:
        raise FileNotFoundError("DRIFTLINE_DATA must be the folder of real streams, got nothing")
    absent: dict[str, str] = {}
    found = {draws[0].name: draws for draws in catalogue.read(Path(folder), DRAWS, absent)}
    return {**found, "usps": digits.usps(Path(folder), range(USPS_DRAWS))} if "usps" in found else found


@cache
def stream(name: str, draw: int) -> Labelled:
    """Return the rows of one draw and their labels, -1 and +1.

    FileNotFoundError is raised if the stream is missing.
    """
    if name == "switching":
        return _whole(dl.streams.SwitchingHyperplane(6000, d=6, seed=draw))
    if name == "thresholds":
        return _whole(dl.streams.SEA(6000, seed=draw))
    if name not in real():
        raise FileNotFoundError(f"DRIFTLINE_DATA must be a folder with {name}, got one without it")
    draws = real()[name]
    one = draws[draw if len(draws) > 1 else 0]
    return one.X, one.y


def _whole(made: dl.streams.SEA | dl.streams.SwitchingHyperplane) -> Labelled:
    blocks = list(made)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


def sprinkled(share: float, value: float) -> Change:
    """Return a change that sets a random share of all values to `value`."""
    return lambda X, rng: np.where(rng.random(X.shape) < share, value, X)


def with_constants(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Add two constant features, 3 and 0."""
    return np.column_stack([X, np.full(len(X), 3.0), np.zeros(len(X))])


def with_noise(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Add a feature of noise with standard deviation 1e6."""
    return np.column_stack([X, 1e6 * rng.normal(size=len(X))])


def with_offsets(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Shift every feature by 10,000 standard deviations up or down."""
    return X + 1e4 * X.std(axis=0) * rng.choice([-1.0, 1.0], X.shape[1])


def bad_row(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Replace one random row by 1e15."""
    return bad_rows(int(rng.integers(len(X))))(X, rng)


def bad_rows(*rows: int) -> Change:
    """Return a change that replaces these rows by 1e15."""
    return lambda X, rng: np.where(np.isin(np.arange(len(X)), rows)[:, None], 1e15, X)


CHANGES: dict[str, Change] = {
    "constants": with_constants,
    "a huge noise feature": with_noise,
    "offsets of 1e4 deviations": with_offsets,
    "outliers of 1e12": sprinkled(0.001, 1e12),
    "one row of 1e15": bad_row,
    "infinities": sprinkled(0.001, np.inf),
    "a tenth missing": sprinkled(0.1, np.nan),
    "row 0 of 1e15": bad_rows(0),
    "row 3 of 1e15": bad_rows(3),
    "row 9 of 1e15": bad_rows(9),
    "rows 0 and 15 of 1e15": bad_rows(0, 15),
}


def draws_of(name: str, change: str) -> int:
    """Return the number of draws needed to measure the increase of the error.

    The increase by constants on USPS is so small that it needs sixty draws.
    """
    if change.startswith("row"):
        return 1 if name in ("elec2", "sea") else 5
    if change == "constants":
        return {"elec2": 1, "sea": 1, "usps": USPS_DRAWS}.get(name, DRAWS[name])
    return DRAWS[name]


def votes(X: Any, y: np.ndarray, bank: Bank) -> tuple[np.ndarray, dl.Tracker]:
    """Return the Tracker's score of each row before learning it, and the Tracker."""
    learner = dl.Tracker(bank)
    return learner.learn_many(X, y), learner


def error(said: np.ndarray, y: np.ndarray) -> float:
    """Return the share of scores with the wrong sign."""
    return float(np.mean((said >= 0.0) != (y > 0.0)))


@cache
def clean(name: str, draw: int, bank: Bank) -> float:
    """Return the error without damage."""
    if name not in (*DRAWN, "usps") and draw > 0:
        return clean(name, 0, bank)
    X, y = stream(name, draw)
    return error(votes(X, y, bank)[0], y)


def losses(name: str, change: Change, draws: int, bank: Bank = "light") -> np.ndarray:
    """Return the increase of the error by a change, for each draw."""
    added = []
    for draw in range(draws):
        X, y = stream(name, draw)
        changed = np.ascontiguousarray(change(X, np.random.default_rng(100 + draw)))
        said, learner = votes(changed, y, bank)
        assert np.isfinite(said).all() and np.abs(said).max() <= 1.0 and learner.n_guarded == 0
        added.append(error(said, y) - clean(name, draw, bank))
    return np.array(added)


def main() -> int:
    """Measure all changes on all streams and print the table."""
    names = [name for name in DRAWS if name in DRAWN or os.environ.get("DRIFTLINE_DATA")]
    rows = [["damage", "stream", "draws", *(cell for bank in BANKS for cell in (bank, "+-"))]]
    for change, by in CHANGES.items():
        for name in names:
            tell(f"{change}, {name}")
            draws, cells = draws_of(name, change), []
            for bank in BANKS:
                added = losses(name, by, draws, bank)
                spread = f"{added.std(ddof=1) / np.sqrt(draws):.4f}" if draws > 1 else "-"
                cells += [f"{added.mean():+.4f}", spread]
            rows.append([change, name, str(draws), *cells])
    tell("")
    print("\n".join(align(rows, words=2)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
