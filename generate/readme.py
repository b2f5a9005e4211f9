"""The table of learners in the README."""

from __future__ import annotations

from generate.source import LearnerSource, with_block

FIRST = "<!-- make generate writes this table: edit the docstrings of the learners, and Rule.paper -->"
LAST = "<!-- end of the table -->"


def with_table(every: list[LearnerSource]) -> str:
    """The README, with a row for each learner."""
    rows = ["| learner | the idea | paper |", "|---|---|---|"]
    for one in every:
        named = ", ".join(each.name for each in one.parameters if not each.keyword_only)
        call = f"{one.name}({named})" if named else one.name
        rows.append(f"| `{call}` | {one.doc.summary.replace('``', '`').removesuffix('.')} | {one.rule.paper} |")
    return with_block("README.md", "\n".join(rows), FIRST, LAST)
