"""Streams for comparing the Tracker's two banks: real streams reordered, shortened and with label
noise.

The bank was chosen on other draws than these. The exception is real streams in their original
order, of which there is only one each.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from error.streams import catalogue, digits, news
from error.streams.texts import svmlight
from error.streams.words import binary, body, hashed
from scipy.sparse import csr_matrix, vstack

import driftline as dl

NOISE = (0.1, 0.2, 0.3, 0.4)
CUTS = (500, 1000, 2000)
BLOCK = 100
REAL = ("elec2", "sea", "usenet1", "spam")


class Draw(NamedTuple):
    """One draw of the stream `name`. "+ p" in the name is a share p of flipped labels, ": n" is n
    rows.
    """

    name: str
    X: Any
    y: np.ndarray


def real(folder: Path) -> Iterator[Draw]:
    """Yield all streams made from the data in a folder."""
    absent: dict[str, str] = {}
    found = {draws[0].name: draws for draws in catalogue.read(folder, REAL, absent)}
    if absent:
        raise FileNotFoundError(f"streams: {folder} must have all data sets, got none of {sorted(absent)}")
    for name in REAL:
        X, y = found[name][0].X, found[name][0].y
        yield Draw(name, X, y)
        for seed in range(100, 103 if len(y) > 10_000 else 120):
            order = _within_blocks(len(y), seed)
            yield Draw(f"{name}, shuffled in blocks", X[order], y[order])
        yield from _cut(name, X, y)
        seeds = range(100, {"usenet1": 116, "spam": 104}.get(name, 102))
        yield from _with_noise(name, X, y, seeds)
    yield from _digits(folder)
    yield from _census(folder)
    yield from _reuters(folder)
    yield from _mails(folder)
    yield from _news(folder)


def drawn() -> Iterator[Draw]:
    """Yield rotating, switching and fixed hyperplanes in 2 to 60 dimensions, SEA, mixtures and
    random texts.
    """
    for d in (2, 5, 20, 60):
        for seed in range(200, 208 if d == 60 else 216):
            turning = _whole(dl.streams.RotatingHyperplane(4000, d=d, angle=0.002, seed=seed))
            yield Draw(f"turning plane, d={d}", *turning)
            yield from _with_noise(f"turning plane, d={d}", *turning, [seed])
            jumping = _whole(dl.streams.SwitchingHyperplane(4000, d=d, seed=seed))
            yield Draw(f"jumping plane, d={d}", *jumping)
            yield from _with_noise(f"jumping plane, d={d}", *jumping, [seed], (0.2, 0.4))
            for rows in CUTS:
                X, y = _whole(dl.streams.RotatingHyperplane(rows, d=d, angle=0.0, seed=seed + 100))
                yield Draw(f"plane: {rows}", X, y)
                yield from _with_noise(f"plane: {rows}", X, y, [seed], (0.2, 0.4))
    for seed in range(200, 208):
        sea = _whole(dl.streams.SEA(10_000, seed=seed))
        yield Draw("drawn sea", *sea)
        yield from _with_noise("drawn sea", *sea, [seed], (0.2, 0.4))
        yield Draw("mixtures", *_whole(dl.streams.SwitchingMixtures(4000, seed=seed)))
        for words in (1000, 10_000):
            X, y = random_texts(seed, words, 1)
            yield Draw(f"{words} random words", X, y)
            yield from _with_noise(f"{words} random words", X, y, [seed], (0.2, 0.4))
            yield Draw(f"{words} random words, jumping", *random_texts(seed + 50, words, 4))


def random_texts(
    seed: int, words: int, targets: int, rows: int = 4000, length: int = 40
) -> tuple[csr_matrix, np.ndarray]:
    """Draw texts with word frequencies as in natural language, and labels from successive linear
    targets.
    """
    rng = np.random.default_rng(seed)
    often = 1.0 / np.arange(1, words + 1) ** 0.9
    texts = [np.unique(rng.choice(words, length, p=often / often.sum())) for _ in range(rows)]
    X = binary(texts, words)
    which = np.arange(rows) * targets // rows
    y = np.empty(rows)
    for k in range(targets):
        u = 0.3 * rng.normal(size=words)
        telling = rng.choice(words, words // 20, replace=False)
        u[telling] += rng.normal(size=telling.size)
        score = X[which == k] @ u
        y[which == k] = np.where(score > np.median(score), 1.0, -1.0)
    return X, y


# variants of a stream -------------------------------------------------------------------------------------------------
def _with_noise(
    name: str, X: Any, y: np.ndarray, seeds: Iterable[int], shares: tuple[float, ...] = NOISE
) -> Iterator[Draw]:
    for share in shares:
        for seed in seeds:
            wrong = np.random.default_rng(1000 + seed).random(len(y)) < share
            yield Draw(f"{name} + {share:g}", X, np.where(wrong, -y, y))


def _cut(name: str, X: Any, y: np.ndarray) -> Iterator[Draw]:
    """Yield pieces of a stream, at most about forty-five for a long one."""
    for rows in CUTS:
        for start in range(rows // 2, len(y) - rows + 1, max(rows, len(y) // 45 if len(y) >= 10_000 else 0)):
            yield Draw(f"{name}: {rows}", X[start : start + rows], y[start : start + rows])


def _within_blocks(size: int, seed: int) -> np.ndarray:
    """Return an order shuffled within blocks, which keeps the drift, but not runs of labels."""
    rng, order = np.random.default_rng(seed), np.arange(size)
    for start in range(0, size, BLOCK):
        rng.shuffle(order[start : start + BLOCK])
    return order


def _whole(stream: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    blocks = list(stream)
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


# streams from files ---------------------------------------------------------------------------------------------------
def _digits(folder: Path) -> Iterator[Draw]:
    for draw in digits.usps(folder, range(100, 130)):
        X, y, seed = draw.X, draw.y, draw.seed
        yield Draw("usps", X, y)
        for rows in CUTS[:2]:
            yield Draw(f"usps: {rows}", X[:rows], y[:rows])
        if seed < 110:
            yield from _with_noise("usps", X, y, [seed])


def _census(folder: Path) -> Iterator[Draw]:
    X, y = svmlight(folder / "svmlight" / "a9a.xz")
    dense, order = X.toarray(), np.random.default_rng(77).permutation(len(y))
    yield Draw("a9a", dense[order], y[order])
    yield from _cut("a9a", dense, y)


def _reuters(folder: Path) -> Iterator[Draw]:
    files = [folder / "svmlight" / f"rcv1_vw_small{part}.svm.xz" for part in ("", "_test")]
    X, y = svmlight(*files)
    for seed in range(100, 120):
        order = np.random.default_rng(seed).permutation(len(y))
        yield Draw("rcv1", X[order], y[order])
        yield Draw("rcv1: 500", X[order[:500]], y[order[:500]])
        yield from _with_noise("rcv1", X[order], y[order], [seed], (0.2,))


def _mails(folder: Path) -> Iterator[Draw]:
    with lzma.open(folder / "spam" / "spamassassin_public_corpus.jsonl.xz", "rt") as file:
        mails = [json.loads(line) for line in file]
    X = hashed(body(mail["text"]) for mail in mails)
    y = np.array([1.0 if "spam" in mail["group"] else -1.0 for mail in mails])
    for seed in range(100, 106):
        order = np.random.default_rng(seed).permutation(len(y))
        yield Draw("mails", X[order], y[order])
        yield from _with_noise("mails", X[order], y[order], [seed], (0.2,))
        for rows in CUTS[:2]:
            for k in range(3):
                part = order[k * rows : (k + 1) * rows]
                yield Draw(f"mails: {rows}", X[part], y[part])


def _news(folder: Path) -> Iterator[Draw]:
    draws = news.pairs(folder)
    made: list[list[tuple[csr_matrix, np.ndarray]]] = []
    for start in range(0, len(draws), len(news.ORDERS)):
        made.append([(draw.X, draw.y) for draw in draws[start : start + len(news.ORDERS)]])
        for rows, labels in made[-1]:
            yield Draw("news", rows, labels)
            for cut in CUTS[:2]:
                yield Draw(f"news: {cut}", rows[:cut], labels[:cut])
            late = np.arange(len(labels)) >= len(labels) // 2
            yield Draw("news, turned over", rows, np.where(late, -labels, labels))
        yield from _with_noise("news", *made[-1][-1], [7])
    for first, then in zip(made[::2], made[1::2], strict=True):
        for (X, y), (Z, v) in zip(first, then, strict=True):
            yield Draw("news, another pair", csr_matrix(vstack([X, Z])), np.concatenate([y, v]))
