"""How the records of files become examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

KINDS = ("number", "category", "text", "time", "ignore")


@dataclass(frozen=True)
class Recipe:
    """How the records of files become examples."""

    target: str | None
    positive: str | None
    time: str | None
    weight: str | None
    ngrams: int
    na: tuple[str, ...]
    task: str
    kinds: Mapping[str, str]
    open: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **{one.name: getattr(self, one.name) for one in fields(self)},
            "na": list(self.na),
            "kinds": dict(self.kinds),
        }

    @classmethod
    def from_dict(cls, values: Any) -> Recipe:
        """Check everything; raise ValueError."""
        if not isinstance(values, dict) or values.keys() != {one.name for one in fields(cls)}:
            raise ValueError(f"recipe: keys must be those of a recipe, got {values!r}")
        for name in ("target", "positive", "time", "weight"):
            if not isinstance(values[name], str | None):
                raise ValueError(f"recipe: {name} must be a name or None, got {values[name]!r}")
        ngrams, na, kinds = values["ngrams"], values["na"], values["kinds"]
        if type(ngrams) is not int or not 1 <= ngrams <= 100:
            raise ValueError(f"recipe: ngrams must be >= 1, got {ngrams!r}")
        if not isinstance(na, list) or not all(isinstance(one, str) for one in na):
            raise ValueError(f"recipe: na must be texts, got {na!r}")
        if values["task"] != "classification" or type(values["open"]) is not bool:
            raise ValueError(f"recipe: task must be classification, got {values['task']!r}")
        if not isinstance(kinds, dict) or not all(kind in KINDS for kind in kinds.values() if isinstance(kind, str)):
            raise ValueError(f"recipe: kinds must be kinds, got {kinds!r}")
        if not all(isinstance(kind, str) for kind in kinds.values()):
            raise ValueError(f"recipe: kinds must be kinds, got {kinds!r}")
        return cls(**{**values, "na": tuple(na)})

    def features(self, record: Mapping[str, Any]) -> dict[str, float]:
        """One raw record as a dict of features."""
        from driftline.streams.files.scan.words import words_of  # type: ignore[attr-defined]

        raise NotImplementedError(words_of)
