"""Errors in files: file, line, column, offending text and remedy."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_TEXT = 60
LONGEST_MESSAGE = 1200


class ReadError(ValueError):
    """Raised for an unreadable file or a malformed line; the message has place and remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


@dataclass(frozen=True)
class Fault:
    """A malformed place in a file: ``must`` is the violated condition, ``got`` the text found."""

    source: str
    line: int | None
    column: int | str | None
    must: str
    got: str
    remedy: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        column = "" if self.column is None else f", column {self.column}"
        return one_line(f"{self.source}{line}{column}: {self.must}, got {self.got}. {self.remedy}")

    def error(self) -> ReadError:
        """Return the fault as an exception."""
        return ReadError(str(self))


@dataclass(frozen=True)
class EndlessFault(Fault):
    """A record without an end in sight. Reading stops there, even if faults are skipped."""


def excerpt(text: bytes | str) -> str:
    """Return text for an error message: quoted, truncated, with invalid UTF-8 escaped."""
    if isinstance(text, bytes):
        text = text[: 4 * LONGEST_TEXT].decode("utf-8", "backslashreplace")
    shown = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
    return repr(shown)


def one_line(text: str) -> str:
    """Escape control characters in a message, and cut the middle out of a very long one."""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 4 :]}"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
