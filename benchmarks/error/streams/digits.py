"""Handwritten digits: two classes that change in four phases, and all ten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import driftline as dl
from error.stored import Stream
from error.streams.generated import whole

DIGITS, PHASE, SEEDS = (3, 7, 8, 9), 500, range(10)
SMALL_PHASE, SMALL_SEEDS = 160, range(3)


def usps(folder: Path, seeds: range = SEEDS) -> list[Stream]:
    """Return four-phase streams of USPS digits, one per seed."""
    return _four_phases("usps", *images(folder), PHASE, seeds)


def usps_ten(folder: Path) -> list[Stream]:
    """Return all USPS digits in a random order."""
    instances, numbers = images(folder)
    order = np.random.default_rng(0).permutation(len(numbers))
    return [Stream("usps-10", 0, instances[order].astype(np.float64), numbers[order].astype(np.int64))]


def small() -> list[Stream]:
    """Return four-phase streams of scikit-learn's digits."""
    return _four_phases("digits", *_small_images(), SMALL_PHASE, SMALL_SEEDS)


def small_ten() -> list[Stream]:
    """Return scikit-learn's digits in their order."""
    instances, numbers = _small_images()
    return [Stream("digits-10", 0, instances, numbers.astype(np.int64))]


def images(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return all USPS images and their digits, the training part first."""
    import h5py

    with h5py.File(folder / "usps" / "usps.h5") as file:
        parts = [(np.asarray(file[f"{part}/data"]), np.asarray(file[f"{part}/target"])) for part in ("train", "test")]
    instances, numbers = (np.concatenate(both) for both in zip(*parts, strict=True))
    return instances, numbers


def _small_images() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    instances, numbers = load_digits(return_X_y=True)
    return instances, numbers


def _four_phases(name: str, instances: Any, numbers: Any, phase: int, seeds: range) -> list[Stream]:
    """Return streams of digits 3 and 7 against 8 and 9, in which 7 and 9 replace 3 and 8."""
    made = (dl.streams.FourPhase(instances, numbers, classes=DIGITS, phase=phase, seed=seed) for seed in seeds)
    return [whole(name, seed, stream) for seed, stream in zip(seeds, made, strict=True)]
