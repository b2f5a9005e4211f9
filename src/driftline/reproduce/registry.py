"""The experiments by name. Each module defines EXPERIMENT and is imported when it is needed."""

from __future__ import annotations

EXPERIMENTS = {
    name: f"driftline.reproduce.{name}" for name in ("kivinen2002", "shen2009", "forgetron", "gentile2005", "winnow")
}


def module_of(name: str) -> str:
    """Return the module of an experiment."""
    if name not in EXPERIMENTS:
        raise ValueError(
            f"reproduce: NAME must be one of {', '.join(EXPERIMENTS)} or all, got {name!r}. Give one of them"
        )
    return EXPERIMENTS[name]
