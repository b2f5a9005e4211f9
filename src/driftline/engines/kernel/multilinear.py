"""The engine of the multilinear Perceptron: w, w^2 and w^3 as expansions over products of examples, or w itself.

What is learned are the examples that were added, in their order; the expansions follow from them, and so does w, of
which there are 2^n numbers over the n features in them. Whichever of w^3 is smaller is kept. Beyond ``most`` examples
it is w alone, without the examples, as long as w is smaller than the expansion of ``most`` examples would be.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, sqrt

import numpy as np

from driftline.engines.engine import Engine, norm, of_shape, only
from driftline.engines.kernel.products import (
    ENTRIES,
    LARGEST,
    ROWS,
    Table,
    add,
    add_products,
    empty,
    evaluate,
    with_room,
)
from driftline.engines.kernel.subsets import add_subsets, fold
from driftline.engines.second_order.full import in_bytes
from driftline.engines.state import EVENT, FIRST, LABEL, SCORE, UPDATED, UPDATES, WEIGHT, tally
from driftline.internals.compiled import Floats, Indices, Offsets, jit
from driftline.internals.rows import DenseRows, Rows, SparseRows
from driftline.rules import MultilinearPerceptron

TALLEST = 100.0  # that the product of an example's features may be where w is kept, as a power of 2
HIGHEST = 2.0**160  # that w may be: below that after 2^60 examples
MEMORY = 1 << 31  # bytes that the powers of w may take
LONGEST, HEAVIEST = 1e60, 1e9  # that the values and the weight of an example may be


@jit
def gather(places: Indices, indices: Indices, values: Floats, x: Floats) -> None:
    """x: the values of those features that are in examples added before, in the order of their places."""
    x[:] = 0.0
    for j in range(indices.size):
        place = places[indices[j]]
        if place > 0:
            x[place - np.uint32(1)] = values[j]


@jit
def score_row(kept: bool, cube: Floats, triples: Table, x: Floats, room: Floats) -> float:
    """w^3 . Phi(x)."""
    return fold(cube, x, room) if kept else evaluate(triples, x)


@jit
def score_rows(
    kept: bool,
    cube: Floats,
    triples: Table,
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
    triples: Table,
    places: Indices,
    features: int,
    indptr: Offsets,
    indices: Indices,
    values: Floats,
    trials: Floats,
    start: int,
) -> int:
    """Test the rows from ``start`` on, up to the first that has to be added; return which one that is."""
    x = np.empty(features)
    room = np.empty(max(1, cube.size // 2))
    for i in range(start, trials.shape[1]):
        row = slice(indptr[i], indptr[i + 1])
        gather(places, indices[row], values[row], x)
        trials[SCORE, i] = score_row(kept, cube, triples, x, room)
        trials[EVENT, i] = 0.0
        if trials[WEIGHT, i] != 0.0 and trials[LABEL, i] * trials[SCORE, i] <= 0.0:
            return i
    return trials.shape[1]


class TooLargeError(ValueError):
    """The powers of w would take too much memory; the message says how much."""


class MultilinearEngine(Engine):
    """All products of features under the p-norm link for p = 4."""

    def __init__(self, rule: MultilinearPerceptron, bias: float, dtype: np.dtype[np.floating]) -> None:
        super().__init__(rule, bias, dtype)
        self.most = rule.most
        self.widest = 2.0**30  # w is never kept where it would have so many numbers
        self.places = np.zeros(1, np.uint32)  # of each feature among those in added examples, from 1 on; 0: in none
        self.features = np.zeros(0, np.uint32)  # that have a place
        self.examples = empty(merges=False)
        self.added = 0
        self.tallest = 0.0  # the largest product of features of an added example, as a power of 2
        self.why = ""
        self._begin(False)

    def reserve(self, features: int) -> None:
        """Have room for so many features, and for one more that is in no example."""
        if features >= self.places.size:
            places = np.zeros(max(features + 1, 2 * self.places.size), np.uint32)
            places[: self.places.size] = self.places
            self.places = places

    # scoring ------------------------------------------------------------------------------------------------
    def score(self, rows: Rows, scores: Floats) -> None:
        """Score each row."""
        score_rows(self.kept, self.cube, self.triples, self.places, self.features.size, *_sparse(rows), scores)

    def weights(self) -> Floats:
        """Zeros: a product of features is no feature."""
        return np.zeros(FIRST + self.places.size)

    def extent(self) -> tuple[float, int]:
        """|w|_2 over all products of features, and how many examples it is made of."""
        if self.kept:
            return norm(self.w), self.added
        products = [a * evaluate(self.examples, self._example(i)) for i, a in enumerate(self._coefficients())]
        return sqrt(min(max(sum(products), 0.0), LARGEST)), self.added

    # learning -----------------------------------------------------------------------------------------------
    def learn(self, rows: Rows, trials: Floats) -> int:
        """Test, then train on each row; return how many were done (fewer only if there was no room for one)."""
        sparse = _sparse(rows)
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
        """w += a Phi(x), unless there is no room for it."""
        indices, values = indices[values != 0.0], values[values != 0.0]
        new = np.sort(indices[self.places[indices] == 0])
        size = self.features.size + new.size
        tallest = max(self.tallest, _tallest(values))
        kept = self._keeps(size, self.added + 1, tallest)
        if self.added >= self.most and not kept:
            self.why = (
                f"must not need to be added after {self.most} others (most={self.most}), got one that does. "
                "Raise most, of whose cube the tables are, keep |x_i| <= 1, or have at most 21 features"
            )
            return False
        undo = self.snapshot(1)
        try:
            self._enter(indices, values, new, a, tallest, kept)
        except TooLargeError as error:
            undo()
            self.why = f"must find memory, got one after which {error}. Have fewer features, or lower most"
            return False
        return True

    def _enter(self, indices: Indices, values: Floats, new: Indices, a: float, tallest: float, kept: bool) -> None:
        """w += a Phi(x), where ``new`` are the features of x that no example had before."""
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
        add(self.examples, x, a)
        if kept == self.kept:
            self._follow(self.added - 1)
        else:
            self._rebuild()

    def _keeps(self, features: int, added: int, tallest: float) -> bool:
        """Whether w itself is kept: where it is smaller than the expansion, and its numbers are not too large."""
        entries = max(1, features) * comb(min(added, self.most) + 2, 3)
        return features < 60 and 1 << features < min(entries, self.widest) and tallest <= TALLEST

    # what follows from the examples -------------------------------------------------------------------------
    def _begin(self, kept: bool) -> None:
        """w = 0."""
        self.kept = kept
        self.pairs, self.triples = empty(), empty()
        self.w = self.cube = np.zeros(1 if kept else 0)

    def _rebuild(self) -> None:
        """w and its powers anew, from the examples in their order."""
        self._begin(self._keeps(self.features.size, self.added, self.tallest))
        for i in range(self.added):
            self._follow(i)

    def _follow(self, i: int) -> None:
        """Add the i-th example to what was made of those before it."""
        x, a = self._example(i), float(self.examples.coefficients[i])
        if self.kept:
            self._add_subsets(x, a)
            return
        before = self.examples._replace(size=np.array([i, self.examples.starts[i]], np.uint64))
        more = int(self.pairs.size[ROWS]) + i + 1
        present = np.count_nonzero(x)
        _check_memory(_bytes(self.triples, more, more * present) + _bytes(self.pairs, i + 1, (i + 1) * present))
        self.triples = with_room(self.triples, more, more * present)
        add_products(self.triples, self.pairs, x, 3.0 * a)
        add_products(self.triples, before, x * x, 3.0 * a * a)
        add(self.triples, x * x * x, a * a * a)
        self.pairs = with_room(self.pairs, i + 1, (i + 1) * present)
        add_products(self.pairs, before, x, 2.0 * a)
        add(self.pairs, x * x, a * a)

    def _add_subsets(self, x: Floats, a: float) -> None:
        _check_memory(16 << self.features.size)
        w = np.zeros(1 << self.features.size)
        w[: self.w.size] = self.w
        cube = np.empty(w.size)
        add_subsets(w, cube, x, a)
        self.w, self.cube = w, cube

    def _example(self, i: int) -> Floats:
        """The i-th example that was added."""
        row = slice(int(self.examples.starts[i]), int(self.examples.starts[i + 1]))
        x = np.zeros(self.features.size)
        x[self.examples.columns[row]] = self.examples.factors[row]
        return x

    def _coefficients(self) -> list[float]:
        """Label times sample weight of each example."""
        coefficients: list[float] = self.examples.coefficients[: int(self.examples.size[ROWS])].tolist()
        return coefficients

    # what it stopped at -------------------------------------------------------------------------------------
    def refusal(self) -> str:
        """Why an example could not be added."""
        return self.why

    def snapshot(self, size: int) -> Callable[[], None]:
        """A function that takes back whatever learning the next rows changes."""
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

    # keeping ------------------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything learned, by name."""
        tables = {"pairs": self.pairs, "triples": self.triples}
        return {
            "state": self.state,
            **self.saved(0),
            "cube": self.cube,
            **{f"{name}_{field}": array for name, one in tables.items() for field, array in _used(one).items()},
        }

    def saved(self, features: int) -> dict[str, np.ndarray]:
        """The examples; w too where it is kept alone."""
        alone = self.w if self.added > self.most else np.zeros(0)
        named = {f"example_{name}": array for name, array in _used(self.examples).items()}
        return {"added": np.array([self.added], np.uint64), "features": self.features, "subsets": alone, **named}

    def restore(self, features: int, arrays: dict[str, np.ndarray]) -> None:
        """The features must be different ones that are known, and the examples rows of them."""
        only(arrays, *self.saved(0))
        known = arrays["features"]
        size = known.size
        of_shape(arrays, "features", "uint32", (size,))
        if size and (int(known.max()) >= features or np.unique(known).size < size):
            raise ValueError("features of examples that are not known")
        added = int(of_shape(arrays, "added", "uint64", (1,))[0])
        alone = added > self.most
        w = of_shape(arrays, "subsets", "float64", (1 << size if alone and size < 60 else 0,))
        examples = _table(arrays, 0 if alone else added, size)
        if alone and not (self._keeps(size, added, 0.0) and (np.abs(w) <= HIGHEST).all()):
            raise ValueError(f"{added} examples of {size} features where at most {self.most} are due")
        self.reserve(features)
        self.features, self.examples, self.added = known.copy(), examples, added
        self.tallest = max((_tallest(self._example(i)) for i in range(int(examples.size[ROWS]))), default=0.0)
        self.places[known] = np.arange(1, size + 1)
        if alone:
            self._begin(True)
            self.w, self.cube = w.copy(), w * w * w
        else:
            self._rebuild()


