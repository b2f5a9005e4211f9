"""How a ``Keyed`` is saved, checkpointed and loaded."""

from __future__ import annotations

import os
import secrets
from typing import Any, Self

from driftline.encode.faults import shortened
from driftline.internals.one_call import whole_call
from driftline.internals.require import whole
from driftline.keyed.files import KeyedFile, reading, replacing, updating
from driftline.keyed.in_use import KeyCounts
from driftline.keyed.keys import WHERE
from driftline.keyed.scores import KeyedScores
from driftline.learners import Learner
from driftline.saved import from_bytes
from driftline.saved.fault import ModelError, Place, UnfitError

TRIMMED = 4096
"""After this many loaded keys, those that are too many for the memory are spilled."""
START, TEMPLATE, EXTRA = "start", "template", "extra"


class SavedKeyed(KeyedScores):
    """A ``Keyed`` that can be saved but cannot learn yet."""

    next: int | None = None
    """The number of rows that the last checkpoint counted as done, if it was given."""
    _extra: bytes = b""
    """What a run has stored in the checkpoint besides the keys."""
    _file: tuple[str, str] | None = None
    """The file of the last checkpoint, and what it is known by."""

    @whole_call
    def save(self, path: Place) -> None:
        """Write all keys to a file, which ``Keyed.load`` reads; it continues with the same bits.

        If saving fails, an existing file is left unchanged.

        Parameters
        ----------
        path
            The file to write.
        """
        with replacing(path) as file, file.writing():
            self._write_all(file, secrets.token_hex(8), self.next, self._extra)

    @whole_call
    def checkpoint(self, path: Place, next: int | None = None) -> int:  # noqa: A002
        """Write the keys that changed since the last checkpoint to a file, in one transaction.

        The first checkpoint writes all keys. If the process is killed, the file holds the last
        complete checkpoint. ``Keyed.load`` reads it like a saved file, and the loaded object can
        write further checkpoints to it.

        Parameters
        ----------
        path
            A new file, or the file of the last checkpoint.
        next
            The number of rows that have been learned, or another position in the stream. It is
            stored in the same transaction, and is ``next`` of the loaded object.

        Returns
        -------
        int
            The number of keys that were written.
        """
        if next is not None:
            whole(f"{WHERE}.checkpoint", "next", next, 0)
        return self._checkpoint(path, next, b"")

    def _checkpoint(self, path: Place, next: int | None, extra: bytes) -> int:  # noqa: A002
        place, stamp = os.path.realpath(path), secrets.token_hex(8)
        with updating(path) as file, file.writing():  # nobody else can write between the check and the end
            if not file.is_new:
                about, _ = file.about()
                if self._file is None or (place, about["stamp"]) != self._file:
                    raise UnfitError(
                        "a checkpoint of another run or state",
                        "Load it with Keyed.load to continue from it, or choose another file",
                    )
            if file.is_new or not self._tracks:
                file.clear()
                written = self._write_all(file, stamp, next, extra)
            else:
                records = [(key, self._record(key)) for key in self._changed]
                file.remove_keys(self._dropped)
                file.put_keys(records)
                self._write_rest(file, stamp, next, extra)
                written = len(records)
        self._file = place, stamp
        self._tracks = True
        self.next, self._extra = next, extra
        self._clean()
        self._store.trim()
        return written

    def _write_all(self, file: KeyedFile, stamp: str, next: int | None, extra: bytes) -> int:  # noqa: A002
        self._put_all_away()
        file.put_keys(self._store.items())
        self._write_rest(file, stamp, next, extra)
        return len(self._store)

    def _write_rest(self, file: KeyedFile, stamp: str, next: int | None, extra: bytes) -> None:  # noqa: A002
        start = self._start_record()
        file.put_layouts(self._layouts.data)
        about: dict[str, Any] = {
            "key": self.key,
            "prior": self.prior,
            "keys": len(self._store),
            "next": next,
            "stamp": stamp,
        }
        about["totals"] = list(self._totals)
        file.set_about(about, {TEMPLATE: self._template.made().to_bytes(), START: start, EXTRA: extra})

    @classmethod
    def load(cls, path: Place, *, max_keys_in_memory: int | None = None, spill: Any = None) -> Self:
        """Read a saved file or a checkpoint.

        Parameters
        ----------
        path
            The file.
        max_keys_in_memory, spill
            As for ``Keyed``. They may differ from the values of the saved object.

        Returns
        -------
        Keyed
            It continues with the same bits.

        Raises
        ------
        ModelError
            If the file is missing, damaged, or not written by a ``Keyed``.
        """
        with reading(path) as file:
            about, parts = file.about()
            key, prior, following = about["key"], about["prior"], about["next"]
            if not (key is None or type(key) in (str, int)) or prior not in (None, "given", "global"):
                raise UnfitError(f"key {shortened(key)} and prior {shortened(prior)}")
            if following is not None and (type(following) is not int or following < 0):
                raise UnfitError(f"next {shortened(following)}")
            learner = _template(parts[TEMPLATE])
            found = cls(learner, key, max_keys_in_memory=max_keys_in_memory, spill=spill)
            try:
                found._fill(file, about, parts)
            except BaseException:
                found.close()
                raise
        found._file = os.path.realpath(path), about["stamp"]
        return found

    def _fill(self, file: KeyedFile, about: dict[str, Any], parts: dict[str, bytes]) -> None:
        """Take over the content of a file."""
        self._layouts.restart(file.layouts())
        self.prior = about["prior"]
        self._start = self._template.restored(parts[START]).learner
        self._new_record = b""
        self._totals = _totals(about["totals"])
        self.next, self._extra = about["next"], parts.get(EXTRA, b"")
        for place, (key, record) in enumerate(file.keys()):
            self._layouts.of(record)
            self._store.add(key, record)
            if place % TRIMMED == TRIMMED - 1:
                self._store.trim()
        self._store.trim()
        if len(self._store) != about["keys"]:
            raise UnfitError(f"{len(self._store)} of {about['keys']} keys", "Restore it from a copy")
        self._tracks = True


def _template(data: bytes) -> Learner:
    try:
        return from_bytes(data)
    except ModelError as error:
        raise UnfitError(f"a learner that cannot be made ({error})") from None


def _totals(values: Any) -> KeyCounts:
    if not isinstance(values, list) or [type(value) for value in values] != [int, int, float]:
        raise UnfitError(f"totals {shortened(values)}")
    return KeyCounts(*values)
