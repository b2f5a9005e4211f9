"""Escape untrusted text (names of features, labels and files) for use in HTML.

>>> escaped("<b>")
'&lt;b&gt;'
>>> shown("a\\x00b\\u202e")
'a\\\\x00b\\\\u202e'
"""

from __future__ import annotations

import unicodedata
from html import escape
from itertools import accumulate, takewhile

KEPT = "\u200c\u200d\u200e\u200f\u2066\u2067\u2068\u2069"
"""Joiners, direction marks and isolates.

Scripts and emoji need them; they end with their element.
"""
ISOLATE, END = "\u2068", "\u2069"
LONGEST, TAIL = 60, 20
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(value: object) -> str:
    """Return the text with invisible, bidi-override and unencodable characters as escapes."""
    return "".join(c.encode("unicode_escape").decode() if _hidden(c) else c for c in str(value))


def escaped(value: object) -> str:
    """Return the text as HTML."""
    return escape(shown(value))


def isolated(value: object) -> str:
    """Return the text in bidi isolates: right-to-left text then does not reorder its sentence."""
    return f"{ISOLATE}{value}{END}"


def clipped(text: str, columns: int) -> str:
    """Return the text cut to ``columns`` columns. Wide characters (CJK, emoji) take two.

    >>> clipped("abcdef", 6), clipped("abcdefg", 6), clipped("日本語日本語", 6)
    ('abcdef', 'abcde…', '日本…')
    """
    if sum(map(_columns, text)) <= columns:
        return text
    reached = accumulate(map(_columns, text))
    fitting = sum(1 for _ in takewhile(lambda used: used < columns, reached))
    return text[:fitting].rstrip(KEPT) + "…"


def brief(value: object) -> str:
    """Return the text.

    A long one keeps its start and its end, where similar names often differ.
    """
    text = shown(value)
    if sum(map(_columns, text)) <= LONGEST:
        return text
    return clipped(text, LONGEST - TAIL) + clipped(text[::-1], TAIL).removesuffix("…")[::-1]


def named(value: object) -> str:
    """Return the text as HTML. A long one is shortened, and shown in full as a tooltip."""
    text, short = shown(value), brief(value)
    return escape(short) if short == text else f'<span title="{escape(text)}">{escape(short)}</span>'


def _columns(c: str) -> int:
    if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def _hidden(c: str) -> bool:
    return c not in KEPT and (unicodedata.category(c) in HIDDEN or ord(c) & 0xFFFE == 0xFFFE)
