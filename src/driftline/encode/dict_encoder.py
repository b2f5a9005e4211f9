"""Convert single dicts to rows, and number their features.

A dict of floats with known names is packed into a buffer by one call of ``struct``. All other
dicts take slower paths. NaN in the buffer is found later, by the check of the row, which then takes
the slow path: it leaves missing values out, or keeps them for learners that use them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from driftline.encode.block_checks import FINE, check_sparse
from driftline.encode.faults import LONGEST, bad_values, limit
from driftline.encode.features import BIAS_NAME, feature
from driftline.encode.missing import has_missing
from driftline.encode.vocabulary import Hashing, Vocabulary
from driftline.internals.name_lookup import Lookup
from driftline.internals.rows import SparseRows

Pack = Callable[..., None]
# attributes that are not pickled but rebuilt: buffers, and the cache of a reader's names
UNSAVED = ("lookup", "buffer", "row_buffer", "packers", "pack_values", "last_names")


class DictEncoder:
    """Converts dicts to rows and assigns indices to features. See ``Encoder``."""

    def __init__(self, where: str, hashing: Hashing | None, longest: float | None = LONGEST) -> None:
        self.where = where
        self.names: Vocabulary | Hashing = Vocabulary() if hashing is None else hashing.for_learner()
        self.hashed = hashing is not None
        self.named: bool | None = None
        self.width = 0
        self.clips = True  # when scoring, all unknown columns share the next free index
        self.limit = limit(where, longest)
        self.missing = longest is None
        self.mark: tuple[bool | None, int, int] | None = None
        self.lookup = Lookup()
        self._allocate_buffers(64)

    @property
    def stored(self) -> int:
        """Return the number of stored names, which ``undo`` restores."""
        if isinstance(self.names, Vocabulary):
            return len(self.names.index)
        return 0 if self.names.kept is None else len(self.names.kept.index)

    @property
    def features(self) -> int:
        """Return the number of features."""
        return len(self.names) if self.hashed or self.named else self.width

    # rollback -----------------------------------------------------------------------------------------------
    def undo(self) -> None:
        """Restore the state before the last call, which failed."""
        if self.mark is None:
            return
        self.named, self.width, size = self.mark
        if isinstance(self.names, Vocabulary):
            self.names.forget(size)
        elif self.names.kept is not None:
            self.names.kept.forget(size)
        self.lookup.forget()
        try:
            self._allocate_buffers(64)
        except MemoryError:
            self._clear_packers()  # the old buffers are larger, and as good

    def _require_kind(self, named: bool, learn: bool) -> None:
        """Require named features or columns, whichever the first learned example had."""
        if self.hashed:
            return
        if self.named is None:
            if learn:
                self.named = named
        elif self.named != named:
            expected, got = "dicts or frames", "columns"
            if named:
                expected, got = "arrays or sparse rows", "named features"
            raise ValueError(
                f"{self.where}: examples must be {expected} as before, got {got}. "
                "Use one kind of input, or set hashing=Hashing()"
            )

    # one dict -----------------------------------------------------------------------------------------------
    def _allocate_buffers(self, size: int) -> None:
        """Allocate the buffer for one dict: first its values, then its indices, contiguous."""
        buffer, indptr = np.zeros(3 * size, np.uint32), np.zeros(2, np.uint64)
        self.buffer = buffer
        self.row_buffer = SparseRows(indptr, buffer[2 * size :], buffer[: 2 * size].view(np.float64))
        self._clear_packers()

    def _clear_packers(self) -> None:
        """Forget what is in the buffer and how dicts were packed into it."""
        self.packers: dict[int, tuple[Pack, Pack]] = {}
        self.pack_values: Pack = struct.Struct("").pack_into
        self.last_names: list[Any] | None = None  # the names with indices in row_buffer

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in UNSAVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lookup = Lookup()
        self._allocate_buffers(64)

    def one_dict(self, x: dict[Any, Any], learn: bool) -> SparseRows:
        """Convert a dict to an unchecked row, in a buffer that the next call overwrites.

        The row may have NaN entries; the row of ``checked_dict`` has only NaN entries that the learner uses.
        """
        names = list(x)
        try:
            if names == self.last_names:
                self.pack_values(self.buffer, 0, *x.values())
                self.mark = None
                return self.row_buffer
            pack, pack_values = self.packers[len(names)]
            index = self.names.index
            # itemgetter knows its length, a map does not; for a single name it returns no tuple
            found = itemgetter(*names)(index) if len(names) > 1 else map(index.__getitem__, names)
            pack(self.buffer, 0, *x.values(), *found)
        except (KeyError, TypeError, struct.error, UserWarning):  # numpy warns of masked values
            return self._one_new_dict(names, x, learn)
        self.mark = None
        self.row_buffer.indptr[1] = len(names)
        self.last_names, self.pack_values = names, pack_values
        return self.row_buffer

    def _one_new_dict(self, names: list[Any], x: dict[Any, Any], learn: bool) -> SparseRows:
        """Convert a dict with new names; str names and numeric values take a fast path."""
        index = self.names.index
        new = [name for name in names if name not in index]
        known = self.packers.get(len(names))
        if known is None or not new or not all(type(name) is str for name in new) or BIAS_NAME in new:
            return self._one_dict_slowly(x, learn)
        unknown = size = len(index)
        self.last_names = self.mark = None
        if learn:
            self.mark = self.named, self.width, size
            index.update(zip(new, range(size, size + len(new)), strict=True))
        try:
            known[0](self.buffer, 0, *x.values(), *[index.get(name, unknown) for name in names])
        except (TypeError, struct.error, UserWarning):
            self.undo()
            return self._one_dict_slowly(x, learn)
        if self.missing and has_missing(self.row_buffer.values[: len(names)]):
            self.undo()
            return self._one_dict_slowly(x, learn)
        self.row_buffer.indptr[1] = len(names)
        if learn:
            self.last_names, self.pack_values = names, known[1]
        return self.row_buffer

    def _one_dict_slowly(self, x: Mapping[Any, Any], learn: bool) -> SparseRows:
        """Convert any mapping: new names, strings, bools, hashing. See ``one_dict``."""
        self.mark = self.named, self.width, self.stored
        self.last_names = None
        self._require_kind(True, learn)
        indices, values = self._features(x, learn)
        size = len(indices)
        if size > len(self.row_buffer.indices):
            self._allocate_buffers(2 * size)
        self.row_buffer.indptr[1] = size
        self.row_buffer.indices[:size] = indices
        self.row_buffer.values[:size] = values
        if self.named or self.hashed:
            self.pack_values = struct.Struct(f"{size}d").pack_into
            if size == len(x) and all(type(value) is float for value in x.values()) and (learn or self._forgets_names):
                self.last_names = list(x)
        if self.named and not self.hashed:
            self._keep_packer(size)
        return self.row_buffer

    def _keep_packer(self, size: int) -> None:
        """Prepare to pack dicts of this size with known names. The buffer is large enough."""
        spare = 8 * (len(self.row_buffer.values) - size)
        pack_values = struct.Struct(f"{size}d").pack_into
        self.packers[size] = struct.Struct(f"{size}d{spare}x{size}I").pack_into, pack_values

    def _features(self, x: Mapping[Any, Any], learn: bool) -> tuple[list[int], list[float]]:
        """Return indices and values in the order of x. Values of features that collide are summed.

        When scoring, unknown features share one index and are not summed. A missing value is left
        out, unless the learner uses it and the feature is known. Hashed features count as known.
        """
        indices: list[int] = []
        values: list[float] = []
        places: dict[int, int] = {}
        unknown = -1 if learn else len(self.names)
        kept = self.names.kept if learn and isinstance(self.names, Hashing) else None
        index_of, known = self.names.index, len(self.names.index)
        for name, value in x.items():
            known_as, number = feature(self.where, name, value)
            if number != number and not (self.missing and (self.hashed or index_of.get(known_as, known) < known)):
                continue
            index = self._index(known_as, learn)
            if kept is not None:
                kept.add_all((known_as,), (index,))
            if index in places and index != unknown:
                values[places[index]] += number
            else:
                places[index] = len(indices)
                indices.append(index)
                values.append(number)
        return indices, values

    @property
    def _forgets_names(self) -> bool:
        """Whether names are hashed and not stored, so that learning them needs nothing but their indices."""
        return isinstance(self.names, Hashing) and self.names.kept is None

    def _index(self, name: Any, learn: bool) -> int:
        """Return the index of a feature. When scoring, unknown ones share the next free index."""
        if learn or self.hashed:
            return self.names.add(name)
        return self.names.index.get(name, len(self.names))

    def checked_dict(self, x: Mapping[Any, Any], learn: bool) -> SparseRows:
        """Convert a mapping to a row without missing values, unless the learner uses them, and check it."""
        rows = self.one_dict(x, learn) if type(x) is dict else self._one_dict_slowly(x, learn)
        if check_sparse(*rows, 0, False, self.limit.longest_sq)[1] == FINE:
            return rows
        self.undo()
        rows = self._one_dict_slowly(x, learn)
        if check_sparse(*rows, 0, False, self.limit.longest_sq)[1] == FINE:
            return rows
        raise self._bad_dict(x, None)

    def _bad_dict(self, x: Mapping[Any, Any], row: int | None) -> ValueError:
        """Return the error for a dict with bad values."""
        found = (feature(self.where, name, value) for name, value in x.items())
        features = {name: number for name, number in found if number == number}
        names = list(features)
        return bad_values(self.limit, row, np.array(list(features.values())), lambda k: f"feature {names[k]!r}")
