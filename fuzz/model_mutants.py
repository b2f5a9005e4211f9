"""Mutations of a model or checkpoint: its plain values, its arrays, its header and its bytes.

The checksum of every mutant is right, as an attacker would make it.
"""

from __future__ import annotations

import copy
import json
import math
from random import Random
from typing import Any

import numpy as np
from mutations import FORMAT_BLIND, mutated
from seed_models import Seed, seed_numbered

import driftline as dl
from tests.support.crafted_models import dumped, header_of, signed

NUMBERS: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 7, 8, 9, 16, 30, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**62, 2**63, 2**64 - 1, 10**400,
    0.5, -0.5, 1e-320, 1e-30, 1e30, 1e60, 1e308, -1e308, math.inf, -math.inf, math.nan, -0.0,
)  # fmt: skip
WORDS: tuple[Any, ...] = (
    None, True, False, [], {}, "", "x", [0], {"a": 1}, "names", "columns", "hashed", "undecided", "float32", "unit",
    "standard", "margin", "mistake", "best", "raise", "rbf", "LogisticRegression(max_iter=1000000000)",
    "RandomForestClassifier(n_estimators=100000000)", *dl.REGISTRY,
)  # fmt: skip
DTYPES = ("f8", "f4", "u8", "u4", "u1", "i8", "i4")
WORK = ("parameters", "scale", "hashing")
"""Keys of values that say how much a learner may take: see ``judge_models``."""


class Draft:
    """The parts of a mutant. ``costly`` says whether a parameter was raised."""

    def __init__(self, seed: Seed) -> None:
        self.meta = copy.deepcopy(seed.meta)
        self.arrays = {name: array.copy() for name, array in seed.arrays.items()}
        self.costly = False


def file_of(meta: dict[str, Any], arrays: dict[str, np.ndarray], kind: str = "model") -> tuple[bytes, bool]:
    """A file that is not changed; False, as in ``mutant_of``."""
    table, data = header_of(meta, arrays, kind=kind)
    return signed(dumped(table), data), False


def mutant_of(seed: Seed, rng: Random, kind: str = "model") -> tuple[bytes, bool]:
    """A file with a right checksum, and whether a parameter of the learner was raised."""
    draft = Draft(seed)
    with np.errstate(all="ignore"):
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            rng.choices((change_array, change_values, change_sizes), (6, 3, 1))[0](draft, rng)
    table, data = header_of(draft.meta, draft.arrays, kind=kind)
    header = dumped(table)
    if rng.random() < 0.1:
        data = mutated(data, rng, FORMAT_BLIND) if data else data
    if rng.random() < 0.05:
        start = len('{"__metadata__":{"format":"driftline","sha256":"') + 64
        header = header[:start] + mutated(header[start:], rng, FORMAT_BLIND)
        draft.costly = True
    return signed(header, data), draft.costly


# arrays -------------------------------------------------------------------------------------------
def change_array(draft: Draft, rng: Random) -> None:
    """Change one array."""
    arrays = draft.arrays
    if arrays:
        name = rng.choice(sorted(arrays))
        changed = rng.choices((one_number, many_numbers, reshaped, replaced), (8, 2, 2, 1))[0]
        changed(arrays, name, rng)


def one_number(arrays: dict[str, np.ndarray], name: str, rng: Random) -> None:
    """Set one number."""
    flat = arrays[name].reshape(-1)
    if flat.size:
        # small arrays hold counters and positions: their first numbers are set more often
        at = rng.randrange(flat.size if rng.random() < 0.6 else min(flat.size, 8))
        flat[at] = number_for(flat[at], rng)


def many_numbers(arrays: dict[str, np.ndarray], name: str, rng: Random) -> None:
    """Set, negate or scale a part of the array."""
    flat = arrays[name].reshape(-1)
    if flat.size:
        start = rng.randrange(flat.size)
        part = slice(start, rng.randint(start, flat.size))
        kind = rng.randrange(4)
        if kind == 0:
            flat[part] = number_for(flat[start], rng)
        elif kind == 1 and flat.dtype.kind == "f":
            flat[part] *= rng.choice((-1.0, 1e30, 1e-200, 1e300))
        elif kind == 2:
            flat[part] = np.roll(flat[part], 1)
        else:
            flat[part] = flat[start]


