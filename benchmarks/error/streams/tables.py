"""Dense tables in their file order: Elec2, SEA, usenet1, forest cover and keystrokes.

A nominal column of numbers (the day of Elec2, the words of usenet1) is used as a number, as in the
published results. `dl.streams.read` would create one indicator per value.
"""

from __future__ import annotations

import io
import lzma
import zipfile
from pathlib import Path

import numpy as np

from error.stored import Stream

COVTYPE_FIRST = 10_000


def arff(text: str, positive: str) -> tuple[np.ndarray, np.ndarray]:
    """Return all columns but the last as numbers, and labels: +1.0 if the last is `positive`,
    else -1.0.
    """
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip().lower() == "@data":
            break
    fields = [line.split(",") for line in lines if line.strip()]
    X = np.array([row[:-1] for row in fields], dtype=np.float64)
    return X, np.where([row[-1].strip() == positive for row in fields], 1.0, -1.0)


def elec2(folder: Path) -> list[Stream]:
    """Electricity prices of New South Wales, up or down."""
    with zipfile.ZipFile(folder / "elec2" / "elecNormNew.arff.zip") as packed:
        text = packed.read(packed.namelist()[0]).decode()
    return [Stream("elec2", 0, *arff(text, "UP"))]


def usenet1(folder: Path) -> list[Stream]:
    """Posts of interest to a reader who changes interests."""
    return [Stream("usenet1", 0, *arff(_unpacked(folder / "usenet" / "usenet1.arff.xz"), "1"))]


def sea(folder: Path) -> list[Stream]:
    """Noisy thresholds that jump."""
    X = np.loadtxt(io.StringIO(_unpacked(folder / "sea" / "SEA_training_data.csv.xz")), delimiter=",")
    labels = np.loadtxt(io.StringIO(_unpacked(folder / "sea" / "SEA_training_class.csv.xz")))
    return [Stream("sea", 0, X, np.where(labels == 1.0, 1.0, -1.0))]


def covtype(folder: Path) -> list[Stream]:
    """Seven kinds of forest."""
    return [Stream("covtype", 0, *_numbered(folder / "covtype" / "covtype50k.csv.xz"))]


def covtype_first(folder: Path) -> list[Stream]:
    """The first rows of `covtype`."""
    X, y = _numbered(folder / "covtype" / "covtype50k.csv.xz", COVTYPE_FIRST)
    return [Stream("covtype-10k", 0, X, y)]


def keystroke(folder: Path) -> list[Stream]:
    """Four people who type the same word over some weeks."""
    return [Stream("keystroke", 0, *_numbered(folder / "keystroke" / "keystroke.csv.xz"))]


def _numbered(file: Path, rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return all columns but the last, and the last as class numbers. The file has a header."""
    with lzma.open(file, "rt") as text:
        table = np.loadtxt(text, delimiter=",", skiprows=1, max_rows=rows)
    return table[:, :-1], table[:, -1].astype(np.int64)


def _unpacked(file: Path) -> str:
    with lzma.open(file, "rt") as text:
        return text.read()
