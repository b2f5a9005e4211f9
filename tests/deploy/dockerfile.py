"""A reader of Dockerfiles that is strict about their syntax."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

KNOWN = {
    "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "ONBUILD",
    "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
}  # fmt: skip
FROM = re.compile(r"(?P<image>[\w./-]+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?)( AS (?P<name>[a-z][\w.-]*))?", re.IGNORECASE)


@dataclass
class Stage:
    """A stage: its image and its instructions in order."""

    image: str
    name: str | None
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        return [rest for one, rest in self.instructions if one == word]

    def last(self, word: str) -> str:
        return self.all(word)[-1]


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile; ValueError if a line is no instruction."""
    found: list[Stage] = []
    for line in _logical_lines(text):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word not in KNOWN or not rest:
            raise ValueError(f"must be an instruction, got {line!r}")
        if word == "FROM":
            form = FROM.fullmatch(rest)
            if form is None:
                raise ValueError(f"must be FROM image [AS name], got {line!r}")
            found.append(Stage(form["image"], form["name"]))
        elif not found:
            raise ValueError(f"must begin with FROM, got {line!r}")
        else:
            found[-1].instructions.append((word, rest))
    return found


def _logical_lines(text: str) -> list[str]:
    """Lines without comments and blank lines; continued lines are joined."""
    lines: list[str] = []
    whole = ""
    for line in text.splitlines():
        if line.lstrip().startswith("#") or not (line.strip() or whole):
            continue
        if line.rstrip().endswith("\\"):
            whole += line.rstrip()[:-1].strip() + " "
            continue
        lines.append((whole + line.strip()).strip())
        whole = ""
    if whole:
        raise ValueError("the last line must not be continued")
    return lines


def words(form: str) -> list[str]:
    """The words of an instruction in exec form; the shell form is an error."""
    found = json.loads(form)
    if not (isinstance(found, list) and found and all(isinstance(one, str) for one in found)):
        raise ValueError(f"must be a JSON list of texts, got {form!r}")
    return found
