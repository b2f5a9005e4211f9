"""The differences between databases that the statements of the storage need to know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

Run = Callable[[str, Sequence[object]], list[Any]]
"""Runs one statement, with ``?`` for each parameter, and returns its rows."""


class Database(ABC):
    """Transactions and reads of a database, and the parts of statements that differ."""

    where: str
    """Name of the database in messages, without a password."""
    for_update: ClassVar[str]
    """Ends a SELECT whose rows must stay as they are until the transaction ends."""
    now: ClassVar[str]
    """The time of the database in seconds since 1970; NULL if leases do not end by time."""
    has_servers: ClassVar[str]
    """SELECT of whether other servers may share the database."""
    id_rows: ClassVar[str]
    """SELECT of the columns of ``ids`` from one JSON array of arrays."""
    texts: ClassVar[str]
    """SELECT of the texts of one JSON array."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Run]:
        """Begin a transaction that writes; commit at the end, roll back after an exception."""

    @abstractmethod
    def read(self, sql: str, parameters: Sequence[object]) -> list[Any]:
        """Return the rows of one statement, as of the last commit."""