def reshaped(arrays: dict[str, np.ndarray], name: str, rng: Random) -> None:
    """Change the shape or the dtype."""
    old = arrays[name]
    kind = rng.randrange(5)
    if kind == 0:
        arrays[name] = old[: rng.randint(0, len(old))]
    elif kind == 1:
        arrays[name] = np.concatenate([old, old[: rng.randint(0, len(old))]])
    elif kind == 2:
        arrays[name] = old.astype(rng.choice(DTYPES))
    elif kind == 3:
        arrays[name] = old.reshape(rng.choice(((1, -1), (-1, 1), (-1,))))
    else:
        arrays[name] = np.swapaxes(old, 0, -1).copy()


def replaced(arrays: dict[str, np.ndarray], name: str, rng: Random) -> None:
    """Drop or copy an array, exchange two, or take one of another model."""
    kind = rng.randrange(4)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[rng.choice(("v", "support", "moments", "names", "0 v", "12 counters", "other"))] = arrays[name]
    elif kind == 2:
        other = rng.choice(sorted(arrays))
        arrays[name], arrays[other] = arrays[other], arrays[name]
    else:
        found = seed_numbered(rng.randrange(1000)).arrays
        arrays[name] = found.get(name, arrays[name]).copy()


def number_for(old: Any, rng: Random) -> Any:
    """A number of the dtype of ``old``: special, or near the old one."""
    dtype = old.dtype
    if dtype.kind == "f":
        special = [float(one) for one in NUMBERS if abs(one) != 10**400]
        near = (-float(old), float(old) + 1.0, float(old) - 1.0, 2.0 * float(old), np.nextafter(float(old), np.inf))
        return dtype.type(rng.choice((*special, *near)))
    span = 1 << (8 * dtype.itemsize)
    chosen = rng.choice((0, 1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63, span - 1, int(old) + 1, int(old) - 1))
    return np.array([chosen % span], np.uint64).view(np.uint8)[: dtype.itemsize].view(dtype)[0]


# plain values -------------------------------------------------------------------------------------
def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, Any, tuple[Any, ...]]]:
    """Every container in it with every key, and the keys above."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in [(value, key, above), *places(one, (*above, key))]]


def change_values(draft: Draft, rng: Random) -> None:
    """Set, drop or repeat one plain value."""
    inside, key, above = rng.choice([one for one in places(draft.meta) if "versions" not in (one[1], *one[2])])
    old = inside[key]
    kind = rng.randrange(10)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, list):
        inside.insert(rng.randint(0, len(inside)), copy.deepcopy(old))
    elif kind == 2 and isinstance(old, list):
        old *= rng.choice((0, 2, 50))
    elif isinstance(old, str) and kind < 6:
        inside[key] = "".join(rng.choice("()= 019,.'") if rng.random() < 0.1 else letter for letter in old)
    elif type(old) in (int, float) and kind < 8:
        inside[key] = rng.choice((*NUMBERS, old + 1, old - 1, -old, 2 * old))
    else:
        inside[key] = copy.deepcopy(rng.choice((*NUMBERS, *WORDS)))
    draft.costly |= any(word in (key, *above) for word in WORK)


def change_sizes(draft: Draft, rng: Random) -> None:
    """Change a size everywhere: along every axis that has it, and every plain number equal to it."""
    sizes = sorted({size for array in draft.arrays.values() for size in array.shape})
    if not sizes:
        return
    old = rng.choice(sizes)
    new = rng.choice((0, 1, old + 1, max(0, old - 1), 2 * old, old + 8))
    shift = rng.choice((0, 0, 8))  # arrays of weights have eight rows before the first feature
    for name, array in draft.arrays.items():
        for axis, size in enumerate(array.shape):
            if size == old and array.size < 1e6:
                array = np.resize(np.moveaxis(array, axis, 0), (new, *np.delete(array.shape, axis)))
                array = np.ascontiguousarray(np.moveaxis(array, 0, axis))
        draft.arrays[name] = array
    for inside, key, _ in places(draft.meta):
        if type(inside[key]) is int and inside[key] == old - shift:
            inside[key] = max(0, new - shift)


def readable(data: bytes) -> str:
    """The header of a mutant, for a report."""
    length = int.from_bytes(data[:8], "little")
    try:
        return json.dumps(json.loads(data[8 : 8 + length]))[:2000]
    except ValueError:
        return repr(data[8 : 8 + min(length, 500)])
