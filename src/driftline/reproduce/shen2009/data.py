"""The streams of the paper: four phases over USPS digits, 20 Newsgroups and, where the user has it, SRAA.

Section 4 names the classes and the 500 or 800 examples a phase. Of the digits that stand in for USPS there are about
180 of a class, so that a phase has 170.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import driftline as dl
from driftline.internals.compiled import Floats
from driftline.reproduce.experiment import Setting
from driftline.reproduce.sources import LEAST, NEWS, SRAA, Collection, Sources, missing

PIXEL = 0.5
"""From here on a pixel counts as inked; a word counts where it occurs."""
MANY = 0.25
"""Many features are at most this part of all: so many every learner has in every trial, and of half not all have."""
FEW = 64
"""Words that are few. Texts must have more: the game selects from more features than it leaves."""
SEEDS = 1000
"""Trials have seeds of their own below this one."""


@dataclass(frozen=True)
class Material:
    """A data set, and how the paper makes streams of it."""

    key: str
    collection: Collection
    classes: tuple[str, str, str, str]
    """P1 and P2 count as +1, N1 and N2 as -1."""
    phase: int
    few: int
    """A number of features that is small here."""
    counts: tuple[int, ...]
    """The numbers of features that are selected."""
    above: float
    """A feature is on where its value is larger."""

    @property
    def name(self) -> str:
        """As reports have it."""
        return self.collection.name

    @property
    def features(self) -> int:
        """Columns."""
        return int(self.collection.X.shape[1])

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of features at which learners are judged."""
        return min(self.counts), self.few, many(self.counts, self.features)

    @property
    def side(self) -> int:
        """Pixels along an edge; 0 where features are no pixels."""
        return 0 if self.collection.words else round(self.features**0.5)

    def stream(self, trial: int, seed: int) -> tuple[Any, Floats, int]:
        """All rows and labels of a trial, and how often a class had to start over."""
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
        """Whether each feature is on, dense."""
        return np.asarray((X.toarray() if hasattr(X, "toarray") else X) > self.above)


def row(X: Any, t: int) -> tuple[np.ndarray, Floats]:
    """Where row t is not zero, and what it is there."""
    if hasattr(X, "indptr"):
        part = slice(X.indptr[t], X.indptr[t + 1])
        return X.indices[part], X.data[part]
    at = np.flatnonzero(X[t])
    return at, X[t, at]


def many(counts: Iterable[int], features: int) -> int:
    """Of these numbers of features one that is large and yet far from all."""
    return max(size for size in counts if size <= MANY * features)


def available(sources: Sources) -> list[str]:
    """The keys of the data sets that can be had: digits always, texts where they are."""
    texts = [("news", sources.has(NEWS) or sources.fetch), ("sraa", sources.has(SRAA))]
    return ["usps", *(key for key, there in texts if there)]


def material(key: str, setting: Setting) -> Material:
    """The data set of this key."""
    found = LOADERS[key](setting.sources)
    if not setting.quick:
        return found
    return replace(found, phase=min(found.phase, 120), counts=_thinned(found))


def _thinned(found: Material) -> tuple[int, ...]:
    """Every second number of features, the small one among them."""
    return found.counts[found.counts.index(found.few) % 2 :: 2]


def _usps(sources: Sources) -> Material:
    digits = ("3", "7", "8", "9")
    found = sources.usps()
    if found.stands_in:
        return Material("usps", found, digits, 170, 4, (2, 4, 8, 16, 32, 64), PIXEL)
    return Material("usps", found, digits, 500, 16, (4, 8, 16, 32, 64, 128, 256), PIXEL)


def _texts(key: str, found: Collection | None, classes: tuple[str, str, str, str]) -> Material:
    if found is None:
        raise missing({"news": "20 Newsgroups", "sraa": "SRAA"}[key])
    if len(found.words) <= FEW:
        file = {"news": NEWS, "sraa": SRAA}[key].as_posix()
        raise ValueError(
            f"reproduce: {found.name} must have at least {FEW + 1} words that {LEAST} posts or more have, got "
            f"{len(found.words)}. Copy {file} again from where it came, or remove it: then {found.name} is not run"
        )
    return Material(key, found, classes, 800, FEW, (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096), 0.0)


def _news(sources: Sources) -> Material:
    groups = ("rec.sport.baseball", "rec.sport.hockey", "rec.autos", "rec.motorcycles")
    return _texts("news", sources.newsgroups(groups), groups)


def _sraa(sources: Sources) -> Material:
    return _texts("sraa", sources.sraa(), ("realauto", "realaviation", "simauto", "simaviation"))


LOADERS: dict[str, Callable[[Sources], Material]] = {"usps": _usps, "news": _news, "sraa": _sraa}
