"""Parsing and formatting of docstrings in numpydoc style."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from textwrap import dedent, indent

SECTION = re.compile(r"^(Parameters|Examples)\n-+\n", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w+)\b", re.MULTILINE)


@dataclass(frozen=True)
class Docstring:
    """The parts of a docstring: the text before its sections, its parameters and its examples."""

    lead: str
    parameters: dict[str, str]
    examples: str = ""

    @classmethod
    def parsed(cls, text: str) -> Docstring:
        """Parse a docstring without indentation."""
        lead, *rest = SECTION.split(text.strip())
        found = dict(zip(rest[::2], (one.strip("\n") for one in rest[1::2]), strict=True))
        listed = found.get("Parameters", "")
        starts = [*(one.start() for one in ENTRY.finditer(listed)), len(listed)]
        entries = [listed[start:stop].strip() for start, stop in pairwise(starts)]
        parameters = {entry.split()[0].lstrip("*"): entry for entry in entries}
        return cls(lead.strip(), parameters, found.get("Examples", ""))

    @property
    def summary(self) -> str:
        """The first line."""
        return self.lead.partition("\n")[0]

    def source(self, *, spaces: int = 4) -> str:
        """The docstring as source text, indented by ``spaces``."""
        parts = [self.lead]
        if self.parameters:
            parts.append("Parameters\n----------\n" + "\n".join(self.parameters.values()))
        if self.examples:
            parts.append("Examples\n--------\n" + dedent(self.examples))
        text = "\n\n".join(parts)
        closed = f'"""{text}"""' if "\n" not in text else f'"""{text}\n"""'
        return indent(closed, " " * spaces)
