"""Blocks of arrays by key: all keys learn in one compiled call, from their records to new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.internals.compiled import Floats
from driftline.keyed.keys import Key
from driftline.keyed.layout import INLINE
from driftline.learners.packed_states import learn_packed

if TYPE_CHECKING:
    from driftline.keyed.keyed import Keyed


def learn_block(keyed: Keyed, X: Any, y: Any, w: Any, places: dict[Key, list[int]]) -> Floats | None:
    """Learn a block of rows; None if this needs the learners of the keys: nothing has changed then.

    Parameters
    ----------
    keyed
        The learners.
    X, y, w
        Rows, labels and sample weights, as many as there are row numbers in ``places``.
    places
        The rows of each key.
    """
    if type(X) is not np.ndarray or not isinstance(y, np.ndarray | list) or not places:
        return None
    sample, layout = keyed._template.sample, keyed._template.columns_layout()
    new = _new_state(keyed, layout)
    if new is None or sample is None:
        return None
    for key in places.keys() & keyed._used.keys():
        keyed._put_away(key, keyed._used[key])
    records = [keyed._store.get(key) for key in places]
    order = np.array([row for rows in places.values() for row in rows], np.intp)
    stops = np.cumsum([len(rows) for rows in places.values()])
    labels = y[order] if isinstance(y, np.ndarray) else [y[row] for row in order.tolist()]
    learned = learn_packed(
        sample,
        X[order],
        labels,
        w if w is None or np.ndim(w) == 0 else np.asarray(w)[order],
        stops,
        [new if record is None else record for record in records],
        layout,
    )
    if learned is None:
        return None
    ordered, errors, states = learned
    _take_over(keyed, places, records, states, len(order), errors)
    scores = np.empty(len(order))
    scores[order] = ordered
    return scores


def _new_state(keyed: Keyed, layout: int) -> bytes | None:
    """The state of a new key, empty for a new learner; None if it has another layout."""
    if layout == INLINE or keyed.prior == "global":
        return None
    start = keyed._start_record()
    if start == keyed._template.empty:
        return b""
    return start if start[:2] == layout.to_bytes(2, "little") else None


def _take_over(
    keyed: Keyed, places: dict[Key, list[int]], before: list[bytes | None], states: list[bytes], rows: int, errors: int
) -> None:
    """Put the new records in place of the old ones, and count the rows: all of them, or none."""
    totals = keyed._totals
    store, changed, dropped = keyed._store, keyed._changed & places.keys(), keyed._dropped & places.keys()
    try:
        for key, record, state in zip(places, before, states, strict=True):
            if record is None:
                store.add(key, state)
            else:
                store.put(key, state)
        keyed._changed |= places.keys()
        keyed._dropped -= places.keys()
        for key in places.keys() & keyed._used.keys():
            del keyed._used[key]
        keyed._count(rows, errors, 0.0)
    except BaseException:
        for key, record in zip(places, before, strict=True):
            keyed._take_back(key, record)
        keyed._changed -= places.keys() - changed
        keyed._dropped |= dropped
        keyed._totals = totals
        raise
