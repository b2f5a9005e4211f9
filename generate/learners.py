"""``driftline.learners.linear``: a class for each two-number rule, and for L1PA."""

from __future__ import annotations

from dataclasses import replace

from generate.source import LearnerSource, documented, header, import_lines

OPTIONS = ("bias", "scale", "labels", "hashing", "dtype", "class_weight")


def module(linear: list[LearnerSource]) -> str:
    """The source of the module."""
    names = [(module, name) for one in linear for name, module in one.imports.items()]
    imports = import_lines(
        [
            *names,
            ("typing", "Unpack"),
            ("driftline", "rules"),
            ("driftline.learners.learner", "Learner"),
            ("driftline.learners.options", "Options"),
        ]
    )
    return "\n\n".join(
        [
            header("driftline/rules/linear"),
            '"""The learners of two-number rules, and L1PA."""',
            f"from __future__ import annotations\n\n{imports}",
            *(_class(one) for one in linear),
        ]
    )


def _class(one: LearnerSource) -> str:
    options = documented("learners/learner.py", "Learner")
    doc = replace(
        one.doc,
        lead=f"{one.doc.lead}\n\nThe update and its paper are in ``{one.rule.__module__}``.",
        parameters=one.described(one.names) | {name: options[name] for name in OPTIONS},
    )
    given = ", ".join(["self", *one.declared, "**options: Unpack[Options]"])
    passed = ", ".join(f"{name}={name}" for name in one.names)
    return (
        f"class {one.name}(Learner):\n{doc.source()}\n\n"
        f"    def __init__({given}) -> None:\n"
        f"        super().__init__(rules.{one.name}({passed}), **options)"
    )
