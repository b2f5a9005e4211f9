"""The streams: real ones from the folder DRIFTLINE_DATA, or synthetic ones.

All learners get the same unscaled numbers. A nominal column of numbers (the day of Elec2, the
words of usenet1) is used as a number, as in the published results. `dl.streams.read` would create
one indicator per value.
"""

from __future__ import annotations

import io
import lzma
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, vstack

import driftline as dl
from error.stored import Stream

DIGITS, PHASE, SEEDS = (3, 7, 8, 9), 500, range(10)
PLANE_ROWS = 12_000
DRAWN_ROWS, DRAWN_PHASE, DRAWN_SEEDS = 20_000, 160, range(3)


def real(folder: Path, absent: dict[str, str]) -> list[list[Stream]]:
    """Return the draws of each stream in `folder`. Streams that cannot be read go to `absent`."""
    readers: dict[str, Callable[[Path], list[Stream]]] = {
        "elec2": _elec2,
        "sea": _sea,
        "usenet1": _usenet1,
        "spam": _spam,
        "usps": usps,
    }
    found = []
    for name, read in readers.items():
        try:
            found.append(read(folder))
        except Exception as why:  # an error in one stream must not stop the others
            absent[name] = f"{type(why).__name__}: {why}"
    return [*found, *planes()] if found else []


def planes() -> list[list[Stream]]:
    """Return two streams without drift, with 15 % and with 1 % positive labels.

    A label is positive with the probability of a logistic function of the features.
    """
    found = []
    for name, offset in (("plane-15", -4.0), ("plane-1", -9.5)):
        rng = np.random.default_rng(len(found))
        X = rng.normal(size=(PLANE_ROWS, 10))
        chance = 1.0 / (1.0 + np.exp(-(offset + X @ np.linspace(2.0, 0.0, 10))))
        found.append([Stream(name, 0, X, np.where(rng.random(PLANE_ROWS) < chance, 1.0, -1.0))])
    return found


def drawn() -> list[list[Stream]]:
    """Return the draws of each synthetic stream."""
    from sklearn.datasets import load_digits

    sea = dl.streams.SEA(n=DRAWN_ROWS)
    plane = dl.streams.RotatingHyperplane(n=DRAWN_ROWS, d=10, angle=0.001, noise=0.05)
    instances, digits = load_digits(return_X_y=True)
    return [
        [_whole("drawn-sea", 0, sea)],
        [_whole("drawn-hyperplane", 0, plane)],
        _four_phases("digits", instances, digits, DRAWN_PHASE, DRAWN_SEEDS),
        *planes(),
    ]


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


def _elec2(folder: Path) -> list[Stream]:
    with zipfile.ZipFile(folder / "elec2" / "elecNormNew.arff.zip") as packed:
        text = packed.read(packed.namelist()[0]).decode()
    return [Stream("elec2", 0, *arff(text, "UP"))]


def _usenet1(folder: Path) -> list[Stream]:
    return [Stream("usenet1", 0, *arff(_unpacked(folder / "usenet" / "usenet1.arff.xz"), "1"))]


def _sea(folder: Path) -> list[Stream]:
    X = np.loadtxt(io.StringIO(_unpacked(folder / "sea" / "SEA_training_data.csv.xz")), delimiter=",")
    labels = np.loadtxt(io.StringIO(_unpacked(folder / "sea" / "SEA_training_class.csv.xz")))
    return [Stream("sea", 0, X, np.where(labels == 1.0, 1.0, -1.0))]


def _spam(folder: Path) -> list[Stream]:
    blocks, labels = [], []
    width = 39_917  # words are numbered from 1
    for rows, y in dl.streams.read(folder / "spam" / "katakis_spam_9324x39916.svm.xz"):
        parts = (rows.values, rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        blocks.append(csr_matrix(parts, shape=(len(y), width)))
        labels.append(np.where(y == 1, 1.0, -1.0))
    return [Stream("spam", 0, csr_matrix(vstack(blocks)), np.concatenate(labels))]


def usps(folder: Path, seeds: range = SEEDS) -> list[Stream]:
    """Return four-phase streams of digits, one per seed."""
    import h5py

    with h5py.File(folder / "usps" / "usps.h5") as file:
        parts = [(np.asarray(file[f"{part}/data"]), np.asarray(file[f"{part}/target"])) for part in ("train", "test")]
    instances, digits = (np.concatenate(both) for both in zip(*parts, strict=True))
    return _four_phases("usps", instances, digits, PHASE, seeds)


def _four_phases(name: str, instances: Any, digits: Any, phase: int, seeds: range) -> list[Stream]:
    """Return streams of digits 3 and 7 against 8 and 9, in which 7 and 9 replace 3 and 8."""
    made = (dl.streams.FourPhase(instances, digits, classes=DIGITS, phase=phase, seed=seed) for seed in seeds)
    return [_whole(name, seed, stream) for seed, stream in zip(seeds, made, strict=True)]


def _whole(name: str, seed: int, stream: Iterable[tuple[np.ndarray, np.ndarray]]) -> Stream:
    """Return all blocks of a stream as one."""
    blocks = list(stream)
    return Stream(name, seed, np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks]))


def _unpacked(file: Path) -> str:
    with lzma.open(file, "rt") as text:
        return text.read()
