"""The arrays of the views and of the linear heads: with spare room, without it, and in model files.

Spare room is what a new place needs: weights 0 and variances 1.
"""

from __future__ import annotations

import numpy as np

from driftline.engines.array_checks import MOST, Arrays, finite, of_shape, only, within
from driftline.engines.joint.linear_heads import SPREADS, Heads
from driftline.engines.joint.multinomial_bayes import PAIR
from driftline.engines.tracker.array_shapes import Shapes, new_workspace, resized, shapes_of
from driftline.engines.tracker.sparse_experts import COUNTS, FORGOTTEN, VARIANCES
from driftline.engines.tracker.state import (
    FORGET,
    GROWN,
    LATER,
    LINE,
    MEMBERS,
    OWN,
    PLAIN,
    ROUNDS,
    SCALES,
    SEEN,
    SLOTS,
    SPARSE,
    STD,
    TOTALS,
    Views,
    Workspace,
)
from driftline.engines.tracker.views import members_of
from driftline.internals.compiled import Floats
from driftline.rules.tracker.tracker import FULL_BANK, RATES, VALUES_BANK

LINES = ("max", "std", "forget", "quad", "sparse_lines")
FACTORS = ("factors", "quad_factors")
BY_HEAD = ("own", *LINES, "value_sums", "means", "quad_means")
SAVED = (*BY_HEAD, *FACTORS)


def new_own() -> Floats:
    """The counters and scales before the first round, of the bank or of a head."""
    own = np.zeros(OWN)
    own[MEMBERS], own[SPARSE] = FULL_BANK, VALUES_BANK
    own[SCALES : GROWN + 1] = 1.0
    return own


def head_shapes(shapes: Shapes, heads: int) -> Shapes:
    """Shapes of the arrays of ``Heads``, given those of the light bank."""
    own = {"own": (heads, OWN), "scores": (heads, FULL_BANK), "spreads": (heads, SPREADS)}
    places = shapes["sparse_lines"][0] // LINE
    sums = {"value_sums": (heads, PAIR * places)}
    by_head = {name: (heads, *shapes[name]) for name in (*LINES, "means", "quad_means")}
    return {**own, **by_head, **sums, **{name: shapes[name] for name in FACTORS}}


