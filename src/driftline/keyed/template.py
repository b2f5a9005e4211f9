"""The learner from which the learners of all keys are made, and the records of their states.

A record holds what differs from key to key. The rule, its parameters and the options are stored
once, as the model file of the template.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from driftline.keyed.layout import INLINE, Layout, Layouts, layout_bytes
from driftline.keyed.packed import arrays_in, numbers_in, packed
from driftline.learners import Learner
from driftline.learners.packed_states import learns_packed
from driftline.learners.reuse import clear, is_reusable, reuse
from driftline.learners.state import learned_state
from driftline.saved.class_weights import COUNTS
from driftline.saved.container import NAMES as DTYPE_NAMES
from driftline.saved.description import COLUMNS, COUNTERS, HASHED, UNDECIDED
from driftline.saved.description import NAMES as NAMED
from driftline.saved.fault import ModelError, UnfitError
from driftline.saved.model import RECENT, from_bytes, learner_from, state_of, to_bytes
from driftline.saved.plain import plain

LOSS = "keyed loss"
"""The array of the sum of the absolute errors of a regressor."""
BASES, STATES = 2, 2 + len(COUNTERS)
"""The first numbers of a record: what the prior had counted; the counters of the learner, whether and
how far its features are scaled, and their number."""
PACKED = [
    (name, np.dtype(dtype), 1)
    for name, dtype in (
        ("recent_rounds", np.int64),
        ("recent_scores", np.float64),
        ("state", np.float64),
        ("v", np.float64),
        ("recent_positive", np.uint8),
    )
]
"""The arrays that ``learn_packed`` reads."""
SAME = ("learner", "parameters", "options", "labels_declared")


class KeyLearner:
    """The learner of one key while it is in use.

    Attributes
    ----------
    learner
        The learner.
    seen_before, errors_before
        What its prior had counted: examples and errors of other keys.
    loss
        The sum of the absolute errors of a regressor.
    changed
        Whether it has learned since its record was made.
    layout
        The layout of its last record.
    """

    __slots__ = (
        "_order", "_signature", "_start", "changed", "errors_before", "layout", "learner", "loss", "seen_before",
    )  # fmt: skip

    def __init__(self, learner: Learner, seen_before: int = 0, errors_before: int = 0, loss: float = 0.0) -> None:
        self.learner = learner
        self.seen_before = seen_before
        self.errors_before = errors_before
        self.loss = loss
        self.changed = False
        self.layout: Layout | None = None
        self._signature: Any = None
        self._start = b""
        self._order: list[str] = []

    @property
    def rows(self) -> int:
        """The number of examples of the key."""
        return self.learner.n_seen - self.seen_before

    @property
    def errors(self) -> int:
        """The number of wrong predictions for the key; 0 for a regressor."""
        return self.learner.label_errors - self.errors_before


class Template:
    """The shared part of all learners.

    Parameters
    ----------
    learner
        A new learner.
    layouts
        The layouts of the records.
    """

    def __init__(self, learner: Learner, layouts: Layouts) -> None:
        self.layouts = layouts
        self.data = to_bytes(learner)
        self.regresses = learner.rule.regresses
        self.meta, _ = state_of(learner)
        self.recipe = learner.recipe
        fresh = KeyLearner(learner)
        self.empty = self.record(fresh)
        """The record of a learner that has learned nothing."""
        self._reuses = is_reusable(learner)
        self.sample = from_bytes(self.data) if learns_packed(learner) else None
        """A new learner for ``learn_packed``; None if that cannot learn for this kind."""
        self._columns = b""
        self.size = 1 << 15
        """About the bytes that a learner in use takes."""

    def new(self) -> KeyLearner:
        """A learner that has learned nothing."""
        return self.restored(self.empty)

    def made(self) -> Learner:
        """The template itself, as a new learner, with the recipe of the files that were learned."""
        learner = from_bytes(self.data)
        learner.recipe = deepcopy(self.recipe)
        return learner

    def check_prior(self, prior: Learner) -> None:
        """Raise ValueError unless the prior has the parameters and options of the template."""
        meta, _ = state_of(prior, "Keyed")
        for name in SAME:
            if meta[name] != self.meta[name]:
                raise ValueError(
                    f"Keyed: prior must have the {name} of the learner, {self.meta[name]!r}, got {meta[name]!r}. "
                    "Make the learner like the prior"
                )

    # records -------------------------------------------------------------------------------------
    def columns_layout(self) -> int:
        """The number of the layout that ``learn_packed`` reads; INLINE if there is none."""
        if self.sample is None:
            return INLINE
        if not self._columns:
            one = self.new()
            one.learner.learn_one([1.0], self.meta["labels"][0])
            self._columns = self.layouts.of(self.record(one))[0].data
        layout = self.layouts.layout(self._columns)
        plain = layout.vocabulary == COLUMNS and layout.arrays == PACKED
        return self.layouts.number(self._columns) if plain else INLINE

    def record(self, one: KeyLearner) -> bytes:
        """The record of a learner in use."""
        learned = learned_state(one.learner)
        arrays = learned.engine | learned.recent
        if learned.moments is not None:
            arrays["moments"] = learned.moments
        if learned.class_counts is not None:
            arrays[COUNTS] = learned.class_counts
        if self.regresses:
            arrays[LOSS] = np.array([one.loss])
        kept = None if learned.kept is None else len(learned.kept)
        signature = (len(learned.labels), learned.features, learned.named, kept, [*arrays])
        if signature != one._signature:
            one._order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
            names = learned.kept if learned.names is None else learned.names
            data = layout_bytes(
                [plain_label(label) for label in learned.labels],
                _vocabulary(learned.named, self.meta["options"]["hashing"] is not None),
                [plain(name) for name in names] if names is not None else [],
                [(name, DTYPE_NAMES[arrays[name].dtype], arrays[name].ndim) for name in one._order],
            )
            one._start = self.layouts.started(data)
            one.layout = self.layouts.layout(data)
            one._signature = signature
        ordered = [arrays[name] for name in one._order]
        totals = learned.totals
        numbers = [one.seen_before, one.errors_before]
        numbers += [int(totals[place]) for place in COUNTERS.values()]
        numbers.append(0 if learned.scaled is None else learned.scaled + 1)
        numbers.append(learned.features)
        for array in ordered:
            numbers += array.shape
        return one._start + packed(numbers, ordered)

    def restored(self, record: bytes, spare: KeyLearner | None = None) -> KeyLearner:
        """A learner in the state of a record; raise UnfitError if no learner can have it.

        Parameters
        ----------
        record
            The record.
        spare
            A learner that is no longer needed, and may be reused.
        """
        layout, start = self.layouts.of(record)
        numbers, start = numbers_in(record, start, BASES + STATES + layout.axes)
        arrays = arrays_in(record, start, layout.arrays, numbers[BASES + STATES :])
        self.size = (1 << 15) + 2 * sum(array.nbytes for array in arrays.values())
        loss = arrays.pop(LOSS, None)
        if (loss is not None) != self.regresses or (loss is not None and loss.shape != (1,)):
            raise UnfitError("a state with the sums of another kind of learner")
        if spare is not None and self._reuses and layout.vocabulary != HASHED:
            self._reuse(spare, layout, numbers, arrays)
            return spare
        learner = learner_from(*self._described(layout, numbers, arrays))
        if self.recipe is not None:
            learner.recipe = deepcopy(self.recipe)
        one = KeyLearner(learner, numbers[0], numbers[1], 0.0 if loss is None else float(loss[0]))
        one.layout = layout
        return one

    def _reuse(self, one: KeyLearner, layout: Layout, numbers: tuple[int, ...], arrays: dict[str, np.ndarray]) -> None:
        """Give a learner the state of a record."""
        features = numbers[BASES + STATES - 1]
        recent = {name: arrays.pop(name) for name in RECENT if name in arrays}
        named = {UNDECIDED: None, NAMED: True, COLUMNS: False}.get(layout.vocabulary)
        try:
            if one.layout is not layout or one.learner.n_features != features:
                if features != (len(layout.index) if named else 0 if named is None else features):
                    raise UnfitError(f"{features} features")
                if not clear(one.learner, layout.labels, named, layout.index, 0 if named else features):
                    raise UnfitError(f"labels {layout.labels}")
                one._signature = None
            reuse(one.learner, features, arrays, recent, dict(zip(COUNTERS.values(), numbers[BASES:], strict=False)))
        except UnfitError:
            raise
        except ValueError as error:
            raise UnfitError(str(error)) from None
        one.layout, one.changed = layout, False
        one.seen_before, one.errors_before = numbers[0], numbers[1]

    def _described(
        self, layout: Layout, numbers: tuple[int, ...], arrays: dict[str, np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """A learner as ``learner_from`` takes it."""
        scaled, features = numbers[BASES + len(COUNTERS)], numbers[BASES + len(COUNTERS) + 1]
        meta = self.meta | {
            "labels": layout.labels,
            "vocabulary": layout.vocabulary,
            "features": features,
            "scaled": None if scaled == 0 else scaled - 1,
            "counters": dict(zip(COUNTERS, numbers[BASES:], strict=False)),
        }
        if "kept_names" in meta:
            meta["kept_names"] = len(layout.index)
        return meta, arrays | layout.names

    def counts(self, record: bytes) -> tuple[int, int, float]:
        """Examples, errors and the sum of absolute errors in a record."""
        layout, start = self.layouts.of(record)
        numbers, start = numbers_in(record, start, BASES + STATES + layout.axes)
        rows = numbers[BASES + list(COUNTERS).index("n_seen")] - numbers[0]
        errors = numbers[BASES + list(COUNTERS).index("label_errors")] - numbers[1]
        if not self.regresses:
            return rows, errors, 0.0
        arrays = arrays_in(record, start, layout.arrays, numbers[BASES + STATES :])
        return rows, errors, float(arrays[LOSS][0])


def _vocabulary(named: bool | None, hashed: bool) -> str:
    if hashed:
        return HASHED
    return UNDECIDED if named is None else NAMED if named else COLUMNS


def plain_label(label: Any) -> Any:
    """A label as a plain value; raise ModelError if it has none."""
    try:
        return plain(label)
    except TypeError:
        raise ModelError(
            f"Keyed: a label must be a str, int, float or bool, got {type(label).__name__}. Convert the labels"
        ) from None
