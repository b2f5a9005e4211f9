"""Make the arrays of a loaded object writable: joblib maps them read-only, and learning writes to them."""

from __future__ import annotations

from typing import Any

import numpy as np


def writable(state: dict[str, Any]) -> dict[str, Any]:
    """The same state with read-only arrays replaced by copies, also inside tuples."""
    return {name: _writable(value) for name, value in state.items()}


def _writable(part: Any) -> Any:
    if isinstance(part, np.ndarray):
        return part if part.flags.writeable else np.array(part)
    if isinstance(part, tuple) and any(isinstance(one, np.ndarray | tuple) for one in part):
        made = map(_writable, part)
        return type(part)(*made) if hasattr(part, "_fields") else tuple(made)
    return part
