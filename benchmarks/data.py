"""The streams of the speed benchmark, drawn once from a fixed seed and stored as .npy files.

Sparse rows resemble text. Tokens follow a Zipf law over `features`. A value is 1 + ln(count), and
every row is then scaled to unit Euclidean length. Feature indices are a random permutation of the
popularity ranks, so frequent features are scattered in memory. Labels are the sign of a hidden
sparse linear target that ignores the hundred most frequent features.

Dense rows are standard normal and not scaled. Labels come from a hidden dense linear target.

Rows for dicts have 10 or 76 features: the same ten names in every row, or 76 of `NAMES` names
drawn by a Zipf law.

A share `NOISE` of all labels is flipped.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEED = 20060301
NOISE = 0.05
TOKENS = 90.0  # median number of tokens per row, about 76 distinct features
NAMES = 5_000  # vocabulary of the dicts of 76
LAYOUT = 1  # increase it when the arrays below change; older folders are then drawn again

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sizes:
    """The number of rows of each kind. `quick` has a twentieth of the default."""

    sparse_rows: int = 200_000
    features: int = 50_000
    dense_rows: int = 500_000
    dense_columns: int = 50
    dict_rows: int = 20_000
    single_rows: int = 20_000  # rows fed one at a time
    text_rows: int = 200_000  # rows given to Vowpal Wabbit as text
    parsed_rows: int = 50_000  # rows given to Vowpal Wabbit as parsed examples

    @classmethod
    def quick(cls) -> Sizes:
        full = cls()
        return cls(
            sparse_rows=full.sparse_rows // 20,
            dense_rows=full.dense_rows // 20,
            dict_rows=full.dict_rows // 20,
            single_rows=full.single_rows // 20,
            text_rows=full.text_rows // 20,
            parsed_rows=full.parsed_rows // 20,
        )


@dataclass(frozen=True)
class Data:
    """The arrays as stored on disk, and their sizes."""

    sizes: Sizes
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: Floats
    sparse_y: Floats
    X: Floats
    dense_y: Floats
    values10: Floats
    y10: Floats
    names76: NDArray[np.int32]
    values76: Floats
    y76: Floats

    def first(self, rows: int) -> Data:
        """Return views of the first `rows` rows of all arrays, for a warm-up."""
        sizes = self.sizes
        n = min(rows, sizes.sparse_rows)
        end = int(self.indptr[n])
        small = Sizes(
            sparse_rows=n,
            features=sizes.features,
            dense_rows=min(rows, sizes.dense_rows),
            dense_columns=sizes.dense_columns,
            dict_rows=min(rows, sizes.dict_rows),
            single_rows=min(rows, sizes.single_rows),
            text_rows=min(rows, sizes.text_rows),
            parsed_rows=min(rows, sizes.parsed_rows),
        )
        return Data(
            small,
            self.indptr[: n + 1],
            self.indices[:end],
            self.values[:end],
            self.sparse_y[:n],
            self.X[:rows],
            self.dense_y[:rows],
            self.values10[:rows],
            self.y10[:rows],
            self.names76[:rows],
            self.values76[:rows],
            self.y76[:rows],
        )


ARRAYS = tuple(field.name for field in fields(Data) if field.name != "sizes")


def ensure(folder: Path, sizes: Sizes) -> None:
    """Draw the arrays into `folder` unless it has them with the same seed, layout and sizes."""
    recipe = {"seed": SEED, "layout": LAYOUT, "noise": NOISE, "tokens": TOKENS, **asdict(sizes)}
    stamp = folder / "recipe.json"
    if stamp.exists() and json.loads(stamp.read_text()) == recipe:
        return
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, array in draw(sizes).items():
        np.save(folder / f"{name}.npy", array)
    stamp.write_text(json.dumps(recipe))


def load(folder: Path) -> Data:
    """Read the arrays of `folder` into memory."""
    recipe = json.loads((folder / "recipe.json").read_text())
    sizes = Sizes(**{field.name: recipe[field.name] for field in fields(Sizes)})
    return Data(sizes, *(np.load(folder / f"{name}.npy") for name in ARRAYS))


def nonzeros_per_row(folder: Path) -> float:
    """Return the mean number of non-zero values per sparse row."""
    indptr = np.load(folder / "indptr.npy", mmap_mode="r")
    return float(indptr[-1] / (indptr.size - 1))


def draw(sizes: Sizes) -> dict[str, NDArray[np.generic]]:
    """Return all arrays by name."""
    rng = np.random.default_rng(SEED)
    indptr, indices, values, sparse_y = _sparse(rng, sizes.sparse_rows, sizes.features)
    X = rng.standard_normal((sizes.dense_rows, sizes.dense_columns))
    dense_y = _labels(rng, X @ rng.standard_normal(sizes.dense_columns))
    values10 = rng.standard_normal((sizes.dict_rows, 10))
    names76 = _distinct_zipf(rng, sizes.dict_rows, 76, NAMES)
    values76 = rng.standard_normal(names76.shape)
    return {
        "indptr": indptr,
        "indices": indices,
        "values": values,
        "sparse_y": sparse_y,
        "X": X,
        "dense_y": dense_y,
        "values10": values10,
        "y10": _labels(rng, values10 @ rng.standard_normal(10)),
        "names76": names76,
        "values76": values76,
        "y76": _labels(rng, (values76 * rng.standard_normal(NAMES)[names76]).sum(axis=1)),
    }


def _labels(rng: np.random.Generator, scores: Floats) -> Floats:
    flips = np.where(rng.random(scores.size) < NOISE, -1.0, 1.0)
    return np.where(scores >= 0.0, 1.0, -1.0) * flips


def _zipf_cdf(features: int, exponent: float) -> Floats:
    mass = 1.0 / np.arange(1, features + 1, dtype=np.float64) ** exponent
    cdf: Floats = np.cumsum(mass) / mass.sum()
    return cdf


def _sparse(
    rng: np.random.Generator, rows: int, features: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats, Floats]:
    """Draw the rows in chunks, which keeps the sorts small."""
    cdf = _zipf_cdf(features, 1.0)
    place = rng.permutation(features)
    target = np.zeros(features)
    chosen = place[100 + rng.choice(features - 100, features // 10, replace=False)]
    target[chosen] = rng.standard_normal(chosen.size)
    lengths, columns, tf, scores = [], [], [], []
    for start in range(0, rows, 10_000):
        count = min(10_000, rows - start)
        tokens = np.maximum(1, rng.lognormal(np.log(TOKENS), 0.4, count).astype(np.int64))
        feature = place[np.searchsorted(cdf, rng.random(int(tokens.sum())))]
        key, times = np.unique(np.repeat(np.arange(count), tokens) * features + feature, return_counts=True)
        row, column = key // features, key % features
        value = 1.0 + np.log(times)
        value /= np.sqrt(np.bincount(row, value * value, count))[row]
        lengths.append(np.bincount(row, minlength=count))
        columns.append(column.astype(np.int32))
        tf.append(value)
        scores.append(np.bincount(row, value * target[column], count))
    indptr = np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int32)
    return indptr, np.concatenate(columns), np.concatenate(tf), _labels(rng, np.concatenate(scores))


def _distinct_zipf(rng: np.random.Generator, rows: int, width: int, names: int) -> NDArray[np.int32]:
    """Draw `width` distinct names per row, in random order, by a Zipf law (Gumbel top-k)."""
    log_mass = -np.log(np.arange(1, names + 1, dtype=np.float64))
    out = np.empty((rows, width), dtype=np.int32)
    for row in range(rows):
        keys = log_mass + rng.gumbel(size=names)
        out[row] = rng.permutation(np.argpartition(keys, names - width)[names - width :])
    return out
