"""20 Newsgroups: the text of each post after its header block.

The two-class streams have hashed binary words, one draw for each pair of groups and order. The
stream of 20 classes has words of two letters and more, lower case, with the value 1 + ln(count).
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np

from error.stored import Stream
from error.streams.built import built
from error.streams.words import body, counted, hashed

PAIRS = (
    ("comp.os.ms-windows.misc", "misc.forsale"),
    ("talk.politics.misc", "talk.religion.misc"),
    ("sci.med", "talk.politics.guns"),
    ("comp.windows.x", "comp.os.ms-windows.misc"),
    ("soc.religion.christian", "talk.religion.misc"),
    ("rec.motorcycles", "sci.electronics"),
    ("sci.crypt", "talk.politics.misc"),
    ("comp.graphics", "comp.sys.mac.hardware"),
    ("alt.atheism", "talk.religion.misc"),
    ("rec.sport.hockey", "misc.forsale"),
)
"""Pairs of newsgroups, the two classes of a stream."""
ORDERS = (100, 101)
"""Seeds of the orders of each pair."""
POSTS = 10_000


def pairs(folder: Path) -> list[Stream]:
    """Return a draw for each pair of groups and order. The first group is +1."""
    posts = built("news-posts", archive(folder), lambda: _hashed_posts(folder))
    numbers = {name: k for k, name in enumerate(sorted({group for pair in PAIRS for group in pair}))}
    draws = []
    for k, pair in enumerate(PAIRS):
        first, second = (np.flatnonzero(posts.y == numbers[group]) for group in pair)
        rows = np.concatenate([first, second])
        y = np.repeat([1.0, -1.0], [len(first), len(second)])
        for seed in ORDERS:
            order = np.random.default_rng(seed).permutation(len(y))
            draws.append(Stream("news", len(ORDERS) * k + seed - ORDERS[0], posts.X[rows[order]], y[order]))
    return draws


def twenty(folder: Path) -> list[Stream]:
    """Return a random sample of the posts of all groups."""
    return [built("news-20", archive(folder), lambda: _twenty(folder))]


def archive(folder: Path) -> Path:
    """Return the file of all posts."""
    return folder / "20news" / "20news-bydate.tar.xz"


def read(folder: Path) -> list[tuple[str, str, str]]:
    """Return the part, the group and the text of each post: the training part first, each in
    order of its paths.
    """
    posts = []
    with tarfile.open(archive(folder)) as packed:
        for member in packed:
            file = packed.extractfile(member) if member.isfile() else None
            if file is not None:
                part, group, number = Path(member.name).parts[-3:]
                posts.append((not part.endswith("train"), part, group, number, body(file.read().decode("latin-1"))))
    return [(part, group, text) for _, part, group, _, text in sorted(posts, key=lambda post: post[:4])]


def _hashed_posts(folder: Path) -> Stream:
    """Return the posts of all pairs; labels are positions in the sorted list of groups."""
    groups = sorted({group for pair in PAIRS for group in pair})
    posts = [(groups.index(group), text) for _, group, text in read(folder) if group in groups]
    return Stream("news-posts", 0, hashed(text for _, text in posts), np.array([group for group, _ in posts]))


def _twenty(folder: Path) -> Stream:
    posts = read(folder)
    groups = sorted({group for _, group, _ in posts})
    order = np.random.default_rng(0).permutation(len(posts))[:POSTS].tolist()
    y = np.array([groups.index(posts[k][1]) for k in order])
    return Stream("news-20", 0, counted(posts[k][2] for k in order), y)
