"""A server with small limits: ``python torture/serve_small.py DATABASE``.

It is the server of ``driftline serve``, but it forgets closed tickets soon, so that it must look
them up in the database. It also makes snapshots and checks its lease every few seconds.
"""

from __future__ import annotations

import sys

from driftline.serve.http.server import Server, ServerOptions
from driftline.serve.settings import Settings
from driftline.serve.storage.opening import open_storage
from driftline.serve.storage.storage import StorageError

LEASE_SECONDS = 2.0
SETTINGS = Settings(
    remember=300,
    snapshot_events=1500,
    snapshot_seconds=2.0,
    keep_snapshots=2,
    tick_seconds=0.1,
    retry_seconds=0.1,
    commit_bytes=1 << 16,
    window=200,
)


def main(address: str) -> int:
    """Serve until killed; return 2 if the database cannot be used."""
    try:
        storage = open_storage(address, lease_seconds=LEASE_SECONDS)
        options = ServerOptions(port=0, log_requests=False, settings=SETTINGS)
        Server(storage, options, ready=lambda url: print(f"serving {url} from {address}", flush=True)).run()
    except (StorageError, ValueError) as error:
        print(f"driftline: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
