"""Data sets of the experiments, read from a folder or downloaded from their public source.

The folder may contain these files:

* ``usps/usps.h5``: groups train and test, each with data and target;
* ``20news/20news-bydate.tar.xz``: one file per post, at …/GROUP/ID;
* ``sraa/sraa.tar.gz``: one file per post, at …/CLASS/NAME;
* ``spam/katakis_spam_9324x39916.svm.xz``: svmlight rows in the order of arrival, words as 0 or 1,
  label 1 for spam.

Files are downloaded only if the user asks for it. Without USPS, the digits of scikit-learn replace
it. Nothing replaces the texts.
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
MIN_DOCUMENTS = 7
"""Smallest number of documents in which a word must occur.

It keeps 8,320 words of the four newsgroups, about as many as the paper had.
"""
WORD = re.compile(r"[a-z0-9]+")
FILES = (USPS, NEWS, SPAM, SRAA)
REMEDY = f"Set {VARIABLE} to a folder that has it"
FETCHED = {NEWS: "20 Newsgroups", USPS: "USPS"}
"""The data sets that --fetch downloads."""
DAMAGED = (OSError, EOFError, KeyError, ValueError, tarfile.TarError, LZMAError, zlib.error)


@dataclass(frozen=True)
class Collection:
    """A data set of labelled examples. The order of the rows has no meaning unless stated."""

    name: str
    X: Any
    """A dense or CSR matrix of float64."""
    y: np.ndarray
    """The class of each row, as text."""
    words: tuple[str, ...] = ()
    """Names of the columns if the features are words."""
    stands_in: str = ""
    """Name of the data set that this one replaces, or empty."""


@dataclass(frozen=True)
class Sources:
    """Where data may be read from.

    Parameters
    ----------
    folder : str, optional
        Folder with the files listed in the module docstring.
    fetch : bool, default=False
        Download missing data from their public source, if there is one.
    """

    folder: str | None = None
    fetch: bool = False

    @staticmethod
    def of_user(folder: str | None = None, fetch: bool = False) -> Sources:
        """Return sources for the given folder, or else the folder named by DRIFTLINE_DATA.

        Parameters
        ----------
        folder : str, optional
            Folder with data. It must exist and have at least one of the known files.
        fetch : bool, default=False
            Download missing data from their public source, if there is one.
        """
        chosen = folder or os.environ.get(VARIABLE) or None
        if chosen is not None and not Path(chosen).is_dir():
            where = "--data" if folder else VARIABLE
            raise ValueError(f"{where} must name a folder with data, got {chosen!r}. Give one, or leave it out")
        if folder is not None and not any((Path(folder) / file).is_file() for file in FILES):
            raise ValueError(
                f"--data must have at least one of {', '.join(map(str, FILES))}, got none of them in {folder!r}. "
                "Give the folder that contains them, or leave it out"
            )
        return Sources(chosen, fetch)

    def has(self, file: Path) -> bool:
        """Return whether the folder has this file."""
        return self.folder is not None and (Path(self.folder) / file).is_file()

    def usps(self) -> Collection:
        """Return USPS, 16 x 16 pixels, or else the digits of scikit-learn, 8 x 8 pixels."""
        if self.has(USPS):
            return _usps(self._path(USPS))
        return _fetched_usps() if self.fetch else _digits()

    def newsgroups(self, groups: Sequence[str] = GROUPS) -> Collection | None:
        """Return posts as 0/1 word vectors, or None if they are not available."""
        if self.has(NEWS):
            return _read_archive("20 Newsgroups", self._path(NEWS), tuple(groups))
        return _fetched_news(tuple(groups)) if self.fetch else None

    def sraa(self) -> Collection | None:
        """Return SRAA (simulated and real autos and aviation) as words, or None if missing."""
        return _read_archive("SRAA", self._path(SRAA), VEHICLES) if self.has(SRAA) else None

    def spam(self) -> Collection | None:
        """Return e-mails as 0/1 word vectors in order of arrival, or None if they are missing."""
        return _mails(self._path(SPAM)) if self.has(SPAM) else None

    def _path(self, file: Path) -> str:
        return str(Path(self.folder or "") / file)


def missing_data_error(what: str) -> ValueError:
    """Return the error for required data that are missing."""
    fetch = ", or pass --fetch to download it from its public source" if what in FETCHED.values() else ""
    return ValueError(f"reproduce: {what} must be available, got no data. {REMEDY}{fetch}")


@cache
def _usps(path: str) -> Collection:
    h5py = import_optional("h5py")
    with (
        _naming_damaged_file(path, "an HDF5 file with groups train and test of data and target"),
        h5py.File(path) as file,
    ):
        parts = [file[part] for part in ("train", "test")]
        X = np.concatenate([np.asarray(part["data"], float) for part in parts])
        y = np.concatenate([np.asarray(part["target"]).astype(int) for part in parts])
        if X.ndim != 2 or X.shape[1] != 256 or y.shape != X.shape[:1]:
            raise ValueError(f"data of shape {X.shape}, target of shape {y.shape}")
        if not ((X >= 0.0) & (X <= 1.0)).all() or not ((y >= 0) & (y <= 9)).all():
            raise ValueError("pixels that are not in [0, 1], or targets that are not digits")
    return Collection("USPS", X, y.astype(str))


@cache
def _fetched_usps() -> Collection:
    datasets = import_optional("sklearn.datasets")
    with _naming_failed_download("USPS"):
        found = datasets.fetch_openml("USPS", version=2, as_frame=False)
    X = (np.asarray(found.data, float) + 1.0) / 2.0
    return Collection("USPS", X, (np.asarray(found.target).astype(int) - 1).astype(str))


@cache
def _digits() -> Collection:
    datasets = import_optional("sklearn.datasets")
    X, y = datasets.load_digits(return_X_y=True)
    return Collection("digits", X / 16.0, y.astype(str), stands_in="USPS")


@cache
def _read_archive(name: str, path: str, groups: tuple[str, ...]) -> Collection:
    posts: list[tuple[str, str]] = []
    with (
        _naming_damaged_file(path, f"a tar archive with folders {', '.join(groups)} of posts"),
        tarfile.open(path) as archive,
    ):
        for member in archive:
            group = Path(member.name).parent.name
            if member.isfile() and group in groups:
                file = archive.extractfile(member)
                posts.append((group, file.read().decode("latin-1") if file else ""))
        lacking = [group for group in groups if all(group != found for found, _ in posts)]
        if lacking:
            raise ValueError(f"none of {', '.join(lacking)}")
    return bag_of_words(name, [text for _, text in posts], [group for group, _ in posts])


@cache
def _mails(path: str) -> Collection:
    from driftline.streams import read  # imported late because it loads the compiler

    with _naming_damaged_file(path, "an svmlight file of e-mails with labels 1 and -1 or 0"):
        blocks = list(read(path, task="classification"))
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
    datasets = import_optional("sklearn.datasets")
    with _naming_failed_download("20 Newsgroups"):
        found = datasets.fetch_20newsgroups(subset="all", categories=list(groups))
    return bag_of_words("20 Newsgroups", found.data, [found.target_names[k] for k in found.target])


def bag_of_words(name: str, texts: Sequence[str], groups: Sequence[str]) -> Collection:
    """Return texts as 0/1 word vectors, without their headers.

    A word becomes a feature if at least MIN_DOCUMENTS texts have it. There is no stemming and no
    stop list.
    """
    bodies = [set(WORD.findall(text.replace("\r\n", "\n").partition("\n\n")[2].lower())) for text in texts]
    counts: dict[str, int] = {}
    for body in bodies:
        for word in body:
            counts[word] = counts.get(word, 0) + 1
    words = tuple(sorted(word for word, count in counts.items() if count >= MIN_DOCUMENTS))
    number = {word: k for k, word in enumerate(words)}
    rows = [sorted(number[word] for word in body if word in number) for body in bodies]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    indices = np.array([k for row in rows for k in row], np.int32)
    X = csr_array((np.ones(indices.size), indices, indptr), shape=(len(rows), len(words)))
    return Collection(name, X, np.array(groups), words)


@contextmanager
def _naming_damaged_file(path: str, must: str) -> Iterator[None]:
    """Turn a read error into one that names the damaged file and its required format."""
    try:
        yield
    except DAMAGED as error:
        found = str(error) or type(error).__name__
        raise ValueError(f"reproduce: {path} must be {must}, got {found}. Copy it again from its source") from None


@contextmanager
def _naming_failed_download(what: str) -> Iterator[None]:
    """Turn a download error into one that names the data set."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ValueError(
            f"reproduce: {what} must be reachable, got {error}. Set {VARIABLE} to a folder that has it"
        ) from None


def import_optional(name: str) -> Any:
    """Import a module of the extra ``reproduce``, or raise an error with the install command."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f'reproduce needs {name}: pip install "driftline[reproduce]"') from None
