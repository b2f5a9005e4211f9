"""Data that experiments read: from a folder of the user's, or, if the user agreed, from their public source.

The folder is laid out as ``usps/usps.h5`` (groups train and test, each with data and target),
``20news/20news-bydate.tar.xz`` (…/GROUP/ID, one post a file), ``sraa/sraa.tar.gz`` (…/CLASS/NAME, one post a file) and
``spam/katakis_spam_9324x39916.svm.xz`` (e-mails as they came, words 0 or 1, svmlight, 1 for spam).
Without folder and consent, the digits that come with scikit-learn stand in for those of USPS, and nothing for texts.
"""

from __future__ import annotations

import os
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from lzma import LZMAError
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

VARIABLE = "DRIFTLINE_DATA"
USPS, NEWS, SRAA = Path("usps/usps.h5"), Path("20news/20news-bydate.tar.xz"), Path("sraa/sraa.tar.gz")
SPAM = Path("spam/katakis_spam_9324x39916.svm.xz")
GROUPS = ("rec.sport.baseball", "rec.sport.hockey", "rec.autos", "rec.motorcycles")
VEHICLES = ("realauto", "realaviation", "simauto", "simaviation")
LEAST = 7
"""Documents that a word must occur in: 8,320 words of the four groups do, about as many as the paper had."""
WORD = re.compile(r"[a-z0-9]+")
FILES = (USPS, NEWS, SPAM, SRAA)
REMEDY = f"Set {VARIABLE} to a folder that has it"
FETCHED = {NEWS: "20 Newsgroups", USPS: "USPS"}
"""What --fetch loads."""
DAMAGED = (OSError, EOFError, KeyError, ValueError, tarfile.TarError, LZMAError, zlib.error)


@dataclass(frozen=True)
class Collection:
    """Labelled examples, in no order unless it is said."""

    name: str
    X: Any
    """A dense or CSR matrix of float64."""
    y: np.ndarray
    """The class of each row, as text."""
    words: tuple[str, ...] = ()
    """What the columns are called, where they are words."""
    stands_in: str = ""
    """What these data stand in for; empty: nothing."""


@dataclass(frozen=True)
class Sources:
    """Where data may come from."""

    folder: str | None = None
    fetch: bool = False

    @staticmethod
    def of_user(folder: str | None = None, fetch: bool = False) -> Sources:
        """The folder given, else that of the environment variable; it must be there."""
        chosen = folder or os.environ.get(VARIABLE) or None
        if chosen is not None and not Path(chosen).is_dir():
            where = "--data" if folder else VARIABLE
            raise ValueError(f"{where} must name a folder with data, got {chosen!r}. Give one, or leave it out")
        if folder is not None and not any((Path(folder) / file).is_file() for file in FILES):
            raise ValueError(
                f"--data must have at least one of {', '.join(map(str, FILES))}, got none of them in {folder!r}. "
                "Name the folder that they are below, or leave it out"
            )
        return Sources(chosen, fetch)

    def has(self, file: Path) -> bool:
        """Whether the folder has this file."""
        return self.folder is not None and (Path(self.folder) / file).is_file()

    def usps(self) -> Collection:
        """USPS digits of 16 x 16 pixels; else those of 8 x 8 that come with scikit-learn."""
        if self.has(USPS):
            return _usps(self._path(USPS))
        return _fetched_usps() if self.fetch else _digits()

    def newsgroups(self, groups: Sequence[str] = GROUPS) -> Collection | None:
        """Posts as the words that they have, 0 or 1; None where they cannot be had."""
        if self.has(NEWS):
            return _archived("20 Newsgroups", self._path(NEWS), tuple(groups))
        return _fetched_news(tuple(groups)) if self.fetch else None

    def sraa(self) -> Collection | None:
        """Simulated and real autos and aviation, as words; None where the folder does not have them."""
        return _archived("SRAA", self._path(SRAA), VEHICLES) if self.has(SRAA) else None

    def spam(self) -> Collection | None:
        """E-mails as words, 0 or 1, in the order in which they came; None where the folder does not have them."""
        return _mails(self._path(SPAM)) if self.has(SPAM) else None

    def _path(self, file: Path) -> str:
        return str(Path(self.folder or "") / file)


def missing(what: str) -> ValueError:
    """The error for data that can neither be found nor be done without."""
    fetch = ", or pass --fetch to load it from its public source" if what in FETCHED.values() else ""
    return ValueError(f"reproduce: {what} must be at hand, got none. {REMEDY}{fetch}")


