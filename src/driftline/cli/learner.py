"""Create learners from names and parameters given on the command line."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from typing import Any

import driftline as dl
from driftline.cli.options import LearnerOptions
from driftline.learners import SeveralClasses
from driftline.learners.options import Options

TEXT_BITS = 20
OPTIONS = ("bias", "scale", "labels", "hashing", "dtype")


def learner_of(name: str, parameters: Mapping[str, str], options: LearnerOptions, hashed: bool) -> dl.Learner:
    """Create the learner of this name.

    ``hashed``: features are words, so hash their names by default.
    """
    make = dl.REGISTRY.get(name.lower())
    if make is None:
        close = difflib.get_close_matches(name.lower(), dl.REGISTRY, 1)
        hint = f"Did you mean {close[0]}?" if close else "See driftline run --help"
        raise ValueError(f"--learner must be one of {', '.join(dl.REGISTRY)}, got {name!r}. {hint}")
    given = {key: _value(text) for key, text in parameters.items()}
    known = _parameters(make)
    if "learner" in known:  # --learner is an option of the command
        known[known.index("learner")] = "base"
    for key in given:
        if key not in known:
            owns = ", ".join(f"--{one}" for one in known) or "no parameters"
            raise ValueError(f"--{key} must be an option of this command or of {name}, got neither. {name} has {owns}")
    if "base" in given:
        given["learner"] = given.pop("base")
    return make(**given, **options_of(options, hashed, issubclass(make, SeveralClasses)))


def options_of(options: LearnerOptions, hashed: bool, several: bool = False) -> Options:
    """Return the options that all learners share.

    ``bias`` is set only if it was switched off; otherwise the rule decides. ``several``: the
    learner takes more than two labels.
    """
    bits = TEXT_BITS if options.hash_bits is None and hashed else options.hash_bits or None
    made = Options(
        scale=_scale(options.scale),
        labels=None if options.labels is None else _labels(options.labels, several),
        hashing=None if bits is None else dl.Hashing(bits),
        dtype=options.dtype,
    )
    if not options.bias:
        made["bias"] = False
    return made


def _parameters(make: type[dl.Learner]) -> list[str]:
    """Return the names of the parameters that only this learner has."""
    return [name for name, one in inspect.signature(make).parameters.items() if one.kind != one.VAR_KEYWORD]


def _value(text: str) -> Any:
    """Parse a parameter: a number, true, false, none, or a word."""
    lowered = text.lower()
    if lowered in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[lowered]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _scale(text: str | None) -> Any:
    """Parse a scale: a word, or a RandomFourier with its parameters."""
    from driftline.learners.inner_learners import part_of

    if text in (None, "unit", "standard"):
        return text
    found = part_of("--scale", "a scale", text) if "fourier" in text.lower() else None
    if not isinstance(found, dl.RandomFourier):
        raise ValueError(f"--scale must be unit, standard or randomfourier(n=256, gamma=1.0), got {text!r}. Choose one")
    return found


def _labels(text: str, several: bool) -> tuple[Any, ...]:
    parts = text.split(",")
    if len(parts) != 2 and not (several and len(parts) > 2):
        raise ValueError(f"--labels must be NEGATIVE,POSITIVE, got {text!r}. Give two labels")
    numbers = [_value(part) for part in parts]
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers)
    return tuple(numbers if numeric else parts)
