"""The Ray cluster that a function uses: the one of the program, or one that lasts as long as the function."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

try:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
except ImportError as error:
    raise ImportError(f'driftline.scale needs Ray: pip install "driftline[ray]" ({error})') from None

LOOPBACK = "127.0.0.1"


@contextmanager
def cluster(workers: int | None = None) -> Iterator[int]:
    """A context in which Ray runs; its value is the number of processors of the cluster.

    Ray keeps running if it ran before. Otherwise it is started here, on the loopback address only,
    without a dashboard, and stopped at the end.

    Parameters
    ----------
    workers
        The number of processors of a cluster that is started here. None takes all of this machine.
    """
    if ray.is_initialized():
        yield _processors()
        return
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False, logging_level=logging.ERROR)
    else:
        os.environ.setdefault("RAY_AUTH_MODE", "disabled")
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            _node_ip_address=LOOPBACK,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    try:
        yield _processors()
    finally:
        ray.shutdown()


def _processors() -> int:
    """The number of processors of the cluster."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
