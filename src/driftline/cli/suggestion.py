"""Suggestions for mistyped names and options."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question with the closest known name, or else the other text.

    Dashes before an option do not make it more similar to another one. A name is close if it starts
    with the given one or has about its length.

    >>> did_you_mean("--learnr", ["--learner", "--labels"])
    'Did you mean --learner?'
    """
    typed = name.lstrip("-")
    by_name = {one.lstrip("-"): one for one in known}
    near = [one for one in by_name if one.startswith(typed) or abs(len(one) - len(typed)) <= 2]
    close = difflib.get_close_matches(typed, near, 1)
    return f"Did you mean {by_name[close[0]]}?" if close else otherwise


def option_names(command: Callable[..., Any]) -> list[str]:
    """Return the options of a command as they are typed, without the parameters of learners."""
    names: list[str] = []
    for one in inspect.signature(command).parameters.values():
        if is_dataclass(one.default) and not isinstance(one.default, type):
            names += [field.name for field in fields(one.default)]
        elif one.kind is one.KEYWORD_ONLY:
            names.append(one.name)
    return [f"--{name.replace('_', '-')}" for name in names]
