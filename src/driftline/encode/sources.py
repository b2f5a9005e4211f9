"""The features of an example behind each entry of its encoded row.

Usually an entry is one feature. If names are hashed, it is the sum of all features of the example
that share an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from driftline.encode.encoder import Encoder
from driftline.encode.features import feature
from driftline.encode.frames import is_series, named_values
from driftline.encode.sparse import distinct_rows, matrix, one_row
from driftline.encode.vocabulary import Hashing
from driftline.internals.compiled import Floats, Indices

Sources = list[tuple[Any, float]]
"""Names or columns, and their values."""


def sources_of(encoder: Encoder, x: Any, indices: Indices, values: Floats) -> list[Sources]:
    """The sources of each entry of the row ``encoder.one(x, False)``.

    Parameters
    ----------
    encoder
        The encoder that made the row.
    x
        The example.
    indices, values
        The entries of the row.
    """
    if not isinstance(x, Mapping) and is_series(x):
        x = named_values(encoder.where, x)
    if isinstance(x, Mapping):
        found = [one for name, value in x.items() if _is_entry(encoder, *(one := feature(encoder.where, name, value)))]
        return _grouped(encoder, found, indices) if encoder.hashed else [[one] for one in found]
    if hasattr(type(x), "tocsr"):
        given = matrix(encoder.where, one_row(encoder.where, x))
        if encoder.hashed:
            return _grouped(encoder, zip(given[1].tolist(), given[2].tolist(), strict=True), indices)
        rows = distinct_rows(encoder.limit, given, True, ordered=encoder.missing)
        return [[one] for one in zip(rows.indices.tolist(), rows.values.tolist(), strict=True)]
    if encoder.hashed:
        return _grouped(encoder, enumerate(np.asarray(x, np.float64).tolist()), indices)
    return [[one] for one in enumerate(values.tolist())]


def _is_entry(encoder: Encoder, name: Any, number: float) -> bool:
    """Whether a feature of a dict has an entry: see ``DictEncoder._features``."""
    return number == number or (encoder.missing and (encoder.hashed or name in encoder.names.index))


def _grouped(encoder: Encoder, found: Iterable[tuple[Any, float]], indices: Indices) -> list[Sources]:
    """The features of a hashed example, by entry."""
    assert isinstance(encoder.names, Hashing)
    groups: dict[int, Sources] = {index: [] for index in indices.tolist()}
    for name, value in found:
        groups[int(encoder.names.add_all([name])[0])].append((name, value))
    return list(groups.values())
