"""The shapes of the arrays of a tracker: with spare room, without it, and in model files."""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import of_shape, only
from driftline.engines.tracker.state import (
    FORGET,
    GROWN,
    LATER,
    LINE,
    MEMBERS,
    MOMENTS,
    OWN,
    PAIRS,
    PLAIN,
    ROUNDS,
    SCALES,
    SEEN,
    SLOTS,
    SPARSE,
    STD,
    TOTALS,
    VOTERS,
    WORKSPACE_ROWS,
    Bank,
    Views,
    Voting,
    Workspace,
    triangle,
)
from driftline.engines.tracker.views import members_of
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import ALPHAS, DENSE_BANK, FULL_BANK, FULL_FEATURES, WIDE_BANK, WORDS_BANK

MOST = 2.0**53  # upper limit of a counter
SAVED_NAMES = {"sparse_lines": "words"}  # fields with another name in model files
Shapes = dict[str, tuple[int, ...]]


def saved_name(field: str) -> str:
    """The name in model files of a field of ``Views``, ``Bank`` or ``Voting``."""
    return SAVED_NAMES.get(field, field)


def voting_shapes(rates: int) -> Shapes:
    """Shapes of the arrays of ``Voting`` for this number of learning rates."""
    return {
        "shares": (rates * len(ALPHAS), VOTERS),
        "stack": (3, FULL_BANK),
        "squares": (FULL_BANK,),
        "spread": (triangle(FULL_BANK),),
        "errors": (VOTERS,),
    }


def shapes_of(members: int, features: int, slots: int, dense: int, sparse_places: int) -> Shapes:
    """Shapes of the arrays of ``Views`` and ``Bank``; arrays of removed experts are empty.

    ``slots`` is the number of slots, ``dense`` the number of slots in dense views, and
    ``sparse_places`` the number of places with a line of the experts for sparse rows.
    """
    lines = 0 if members < WIDE_BANK else LINE * (dense + 1)
    full = min(dense, FULL_FEATURES) + 1 if members >= DENSE_BANK else 0
    pairs = PAIRS if members == FULL_BANK else 0
    quad = pairs + 1 if pairs else 0
    return {
        "slots": (features,),
        "highest": (slots,),
        "course": (MOMENTS, 0 if members < WIDE_BANK else dense),
        "pairs": (3, pairs),
        "max": (LINE * (slots + 1),),
        "std": (lines,),
        "forget": (lines,),
        "quad": (LINE * quad,),
        "means": (4, full),
        "factors": (4, triangle(full)),
        "quad_means": (2, quad),
        "quad_factors": (2, triangle(quad)),
        "sparse_lines": (LINE * sparse_places,),
    }


