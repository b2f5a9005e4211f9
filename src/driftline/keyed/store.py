"""Records by key: in memory, and beyond a number of keys in a spill file, the least recently used first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from driftline.keyed.keys import Key
from driftline.keyed.spill import Spill


class Store:
    """Records by key.

    Parameters
    ----------
    most
        The most records in memory; None for all.
    spill
        Where the others are; None if all are in memory.
    """

    def __init__(self, most: int | None, spill: Spill | None) -> None:
        self.most = most
        self.spill = spill
        self._memory: dict[Key, bytes] = {}
        """The most recently used last, if there is a spill file."""
        self._spilled = 0
        """The number of keys that are in the spill file only."""

    def __len__(self) -> int:
        return len(self._memory) + self._spilled

    def __contains__(self, key: Key) -> bool:
        return self.get(key) is not None

    @property
    def in_memory(self) -> int:
        """The number of records in memory."""
        return len(self._memory)

    def get(self, key: Key) -> bytes | None:
        """The record of a key, or None. It is then the most recently used one."""
        if self.spill is None:
            return self._memory.get(key)
        record = self._memory.pop(key, None)
        if record is None and self._spilled:
            record = self.spill.get(key)
            self._spilled -= record is not None
        if record is not None:
            self._memory[key] = record
        return record

    def fetch(self, keys: Iterable[Key]) -> None:
        """Bring the records of these keys into memory."""
        if self.spill is not None and self._spilled:
            for key, record in self.spill.get_many([key for key in keys if key not in self._memory]):
                self._memory[key] = record
                self._spilled -= 1

    def add(self, key: Key, record: bytes) -> None:
        """Put the record of a new key."""
        self._memory[key] = record

    def put(self, key: Key, record: bytes) -> None:
        """Put the record of any key."""
        self.get(key)
        self._memory[key] = record

    def remove(self, key: Key) -> None:
        """Remove a key."""
        self.get(key)
        self._memory.pop(key, None)
        if self.spill is not None:
            self.spill.remove(key)

    def trim(self, slack: int = 0) -> None:
        """Move the least recently used records to the spill file, if too many are in memory.

        Then ``slack`` more are moved, so that this is not needed again soon.
        """
        if self.spill is None or self.most is None or len(self._memory) <= self.most:
            return
        oldest = list(islice(self._memory.items(), len(self._memory) - max(1, self.most - slack)))
        self.spill.put(oldest)
        for key, _ in oldest:
            del self._memory[key]
        self._spilled += len(oldest)

    def items(self) -> Iterator[tuple[Key, bytes]]:
        """All keys and records. The store must not change meanwhile."""
        yield from self._memory.items()
        if self.spill is not None and self._spilled:
            for key, record in self.spill.items():
                if key not in self._memory:
                    yield key, record
