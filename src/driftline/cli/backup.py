"""``driftline backup``: copy the database of a server while it runs."""

from __future__ import annotations


def backup(database: str, target: str) -> int:
    """Copy the database of a server while it runs, and check the copy.

    The copy holds a prefix of every log, with snapshots, ids and tokens. The hash chain of every
    log is checked in the copy. Use pg_dump for a PostgreSQL database.

    Parameters
    ----------
    database
        The SQLite file of the server.
    target
        File to write. An existing file is not overwritten.
    """
    from driftline.internals.visible_text import visible
    from driftline.serve.chain import checked_log
    from driftline.serve.storage.opening import attach_storage
    from driftline.serve.storage.storage import SERVER_LOG

    storage = attach_storage(database)
    try:
        storage.backup(target)
    finally:
        storage.close()
    copy = attach_storage(target)
    try:
        names = {SERVER_LOG: "the server", **{row.model: row.name for row in copy.models()}}
        for model, name in names.items():
            events = sum(len(page.events) for page in checked_log(copy, model))
            print(f"{visible(name)}: events {events:,}, snapshots {len(copy.snapshots(model)):,}")
    finally:
        copy.close()
    return 0
