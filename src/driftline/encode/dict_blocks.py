"""Convert lists of dicts to rows, many at once.

A block whose names are all known and whose values are all numbers is looked up and packed by a few
calls for the whole block. If all its dicts have the same names in the same order, the names of the
first one are looked up. Other blocks of plain values take one pass over names and values. All other
blocks are converted dict by dict: those with unusual types, and those with errors, so that the
message can name the row.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from itertools import chain, compress, islice
from operator import itemgetter
from types import NoneType
from typing import Any

import numpy as np

from driftline.encode.block_checks import FINE, check_sparse
from driftline.encode.dict_encoder import DictEncoder
from driftline.encode.faults import in_row, shortened
from driftline.encode.features import BIAS_NAME
from driftline.encode.missing import has_missing, without_missing
from driftline.encode.sparse import NO_INDICES, NO_VALUES, empty
from driftline.encode.vocabulary import Hashing
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.duplicate_indices import joined
from driftline.internals.rows import SparseRows

BLOCK, FEW = 1024, 4  # the most and the least dicts that are converted together
NUMBERS = {float, int, bool, np.float64}
VALUES = {*NUMBERS, str, NoneType}
NAMES = {str, int, bool}


class DictBlockEncoder(DictEncoder):
    """Converts lists of dicts to rows. See ``Encoder``."""

    def _dicts(self, X: Sequence[Mapping[Any, Any]], learn: bool) -> SparseRows:
        """Convert dicts to checked rows."""
        mark, rest = self.mark, iter(X)
        blocks: list[SparseRows] = []
        start = 0
        try:
            while block := list(islice(rest, BLOCK)):
                rows = self._block(block, learn) if len(block) >= FEW else None
                blocks.append(self._row_by_row(block, start, learn) if rows is None else rows)
                start += len(block)
        finally:
            self.mark = mark
        rows = _concatenated(blocks)
        row, fault = check_sparse(*rows, 0, False, self.limit.longest_sq)
        if fault != FINE:
            raise self._bad_dict(X[row], row)
        return rows

    # dict by dict -------------------------------------------------------------------------------------------
    def _row_by_row(self, X: Sequence[Any], start: int, learn: bool) -> SparseRows:
        """Convert dicts one by one to unchecked rows. ``start`` is the row number of the first."""
        sizes: list[int] = []
        indices: list[Indices] = [NO_INDICES]
        values: list[Floats] = [NO_VALUES]
        for row, x in enumerate(X, start):
            one = self._listed_dict(x, row, learn)
            size = int(one.indptr[1])
            sizes.append(size)
            indices.append(one.indices[:size].copy())
            values.append(one.values[:size].copy())
        return SparseRows(_offsets(sizes), np.concatenate(indices), np.concatenate(values))

    def _listed_dict(self, x: Any, row: int, learn: bool) -> SparseRows:
        """Convert a dict that is row ``row`` of a list."""
        if not isinstance(x, Mapping):
            raise ValueError(
                f"{self.where}: row {row} must be a dict like the first row, got {shortened(x)}. Pass rows of one kind"
            )
        try:
            if type(x) is dict:
                one = self.one_dict(x, learn)
                if self.missing or not has_missing(one.values[: int(one.indptr[1])]):
                    return one
                self.undo()  # it may have added names for missing values
            return self._one_dict_slowly(x, learn)
        except ValueError as error:
            raise in_row(self.where, row, error) from None

    # many at once -------------------------------------------------------------------------------------------
    def _block(self, X: list[Any], learn: bool) -> SparseRows | None:
        """Convert dicts to unchecked rows; None, without any change, if that must be done one by one."""
        if set(map(type, X)) != {dict} or (self.named is False and not self.hashed):
            return None
        names = list(chain.from_iterable(X))
        values = list(chain.from_iterable(map(dict.values, X)))
        try:
            rows = self._known_rows(X, names, values) if self.named and not self.hashed else None
            if rows is None:
                return self._plain_rows(names, values, _offsets(list(map(len, X))), learn)
        except (TypeError, struct.error, UserWarning):  # numpy warns of masked values
            return None
        return without_missing(rows) if not self.missing and has_missing(rows.values) else rows

    def _known_rows(self, X: list[dict[Any, Any]], names: list[Any], values: list[Any]) -> SparseRows | None:
        """Convert dicts of known names and numbers, as ``one_dict`` does; None if there are others."""
        first = list(X[0])
        alike = names == first * len(X)
        sizes = [len(first)] if alike else list(map(len, X))
        if not self.packers.keys() >= set(sizes):
            return None
        try:
            numbers = _packed(values)
            found = _looked_up(self.names.index, first if alike else names)
        except (KeyError, struct.error):
            return None
        if alike:
            offsets = np.arange(0, len(names) + 1, len(first), dtype=np.uint64) if first else _offsets([0] * len(X))
            indices = np.empty((len(X), len(first)), np.uint32)
            indices[:] = found
            return SparseRows(offsets, indices.ravel(), numbers)
        return SparseRows(_offsets(sizes), found, numbers)

    def _plain_rows(self, names: list[Any], values: list[Any], indptr: Offsets, learn: bool) -> SparseRows | None:
        """Convert dicts of plain names and values, given all their entries; None if there are others."""
        types = set(map(type, values))
        if not types <= VALUES or not set(map(type, names)) <= NAMES or BIAS_NAME in set(names):
            return None
        if str in types:
            for j in [j for j, value in enumerate(values) if type(value) is str]:
                names[j], values[j] = f"{names[j]}={values[j]}", 1.0
        if NoneType in types:
            values = [math.nan if value is None else value for value in values]
        numbers = _packed(values)
        if has_missing(numbers) and not (self.missing and self.hashed):
            known = self.names.index if self.missing else ()
            keep = [value == value or name in known for name, value in zip(names, values, strict=True)]
            left_out = set(compress(names, [not kept for kept in keep])) if self.missing and learn else set()
            names, numbers = list(compress(names, keep)), numbers[keep]
            indptr = _offsets(keep)[indptr]
            if not left_out.isdisjoint(names):
                return None  # a missing value of a feature counts after its first value in an earlier row
        rows = self._numbered(SparseRows(indptr, NO_INDICES, numbers), names, str in types, learn)
        self._keep_packers(set(np.diff(indptr).tolist()))
        return rows

    def _numbered(self, rows: SparseRows, names: list[Any], texts: bool, learn: bool) -> SparseRows:
        """Look up or add the names of all entries. Two entries of a row may have the same name if ``texts``."""
        index, unique = self.names.index, dict.fromkeys(names)
        if isinstance(self.names, Hashing):
            numbers = [self.names.add(name) for name in unique]
            if learn:
                self.names.remember(list(unique), np.array(numbers, np.uint32))
            return joined(rows._replace(indices=_looked_up(dict(zip(unique, numbers, strict=True)), names)))
        known = len(index)
        if learn:
            self._require_kind(True, learn)
            new = [name for name in unique if name not in index]
            index.update(zip(new, range(len(index), len(index) + len(new)), strict=True))
            rows = rows._replace(indices=_looked_up(index, names))
            return joined(rows) if texts else rows
        rows = rows._replace(indices=_looked_up({name: index.get(name, known) for name in unique}, names))
        if not texts:
            return rows
        unknown = np.flatnonzero(rows.indices == known)  # these share an index, but are not summed
        rows.indices[unknown] += np.arange(len(unknown), dtype=np.uint32)
        rows = joined(rows)
        return rows._replace(indices=np.minimum(rows.indices, np.uint32(known)))

    def _keep_packers(self, sizes: set[int]) -> None:
        """Prepare to pack dicts of these sizes, so that the next ones with known names are packed at once."""
        if self.named and not self.hashed:
            most = max(sizes, default=0)
            if most > len(self.row_buffer.indices):
                self._allocate_buffers(2 * most)
            for size in sizes - self.packers.keys():
                self._keep_packer(size)


def _packed(values: list[Any]) -> Floats:
    """Return numbers as an array, converted as in ``one_dict``; raise struct.error for anything else."""
    numbers = np.empty(len(values))
    struct.pack_into(f"{len(values)}d", numbers.data, 0, *values)
    return numbers


def _looked_up(index: Mapping[Any, int], names: list[Any]) -> Indices:
    """Return the index of each name; raise KeyError for an unknown one."""
    found = itemgetter(*names)(index) if len(names) > 1 else [index[name] for name in names]
    indices = np.empty(len(names), np.uint32)
    struct.pack_into(f"{len(names)}I", indices.data, 0, *found)
    return indices


def _offsets(sizes: np.ndarray | list[int] | list[bool]) -> Offsets:
    """Return the start offsets of rows of these sizes, and the end of the last one."""
    offsets = np.zeros(len(sizes) + 1, np.uint64)
    np.asarray(sizes, np.uint64).cumsum(out=offsets[1:])
    return offsets


def _concatenated(rows: list[SparseRows]) -> SparseRows:
    """Return all rows in one block."""
    if len(rows) < 2:
        return rows[0] if rows else empty(0)
    sizes = np.concatenate([np.diff(one.indptr) for one in rows])
    indices, values = (np.concatenate(parts) for parts in zip(*[one[1:] for one in rows], strict=True))
    return SparseRows(_offsets(sizes), indices, values)