def resized(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The array in another shape: its last axis is truncated or padded with zeros."""
    if array.shape == shape:
        return array
    made = np.zeros(shape, array.dtype)
    size = min(array.shape[-1], shape[-1])
    made[..., :size] = array[..., :size]
    return made


def fitted(views: Views, bank: Bank, shapes: Shapes) -> tuple[Views, Bank]:
    """Views and bank with all arrays resized to these shapes."""
    return (
        Views(*(resized(array, shapes[name]) for name, array in views._asdict().items())),
        Bank(*(resized(array, shapes[name]) for name, array in bank._asdict().items())),
    )


def new_parts(rates: int) -> tuple[Views, Bank, Voting]:
    """The arrays before the first round; the place of the constant has variances of 1."""
    shapes = shapes_of(FULL_BANK, 0, 0, 0, 0)
    views = Views(np.zeros(0, np.uint32), *(np.zeros(shapes[name]) for name in Views._fields[1:]))
    bank = Bank(*(np.zeros(shapes[name]) for name in Bank._fields))
    for lines in (bank.max, bank.std, bank.forget, bank.quad):
        lines[LINE - 2 : LINE] = 1.0
    for factors in (bank.factors, bank.quad_factors):
        factors[:, 0] = 1.0
    return views, bank, Voting(*(np.zeros(shape) for shape in voting_shapes(rates).values()))


def new_workspace(dense: int, entries: int, rates: int) -> Workspace:
    """A workspace for views of ``dense`` slots and sparse rows of ``entries`` entries."""
    return Workspace(
        rows=np.zeros((WORKSPACE_ROWS, max(dense, PAIRS) + 1)),
        pair=np.zeros((2, PAIRS + 1)),
        places=np.zeros(entries + 1, np.uint32),
        entries=np.zeros((2, entries + 1)),
        scores=np.zeros(FULL_BANK),
        spreads=np.zeros(8),
        ratios=np.zeros(FULL_BANK),
        features=np.zeros(FULL_BANK),
        votes=np.zeros(VOTERS),
        stacked=np.zeros(3),
        squares=np.zeros(FULL_BANK),
        shares=np.zeros(voting_shapes(rates)["shares"]),
    )


def roomy(own: Floats, views: Views, bank: Bank, features: int, dense: int, sparse: bool) -> tuple[Views, Bank]:
    """Views and bank with room for these features and for ``dense`` slots in dense views."""
    known, slots, places = views.slots.size, views.course.shape[1], bank.sparse_lines.size // LINE
    needs = sparse and own[SPARSE] == WORDS_BANK
    full = known >= features and views.highest.size >= known and slots >= dense  # a model file has no spare room
    if full and (not needs or places > known):
        return views, bank
    known = known if known >= features else max(features, 2 * known)
    slots = slots if slots >= dense else max(dense, 2 * slots)
    return fitted(views, bank, shapes_of(int(own[MEMBERS]), known, known, slots, known + 1 if needs else places))


def shed(own: Floats, views: Views, bank: Bank) -> tuple[Views, Bank]:
    """Views and bank without the arrays of removed experts."""
    members = int(own[MEMBERS])
    if members == FULL_BANK:
        return views, bank
    done = bank.quad.size == 0 and (members >= DENSE_BANK or bank.means.size == 0)
    if done and (members >= WIDE_BANK or bank.std.size == 0):
        return views, bank
    features, slots, dense = views.slots.size, views.highest.size, views.course.shape[1]
    return fitted(views, bank, shapes_of(members, features, slots, dense, bank.sparse_lines.size // LINE))


def trimmed(own: Floats, views: Views, bank: Bank, features: int) -> tuple[Views, Bank]:
    """Views and bank without spare room, for a model file."""
    slots, members = int(own[SLOTS]), int(own[MEMBERS])
    return fitted(views, bank, shapes_of(members, features, slots, slots, sparse_places_of(members, slots)))


def sparse_places_of(members: int, slots: int) -> int:
    """The number of places with a line of the experts for sparse rows, without spare room."""
    return slots + 1 if members == WORDS_BANK else 0


def arrays_of(own: Floats, views: Views, bank: Bank, voting: Voting) -> dict[str, np.ndarray]:
    """All arrays by their names in model files."""
    parts = {**views._asdict(), **bank._asdict(), **voting._asdict()}
    return {"own": own, **{saved_name(field): array for field, array in parts.items()}}


def checked(
    features: int, arrays: dict[str, np.ndarray], due: Floats, due_own: Floats, rates: int
) -> tuple[Floats, Views, Bank, Voting]:
    """The parts of a tracker from a model file; ValueError if no tracker can have them.

    ``due`` is the expected state, which is the same for every tracker, ``due_own`` the array
    ``own`` before the first round, and ``rates`` the number of learning rates.
    """
    only(arrays, "state", "own", *map(saved_name, (*Views._fields, *Bank._fields, *Voting._fields)))
    state = of_shape(arrays, "state", "float64", due.shape)
    own = of_shape(arrays, "own", "float64", (OWN,))
    counted = own[:SCALES]
    whole = np.isfinite(own).all() and ((counted >= 0.0) & (counted <= MOST) & (counted == np.floor(counted))).all()
    scales = own[SCALES:GROWN]
    scaled = ((scales > 0.0) & (scales <= 1.0)).all() and own[GROWN] >= 1.0 and (own[TOTALS:] >= 0.0).all()
    sparse = int(due_own[SPARSE])
    other = own[SPARSE] != sparse or own[PLAIN] != due_own[PLAIN]
    if not np.array_equal(state, due) or not whole or not scaled or other or own[SEEN] > own[SLOTS]:
        raise ValueError(f"state {state.tolist()} and own {own.tolist()}")
    slots, members = int(own[SLOTS]), int(own[MEMBERS])
    fresh = own[ROUNDS] == 0.0
    if slots > features or (fresh and slots) or members not in (sparse, members_of(FULL_BANK, slots, True, sparse)):
        raise ValueError(f"{members} experts and {slots} slots of {features} features after {own[ROUNDS]:g} rounds")
    shapes = {**shapes_of(members, features, slots, slots, sparse_places_of(members, slots)), **voting_shapes(rates)}
    found = {
        field: of_shape(arrays, saved_name(field), "uint32" if field == "slots" else "float64", shape)
        for field, shape in shapes.items()
    }
    given = found["slots"][found["slots"] > 0]
    if not np.array_equal(np.sort(given), np.arange(1, slots + 1)):
        raise ValueError("slots that do not belong to one feature each")
    for field, array in found.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{saved_name(field)} that are not finite")
    for name in ("highest", "shares", "squares", "errors"):
        if (found[name] < 0.0).any():
            raise ValueError(f"{name} below 0")
    for at in (STD, FORGET, LATER):
        if (found["course"][at + 1 : at + 3] < 0.0).any():
            raise ValueError("variances or counts below 0")
    if not found["shares"].max() > 0.0 or found["shares"].max() > 1.0:
        raise ValueError("shares outside [0, 1]")
    views, bank, voting = (kind(*(found[name].copy() for name in kind._fields)) for kind in (Views, Bank, Voting))
    return own.copy(), views, bank, voting
