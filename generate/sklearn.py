"""``driftline.sklearn.estimators``: a classifier for each learner with feature weights."""

from __future__ import annotations

from dataclasses import replace

from generate.source import LearnerSource, documented, header, import_lines

OPTIONS = ("bias", "scale", "dtype", "class_weight", "max_iter", "shuffle", "random_state")


def module(wrapped: list[LearnerSource]) -> str:
    """The source of the module."""
    names = [(module, name) for one in wrapped for name, module in one.imports.items()]
    imports = import_lines(
        [
            *names,
            ("dataclasses", "KW_ONLY"),
            ("dataclasses", "dataclass"),
            ("typing", "ClassVar"),
            ("driftline", "learners"),
            ("driftline.learners", "Learner"),
            ("driftline.sklearn.multiclass", "_MulticlassClassifier"),
            ("driftline.sklearn.online", "_OnlineClassifier"),
        ]
    )
    return "\n\n".join(
        [
            header("driftline/rules/registry.py", "driftline/learners"),
            '"""The online classifiers of ``driftline.sklearn``, one for each learner."""',
            f"from __future__ import annotations\n\n{imports}",
            *(_class(one) for one in wrapped),
        ]
    )


def _class(one: LearnerSource) -> str:
    options = documented("sklearn/online.py", "_OnlineClassifier")
    doc = replace(
        one.doc,
        lead=f"{one.doc.lead}\n\nThe learner is ``driftline.{one.name}``.",
        parameters=one.described(one.names) | {name: options[name] for name in OPTIONS},
        examples="",
    )
    base = "_MulticlassClassifier" if one.rule.several else "_OnlineClassifier"
    lines = [f"learner: ClassVar[type[Learner]] = learners.{one.name}"]
    if one.rule.needs_scaling:
        lines.append("poor_score: ClassVar[bool] = True")
    lines += ["_: KW_ONLY" if line == "*" else line for line in one.declared]
    body = "\n".join(f"    {line}" for line in lines)
    return f"@dataclass(repr=False, eq=False)\nclass {one.name}Classifier({base}):\n{doc.source()}\n\n{body}"