def blank(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array of ``Heads`` before the first round."""
    made = np.zeros(shape)
    if name == "own":
        made[:] = new_own()
    elif name in LINES:
        lines = made.reshape(shape[0], -1, LINE)
        lines[..., slice(VARIANCES, VARIANCES + 2) if name == "sparse_lines" else slice(LINE - 2, LINE)] = 1.0
    elif name in FACTORS and shape[1]:
        size = round((np.sqrt(8 * shape[1] + 1) - 1) / 2)
        diagonal = np.arange(size)
        made[:, diagonal * (diagonal + 3) // 2] = 1.0
    return made


def fitted_heads(heads: Heads | None, shapes: Shapes) -> Heads:
    """The heads in other shapes: truncated, or with new places and new heads."""
    made = {name: blank(name, shapes[name]) for name in Heads._fields}
    if heads is not None:
        for name, array in heads._asdict().items():
            part = tuple(slice(min(a, b)) for a, b in zip(array.shape, shapes[name], strict=True))
            made[name][part] = array[part]
    return Heads(**made)


def fitted_views(views: Views, shapes: Shapes) -> Views:
    """The views in other shapes."""
    return Views(*(resized(array, shapes[name]) for name, array in views._asdict().items()))


def joint_workspace(dense: int, entries: int) -> Workspace:
    """A workspace of the light bank, with a further row of ``entries`` for |x_i| / |x|."""
    made = new_workspace(dense, entries, len(RATES))
    return made._replace(entries=np.zeros((3, made.entries.shape[1])))


def new_views() -> Views:
    """The statistics of the views before the first round."""
    shapes = shapes_of(FULL_BANK, 0, 0, 0, 0)
    return Views(np.zeros(0, np.uint32), *(np.zeros(shapes[name]) for name in Views._fields[1:]))


def _negate(weights: np.ndarray) -> None:
    """Change the signs in place. A 0 stays +0.0, as in spare room: bits must not depend on the room there was."""
    np.subtract(0.0, weights, out=weights)


def split(heads: Heads) -> Heads:
    """Two heads in place of one: class 0 has its negative, class 1 the head itself."""
    made = {}
    for name, array in heads._asdict().items():
        if name not in FACTORS:
            made[name] = np.repeat(array, 2, axis=0)
    for name in LINES:
        lines = made[name][0].reshape(-1, LINE)
        if name == "sparse_lines":
            _negate(lines[:, :VARIANCES])
            for at in (COUNTS, FORGOTTEN):
                lines[:, at : at + 2] = lines[:, at : at + 2][:, ::-1].copy()
        else:
            _negate(lines[:, : LINE - 2])
    for name in ("means", "quad_means"):
        _negate(made[name][0])
    sums = made["value_sums"][0].reshape(-1, PAIR)
    sums[:] = sums[:, ::-1].copy()
    for at in (TOTALS, TOTALS + 2):
        made["own"][0, at : at + 2] = made["own"][0, at : at + 2][::-1].copy()
    return heads._replace(**made)


# model files ----------------------------------------------------------------------------------------------------------
def saved_arrays(own: Floats, views: Views, heads: Heads, features: int, count: int) -> Arrays:
    """The learned arrays of the first ``count`` heads, without spare room."""
    shapes = _saved_shapes(own, features)
    trimmed = fitted_heads(heads, head_shapes(shapes, count))
    named = {name: getattr(trimmed, name) for name in SAVED if name != "own"}
    return {"own": own, "heads": trimmed.own, **fitted_views(views, shapes)._asdict(), **named}


def _saved_shapes(own: Floats, features: int) -> Shapes:
    slots, members = int(own[SLOTS]), int(own[MEMBERS])
    return shapes_of(members, features, slots, slots, slots + 1 if members == VALUES_BANK else 0)


def restored_arrays(arrays: Arrays, features: int, heads: int) -> tuple[Floats, Views, Heads]:
    """The parts from a model file; ValueError if no bank with this number of heads can have them."""
    only(arrays, "heads", "own", *Views._fields, *SAVED[1:])
    own = checked_own(of_shape(arrays, "own", "float64", (OWN,)), features)
    shapes = _saved_shapes(own, features)
    found = {
        name: finite(name, of_shape(arrays, name, "uint32" if name == "slots" else "float64", shapes[name]))
        for name in Views._fields
    }
    given, slots = found["slots"][found["slots"] > 0], int(own[SLOTS])
    if not np.array_equal(np.sort(given), np.arange(1, slots + 1)):
        raise ValueError("slots that do not belong to one feature each")
    if (found["highest"] < 0.0).any():
        raise ValueError("highest below 0")
    for at in (STD, FORGET, LATER):
        if (found["course"][at + 1 : at + 3] < 0.0).any():
            raise ValueError("variances or counts below 0")
    due = head_shapes(shapes, heads)
    parts = {name: "heads" if name == "own" else name for name in SAVED}
    named = {name: finite(word, of_shape(arrays, word, "float64", due[name])).copy() for name, word in parts.items()}
    by_head = named["own"]
    within("scales of heads", by_head[:, SCALES:GROWN], 1e-200, 1.0)
    within("counts of heads", by_head[:, [SEEN, *range(GROWN, OWN)]], 0.0, 1e300)
    within("value_sums", named["value_sums"], 0.0, 1e300)
    if (by_head[:, GROWN] < 1.0).any():
        raise ValueError("growth of heads below 1")
    views = Views(**{name: array.copy() for name, array in found.items()})
    return own.copy(), views, Heads(**named, scores=np.zeros(due["scores"]), spreads=np.zeros(due["spreads"]))


def checked_own(own: Floats, features: int) -> Floats:
    """The counters of a bank; ValueError if no bank can have them."""
    counted = own[:SCALES]
    if not (np.isfinite(own).all() and ((counted >= 0.0) & (counted <= MOST) & (counted == np.floor(counted))).all()):
        raise ValueError(f"own {own.tolist()}")
    slots, members, fresh = int(own[SLOTS]), int(own[MEMBERS]), own[ROUNDS] == 0.0
    allowed = (VALUES_BANK, int(members_of(FULL_BANK, slots, True, VALUES_BANK)))
    if (
        own[SPARSE] != VALUES_BANK
        or own[PLAIN] != 0.0
        or slots > features
        or (fresh and slots)
        or members not in allowed
    ):
        raise ValueError(f"{members} experts and {slots} slots of {features} features after {own[ROUNDS]:g} rounds")
    return own
