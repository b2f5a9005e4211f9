"""``--only TEXT``: the parts of a benchmark with this text in their names."""

from __future__ import annotations

from collections.abc import Sequence


def chosen(only: str, names: Sequence[str]) -> list[str]:
    """Return the names that contain `only`; raise ValueError with all names if there is none.

    >>> chosen("sea", ["elec2", "drawn-sea"])
    ['drawn-sea']
    >>> chosen("moon", ["elec2", "drawn-sea"])
    Traceback (most recent call last):
    ValueError: --only must be part of one of these names, got 'moon': elec2; drawn-sea
    """
    found = [name for name in names if only in name]
    if not found:
        raise ValueError(f"--only must be part of one of these names, got {only!r}: {'; '.join(names)}")
    return found
