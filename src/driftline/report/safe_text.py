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

from driftline.internals.visible_text import columns

ISOLATES = "\u2066\u2067\u2068\u2069"
KEPT = "\u200c\u200d\u200e\u200f" + ISOLATES
"""Joiners, direction marks and isolates: scripts and emoji need them.

Isolates are kept only if all of them are closed: an open one would reorder the text after it.
"""
BEGINNINGS, ISOLATE, END = ISOLATES[:3], ISOLATES[2], ISOLATES[3]
LONGEST, TAIL = 60, 20
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(value: object) -> str:
    """Return the text with invisible, bidi-override and unencodable characters as escapes."""
    text = str(value)
    kept = KEPT if _closed(text) else KEPT.replace(ISOLATES, "")
    return "".join(_escape(c) if _hidden(c, kept) else c for c in text)


def escaped(value: object) -> str:
    """Return the text as HTML."""
    return escape(shown(value))


def isolated(value: object) -> str:
    """Return the text in bidi isolates: right-to-left text then does not reorder its sentence.

    Isolates inside the text are escaped, so that it cannot end the one around it.
    """
    return ISOLATE + "".join(_escape(c) if c in ISOLATES else c for c in str(value)) + END


def clipped(text: str, most: int) -> str:
    """Return the text cut to ``most`` columns. Wide characters (CJK, emoji) take two.

    >>> clipped("abcdef", 6), clipped("abcdefg", 6), clipped("日本語日本語", 6)
    ('abcdef', 'abcde…', '日本…')
    """
    if columns(text) <= most:
        return text
    reached = accumulate(map(columns, text))
    fitting = sum(1 for _ in takewhile(lambda used: used < most, reached))
    return text[:fitting].rstrip(KEPT) + "…"


def brief(value: object) -> str:
    """Return the text.

    A long one keeps its start and its end, where similar names often differ.
    """
    text = shown(value)
    if columns(text) <= LONGEST:
        return text
    return shown(clipped(text, LONGEST - TAIL) + clipped(text[::-1], TAIL).removesuffix("…")[::-1])


def named(value: object) -> str:
    """Return the text as HTML. A long one is shortened, and shown in full as a tooltip."""
    text, short = shown(value), brief(value)
    return escape(short) if short == text else f'<span title="{escape(text)}">{escape(short)}</span>'


def _closed(text: str) -> bool:
    """Return whether every bidi isolate of the text ends in it, and it ends no other."""
    depth = 0
    for c in text:
        depth += (c in BEGINNINGS) - (c == END)
        if depth < 0:
            return False
    return depth == 0


def _escape(c: str) -> str:
    return c.encode("unicode_escape").decode()


def _hidden(c: str, kept: str) -> bool:
    return c not in kept and (unicodedata.category(c) in HIDDEN or ord(c) & 0xFFFE == 0xFFFE)
