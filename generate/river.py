"""``driftline.river.wrappers``: a river classifier for each learner with feature weights."""

from __future__ import annotations

from dataclasses import replace

from generate.source import LearnerSource, documented, header, import_lines

OPTIONS = ("bias", "scale", "labels", "hashing", "dtype", "class_weight")


def module(wrapped: list[LearnerSource]) -> str:
    """The source of the module."""
    names = [(module, name) for one in wrapped for name, module in one.imports.items()]
    shared = ("BOOLS", "ClassWeight", "Dtype", "Pair", "RiverClassifier", "RiverMulticlass", "Scale", "Several")
    imports = import_lines(
        [
            *names,
            ("driftline", "learners"),
            ("driftline.encode", "Hashing"),
            *(("driftline.river.classifier", name) for name in shared),
            *(("driftline.river.float64_only", name) for name in ("RiverDouble", "RiverPositive", "RiverSecondOrder")),
        ]
    )
    return "\n\n".join(
        [
            header("driftline/rules/registry.py", "driftline/learners"),
            '"""The river classifiers of ``driftline.river``, one for each learner."""',
            f"from __future__ import annotations\n\n{imports}",
            *(_class(one) for one in wrapped),
        ]
    )


def _base(one: LearnerSource) -> str:
    """The class that suits a rule."""
    if one.rule.several:
        return "RiverMulticlass"
    if not one.rule.signed:
        return "RiverPositive"
    if one.family == "second_order":
        return "RiverSecondOrder"
    return "RiverClassifier" if one.rule.single else "RiverDouble"


def _class(one: LearnerSource) -> str:
    options = documented("river/classifier.py", "RiverClassifier")
    labels = "labels: Pair = BOOLS"
    if one.rule.several:
        options |= documented("river/classifier.py", "RiverMulticlass")
        labels = "labels: Several = None"
    doc = replace(
        one.doc,
        lead=f"{one.doc.lead}\n\nThe learner is ``driftline.{one.name}``.",
        parameters=one.described(one.names) | {name: options[name] for name in OPTIONS},
        examples="",
    )
    shared = ["bias: bool = True", "scale: Scale = None", labels, "hashing: Hashing | None = None"]
    own = one.declared if "*" in one.declared else [*one.declared, "*"]
    given = ", ".join(["self", *own, *shared, "dtype: Dtype = 'float64'", "class_weight: ClassWeight = None"])
    passed = ", ".join([*(each.passed for each in one.parameters), *(f"{name}={name}" for name in OPTIONS)])
    return (
        f"class {one.name}({_base(one)}):\n{doc.source()}\n\n"
        f"    def __init__({given}) -> None:\n"
        f"        super().__init__(learners.{one.name}({passed}))"
    )
