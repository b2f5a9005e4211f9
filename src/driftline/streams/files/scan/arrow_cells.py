"""Convert Arrow columns to cells of a kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from driftline.streams.files.scan.cells import Cells, Numbers, Texts, numbers, texts, times, within_calendar
from driftline.streams.schema.kinds import CATEGORY, NUMBER, TIME, number_text
from driftline.streams.schema.times import seconds_of_number

EPOCH_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def natural_kind(kind: Any) -> str | None:
    """Return the kind of column that an Arrow type stands for.

    None stands for strings, which need a sample to decide, and for columns of nulls.

    Raises
    ------
    TypeError
        If a column of this type cannot give features.
    """
    from pyarrow import types

    kind = _value_type(kind)
    if is_text(kind) or types.is_null(kind):
        return None
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
        return NUMBER
    if types.is_temporal(kind) and not types.is_interval(kind):
        return TIME
    raise TypeError(str(kind))


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type is one of strings."""
    from pyarrow import types

    kind = _value_type(kind)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _value_type(kind: Any) -> Any:
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) or types.is_run_end_encoded(kind) else kind


def decoded(array: Any) -> Any:
    """Return an array without dictionary or run-end encoding; all strings are of one type."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    elif types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    return array.cast(pa.string()) if is_text(array.type) else array


def cells(array: Any, kind: str, markers: Iterable[str] = ()) -> Cells:
    """Convert a decoded array to cells of a kind; strings among the ``markers`` are missing."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_null(array.type):
        array = array.cast(pa.string())
    if is_text(array.type):
        convert = {NUMBER: numbers, TIME: times}.get(kind, texts)
        return convert(array, markers)
    if kind == TIME:
        return _times(array)
    if kind == CATEGORY:
        return _categories(array)
    return _numbers(array)


def _numbers(array: Any) -> Numbers:
    """Convert numbers, bools and durations. Decimals are parsed from their text."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_decimal(array.type):
        return numbers(array.cast(pa.string()))
    if types.is_temporal(array.type):
        return _times(array)
    values = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return Numbers(values, written=array if types.is_integer(array.type) else None)


def _times(array: Any) -> Numbers:
    """Convert dates, times and numbers to seconds since 1970."""
    import pyarrow as pa
    from pyarrow import types

    kind = array.type
    if types.is_date32(kind):
        return Numbers(_floats(array.cast(pa.int32())) * 86_400.0, written=array)
    if types.is_date64(kind):
        return Numbers(_floats(array.cast(pa.int64())) / 1e3, written=array)
    if types.is_time32(kind):
        return Numbers(_floats(array.cast(pa.int32())) / EPOCH_UNITS[kind.unit], written=array)
    if types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind):
        seconds = _floats(array.cast(pa.int64())) / EPOCH_UNITS[kind.unit]
        return within_calendar(Numbers(seconds, written=array))
    return within_calendar(Numbers(seconds_of_number(_numbers(array).values)))


def _floats(array: Any) -> np.ndarray:
    return np.asarray(array.to_numpy(zero_copy_only=False), np.float64)


def _categories(array: Any) -> Texts:
    """Convert numbers and bools to their texts: 5 and 5.0 are "5", 0.5 is "0.5", a bool is "true"."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_floating(array.type):
        encoded = array.cast(pa.float64()).dictionary_encode()
        written = pa.array([number_text(float(one)) for one in encoded.dictionary.to_pylist()], pa.string())
        return texts(written.take(encoded.indices), ("nan",))
    return texts(array.cast(pa.string()))
