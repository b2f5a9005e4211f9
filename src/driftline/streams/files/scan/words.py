"""Split text into words (lower-cased runs of letters, digits and underscores) and n-grams."""

from __future__ import annotations

import re

_words = re.compile(r"\w+").findall
_ASCII = "".join(letter.lower() if re.match(r"\w", letter) else " " for letter in map(chr, range(128)))
"""A translation table for ASCII text: lower-cases word characters, replaces others by blanks."""


def words(text: str, ngrams: int = 1) -> list[str]:
    """Return all words of a text, then all pairs, triples and so on, up to ``ngrams`` words.

    >>> words("To be, or not to be", ngrams=2)
    ['to', 'be', 'or', 'not', 'to', 'be', 'to be', 'be or', 'or not', 'not to', 'to be']
    """
    single: list[str] = text.translate(_ASCII).split() if text.isascii() else _words(text.lower())
    found = list(single) if ngrams > 1 else single
    for n in range(2, ngrams + 1):
        found += map(" ".join, zip(*(single[k:] for k in range(n)), strict=False))
    return found
