"""``driftline serve`` that stores no event and acknowledges at once: the baseline of durability.

``python not_durable.py DB`` prints its URL. All else is the code of the service.
"""

from __future__ import annotations

import sys

from driftline.serve.http.server import Server, ServerOptions
from driftline.serve.hub import Hub
from driftline.serve.storage.opening import open_storage
from driftline.serve.writer import Entry


def _drop(entry: Entry) -> None:
    """Forget an entry instead of putting it in the queue of the writer."""


async def _without_storage(hub: Hub) -> None:
    hub.put = _drop  # type: ignore[method-assign]  # nothing waits, so nothing has to be waited for


def main(database: str) -> None:
    """Serve until SIGTERM."""
    options = ServerOptions(port=0, log_requests=False)
    ready = lambda url: print(f"serving {url}", flush=True)  # noqa: E731
    Server(open_storage(database), options, started=_without_storage, ready=ready).run()


if __name__ == "__main__":
    main(sys.argv[1])
