"""Messages as examples: a JSON object with the label in one field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

PLAIN = (int, float, str, bool, type(None))


class BadMessageError(ValueError):
    """A message that holds no example; the text says why."""


@dataclass(frozen=True)
class Fields:
    """Where a message has its example.

    Attributes
    ----------
    label
        The field of the label.
    features
        The field with an object of features, or a list of numbers. None: all other fields are
        features.
    """

    label: str = "y"
    features: str | None = None

    def example(self, value: bytes | None) -> tuple[Any, Any]:
        """Return the example and the label of a message; ``BadMessageError`` if it has none.

        >>> Fields().example(b'{"price": 2.5, "y": "late"}')
        ({'price': 2.5}, 'late')
        >>> Fields(features="x").example(b'{"x": {"price": 2.5}, "y": true, "sent": 17}')
        ({'price': 2.5}, True)
        """
        return self._example(parsed(value))

    def keyed_example(self, value: bytes | None, key: str | None) -> tuple[Any, Any, Any]:
        """Return the key, the example and the label of a message; the key is None without a field for it.

        >>> Fields().keyed_example(b'{"who": "ada", "price": 2.5, "y": "late"}', "who")
        ('ada', {'price': 2.5}, 'late')
        """
        found = parsed(value)
        own = None
        if key is not None:
            own = found.pop(key, None)
            if type(own) not in (str, int):
                raise BadMessageError(f"field {key!r}: must hold the key, a text or a whole number, got {own!r:.100}")
        return own, *self._example(found)

    def _example(self, found: dict[str, Any]) -> tuple[Any, Any]:
        if self.label not in found:
            raise BadMessageError(f"field {self.label!r}: must hold the label, got none")
        y = found.pop(self.label)
        if y is None or not isinstance(y, PLAIN):
            raise BadMessageError(f"field {self.label!r}: label must be a text, a number or a bool, got {y!r:.100}")
        x = found if self.features is None else found.get(self.features)
        if isinstance(x, list) and all(type(one) in (int, float) for one in x):
            return x, y
        if not isinstance(x, dict):
            raise BadMessageError(f"field {self.features!r}: must hold an object or a list of numbers, got {x!r:.100}")
        for name, one in x.items():
            if not isinstance(one, PLAIN):
                raise BadMessageError(f"feature {name!r:.100}: must be a number, text, bool or null, got {one!r:.100}")
        return x, y


def parsed(value: bytes | None) -> dict[str, Any]:
    """Return the JSON object of a message."""
    try:
        found = orjson.loads(value or b"")
    except orjson.JSONDecodeError as error:
        raise BadMessageError(f"message: must be JSON, got an error: {error}") from None
    if not isinstance(found, dict):
        raise BadMessageError(f"message: must be a JSON object, got {found!r:.100}")
    return found
