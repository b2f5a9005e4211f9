"""The storage interface of the service, and its records.

Every model has one log. Its events have the positions 1, 2, 3, and so on. A page holds all events
of one model in one commit. Model 0 is the log of the server itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from driftline.serve.storage.shared_lease import SharedLease

SERVER_LOG = 0
"""The model number of the server's own log."""


class StorageError(OSError):
    """The database failed, or another server owns it. Nothing of the failed commit is kept,
    unless the connection broke during the commit: then only a new read of the log can tell.
    """


class DamagedError(StorageError):
    """The log or a snapshot is not what was written.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    position : int or None
        The first event of the log that cannot be trusted; None if unknown.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Page:
    """The events of one model in one commit.

    Parameters
    ----------
    model : int
        Number of the model.
    first, last : int
        Positions of the first and the last event.
    events : sequence of bytes or None
        The encoded events. None stands for an event that was redacted or forgotten.
    digests : bytes
        The SHA-256 digests of the events, 32 bytes each, and perhaps one of all events. They
        outlive the events.
    chain : bytes
        Digest of the chain of the page before, the fields ``model``, ``first`` and ``last``, and
        ``digests``: see ``driftline.serve.chain``.
    packed : bytes or None
        The events as they were read, as one msgpack array.
    """

    model: int
    first: int
    last: int
    events: Sequence[bytes | None]
    digests: bytes
    chain: bytes
    packed: bytes | None = field(default=None, compare=False, repr=False)


class IdRow(NamedTuple):
    """An id that was used once. ``(model, id, kind)`` is unique.

    Parameters
    ----------
    model : int
        Number of the model.
    id : str
        Ticket or id of the caller.
    kind : str
        ``"x"`` for an example, ``"y"`` for a label.
    position : int
        Position of the event.
    content : str
        Digest of the example, or the label as JSON.
    """

    model: int
    id: str
    kind: str
    position: int
    content: str


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A snapshot without its content.

    Parameters
    ----------
    id : int
        Number of the snapshot.
    model : int
        Number of the model.
    position : int
        Position of the last event that the snapshot includes.
    at : float
        Time of the snapshot, in seconds since 1970.
    kind : str
        ``"auto"``, ``"manual"``, ``"rollback"`` or ``"import"``.
    size : int
        Length of the content in bytes.
    """

    id: int
    model: int
    position: int
    at: float
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class NewSnapshot:
    """A snapshot to write; the fields are those of ``SnapshotRow``, with the content."""

    model: int
    position: int
    at: float
    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model.

    Parameters
    ----------
    model : int
        Number of the model, > 0. Numbers are never used twice.
    name : str
        Name of the model, unique among models that are not deleted.
    created_at : float
        Time of creation, in seconds since 1970.
    spec : str
        The specification as JSON.
    """

    model: int
    name: str
    created_at: float
    spec: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    """An access token; the secret itself is not stored.

    Parameters
    ----------
    name : str
        Name of the token.
    digest : bytes
        Digest of the secret.
    scopes : str
        Scopes, separated by spaces.
    created_at : float
        Time of creation, in seconds since 1970.
    expires_at, revoked_at : float or None
        Times from which the token is refused.
    per_second : float or None
        Limit of requests per second.
    """

    name: str
    digest: bytes
    scopes: str
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None
    per_second: float | None = None


@dataclass(slots=True)
class Batch:
    """The content of one commit.

    Parameters
    ----------
    pages : list of Page
        Pages in the order of their logs. Each must follow the last page of its model.
    ids : list of IdRow
        Ids used for the first time.
    snapshots : list of NewSnapshot
        Snapshots to add.
    specs : dict of int to str
        New specifications of models, as JSON.
    deleted : dict of int to float
        Models to delete after everything else is written, and the time.
    """

    pages: list[Page] = field(default_factory=list)
    ids: list[IdRow] = field(default_factory=list)
    snapshots: list[NewSnapshot] = field(default_factory=list)
    specs: dict[int, str] = field(default_factory=dict)
    deleted: dict[int, float] = field(default_factory=dict)


class Storage(Protocol):
    """A database of logs, snapshots, ids and tokens.

    Every method may be called from any thread. Methods that write wait for each other, and so do
    methods that read; a read does not wait for a write. A method raises ``StorageError`` if the
    database fails and ``ValueError`` if the request is refused.
    """

    @property
    def renew_every(self) -> float | None:
        """Seconds after which ``renew`` must be called; None if never."""

    @property
    def sharing(self) -> SharedLease | None:
        """The leases of single models; None if this server has the database for itself."""

    def commit(self, batch: Batch) -> None:
        """Write the batch in one transaction. It is on disk when the call returns.

        A server that lost its lease gets a ``StorageError`` and writes nothing.
        """

    def renew(self) -> None:
        """Extend the lease; ``StorageError`` if another server took it."""

    def models(self) -> list[ModelRow]:
        """Return the models that are not deleted, oldest first; if servers share them, those of this one."""

    def create_model(self, name: str, spec: str, at: float) -> int:
        """Add a model and return its number; ``ValueError`` if the name is in use."""

    def delete_model(self, model: int, at: float) -> None:
        """Delete a model, with its log, ids and snapshots."""

    def head(self, model: int) -> tuple[int, bytes]:
        """Return the position of the last event, and the chain there; (0, 32 zero bytes) at first."""

    def chain_before(self, model: int, position: int) -> tuple[int, bytes]:
        """Return the last position of the page before that of ``position``, and its chain."""

    def pages(self, model: int, after: int = 0, until: int | None = None) -> Iterator[Page]:
        """Yield the pages with events after a position (and not after ``until``), in order.

        The first and the last page may hold events outside this range. Few pages are in memory at
        a time, and other calls may come between two pages.
        """

    def snapshot(self, model: int, at_most: int | None = None) -> tuple[SnapshotRow, bytes] | None:
        """Return the last snapshot (with a position up to ``at_most``) and its content.

        A content with a wrong digest is a ``DamagedError``.
        """

    def snapshot_by_id(self, model: int, snapshot: int) -> tuple[SnapshotRow, bytes] | None:
        """Return a snapshot and its content; None if the model has no such snapshot."""

    def snapshots(self, model: int) -> list[SnapshotRow]:
        """Return the snapshots of a model, by position."""

    def drop_snapshot(self, snapshot: int) -> None:
        """Delete a snapshot; ``ValueError`` if removed events make it necessary."""

    def find_ids(self, model: int, ids: Sequence[str], kind: str) -> dict[str, IdRow]:
        """Return the rows of those ids that were used."""

    def redact(self, model: int, positions: Sequence[int]) -> None:
        """Remove single events, with their ids. Their digests stay.

        ``ValueError`` unless the model has a snapshot at or after each position.
        """

    def forget_before(self, model: int, position: int) -> int:
        """Remove the events of whole pages before a position, with their ids. Digests stay.

        Return the position of the last event removed (0 if none). ``ValueError`` unless the model
        has a snapshot at or after that position.
        """

    def complete_from(self, model: int) -> int:
        """Return the first position from which no event was removed; 1 if the log is complete.

        A rollback to a position needs a snapshot at that position, or an earlier one at
        ``complete_from(model) - 1`` or later.
        """

    def tokens(self) -> list[TokenRow]:
        """Return all tokens by name, also those that expired or were revoked."""

    def put_token(self, token: TokenRow) -> None:
        """Add a token, or replace the one of the same name."""

    def revoke_token(self, name: str, at: float) -> None:
        """Refuse a token from now on; ``ValueError`` if there is none of that name."""

    def backup(self, path: str) -> None:
        """Copy the database into a new file while it is in use."""

    def close(self) -> None:
        """Release the database."""
