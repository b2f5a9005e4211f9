"""The strong bank: views, linear heads, families of nonlinear experts, and their combination."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any

import numpy as np

from driftline.engines.array_checks import Arrays, of_shape, only, within, without
from driftline.engines.inner_engines import split as by_prefix
from driftline.engines.joint.combination import (
    CLASSES,
    LEADER,
    LEARNED,
    Combination,
    new_combination,
    roomier,
    settle,
)
from driftline.engines.joint.combination_files import restored_combination, saved_combination
from driftline.engines.joint.families import (
    EXPERTS,
    FAMILIES,
    FIRST,
    LIMITS,
    NAMES,
    SHARES,
    copy_scores,
    rows_of,
    takes_part,
)
from driftline.engines.joint.head_arrays import (
    fitted_heads,
    fitted_views,
    head_shapes,
    joint_workspace,
    new_own,
    new_views,
    restored_arrays,
    saved_arrays,
    split,
)
from driftline.engines.joint.late_votes import ERRORS_STAY, FRESH, GRID, HEAD_START, SCORES, record_size, vote_late
from driftline.engines.joint.linear_heads import Heads, learn_linear
from driftline.engines.joint.rounds import (
    Buffers,
    read_trials,
    report_classes,
    report_two,
    score_classes,
    score_two,
    vote_rounds,
)
from driftline.engines.state import LABEL
from driftline.engines.tracker.array_shapes import shapes_of
from driftline.engines.tracker.rounds import ENTRIES, NO_INDICES, NO_INDPTR
from driftline.engines.tracker.state import LINE, MEMBERS, ROUNDS, SLOTS, Views, Workspace
from driftline.engines.tracker.voting import EXPERTS as OTHERS
from driftline.internals.compiled import Floats, Indices, Offsets
from driftline.internals.interrupt_gate import held_interrupts
from driftline.internals.rows import DenseRows, Rows
from driftline.internals.writable import writable
from driftline.rules.tracker.tracker import (
    DENSE_BANK,
    DENSE_FEATURES,
    FULL_BANK,
    JOINT_OTHERS,
    WIDE_BANK,
    experts_of,
)

TWO = 2
NOTHING: Floats = np.zeros((0, 0))
VOTERS = OTHERS + EXPERTS
LINEAR, COMBINATION, LATE, ERRORS, AVERAGE = "linear", "combination", "late", "late_errors", "late_average"
AT_ONCE = 256  # rows that pass through one part of the bank at a time


class JointBank:
    """All experts and their combination, for two labels (one head) or several classes.

    The two labels are the classes 0 and 1. If ``turned``, class 1 appeared before class 0.
    """

    def __init__(self) -> None:
        self.several, self.turned, self.features = False, False, 0
        self.own: Floats = new_own()
        self.views: Views = new_views()
        self.heads: Heads = fitted_heads(None, head_shapes(shapes_of(FULL_BANK, 0, 0, 0, 0), 1))
        self.combination: Combination = new_combination(EXPERTS, TWO)
        self.cast: Combination | None = None  # judged as cast, once labels come late
        self.late_errors = np.array([HEAD_START, 0.0])
        self.late_average: Floats = np.zeros(VOTERS)  # the mean share of each voter of ``cast``
        self.record: Floats | None = None  # of the next row, if it was predicted earlier
        self.curved: dict[str, Any] = {word: family() for word, family in FAMILIES.items()}
        self.left: set[str] = set()
        self.workspace: Workspace = joint_workspace(0, 0)
        self.every = NO_INDICES
        self._join(0, 0)  # the first rows make room in the families

    # room ---------------------------------------------------------------------------------------------------
    def make_room(self, features: int) -> Callable[[], None]:
        """Allocate the arrays for this number of features; the returned function puts them in place."""
        views, heads = self._roomy(features, self.views.course.shape[1], False, len(self.heads.own))

        def place() -> None:
            self.features, self.views, self.heads = features, views, heads

        return place

    def _roomy(self, features: int, dense: int, sparse: bool, heads: int) -> tuple[Views, Heads]:
        """Views and heads with room for these features, slots of dense views and heads."""
        views, members, count = self.views, int(self.own[MEMBERS]), len(self.heads.own)
        known, slots, places = views.slots.size, views.course.shape[1], self.heads.sparse_lines.shape[1] // LINE
        full = known >= features and views.highest.size >= known and slots >= dense and count >= heads
        if full and (not sparse or places > known):
            return self.views, self.heads
        known = known if known >= features else max(features, 2 * known)
        slots = slots if slots >= dense else max(dense, 2 * slots)
        shapes = shapes_of(members, known, known, slots, known + 1 if sparse else places)
        return fitted_views(self.views, shapes), fitted_heads(self.heads, head_shapes(shapes, max(heads, count)))

    def prepare(self, rows: Rows, classes: int) -> tuple[int, Offsets, Indices, Floats]:
        """Make room for these rows and classes; return width, indptr, indices and values."""
        width = rows.X.shape[1] if isinstance(rows, DenseRows) else 0
        entries = width if isinstance(rows, DenseRows) else int(np.diff(rows.indptr).max(initial=0))
        members = self.own[MEMBERS]
        slots = 0 if members < WIDE_BANK else max(width, min(self.features, DENSE_FEATURES))
        sparse = bool(members < WIDE_BANK or (width == 0 and self.features > DENSE_FEATURES))
        self.views, self.heads = self._roomy(self.features, slots, sparse, classes if self.several else 1)
        if entries >= self.workspace.places.size or slots >= self.workspace.rows.shape[1]:
            self.workspace = joint_workspace(slots, max(ENTRIES, 2 * entries))
        room = self.combination.mass.size
        if room < classes:
            self._make_class_room(max(classes, 2 * room))
        self._make_family_room(slots, classes)
        if isinstance(rows, DenseRows):
            if self.every.size != width:
                self.every = np.arange(width, dtype=np.uint32)
            return width, NO_INDPTR, self.every, rows.X.reshape(-1)
        return 0, rows.indptr, rows.indices, rows.values

    def _make_class_room(self, classes: int) -> None:
        """Make room in the combinations."""
        cast = None if self.cast is None else roomier(self.cast, classes)
        self.combination, self.cast = roomier(self.combination, classes), cast

    def _make_family_room(self, slots: int, classes: int) -> None:
        """Make room in the families that take part in rows of this many slots, and in the buffers."""
        room, wide = self.mass.shape[1], self.buffers.Z.shape[1]
        heads = classes if self.several else 1
        if wide >= slots and room >= classes and self.buffers.scores.shape[1] >= heads:
            return
        slots, classes = max(slots, wide), classes if room >= classes else max(classes, 2 * room)
        places = [
            family.make_room(0 if word in self.left else min(slots, LIMITS[word]), classes)
            for word, family in self.curved.items()
        ]
        for place in places:
            place()
        self._join(slots, classes)

    def _join(self, slots: int, classes: int) -> None:
        """Make buffers for some rows."""
        self.found = {word: np.zeros((AT_ONCE, family.experts, classes)) for word, family in FAMILIES.items()}
        counts = (np.zeros(AT_ONCE, np.int64) for _ in range(5))
        scores = np.zeros((AT_ONCE, classes if self.several else 1, EXPERTS))
        self.buffers = Buffers(scores, np.zeros((AT_ONCE, slots)), np.zeros(AT_ONCE), *counts)
        self.mass, self.guesses = np.zeros((2, AT_ONCE, classes))

    @property
    def classes(self) -> int:
        """The number of known classes."""
        return int(self.combination.counts[CLASSES])

    # rounds -------------------------------------------------------------------------------------------------
    def learn(
        self,
        state: Floats,
        rows: Rows,
        trials: Floats,
        tested: Floats,
        voters: bool = False,
    ) -> Floats:
        """Test, then train on each row; return the class that each voter names, if asked for ``voters``.

        With ``record`` set, the first row is the one that it describes.
        """
        size = trials.shape[1]
        votes = np.zeros((size, VOTERS if voters else 0))
        most = int(trials[LABEL].max(initial=0.0)) + 1 if self.several else TWO
        given = self.prepare(rows, max(self.classes, most))
        with held_interrupts():  # a row that one expert has learned is learned by all
            for first in range(0, size, AT_ONCE):
                part = slice(first, min(size, first + AT_ONCE))
                own = np.ascontiguousarray(trials[:, part])
                n, buffers = own.shape[1], self.buffers
                read_trials(self.combination, buffers, own, self.several, self.turned)
                self._pass_through(given, first, n, votes[part], self._record() if size == 1 else NOTHING)
                if self.several:
                    report_classes(state, buffers.known, self.turned, self.mass, self.guesses, own, tested[part])
                else:
                    report_two(state, self.mass, self.guesses, own)
                trials[:, part] = own
        self.drop_unused()
        return votes

    def score(self, rows: Rows, scores: Floats, probabilities: Floats = NOTHING, records: Floats = NOTHING) -> None:
        """Write the score and, unless the array is empty, the probability of +1 or of each class.

        ``records`` gets the record of each row, by which experts are judged later, unless it is empty.
        """
        given, size = self.prepare(rows, self.classes), len(scores)
        self.buffers.w[:], self.buffers.y[:], self.buffers.known[:] = 0.0, 0, self.classes
        for first in range(0, size, AT_ONCE):
            part = slice(first, min(size, first + AT_ONCE))
            n = part.stop - first
            self._pass_through(given, first, n, NOTHING, records[part])
            found = self.mass[:n], self.guesses[:n], scores[part], probabilities[part]
            if self.several:
                score_classes(self.turned, *found)
            else:
                score_two(*found)

    def _pass_through(
        self, given: tuple[int, Offsets, Indices, Floats], first: int, n: int, votes: Floats, records: Floats
    ) -> None:
        """Pass n rows, from row ``first`` on, through all parts of the bank."""
        buffers, before = self.buffers, int(self.own[MEMBERS])
        y, w, known, Z = buffers.y[:n], buffers.w[:n], buffers.known[:n], buffers.Z[:n]
        slots, seen, members = buffers.slots[:n], buffers.seen[:n], buffers.members[:n]
        parts = self.own, self.views, self.heads, self.workspace
        learn_linear(*parts, *given, first, y, w, self.several, known, buffers.scores, Z, slots, seen, members)
        for word, family in self.curved.items():
            if word not in self.left:
                m = rows_of(word, slots, members, w)
                if m > 0:
                    found = self.found[word][:m]
                    family.learn(Z[:m], slots[:m], y[:m], w[:m], found)
                    copy_scores(found, word in SHARES, FIRST[word], known, buffers.scores)
        if self.cast is None:
            vote_rounds(self.combination, buffers, n, before, self.mass, self.guesses, votes)
        else:
            both = self.combination, self.cast, self.late_errors, self.late_average
            vote_late(*both, buffers, n, before, self.mass, self.guesses, votes, records)

    def _record(self) -> Floats:
        """The record of the next row, as a matrix of one row; empty if there is none, or it does not fit."""
        record = self.record
        if record is None or record.dtype != np.float64 or record.size < SCORES:
            return NOTHING
        if (record.size - SCORES) % EXPERTS == 0:  # an earlier version stored no number of labels
            record = np.append(record, np.inf)
        classes, heads = record[0], (record.size - SCORES - 1) / EXPERTS
        if not 2 <= classes <= self.classes or classes != int(classes) or heads not in (1, classes):
            return NOTHING
        if record[FRESH] not in range(int(classes)) or not record[-1] >= 0.0:
            return NOTHING
        return record.reshape(1, -1)

    def expect_late_labels(self) -> int:
        """Judge experts as cast from now on; return the length of a record."""
        if self.cast is None:
            self.cast = new_combination(EXPERTS, self.combination.mass.size, GRID)
            self.cast.counts[CLASSES] = self.classes
        return record_size(self.classes if self.several else 1)

    def voters(self) -> list[int]:
        """The voters that have not left."""
        own, members = self.own, int(self.own[MEMBERS])
        curved, at = [], FULL_BANK
        for word, family in FAMILIES.items():
            curved += [*range(at, at + family.experts)] if takes_part(word, own) else []
            at += family.experts
        return [*range(OTHERS), *(OTHERS + j for j in [*range(members), *curved])]

    def voter_names(self) -> list[tuple[str, str]]:
        """View and rule of every voter that has not left."""
        names = [*JOINT_OTHERS, *experts_of(int(self.own[MEMBERS]))]
        names += [("", "")] * (OTHERS + FULL_BANK - len(names)) + NAMES
        return [names[i] for i in self.voters()]

    def shares(self) -> Floats:
        """The share of every voter; the sum is 1."""
        combination = self.combination
        if combination.counts[LEARNED] == 0.0:
            combination.active[:] = 0
            combination.active[[i - OTHERS for i in self.voters()[OTHERS:]]] = 1
            settle(combination)
            return combination.sums.copy()
        shares: Floats = combination.shares.sum(axis=0)
        return shares

    def drop_unused(self) -> None:
        """Drop the arrays of experts that have left; without memory for smaller ones, after a later round."""
        members, heads = int(self.own[MEMBERS]), self.heads
        with suppress(MemoryError):
            if (members < DENSE_BANK and heads.means.size) or (members < FULL_BANK and heads.quad.size):
                room = self.views.slots.size, self.views.highest.size, self.views.course.shape[1]
                shapes = shapes_of(members, *room, heads.sparse_lines.shape[1] // LINE)
                self.views = fitted_views(self.views, shapes)
                self.heads = fitted_heads(heads, head_shapes(shapes, len(heads.own)))
            leaving = {word for word in FAMILIES if not takes_part(word, self.own)} - self.left
            if leaving:
                self.curved |= {word: FAMILIES[word]() for word in leaving}
                self.left |= leaving
                self._join(self.buffers.Z.shape[1], self.mass.shape[1])

    def declare_classes(self, classes: int) -> None:
        """Add classes that are known without an example."""
        if not self.several:
            self.to_several_classes(turned=False)
        if self.combination.mass.size < classes:
            self._make_class_room(classes)
        self.views, self.heads = self._roomy(self.features, self.views.course.shape[1], False, classes)
        self.combination.counts[CLASSES] = max(self.classes, classes)

    def to_several_classes(self, turned: bool) -> None:
        """Replace the head of two labels by one for each class; a third one joins with its first row."""
        self.heads, self.several, self.turned = split(self.heads), True, turned
        self._join(self.buffers.Z.shape[1], self.mass.shape[1])

    # saving and restoring -----------------------------------------------------------------------------------
    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copy arrays that may only be read, as joblib maps them into memory."""
        self.__dict__.update(writable(state))
        if "late_average" not in state:
            self.late_average = np.zeros(VOTERS) if self.cast is None else self.cast.shares.sum(axis=0)
        for family in self.curved.values():
            vars(family).update(writable(vars(family)))
        self._join(self.buffers.Z.shape[1], self.mass.shape[1])

    def copy(self) -> JointBank:
        """A copy that shares no array."""
        return deepcopy(self)

    def arrays(self) -> Arrays:
        """All learned arrays by name."""
        return self.saved(self.features)

    def saved(self, features: int) -> Arrays:
        """The learned arrays without spare room."""
        own = self.own
        parts = {
            LINEAR: saved_arrays(own, self.views, self.heads, features, self.classes if self.several else 1),
            COMBINATION: saved_combination(self.combination, self.classes),
            **{word: family.saved() for word, family in self.curved.items() if takes_part(word, own)},
        }
        if self.cast is not None:
            own_arrays = {ERRORS: self.late_errors.copy(), AVERAGE: self.late_average.copy()}
            parts[LATE] = {**saved_combination(self.cast, self.classes), **own_arrays}
        return {f"{word} {name}": array for word, arrays in parts.items() for name, array in arrays.items()}

    def restore(self, features: int, classes: int, several: bool, arrays: Arrays, turned: bool = False) -> None:
        """Take over arrays of ``saved``; ValueError if no bank can have them."""
        rest, parts = by_prefix(arrays)
        only(rest)
        if classes < TWO or not {LINEAR, COMBINATION} <= parts.keys():
            raise ValueError(f"arrays of {sorted(parts)} and {classes} classes")
        own, views, heads = restored_arrays(parts[LINEAR], features, classes if several else 1)
        expected = {word for word in FAMILIES if takes_part(word, own)}
        only(parts, LINEAR, COMBINATION, *expected, *([LATE] if LATE in parts else []))
        slots = int(own[SLOTS])
        fresh = JointBank()
        for word in expected:
            fresh.curved[word].restore(slots, classes, parts[word])
        fresh.combination = restored_combination(EXPERTS, classes, float(own[ROUNDS]), parts[COMBINATION])
        if LATE in parts:
            errors = within(ERRORS, of_shape(parts[LATE], ERRORS, "float64", (2,)), 0.0, 1.0 / (1.0 - ERRORS_STAY))
            fresh.cast = restored_combination(EXPERTS, classes, None, without(parts[LATE], ERRORS, AVERAGE), GRID)
            fresh.cast.shares[:, LEADER] += fresh.cast.shares[:, 0]  # voter 0 had a vote in former files
            fresh.cast.shares[:, 0] = 0.0
            fresh.late_errors = errors.copy()
            fresh.late_average = fresh.cast.shares.sum(axis=0)  # former files have no mean
            if AVERAGE in parts[LATE]:
                mean = of_shape(parts[LATE], AVERAGE, "float64", (VOTERS,))
                fresh.late_average = within(AVERAGE, mean, 0.0, 1.0 + 1e-6).copy()
        fresh.own, fresh.views, fresh.heads = own, views, heads
        fresh.several, fresh.turned, fresh.features = several, turned, features
        fresh.left = set(FAMILIES) - expected
        fresh._join(slots, classes)
        self.__dict__.update(fresh.__dict__)
