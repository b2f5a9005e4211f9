"""Make untrusted text safe for a terminal, and measure how wide a terminal shows it.

Names of features, labels, columns and files may contain any character. An escape sequence would
change the title or the colours of the terminal, and a bidirectional override would reorder the
line. Such characters are printed as escapes.

>>> visible("a\\x1b]0;b\\x07\\u202ec")
'a\\\\x1b]0;b\\\\x07\\\\u202ec'
>>> columns("日本"), columns("e\\u0301")
(4, 1)
"""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"
"""Scripts and emoji need them; they have no effect on the text around them."""


def visible(value: object) -> str:
    """Return the text on one line; control, bidirectional and other invisible characters escaped.

    Lone surrogates and all blanks except the space are escaped too. A backslash is unchanged.
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal the text takes; CJK characters and emoji take two."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(c: str) -> int:
    if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
