"""The learners of all keys: a few of them are in use, the others are records in the store."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Literal, NamedTuple

from driftline.encode.faults import shortened
from driftline.internals.one_call import Shared
from driftline.internals.require import require, whole
from driftline.keyed.keys import WHERE, Key
from driftline.keyed.layout import Layouts
from driftline.keyed.spill import Spill
from driftline.keyed.store import Store
from driftline.keyed.template import KeyLearner, Template
from driftline.learners import Learner
from driftline.saved.fault import ModelError, UnfitError
from driftline.streams.schema.recipe import Recipe

IN_USE = 256
"""The most learners that are in use at once; the others are records."""
BYTES_IN_USE = 1 << 26
"""The memory that they may take, but for one of them."""

Prior = Learner | Literal["global"] | None


class KeyCounts(NamedTuple):
    """The counts of one key.

    Attributes
    ----------
    rows
        The number of examples.
    errors
        The number of wrong predictions; 0 for a regressor.
    loss
        The sum of the absolute errors of a regressor; else 0.
    """

    rows: int
    errors: int
    loss: float


class KeysInUse(Shared):
    """The learners of a ``Keyed``. See there for the parameters."""

    def __init__(
        self,
        learner: Learner,
        key: str | int | None = None,
        *,
        prior: Prior = None,
        max_keys_in_memory: int | None = None,
        spill: Any = None,
    ) -> None:
        require(isinstance(learner, Learner), WHERE, "learner must be a driftline learner", learner)
        what = "learner must be new"
        require(learner.n_seen == 0, WHERE, what, f"one with {learner.n_seen} examples", "Pass it as prior=")
        require(key is None or type(key) in (str, int), WHERE, "key must be the name of a feature or None", key)
        known = prior is None or isinstance(prior, Learner) or (isinstance(prior, str) and prior == "global")
        require(known, WHERE, "prior must be None, 'global' or a learner", prior)
        if max_keys_in_memory is not None:
            whole(WHERE, "max_keys_in_memory", max_keys_in_memory, 1)
        together = (max_keys_in_memory is None) == (spill is None)
        what = "max_keys_in_memory and spill must be given together"
        require(together, WHERE, what, "one of them", "Give both, or leave both out")
        self.key = key
        self.prior: Literal["given", "global"] | None = None
        self.max_keys_in_memory = max_keys_in_memory
        self._layouts = Layouts()
        self._template = Template(learner, self._layouts)
        self._store = Store(max_keys_in_memory, None if spill is None else Spill(spill))
        self._used: OrderedDict[Key, KeyLearner] = OrderedDict()
        self._changed: set[Key] = set()
        self._dropped: set[Key] = set()
        self._totals = KeyCounts(0, 0, 0.0)
        self._tracks = True
        """Whether ``_changed`` and ``_dropped`` go back to the last checkpoint."""
        self._start = self._template.new().learner
        """The learner with which new keys start; the global one if there is one."""
        if isinstance(prior, Learner):
            self._template.check_prior(prior)
            self._start = self._template.restored(self._template.record(KeyLearner(prior))).learner
            self.prior = "given"
        elif prior is not None:
            self.prior = "global"
        self._new_record = b""

    @property
    def learner(self) -> Learner:
        """A new learner with the parameters and options that all keys share."""
        return self._template.made()

    @property
    def recipe(self) -> Recipe | None:
        """How the records of files became examples; None if no file was learned."""
        return self._template.recipe

    @recipe.setter
    def recipe(self, recipe: Recipe | None) -> None:
        self._template.recipe = recipe

    def _start_record(self) -> bytes:
        """The record with which a new key starts now."""
        if self.prior == "global" or not self._new_record:
            start = self._start
            self._new_record = self._template.record(KeyLearner(start, start.n_seen, start.label_errors))
        return self._new_record

    def _take_back_start(self, record: bytes) -> None:
        """Undo what the global learner has learned since ``_start_record``."""
        self._start = self._template.restored(record).learner

    def _touch(self, key: Key) -> None:
        """A key is about to change."""
        self._changed.add(key)
        self._dropped.discard(key)

    @property
    def _slack(self) -> int:
        """How many records are moved to the spill file before they must be."""
        return 0 if self.max_keys_in_memory is None else self.max_keys_in_memory // 16

    # learners in use -------------------------------------------------------------------------------
    @property
    def _most_used(self) -> int:
        """The most learners that are in use, given the size of one record."""
        most = IN_USE if self.max_keys_in_memory is None else min(IN_USE, self.max_keys_in_memory)
        return max(1, min(most, BYTES_IN_USE // self._template.size))

    def _use(self, key: Key) -> KeyLearner | None:
        """The learner of a key, ready for use; None if the key is unknown."""
        one = self._used.get(key)
        if one is not None:
            self._used.move_to_end(key)
            return one
        record = self._store.get(key)
        if record is None:
            return None
        spare: KeyLearner | None = None
        while len(self._used) >= self._most_used:
            other, spare = next(iter(self._used.items()))
            self._put_away(other, spare)
            del self._used[other]
        one = self._restored(key, record, spare)
        self._used[key] = one
        return one

    def _restored(self, key: Key, record: bytes, spare: KeyLearner | None = None) -> KeyLearner:
        try:
            return self._template.restored(record, spare)
        except UnfitError as error:
            raise ModelError(
                f"{WHERE}: the state of key {shortened(key)} must be valid, got {error}. Drop it"
            ) from None

    def _put_away(self, key: Key, one: KeyLearner) -> None:
        """Keep the record of a learner that is not used any more."""
        if one.changed:
            self._store.put(key, self._template.record(one))
            one.changed = False

    def _begin(self, key: Key) -> bytes | None:
        """The record of a key before it learns; None for a new key, which then has the prior's."""
        one = self._used.get(key)
        if one is not None:
            self._put_away(key, one)
        record = self._store.get(key)
        if record is None:
            self._store.add(key, self._start_record())
        return record

    def _take_back(self, key: Key, record: bytes | None) -> None:
        """Undo what a key has learned since ``_begin``."""
        self._used.pop(key, None)
        if record is None:
            self._store.remove(key)
        else:
            self._store.put(key, record)

    def _put_all_away(self) -> None:
        for key, one in self._used.items():
            self._put_away(key, one)
