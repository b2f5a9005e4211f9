"""``driftline replay``: make the model of a service again from its log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from driftline.evaluate.progress import Progress
    from driftline.serve.hosted.model import HostedModel
    from driftline.serve.storage.storage import ModelRow, Page, Storage


def replay(
    database: str,
    *,
    model: str | None = None,
    to: str | None = None,
    until: int | None = None,
    verify: bool = False,
    json: bool = False,
) -> int:
    """Make the model of a service again from its log, and write it to a model file.

    The hash chain of the log is checked, and every event is learned again in its order. The model
    has the bits of the live one. A server may be using the database.

    If the first events were removed from the log, the replay begins with the last snapshot.

    Parameters
    ----------
    database
        The SQLite file of the server, or a postgresql:// address.
    model
        Name of the model. It can be left out if there is only one.
    to
        File to write, such as model.dl. Without it nothing is written.
    until
        Last position of the log to replay. Default: the end of the log.
    verify
        Also compare the replay with the last snapshot, bit for bit.
    json
        Print the result as JSON.
    """
    import json as as_json
    from contextlib import closing
    from hashlib import sha256

    from driftline.cli.serve import check_extra

    check_extra()
    from driftline.cli.output import check_writable
    from driftline.evaluate.progress import Progress
    from driftline.internals.visible_text import visible
    from driftline.serve.storage.opening import attach_storage

    check_writable(to)
    if until is not None and until < 1:
        raise ValueError(f"--until must be >= 1, got {until}")
    progress = Progress(None, what="replay: ")
    with closing(attach_storage(database)) as storage, progress.lasting():
        row = _row(storage, model)
        counted = cast("Storage", _Counted(storage, progress))
        found, snapshot, verified = _replayed(counted, row, until, verify)
    learner = found.champion.learner
    if to is not None:
        learner.save(to)
    facts: dict[str, Any] = {
        "model": row.name,
        "learner": learner.kind,
        "position": found.position,
        "digest": sha256(learner.to_bytes()).hexdigest(),
        "from_snapshot": snapshot or None,
        "verified_snapshot": verified,
        "file": to,
    }
    if json:
        print(as_json.dumps(facts))
        return 0
    print(f"{visible(row.name)}: {learner.kind} at position {found.position:,} of the log")
    print(f"sha256 of the model: {facts['digest']}")
    if snapshot:
        print(f"replayed from the snapshot at position {snapshot:,}: earlier events were removed")
    if verified is not None:
        print(f"the snapshot at position {verified:,} has the same bits as the replay")
    if to is not None:
        print(f"written to {visible(to)}")
    return 0


def _row(storage: Storage, name: str | None) -> ModelRow:
    rows = storage.models()
    names = [row.name for row in rows]
    if name is None and len(rows) == 1:
        return rows[0]
    if name is None or name not in names:
        got = "none" if name is None else repr(name)
        raise ValueError(f"--model must be one of {', '.join(names) or 'the models (there is none)'}, got {got}")
    return rows[names.index(name)]


def _replayed(storage: Storage, row: ModelRow, until: int | None, verify: bool) -> tuple[HostedModel, int, int | None]:
    """Return the model, the position of the snapshot it began with, and that of the verified one.

    A verified snapshot has the bits of the replay up to its position, so the replay continues there.
    """
    from driftline.serve.hosted.state import state_bytes
    from driftline.serve.recovery import state_at

    whole = storage.complete_from(row.model) == 1
    verified = None
    if verify:
        stored = storage.snapshot(row.model, until)
        if stored is None or not whole:
            why = "no snapshot up to this position" if stored is None else "a log whose first events were removed"
            raise ValueError(f"--verify must have a snapshot and the whole log, got {why}. Leave --verify out")
        position = stored[0].position
        again = state_at(storage, row.model, position, use_snapshots=False, name=row.name).model
        if state_bytes(again) != stored[1]:
            raise ValueError(
                f"model {row.name!r}: the snapshot at position {position} must have the bits of the replay, got "
                "others. Check whether another version of driftline wrote it"
            )
        verified = position
    found = state_at(storage, row.model, until, use_snapshots=verify or not whole, name=row.name)
    return found.model, 0 if whole else found.snapshot, verified


class _Counted:
    """A storage that shows how many events were read."""

    def __init__(self, storage: Storage, progress: Progress) -> None:
        self._storage = storage
        self._progress = progress
        self._done = 0

    def pages(self, model: int, after: int = 0, until: int | None = None) -> Iterator[Page]:
        for page in self._storage.pages(model, after, until):
            self._done += len(page.events)
            self._progress.update(self._done)
            yield page

    def __getattr__(self, name: str) -> Any:
        return getattr(self._storage, name)