def _sparse(rows: Rows) -> SparseRows:
    """Dense rows as sparse ones."""
    if not isinstance(rows, DenseRows):
        return rows
    size, width = rows.X.shape
    indices = np.tile(np.arange(width, dtype=np.uint32), size)
    return SparseRows(np.arange(size + 1, dtype=np.uint64) * np.uint64(width), indices, rows.X.reshape(-1))


def _tallest(values: Floats) -> float:
    """The largest product of some of these values, as a power of 2."""
    return float(np.log2(np.maximum(1.0, np.abs(values))).sum())


def _check_memory(size: int) -> None:
    """TooLargeError if the powers of w would take more bytes than they may."""
    if size > MEMORY:
        raise TooLargeError(f"the products of features take {in_bytes(size)}")


def _bytes(table: Table, rows: int, entries: int) -> int:
    """The bytes that a table takes once it has room for so many more rows and entries: see ``with_room``."""
    used, filled = int(table.size[ROWS]), int(table.size[ENTRIES])
    if used + rows <= table.coefficients.size and filled + entries <= table.factors.size:
        return sum(array.nbytes for array in table)
    rows, entries = max(used + rows, 2 * used), max(filled + entries, 2 * filled)
    return 16 * rows + 12 * entries + (4 << (2 * rows).bit_length())


def _used(table: Table) -> dict[str, np.ndarray]:
    """The part of a table that is in use."""
    rows, entries = int(table.size[ROWS]), int(table.size[ENTRIES])
    return {
        "starts": table.starts[: rows + 1],
        "columns": table.columns[:entries],
        "factors": table.factors[:entries],
        "coefficients": table.coefficients[:rows],
    }


def _table(arrays: dict[str, np.ndarray], rows: int, size: int) -> Table:
    """So many examples of these features; ValueError if there can be none such."""
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
        raise ValueError("examples of numbers that no example has")
    table = with_room(empty(merges=False), rows, entries)
    table.size[:] = rows, entries
    table.starts[: starts.size] = starts
    table.columns[:entries] = columns
    table.factors[:entries] = factors
    table.coefficients[:rows] = coefficients
    return table
