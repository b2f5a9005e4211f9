"""The storage in a PostgreSQL database, in its schema ``driftline``.

A commit returns after PostgreSQL has confirmed it. PostgreSQL waits for one fsync of its WAL, so
the commit survives a loss of power unless the server runs with ``fsync=off``. This module turns
``synchronous_commit=off`` on. Old row versions of removed events remain until VACUUM.

If the connection breaks during a commit, nobody knows whether PostgreSQL committed. The caller
gets a ``StorageError`` and must read the log again; the next commit connects anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, ClassVar

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise ImportError('PostgreSQL needs psycopg: pip install "driftline[postgres]"') from error

from driftline.serve.storage import schema
from driftline.serve.storage.shared_lease import SharedLease
from driftline.serve.storage.sql_storage import SqlStorage
from driftline.serve.storage.storage import StorageError
from driftline.serve.storage.transactions import Run

Connection = psycopg.Connection[tuple[Any, ...]]
DEFAULTS: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "application_name": "driftline",
}
IDLE_SECONDS = 15
SESSION = (
    "SET search_path TO driftline",
    f"SET idle_in_transaction_session_timeout TO '{IDLE_SECONDS}s'",  # a suspended server must not keep its rows locked
    "SET lock_timeout TO '20s'",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
)


class PostgresStorage(SqlStorage):
    """A PostgreSQL database. Use ``open_storage`` or ``attach_storage``.

    Parameters
    ----------
    url : str
        ``postgresql://user:password@host/database``.
    lease_seconds : float, default=30.0
        Time from a renewal to the end of the lease, by the clock of PostgreSQL. If the database is
        shared, the leases in it are shorter: see ``SharedLease``.
    address : str, default=""
        Where clients reach this server, to share the database with others. If empty, it does not share.
    """

    for_update: ClassVar[str] = " FOR UPDATE"
    now: ClassVar[str] = "extract(epoch FROM clock_timestamp())::float8"
    has_servers: ClassVar[str] = "SELECT to_regclass('driftline.servers') IS NOT NULL"
    id_rows: ClassVar[str] = (
        "SELECT (e ->> 0)::bigint, e ->> 1, e ->> 2, (e ->> 3)::bigint, e ->> 4 FROM json_array_elements(?::json) AS e"
    )
    texts: ClassVar[str] = "SELECT json_array_elements_text(?::json)"

    def __init__(self, url: str, lease_seconds: float = 30.0, address: str = "") -> None:
        super().__init__(lease_seconds)
        self._lease_seconds = lease_seconds
        if address:
            self._lease = SharedLease(self, lease_seconds, address)
        try:
            self._settings = DEFAULTS | conninfo_to_dict(url)
        except psycopg.Error as error:
            what = "address must be postgresql://user:password@host/database"
            raise ValueError(f"storage: {what}, got one of another form. Check the URL") from error
        self.where = "postgresql://{host}/{dbname}".format_map({"host": "localhost", "dbname": ""} | self._settings)
        self._write_lock, self._read_lock = Lock(), Lock()
        self._writer: Connection | None = None
        self._reader: Connection | None = None
        self._is_closed = False
        try:
            self._check_tables()
        except BaseException:
            self._disconnect()
            raise

    @property
    def renew_every(self) -> float | None:
        """A third of the lease; None if the leases of single models are renewed."""
        return None if self.sharing else self._lease_seconds / 3

    @property
    def sharing(self) -> SharedLease | None:
        """The leases of single models; None if this server has the database for itself."""
        return self._lease if isinstance(self._lease, SharedLease) else None

    def take(self) -> None:
        """Become the server of this database."""
        self._lease.take()
        with self.transaction() as run:
            run(schema.RAISE_FORMAT, ())

    @contextmanager
    def transaction(self) -> Iterator[Run]:
        """Begin a transaction that writes; commit at the end, roll back after an exception."""
        with self._write_lock, self._explained():
            if self._writer is None or self._writer.closed:
                self._writer = self._connect()
            connection = self._writer
            with connection.transaction():
                yield lambda sql, parameters: _rows(connection, sql, parameters)

    def read(self, sql: str, parameters: Sequence[object]) -> list[Any]:
        """Return the rows of one statement, as of the last commit; connect again once if necessary."""
        with self._read_lock, self._explained():
            if self._reader is not None and not self._reader.closed:
                try:
                    return _rows(self._reader, sql, parameters)
                except psycopg.OperationalError:
                    if not self._reader.closed:
                        raise
            self._reader = self._connect()
            return _rows(self._reader, sql, parameters)

    def backup(self, path: str) -> None:
        """Refuse: PostgreSQL has a tool for it."""
        raise ValueError(f"{self.where}: must be a SQLite file for a backup, got PostgreSQL. Use pg_dump")

    def close(self) -> None:
        """Release the database. Threads that still read get a ``StorageError``, and do not connect again."""
        with suppress(StorageError):
            self._lease.release()
        with self._write_lock, self._read_lock:
            self._is_closed = True
            self._disconnect()

    def _disconnect(self) -> None:
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()

    def _connect(self) -> Connection:
        if self._is_closed:
            raise StorageError(f"{self.where}: must be open, got a storage that was closed. Open it again")
        connection = psycopg.connect(**self._settings, autocommit=True)
        try:
            for statement in SESSION:
                connection.execute(statement)
            if self.sharing and self.sharing.granted < IDLE_SECONDS:  # or its rows stay locked after its lease
                connection.execute(f"SET idle_in_transaction_session_timeout TO {int(1000 * self.sharing.granted)}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_tables(self) -> None:
        """Create the tables in a new database, or check their version."""
        with self.transaction() as run:
            run("SELECT pg_advisory_xact_lock(7165086014)", ())
            if not run("SELECT 1 FROM pg_namespace WHERE nspname = 'driftline'", ()):
                run("CREATE SCHEMA driftline", ())
                for statement in (*schema.statements(schema.POSTGRES), schema.ADD_SERVER_LOG):
                    run(statement, ())
                run(schema.ADD_FORMAT, (str(schema.FORMAT),))
            schema.check_format(self.where, run(schema.READ_FORMAT, ()))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into ``StorageError``."""
        try:
            yield
        except psycopg.errors.DiskFull as error:
            what, remedy = "the disk must have free space", "Free some space"
            raise StorageError(f"{self.where}: {what}, got {_line(error)}. {remedy}") from error
        except psycopg.IntegrityError as error:
            what, remedy = "every id and page must be written once", "Read the log again"
            raise StorageError(f"{self.where}: {what}, got {_line(error)}. {remedy}") from error
        except psycopg.Error as error:
            what, remedy = "PostgreSQL must answer", "Check the server"
            raise StorageError(f"{self.where}: {what}, got {_line(error)}. {remedy}") from error


def _rows(connection: Connection, sql: str, parameters: Sequence[object]) -> list[Any]:
    cursor = connection.execute(sql.replace("?", "%s").encode(), parameters, binary=True)
    return cursor.fetchall() if cursor.description is not None else []


def _line(error: Exception) -> str:
    """Return the first line of an error."""
    return (str(error) or type(error).__name__).splitlines()[0]
