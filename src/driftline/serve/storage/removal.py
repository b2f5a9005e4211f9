"""Removing events: single ones, and all before a position. Digests and the chain stay.

An event can be removed only if a snapshot at its position or later exists, because the model could
not be rebuilt without it. For the same reason the last such snapshot cannot be dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from driftline.serve.storage.log_rows import decoded, encode_events, head
from driftline.serve.storage.transactions import Run

PAGE_OF = "SELECT first, last, events FROM pages WHERE model = ? AND first <= ? ORDER BY first DESC LIMIT 1"
LAST_SNAPSHOT = "SELECT max(position) FROM snapshots WHERE model = ?"


def redact(run: Run, model: int, positions: Sequence[int]) -> None:
    """Replace events by None and delete their ids."""
    todo = sorted(set(positions))
    if not todo:
        return
    last = head(run, model)[0]
    if todo[0] < 1 or todo[-1] > last:
        wrong = todo[0] if todo[0] < 1 else todo[-1]
        raise ValueError(f"model {model}: event must be one from 1 to {last}, got {wrong}. Look at the log")
    _require_snapshot(run, model, todo[-1])
    delete = "DELETE FROM ids WHERE model = ? AND position = ?"
    while todo:
        first, end, content = run(PAGE_OF, (model, todo[0]))[0]
        chosen = [position for position in todo if position <= end]
        todo = todo[len(chosen) :]
        for position in chosen:
            run(delete, (model, position))
        if content is not None:
            events = list(decoded(model, first, end, content))
            for position in chosen:
                events[position - first] = None
            sql = "UPDATE pages SET events = ? WHERE model = ? AND first = ?"
            run(sql, (encode_events(events), model, first))
    _set_complete_from(run, model, max(positions) + 1)


def forget_before(run: Run, model: int, position: int) -> int:
    """Drop the events of whole pages before a position, and their ids; return the last one."""
    rows = run(PAGE_OF, (model, position))
    if not rows:
        return 0
    first, last, _ = rows[0]
    end: int = last if last < position else first - 1
    if end < 1:
        return 0
    _require_snapshot(run, model, end)
    run("UPDATE pages SET events = NULL WHERE model = ? AND first <= ? AND events IS NOT NULL", (model, end))
    run("DELETE FROM ids WHERE model = ? AND position <= ?", (model, end))
    _set_complete_from(run, model, end + 1)
    return end


def drop_snapshot(run: Run, snapshot: int) -> None:
    """Delete a snapshot unless removed events make it necessary."""
    position, model = run("SELECT position, model FROM snapshots WHERE id = ?", (snapshot,))[0]
    needed = run("SELECT complete_from FROM models WHERE model = ?", (model,))[0][0] - 1
    others = run(f"{LAST_SNAPSHOT} AND id <> ?", (model, snapshot))[0][0]
    if needed > 0 and position >= needed and (others is None or others < needed):
        raise ValueError(
            f"snapshot {snapshot}: a snapshot at event {needed} or later must remain because earlier events were "
            "removed, got the only one. Take a new snapshot first"
        )
    run("DELETE FROM snapshots WHERE id = ?", (snapshot,))


def delete_model(run: Run, model: int, at: float) -> None:
    """Delete a model with its log, ids and snapshots."""
    run("UPDATE models SET deleted_at = ?, owner = NULL, lease_until = NULL WHERE model = ?", (at, model))
    for table in ("pages", "ids", "snapshots"):
        run(f"DELETE FROM {table} WHERE model = ?", (model,))


def _require_snapshot(run: Run, model: int, position: int) -> None:
    found = run(LAST_SNAPSHOT, (model,))[0][0] or 0
    if found < position:
        got = f"the last one at event {found}" if found else "none"
        raise ValueError(
            f"model {model}: a snapshot at event {position} or later must exist before the event is removed, "
            f"got {got}. Take a snapshot first"
        )


def _set_complete_from(run: Run, model: int, position: int) -> None:
    sql = "UPDATE models SET complete_from = ? WHERE model = ? AND complete_from < ?"
    run(sql, (position, model, position))
