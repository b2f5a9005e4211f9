"""Text as words: lower-cased runs of letters, digits and underscores, and words that stand together."""

from __future__ import annotations

import re

_words = re.compile(r"\w+").findall
_ASCII = "".join(letter.lower() if re.match(r"\w", letter) else " " for letter in map(chr, range(128)))
"""What becomes of each character of a text that has no others, so that its words stand between blanks."""


def words(text: str, ngrams: int = 1) -> list[str]:
    """The words of a text, each as often as it stands there; then the pairs, triples... up to ``ngrams`` of them.

    >>> words("To be, or not to be", ngrams=2)
    ['to', 'be', 'or', 'not', 'to', 'be', 'to be', 'be or', 'or not', 'not to', 'to be']
    """
    single: list[str] = text.translate(_ASCII).split() if text.isascii() else _words(text.lower())
    found = list(single) if ngrams > 1 else single
    for n in range(2, ngrams + 1):
        found += map(" ".join, zip(*(single[k:] for k in range(n)), strict=False))
    return found