@cache
def _usps(path: str) -> Collection:
    h5py = imported("h5py")
    with _read(path, "an HDF5 file with groups train and test of data and target"), h5py.File(path) as file:
        parts = [file[part] for part in ("train", "test")]
        X = np.concatenate([np.asarray(part["data"], float) for part in parts])
        y = np.concatenate([np.asarray(part["target"]).astype(int) for part in parts])
        if X.ndim != 2 or X.shape[1] != 256 or y.shape != X.shape[:1]:
            raise ValueError(f"data of shape {X.shape}, target of shape {y.shape}")
        if not ((X >= 0.0) & (X <= 1.0)).all() or not ((y >= 0) & (y <= 9)).all():
            raise ValueError("pixels that are not in [0, 1], or targets that are no digit")
    return Collection("USPS", X, y.astype(str))


@cache
def _fetched_usps() -> Collection:
    datasets = imported("sklearn.datasets")
    with _fetching("USPS"):
        found = datasets.fetch_openml("USPS", version=2, as_frame=False)
    X = (np.asarray(found.data, float) + 1.0) / 2.0
    return Collection("USPS", X, (np.asarray(found.target).astype(int) - 1).astype(str))


@cache
def _digits() -> Collection:
    datasets = imported("sklearn.datasets")
    X, y = datasets.load_digits(return_X_y=True)
    return Collection("digits", X / 16.0, y.astype(str), stands_in="USPS")


@cache
def _archived(name: str, path: str, groups: tuple[str, ...]) -> Collection:
    posts: list[tuple[str, str]] = []
    with _read(path, f"a tar archive with folders {', '.join(groups)} of posts"), tarfile.open(path) as archive:
        for member in archive:
            group = Path(member.name).parent.name
            if member.isfile() and group in groups:
                file = archive.extractfile(member)
                posts.append((group, file.read().decode("latin-1") if file else ""))
        lacking = [group for group in groups if all(group != found for found, _ in posts)]
        if lacking:
            raise ValueError(f"none of {', '.join(lacking)}")
    return of_words(name, [text for _, text in posts], [group for group, _ in posts])


@cache
def _mails(path: str) -> Collection:
    from driftline.streams import read  # which loads a compiler

    with _read(path, "an svmlight file of e-mails with labels 1 and -1 or 0"):
        blocks = list(read(path))
        rows = [rows for rows, _ in blocks]
        lengths = np.concatenate([np.diff(one.indptr.astype(np.int64)) for one in rows])
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.concatenate([one.indices for one in rows]).astype(np.int32)
        values = np.concatenate([one.values for one in rows])
        X = csr_array((values, indices, indptr), shape=(len(lengths), max(one.width for one in rows)))
        y = np.concatenate([labels for _, labels in blocks])
        labels = np.unique(y).tolist()
        if labels not in ([-1, 1], [0, 1]):
            named = [f"{label:g}" for label in labels[:3]] + ["..."] * (len(labels) > 3)
            raise ValueError(f"labels {', '.join(named)}")
        y = y.astype(int)
    return Collection("spam", X, y.astype(str))


@cache
def _fetched_news(groups: tuple[str, ...]) -> Collection:
    datasets = imported("sklearn.datasets")
    with _fetching("20 Newsgroups"):
        found = datasets.fetch_20newsgroups(subset="all", categories=list(groups))
    return of_words("20 Newsgroups", found.data, [found.target_names[k] for k in found.target])


def of_words(name: str, texts: Sequence[str], groups: Sequence[str]) -> Collection:
    """Texts as 0/1 vectors of the words after their header that LEAST of them have; no stemming, no stop list."""
    bodies = [set(WORD.findall(text.replace("\r\n", "\n").partition("\n\n")[2].lower())) for text in texts]
    counts: dict[str, int] = {}
    for body in bodies:
        for word in body:
            counts[word] = counts.get(word, 0) + 1
    words = tuple(sorted(word for word, count in counts.items() if count >= LEAST))
    number = {word: k for k, word in enumerate(words)}
    rows = [sorted(number[word] for word in body if word in number) for body in bodies]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([k for row in rows for k in row], np.int32)
    X = csr_array((np.ones(indices.size), indices, indptr), shape=(len(rows), len(words)))
    return Collection(name, X, np.array(groups), words)


@contextmanager
def _read(path: str, must: str) -> Iterator[None]:
    """Say which file is damaged, and what it must be."""
    try:
        yield
    except DAMAGED as error:
        found = str(error) or type(error).__name__
        raise ValueError(f"reproduce: {path} must be {must}, got {found}. Copy it again from where it came") from None


@contextmanager
def _fetching(what: str) -> Iterator[None]:
    """Say what could not be loaded."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ValueError(
            f"reproduce: {what} must be reachable, got {error}. Set {VARIABLE} to a folder that has it"
        ) from None


def imported(name: str) -> Any:
    """A module of the extra that experiments need; who lacks it is told."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} must be installed for reproduce, got none. Install driftline[reproduce]") from None
