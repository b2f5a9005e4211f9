"""The engine of ``MultilinearPerceptron``. What an update does is in its rule file.

The engine stores the examples of the updates, in their order, which is the expansion of w. The
expansions of w^2 and w^3 follow from them, and so does w itself, as 2^n numbers over the n
features of the examples. The smaller of the two is stored. Beyond ``most`` examples only w is
stored, without the examples, as long as it is smaller than the expansions of ``most`` examples
would be.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, sqrt
from typing import Any

import numpy as np

from driftline.engines.array_checks import counters, of_shape, only
from driftline.engines.attribution import Attribution, occluded
from driftline.engines.engine import Engine, norm
from driftline.engines.second_order.full import in_bytes
from driftline.engines.state import EVENT, FIRST, LABEL, SCORE, UPDATED, UPDATES, WEIGHT, tally
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import Rows, as_sparse
from driftline.rules.kernel.feature_subsets import fold
from driftline.rules.kernel.multilinear_perceptron import (
    MultilinearPerceptron,
    errs,
    update_expansions,
    update_weights,
)
from driftline.rules.kernel.product_expansion import (
    ENTRIES,
    LARGEST,
    ROWS,
    ProductExpansion,
    add_phi,
    dot_phi,
    empty,
    with_room,
)

TALLEST = 100.0  # limit of the product of an example's features where w is stored, as a power of 2
HIGHEST = 2.0**160  # limit of w: it is lower after 2^60 examples
MEMORY = 1 << 31  # limit of the bytes of the powers of w
LONGEST, HEAVIEST = 1e60, 1e9  # limits of the values and of the weight of an example


@jit
def gather(places: Indices, indices: Indices, values: Floats, x: Floats) -> None:
    """Write the values of the features that have a place, in the order of their places, into x."""
    x[:] = 0.0
    for j in range(indices.size):
        place = places[indices[j]]
        if place > 0:
            x[place - np.uint32(1)] = values[j]


@jit
def score_row(kept: bool, cube: Floats, triples: ProductExpansion, x: Floats, room: Floats) -> float:
    """w^3 . Phi(x)."""
    return fold(cube, x, room) if kept else dot_phi(triples, x)


@jit
def score_rows(
    kept: bool,
    cube: Floats,
    triples: ProductExpansion,
    places: Indices,
    features: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    scores: Floats,
) -> None:
    """Score each row."""
    x = np.empty(features)
    room = np.empty(max(1, cube.size // 2))
    for i in range(scores.size):
        row = slice(indptr[i], indptr[i + 1])
        gather(places, indices[row], values[row], x)
        scores[i] = score_row(kept, cube, triples, x, room)


@jit
def test_rows(
    kept: bool,
    cube: Floats,
    triples: ProductExpansion,
    places: Indices,
    features: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> int:
    """Test the rows from ``start`` on, up to the first that makes an update; return its number."""
    x = np.empty(features)
    room = np.empty(max(1, cube.size // 2))
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        gather(places, indices[row], values[row], x)
        trials[SCORE, i] = score_row(kept, cube, triples, x, room)
        trials[EVENT, i] = 0.0
        if errs(trials[LABEL, i], trials[SCORE, i], trials[WEIGHT, i]):
            return i
    return trials.shape[1]


class TooLargeError(ValueError):
    """The powers of w would take too much memory; the message says how much."""


class MultilinearEngine(Engine):
    """All products of features under the p-norm link for p = 4."""

    def __init__(self, rule: MultilinearPerceptron, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.most = rule.most
        self.widest = 2.0**30  # w is not stored if it has as many numbers as this
        self.places = np.zeros(1, np.uint32)  # position in ``features`` plus 1; 0: in no example
        self.features = np.zeros(0, np.uint32)  # of the examples
        self.examples = empty(merges=False)
        self.added = 0
        self.due = False  # whether w must be computed first: see ``restore``
        self.tallest = 0.0  # the largest product of features of an added example, as a power of 2
        self.why = ""
        self._begin(False)

    def wider(self, features: int) -> dict[str, Any]:
        """The place of each feature, and of one that is in no example."""
        if features < self.places.size:
            return {}
        places = np.zeros(max(features + 1, 2 * self.places.size), np.uint32)
        places[: self.places.size] = self.places
        return {"places": places}

    # scoring -------------------------------------------------------------------------------------
    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        self._rebuild_if_due()
        score_rows(self.kept, self.cube, self.triples, self.places, self.features.size, *as_sparse(rows), scores)

    def attribute(self, row: Rows) -> Attribution:
        """The contributions of the entries of one row to its score, by leaving out each of them."""
        return occluded(self.score_of, row)

    def weights(self) -> Floats:
        """Zeros: a product of features is no feature."""
        return np.zeros(FIRST + self.places.size)

    def extent(self) -> tuple[float, int]:
        """|w|_2 over all products of features, and the number of examples of the updates."""
        self._rebuild_if_due()
        if self.kept:
            return norm(self.w), self.added
        products = [a * dot_phi(self.examples, self._example(i)) for i, a in enumerate(self._coefficients())]
        return sqrt(min(max(sum(products), 0.0), LARGEST)), self.added

    # learning ------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return the number of rows up to the first refused one."""
        self._rebuild_if_due()
        sparse = as_sparse(rows)
        done = 0
        while True:
            powers = self.kept, self.cube, self.triples
            done = test_rows(*powers, self.places, self.features.size, *sparse, trials, done)
            if done == trials.shape[1]:
                break
            row = slice(int(sparse.indptr[done]), int(sparse.indptr[done + 1]))
            if not self._add(sparse.indices[row], sparse.values[row], trials[LABEL, done] * trials[WEIGHT, done]):
                break
            trials[EVENT, done] = UPDATED
            self.state[UPDATES] += 1.0
            done += 1
        tally(self.state, trials, done)
        return done

    def _add(self, indices: Indices, values: Floats, a: float) -> bool:
        """w += a Phi(x); False where there is no room for it: ``why`` says why."""
        indices, values = indices[values != 0.0], values[values != 0.0]
        new = np.sort(indices[self.places[indices] == 0])
        size = self.features.size + new.size
        tallest = max(self.tallest, _tallest(values))
        kept = self._keeps(size, self.added + 1, tallest)
        if self.added >= self.most and not kept:
            self.why = (
                f"must not need to be added after {self.most} others (most={self.most}), got one that does. "
                "Raise most (the tables take O(most^3) memory), keep |x_i| <= 1, or have at most 21 features"
            )
            return False
        undo = self.snapshot(1)
        try:
            self._enter(indices, values, new, a, tallest, kept)
        except TooLargeError as error:
            undo()
            self.why = f"must fit into memory, got one after which {error}. Have fewer features, or lower most"
            return False
        return True

    def _enter(self, indices: Indices, values: Floats, new: Indices, a: float, tallest: float, kept: bool) -> None:
        """w += a Phi(x); ``new`` are the features of x that no earlier example has."""
        size = self.features.size + new.size
        self.added += 1
        self.tallest = tallest
        self.features = np.concatenate([self.features, new])
        self.places[new] = np.arange(size - new.size + 1, size + 1)
        x = np.zeros(size)
        x[self.places[indices] - 1] = values
        if self.added > self.most:
            self.examples = empty(merges=False)
            self._add_subsets(x, a)
            return
        self.examples = with_room(self.examples, 1, size)
        add_phi(self.examples, x, a)
        if kept == self.kept:
            self._follow(self.added - 1)
        else:
            self._rebuild()

    def _keeps(self, features: int, added: int, tallest: float) -> bool:
        """Whether w itself is stored: it is smaller than the expansions, and cannot overflow."""
        entries = max(1, features) * comb(min(added, self.most) + 2, 3)
        return features < 60 and 1 << features < min(entries, self.widest) and tallest <= TALLEST

    # powers of w from the examples ---------------------------------------------------------------
    def _begin(self, kept: bool) -> None:
        """w = 0."""
        self.kept = kept
        self.pairs, self.triples = empty(), empty()
        self.w = self.cube = np.zeros(1 if kept else 0)

    def _rebuild_if_due(self) -> None:
        """Compute w and its powers after ``restore``."""
        if self.due:
            self._rebuild()
            self.due = False

    def _rebuild(self) -> None:
        """Recompute w and its powers from the examples in their order."""
        self._begin(self._keeps(self.features.size, self.added, self.tallest))
        for i in range(self.added):
            self._follow(i)

    def _follow(self, i: int) -> None:
        """Add the i-th example to the powers of w of the earlier ones."""
        x, a = self._example(i), float(self.examples.coefficients[i])
        if self.kept:
            self._add_subsets(x, a)
            return
        w = self.examples._replace(size=np.array([i, self.examples.starts[i]], np.uint64))
        more = int(self.pairs.size[ROWS]) + i + 1
        present = np.count_nonzero(x)
        _check_memory(_bytes(self.triples, more, more * present) + _bytes(self.pairs, i + 1, (i + 1) * present))
        self.triples = with_room(self.triples, more, more * present)
        self.pairs = with_room(self.pairs, i + 1, (i + 1) * present)
        update_expansions(w, self.pairs, self.triples, x, a)

    def _add_subsets(self, x: Floats, a: float) -> None:
        """w += a Phi(x), where w is stored as 2^n numbers."""
        _check_memory(16 << self.features.size)
        w = np.zeros(1 << self.features.size)
        w[: self.w.size] = self.w
        cube = np.empty(w.size)
        update_weights(w, cube, x, a)
        self.w, self.cube = w, cube

    def _example(self, i: int) -> Floats:
        """The i-th example."""
        row = slice(int(self.examples.starts[i]), int(self.examples.starts[i + 1]))
        x = np.zeros(self.features.size)
        x[self.examples.columns[row]] = self.examples.factors[row]
        return x

    def _coefficients(self) -> list[float]:
        """Label times sample weight of each example."""
        coefficients: list[float] = self.examples.coefficients[: int(self.examples.size[ROWS])].tolist()
        return coefficients

    # refused rows --------------------------------------------------------------------------------
    def refusal(self) -> str:
        """Why the row at which it stopped was refused."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that undoes what learning the next rows changes."""
        self._rebuild_if_due()
        known, examples, counts = self.features, self.examples, self.examples.size.copy()
        state, added, tallest, w, cube = self.state.copy(), self.added, self.tallest, self.w, self.cube

        def undo() -> None:
            changed = self.added != added
            self.state[:] = state
            self.added, self.tallest, self.features, self.examples = added, tallest, known, examples
            examples.size[:] = counts
            self.places[:] = 0
            self.places[known] = np.arange(1, known.size + 1)
            if added > self.most:
                self.w, self.cube = w, cube
            elif changed:
                self._rebuild()

        return undo

    # model files ---------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        self._rebuild_if_due()
        powers = {"pairs": self.pairs, "triples": self.triples}
        return {
            "state": self.state,
            **self.saved(0),
            "cube": self.cube,
            **{f"{name}_{field}": array for name, one in powers.items() for field, array in _used(one).items()},
        }

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The examples, or w where it is stored without them."""
        alone = self.w if self.added > self.most else np.zeros(0)
        named = {f"example_{name}": array for name, array in _used(self.examples).items()}
        return {"added": np.array([self.added], np.uint64), "features": self.features, "subsets": alone, **named}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """Take over the arrays that ``saved`` returned; check the features and the examples.

        w and its powers are computed on first use: they can be much larger than the examples.
        """
        only(arrays, *self.saved(0))
        known = arrays["features"]
        size = known.size
        of_shape(arrays, "features", "uint32", (size,))
        if size and (int(known.max()) >= features or np.unique(known).size < size):
            raise ValueError("features of examples that are not known")
        added = int(counters("added", of_shape(arrays, "added", "uint64", (1,)))[0])
        alone = added > self.most
        w = of_shape(arrays, "subsets", "float64", (1 << size if alone and size < 60 else 0,))
        examples = _saved_examples(arrays, 0 if alone else added, size)
        if alone and not (self._keeps(size, added, 0.0) and (np.abs(w) <= HIGHEST).all()):
            raise ValueError(f"{added} examples of {size} features, expected at most {self.most} examples")
        self.reserve(features)
        self.features, self.examples, self.added = known.copy(), examples, added
        self.tallest = max((_tallest(self._example(i)) for i in range(int(examples.size[ROWS]))), default=0.0)
        self.places[known] = np.arange(1, size + 1)
        if alone:
            self._begin(True)
            self.w, self.cube = w.copy(), w * w * w
        self.due = not alone


def _tallest(values: Floats) -> float:
    """The largest product over a set of these values, as a power of 2."""
    return float(np.log2(np.maximum(1.0, np.abs(values))).sum())


def _check_memory(size: int) -> None:
    """TooLargeError if the powers of w would take more than ``MEMORY`` bytes."""
    if size > MEMORY:
        raise TooLargeError(f"the products of features take {in_bytes(size)}")


def _bytes(v: ProductExpansion, rows: int, entries: int) -> int:
    """The bytes of an expansion with room for ``rows`` and ``entries`` more: see ``with_room``."""
    used, filled = int(v.size[ROWS]), int(v.size[ENTRIES])
    if used + rows <= v.coefficients.size and filled + entries <= v.factors.size:
        return sum(array.nbytes for array in v)
    rows, entries = max(used + rows, 2 * used), max(filled + entries, 2 * filled)
    return 16 * rows + 12 * entries + (4 << (2 * rows).bit_length())


def _used(v: ProductExpansion) -> dict[str, np.ndarray]:
    """The part of an expansion that is in use."""
    rows, entries = int(v.size[ROWS]), int(v.size[ENTRIES])
    return {
        "starts": v.starts[: rows + 1],
        "columns": v.columns[:entries],
        "factors": v.factors[:entries],
        "coefficients": v.coefficients[:rows],
    }


def _saved_examples(arrays: dict[str, np.ndarray], rows: int, size: int) -> ProductExpansion:
    """The ``rows`` saved examples of ``size`` features; ValueError if they are damaged."""
    starts = of_shape(arrays, "example_starts", "uint64", (rows + 1,))
    entries = int(starts[-1])
    columns = of_shape(arrays, "example_columns", "uint32", (entries,))
    factors = of_shape(arrays, "example_factors", "float64", (entries,))
    coefficients = of_shape(arrays, "example_coefficients", "float64", (rows,))
    inside = starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all()) and bool((columns < size).all())
    falls = np.flatnonzero(columns[1:] <= columns[:-1]) + 1 if inside else np.zeros(0)
    if not inside or not np.isin(falls, starts).all():
        raise ValueError("examples whose features are not in order")
    small = (np.abs(factors) <= LONGEST).all() and factors.all() and (np.abs(coefficients) <= HEAVIEST).all()
    if not small or not coefficients.all():
        raise ValueError("examples with values or coefficients that are 0, too large or not finite")
    v = with_room(empty(merges=False), rows, entries)
    v.size[:] = rows, entries
    v.starts[: starts.size] = starts
    v.columns[:entries] = columns
    v.factors[:entries] = factors
    v.coefficients[:rows] = coefficients
    return v
