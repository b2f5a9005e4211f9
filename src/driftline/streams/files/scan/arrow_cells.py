"""Convert typed Arrow columns to cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.streams.files.faults import ReadError
from driftline.streams.files.options import ReadOptions
from driftline.streams.files.scan.cells import Cells, Numbers, numbers, texts


def check_type(source: str, name: str, kind: Any, options: ReadOptions) -> None:
    """Raise for a column that cannot be a feature: bytes, nested types, dates except time."""
    from pyarrow import types

    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        kind = kind.value_type
    readable = (_is_text, types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    if name in options.text:
        if not _is_text(kind) and not types.is_null(kind):
            raise ReadError(f"{source}, column {name}: text must be strings, got {kind}. Remove it from --text")
    elif types.is_temporal(kind) and not types.is_interval(kind):
        if name != options.time:
            raise ReadError(
                f"{source}, column {name}: a feature must be a number, boolean or string, got {kind}. "
                f"Pass --drop {name}, or --time {name} if the rows are in its order"
            )
    elif not any(known(kind) for known in readable):
        raise ReadError(
            f"{source}, column {name}: a feature must be a number, boolean or string, got {kind}. "
            f"Pass --drop {name}, or write its parts as separate columns"
        )


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def cells(array: Any) -> Cells:
    """Convert an array of a checked type to cells. Decimals are parsed from their text."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    elif types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    kind = array.type
    if _is_text(kind):
        return texts(array.cast(pa.string()))
    if types.is_decimal(kind):
        return numbers(array.cast(pa.string()))
    if types.is_null(kind):
        return Numbers(np.full(len(array), np.nan))
    if types.is_timestamp(kind):
        return texts(array.cast(pa.timestamp(kind.unit)).cast(pa.string()))
    if types.is_date(kind) or types.is_time(kind):
        return texts(array.cast(pa.string()))
    if types.is_duration(kind):
        array = array.cast(pa.int64())
    values = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return Numbers(values, written=array if types.is_integer(kind) else None)
