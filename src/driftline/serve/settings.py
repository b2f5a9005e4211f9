"""The limits and times of the service."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The limits and times of the service.

    Attributes
    ----------
    queue_bytes, queue_events
        The most that may wait to be written. Beyond it, requests are refused with ``Busy``.
    commit_bytes
        The most that one commit writes.
    gather_seconds
        The time for which events gather before a commit if no request waits for it. A crash loses
        the tickets of about so long, but nothing that was acknowledged as stored.
    snapshot_events, snapshot_seconds
        A model gets a snapshot after this number of new events, in which each example of a batch
        counts as one, or of seconds if it has new events.
    keep_snapshots
        The number of automatic snapshots that are kept for each model.
    tick_seconds
        How often expiry, retention and snapshots are looked at.
    retry_seconds
        The time between two attempts to reach a storage that has failed.
    max_open
        The most open tickets of a model. The oldest closes when there is one more.
    max_open_bytes
        The most bytes of open tickets of a model, whose examples stay in memory.
    remember
        The number of closed tickets, ids and unmatched labels that a model keeps in memory.
    max_models, max_challengers
        The most models of a server, and challengers of a model.
    max_features
        The most features of one example.
    max_batch
        The most items of one batch.
    window
        The number of labelled rounds over which the full metrics are computed.
    slice_seconds
        The time after which a long batch lets other requests run.
    """

    queue_bytes: int = 64 << 20
    queue_events: int = 200_000
    commit_bytes: int = 8 << 20
    gather_seconds: float = 0.01
    snapshot_events: int = 100_000
    snapshot_seconds: float = 300.0
    keep_snapshots: int = 3
    tick_seconds: float = 1.0
    retry_seconds: float = 1.0
    max_open: int = 1_000_000
    max_open_bytes: int = 1 << 30
    remember: int = 100_000
    max_models: int = 1_000
    max_challengers: int = 4
    max_features: int = 100_000
    max_batch: int = 10_000
    window: int = 10_000
    slice_seconds: float = 0.002
