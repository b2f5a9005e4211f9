"""``driftline stress``: measure a service under a bounded load."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftline.client.load import LoadRun

MOST_CLIENTS, MOST_BATCH = 256, 10_000
TOKEN = "DRIFTLINE_TOKEN"


def stress(
    url: str,
    *,
    token: str | None = None,
    model: str = "stress",
    clients: int = 8,
    seconds: float = 10.0,
    requests: int | None = None,
    batch: int = 1,
    label_share: float = 0.5,
    allow_remote: bool = False,
    json: bool = False,
) -> int:
    """Send random examples to a service, label some of them, and print the speed and the errors.

    The load generator runs on one processor, so it measures slow services better than fast ones.

    Parameters
    ----------
    url
        The address of the service, such as http://127.0.0.1:8000.
    token
        The token. Default: the environment variable DRIFTLINE_TOKEN.
    model
        The model that predicts and learns. If it does not exist, a PA1 is created, and deleted at the
        end. The model learns the random examples.
    clients
        Number of requests at the same time, at most 256.
    seconds
        Time after which the load ends.
    requests
        Number of requests after which the load ends, however long this takes.
    batch
        Number of examples in a request, at most 10000.
    label_share
        Share of the predictions whose label is sent.
    allow_remote
        Allow an address that is not on this machine. Only test services that are yours.
    json
        Print the result as JSON.
    """
    import asyncio
    import json as as_json
    import os

    from driftline.cli.main import INTERRUPTED
    from driftline.client import ServiceError
    from driftline.client.connection import Connection, is_loopback
    from driftline.client.load import Load, LoadRun

    _check(clients=clients, seconds=seconds, requests=requests, batch=batch, label_share=label_share)
    load = Load(url, token or os.environ.get(TOKEN), model, clients, seconds, requests, batch, label_share)
    Connection(url, load.token, seconds)  # checks the address
    if not is_loopback(url) and not allow_remote:
        raise ValueError(f"stress: url must be on this machine, got {url}. Pass --allow-remote if the service is yours")
    run, code = LoadRun(load), 0
    try:
        asyncio.run(run.run())
    except ServiceError as error:
        raise ValueError(f"{url}: {error}") from error
    except KeyboardInterrupt:
        code = INTERRUPTED
    if json:
        print(as_json.dumps({"interrupted": bool(code)} | run.to_dict()))
    else:
        _print(run)
    if code:
        sys.stdout.flush()
        print("driftline: interrupted", file=sys.stderr)
    return code


def _check(*, clients: int, seconds: float, requests: int | None, batch: int, label_share: float) -> None:
    from driftline.internals.require import positive, require, whole

    whole("stress", "--clients", clients, 1, MOST_CLIENTS)
    whole("stress", "--batch", batch, 1, MOST_BATCH)
    positive("stress", "--seconds", seconds)
    if requests is not None:
        whole("stress", "--requests", requests, 1)
    require(0.0 <= label_share <= 1.0, "stress", "--label-share must be from 0 to 1", label_share)


def _print(run: LoadRun) -> None:
    from driftline.internals.visible_text import visible

    found = run.to_dict()
    print(f"{'route':<10}{'requests':>10}{'per second':>12}{'p50 ms':>10}{'p99 ms':>10}")
    for name, one in found["routes"].items():
        times = "".join(f"{'-' if ms is None else format(ms, '.2f'):>10}" for ms in (one["p50_ms"], one["p99_ms"]))
        print(f"{name:<10}{one['requests']:>10,}{one['per_second']:>12,.0f}{times}")
    print(f"{found['per_second']:,.0f} requests/s, {found['clients']} at a time, {found['seconds']:.2f} s")
    errors: dict[str, Any] = {name: one["errors"] for name, one in found["routes"].items() if one["errors"]}
    for name, kinds in errors.items():
        for kind, count in sorted(kinds.items()):
            print(f"errors of {name}: {count:,} x {visible(kind)}")
    if not errors:
        print("no errors")
