"""What is wrong with a file, and where: file, line, column, the offending text, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_TEXT = 60
LONGEST_MESSAGE = 1200


class ReadError(ValueError):
    """A file that cannot be read, or a malformed line of it; the message says where, what and a remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


@dataclass(frozen=True)
class Fault:
    """One malformed place of a file: ``must`` says what has to hold there, ``got`` what stands there instead."""

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
        """As an exception."""
        return ReadError(str(self))


def excerpt(text: bytes | str) -> str:
    """A piece of a file as it is shown in an error: quoted, cut where it is long, bytes that are no UTF-8 escaped."""
    if isinstance(text, bytes):
        text = text[: 4 * LONGEST_TEXT].decode("utf-8", "backslashreplace")
    shown = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
    return repr(shown)


def one_line(text: str) -> str:
    """A message as it can be shown: what a terminal would obey is escaped, of a very long one the middle left out."""
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 4 :]}"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
