"""The streams of the paper: four phases over USPS, 20 Newsgroups and, if available, SRAA.

Section 4 of the paper specifies the classes and 500 or 800 examples per phase. The digits that
replace USPS have only about 180 examples per class, so a phase has 170.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.sources import MIN_DOCUMENTS, NEWS, SRAA, Collection, Sources, missing_data_error

PIXEL = 0.5
"""A pixel counts as on if its value is larger. A word counts as on if it occurs."""
MANY = 0.25
""""Many" features are at most this fraction of all.

Every learner uses this many features in every trial. Not every learner uses half of them.
"""
FEW = 64
"""Number of words that counts as few.

A text data set must have more, because the game needs a choice.
"""
SEEDS = 1000
"""Distance between the seeds of consecutive settings, more than the number of trials."""


@dataclass(frozen=True)
class DataSet:
    """A data set, and how the paper builds streams from it."""

    key: str
    collection: Collection
    classes: tuple[str, str, str, str]
    """P1, P2, N1 and N2. P1 and P2 have the label +1, N1 and N2 the label -1."""
    phase: int
    """Number of examples per phase."""
    few: int
    """Number of features that counts as few."""
    counts: tuple[int, ...]
    """Numbers of features to select."""
    above: float
    """A feature is on if its value is larger."""

    @property
    def name(self) -> str:
        """Name of the data set in reports."""
        return self.collection.name

    @property
    def features(self) -> int:
        """Number of features."""
        return int(self.collection.X.shape[1])

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of features at which learners are judged: fewest, few and many."""
        return min(self.counts), self.few, many(self.counts, self.features)

    @property
    def side(self) -> int:
        """Side length of the images in pixels, or 0 if the features are not pixels."""
        return 0 if self.collection.words else round(self.features**0.5)

    def stream(self, trial: int, seed: int) -> tuple[Any, Floats, int]:
        """Return the rows and labels of a trial, and how often a class ran out and was reused."""
        stream = dl.streams.FourPhase(
            self.collection.X,
            self.collection.y,
            self.classes,
            phase=self.phase,
            seed=SEEDS * seed + trial,
            block=4 * self.phase,
        )
        ((X, y),) = stream
        return X, y, stream.reused

    def on(self, X: Any) -> np.ndarray:
        """Return a dense table of which features are on."""
        return np.asarray((X.toarray() if hasattr(X, "toarray") else X) > self.above)


def row(X: Any, t: int) -> tuple[np.ndarray, Floats]:
    """Return the indices and values of the non-zero features of row t."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[t], X.indptr[t + 1])
        return X.indices[part], X.data[part]
    at = np.flatnonzero(X[t])
    return at, X[t, at]


def many(counts: Iterable[int], features: int) -> int:
    """Return the largest of these numbers that is at most the fraction MANY of all features."""
    return max(size for size in counts if size <= MANY * features)


def available(sources: Sources) -> list[str]:
    """Return the keys of the available data sets. Digits are always available."""
    texts = [("news", sources.has(NEWS) or sources.fetch), ("sraa", sources.has(SRAA))]
    return ["usps", *(key for key, there in texts if there)]


def load_data_set(key: str, setting: Setting) -> DataSet:
    """Load the data set with this key."""
    found = LOADERS[key](setting.sources)
    if not setting.quick:
        return found
    return replace(found, phase=min(found.phase, 120), counts=_thinned(found))


def _thinned(found: DataSet) -> tuple[int, ...]:
    """Return every second number of features, including the one that counts as few."""
    return found.counts[found.counts.index(found.few) % 2 :: 2]


def _usps(sources: Sources) -> DataSet:
    digits = ("3", "7", "8", "9")
    found = sources.usps()
    if found.stands_in:
        return DataSet("usps", found, digits, 170, 4, (2, 4, 8, 16, 32, 64), PIXEL)
    return DataSet("usps", found, digits, 500, 16, (4, 8, 16, 32, 64, 128, 256), PIXEL)


def _texts(key: str, found: Collection | None, classes: tuple[str, str, str, str]) -> DataSet:
    if found is None:
        raise missing_data_error({"news": "20 Newsgroups", "sraa": "SRAA"}[key])
    if len(found.words) <= FEW:
        file = {"news": NEWS, "sraa": SRAA}[key].as_posix()
        raise ValueError(
            f"reproduce: {found.name} must have at least {FEW + 1} words that occur in {MIN_DOCUMENTS} posts or more, "
            f"got {len(found.words)}. Copy {file} again from its source, or remove it to skip {found.name}"
        )
    return DataSet(key, found, classes, 800, FEW, (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096), 0.0)


def _news(sources: Sources) -> DataSet:
    groups = ("rec.sport.baseball", "rec.sport.hockey", "rec.autos", "rec.motorcycles")
    return _texts("news", sources.newsgroups(groups), groups)


def _sraa(sources: Sources) -> DataSet:
    return _texts("sraa", sources.sraa(), ("realauto", "realaviation", "simauto", "simaviation"))


LOADERS: dict[str, Callable[[Sources], DataSet]] = {"usps": _usps, "news": _news, "sraa": _sraa}
