"""The states of all keys: made, used, changed, dropped, and handed over to other stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self
from zlib import crc32

from driftline.encode.faults import shortened
from driftline.internals.one_call import whole_call
from driftline.internals.require import whole
from driftline.keyed.in_use import KeyCounts, KeysInUse
from driftline.keyed.keys import WHERE, Key, checked, encoded
from driftline.learners import Learner
from driftline.saved.fault import ModelError, UnfitError

VERSION = 1
"""The first byte of a state."""


class KeyedStates(KeysInUse):
    """The states of a ``Keyed``, which can neither score nor learn yet."""

    # keys --------------------------------------------------------------------------------------------
    @whole_call
    def __len__(self) -> int:
        return len(self._store)

    @whole_call
    def __contains__(self, key: object) -> bool:
        return checked(key) in self._store

    def __iter__(self) -> Iterator[Key]:
        """All keys, in no particular order."""
        return iter(self.keys())

    @whole_call
    def keys(self) -> list[Key]:
        """All keys, in no particular order.

        Returns
        -------
        list of str, int or bytes
            The keys.
        """
        return [key for key, _ in self._store.items()]

    @whole_call
    def __getitem__(self, key: Any) -> Learner:
        """A copy of the learner of a key. What the copy learns does not change the key."""
        key = checked(key)
        return self._copied(key, self._record(key))

    def _copied(self, key: Key, record: bytes) -> Learner:
        return self._restored(key, record).learner

    def _record(self, key: Key) -> bytes:
        """The present record of a key; KeyError if it is unknown."""
        one = self._used.get(key)
        if one is not None:
            self._put_away(key, one)
        record = self._store.get(key)
        if record is None:
            raise KeyError(key)
        return record

    @whole_call
    def drop(self, key: Any) -> None:
        """Forget a key; it is then a new key again. KeyError if it is unknown.

        Parameters
        ----------
        key
            The key.
        """
        key = checked(key)
        self._record(key)
        self._used.pop(key, None)
        self._store.remove(key)
        self._changed.discard(key)
        self._dropped.add(key)

    @whole_call
    def counts(self, key: Any) -> KeyCounts:
        """The number of examples and errors of a key; KeyError if it is unknown.

        Parameters
        ----------
        key
            The key.

        Returns
        -------
        KeyCounts
            Its ``rows``, ``errors`` and ``loss``.
        """
        return KeyCounts(*self._template.counts(self._record(checked(key))))

    @property
    @whole_call
    def totals(self) -> KeyCounts:
        """The examples and errors of all keys so far, dropped keys included."""
        return self._totals

    @whole_call
    def worst(self, k: int = 10) -> list[tuple[Key, KeyCounts]]:
        """The keys with the most errors; for regressors with the largest sum of absolute errors.

        Parameters
        ----------
        k
            The number of keys, at least 1.

        Returns
        -------
        list of (key, KeyCounts)
            The worst key first. Of two equally bad keys, the one with fewer examples comes first.
        """
        from heapq import nsmallest

        whole(f"{WHERE}.worst", "k", k, 1)
        self._put_all_away()
        every = ((key, KeyCounts(*self._template.counts(record))) for key, record in self._store.items())
        return nsmallest(k, every, key=lambda one: (-one[1].errors, -one[1].loss, one[1].rows, encoded(one[0])))

    # states ------------------------------------------------------------------------------------------
    @whole_call
    def states(self, keys: Iterable[Any] | None = None) -> Iterator[tuple[Key, bytes]]:
        """The states of some keys, each complete by itself.

        Parameters
        ----------
        keys
            The keys; None for all. KeyError if one is unknown.

        Returns
        -------
        iterator of (key, bytes)
            The states at the time of the call. ``put_state`` of any ``Keyed`` whose learner has the
            same parameters and options takes them.
        """
        self._put_all_away()
        if keys is None:
            return iter([(key, self._state(record)) for key, record in self._store.items()])
        return iter([(key, self._state(self._record(key))) for key in map(checked, keys)])

    def _state(self, record: bytes) -> bytes:
        """A record with its layout, version and checksum."""
        layout, start = self._layouts.of(record)
        body = b"".join((bytes((VERSION,)), len(layout.data).to_bytes(4, "little"), layout.data, record[start:]))
        return body + crc32(body).to_bytes(4, "little")

    @whole_call
    def put_state(self, key: Any, state: bytes) -> None:
        """Replace the state of a key, or add the key.

        Parameters
        ----------
        key
            The key.
        state
            What ``states`` returned, here or in another process.

        Raises
        ------
        ModelError
            If the state is damaged, or that of a learner with other parameters or options.
        """
        key = checked(key)
        record = self._record_of(key, bytes(state))
        self._used.pop(key, None)
        self._store.put(key, record)
        self._store.trim()
        self._changed.add(key)
        self._dropped.discard(key)

    def _record_of(self, key: Key, state: bytes) -> bytes:
        try:
            if len(state) < 9 or crc32(state[:-4]).to_bytes(4, "little") != state[-4:]:
                raise UnfitError("bytes that are damaged or cut short", "Restore them from a copy")
            if state[0] != VERSION:
                raise UnfitError(f"a state of format {state[0]}", "Upgrade driftline")
            end = 5 + int.from_bytes(state[1:5], "little")
            if end > len(state) - 4:
                raise UnfitError("a state that is cut short")
            record = self._layouts.started(state[5:end]) + state[end:-4]
            self._template.restored(record)
        except UnfitError as error:
            raise ModelError(
                f"{WHERE}: the state of key {shortened(key)} must be one of states(), got {error.found}. {error.remedy}"
            ) from None
        return record

    @whole_call
    def changed(self) -> set[Key]:
        """The keys that were added or have learned since ``mark_clean`` or the last checkpoint.

        Returns
        -------
        set
            A copy. Dropped keys are in ``dropped`` instead.
        """
        return set(self._changed)

    @whole_call
    def dropped(self) -> set[Key]:
        """The keys that were dropped since ``mark_clean`` or the last checkpoint, and not added again.

        Returns
        -------
        set
            A copy.
        """
        return set(self._dropped)

    @whole_call
    def mark_clean(self) -> None:
        """Let ``changed`` and ``dropped`` start anew. The next checkpoint then writes every key."""
        self._clean()
        self._tracks = False

    def _clean(self) -> None:
        self._changed.clear()
        self._dropped.clear()

    @property
    def template(self) -> Learner:
        """A new learner with the parameters and options of all keys."""
        return self._template.made()

    def options_bytes(self) -> bytes:
        """The learner of the template as the bytes of a model file, for ``driftline.from_bytes``.

        Returns
        -------
        bytes
            The bytes. They say nothing about keys, the prior or the spill file.
        """
        return self._template.data

    @whole_call
    def close(self) -> None:
        """Delete the spill file; the keys in it are gone. It is also deleted at the end of the process."""
        if self._store.spill is not None:
            self._store.spill.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _copied_state(self, memo: dict[int, Any]) -> dict[str, Any]:
        if self._store.spill is not None:
            raise ValueError(
                f"{WHERE}: an object with a spill folder must not be copied or pickled. Save it, and load the file"
            )
        return super()._copied_state(memo)
