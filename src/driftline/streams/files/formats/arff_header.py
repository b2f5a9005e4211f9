"""The header of an ARFF file: its attributes, each numeric, nominal, a string or a date."""

from __future__ import annotations

import re
from typing import NamedTuple

from driftline.streams.files.faults import Fault, ReadError, excerpt

NUMERIC, NOMINAL, STRING, DATE = "numeric", "nominal", "string", "date"
KINDS = {"numeric": NUMERIC, "real": NUMERIC, "integer": NUMERIC, "string": STRING, "date": DATE}
DECLARATION = re.compile(
    r"""@attribute\s++ (?P<name> '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" | [^\s'"{][^\s{]*+ ) \s*+ (?P<kind>\S.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
CELL = re.compile(
    r"""\s*+ (?: '((?:[^'\\]|\\.)*+)' | "((?:[^"\\]|\\.)*+)" | ([^\s,'"][^,]*+)?+ ) \s*+ (?: , | $ )""",
    re.VERBOSE | re.DOTALL,
)
ENTRY = re.compile(
    r"""\s*+ (\d{1,9}) \s++ ( '(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+" | [^\s,'"][^,]*+ ) \s*+ (?: , | $ )""",
    re.VERBOSE | re.DOTALL,
)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
MISSING = "?"


class Attribute(NamedTuple):
    """An attribute; ``values`` are the declared values of a nominal one, in order."""

    name: str
    kind: str
    values: dict[str, None]


def declaration(source: str, line: int, text: str) -> Attribute:
    """Return the attribute that an @attribute line declares."""
    found = DECLARATION.fullmatch(text.strip())
    if found is None:
        raise _malformed(source, line, "an attribute must be declared as @attribute NAME KIND", text)
    name, kind = unquoted(found["name"]), found["kind"]
    if kind.startswith("{"):
        values = cells(kind[1:-1]) if kind.endswith("}") else None
        if values is None or None in values:
            raise _malformed(source, line, "a set of values must be written as {a, b, c}", kind)
        return Attribute(name, NOMINAL, dict.fromkeys(value for value in values if value is not None))
    word = kind.split()[0].lower()
    if word in KINDS:
        return Attribute(name, KINDS[word], {})
    raise _malformed(source, line, "an attribute must be numeric, real, integer, string, date or {a, b, c}", kind)


def _malformed(source: str, line: int, must: str, text: str) -> ReadError:
    return Fault(source, line, None, must, excerpt(text), "Correct the header of the file").error()


def cells(text: str) -> list[str | None] | None:
    """Split a line at commas and remove quotes; an unquoted ? becomes None.

    Return None if a quote is not closed.
    """
    found: list[str | None] = []
    at = 0
    while True:
        cell = CELL.match(text, at)
        if cell is None:
            return None
        single, double, plain = cell.groups()
        if single is None and double is None:
            plain = (plain or "").rstrip()
            found.append(None if plain == MISSING else plain)
        else:
            found.append(_unescaped(single if double is None else double))
        at = cell.end()
        if at == len(text) and not cell.group().endswith(","):
            return found


def sparse_cells(text: str) -> list[tuple[int, str | None]] | None:
    """Return the indices and values of ``{0 a, 3 'b c'}``; None if the text is malformed."""
    if not text.endswith("}"):
        return None
    body = text[1:-1].strip()
    found: list[tuple[int, str | None]] = []
    at = 0
    while at < len(body):
        entry = ENTRY.match(body, at)
        if entry is None:
            return None
        value = entry[2].rstrip()
        found.append((int(entry[1]), None if value == MISSING else unquoted(value)))
        at = entry.end()
    return found


def unquoted(text: str) -> str:
    """Remove the quotes around a name or value."""
    return _unescaped(text[1:-1]) if text[:1] in ("'", '"') and len(text) > 1 else text


def _unescaped(text: str) -> str:
    return ESCAPED.sub(lambda found: CONTROLS.get(found[1], found[1]), text) if "\\" in text else text
