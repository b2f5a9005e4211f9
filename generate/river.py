"""``driftline.river``: classifiers and regressors, one for each learner with feature weights."""

from __future__ import annotations

from dataclasses import replace

from generate.source import LearnerSource, documented, header, import_lines

OPTIONS = {
    "bias": "bias: bool = True",
    "scale": "scale: Scale = None",
    "labels": "labels: Pair = BOOLS",
    "hashing": "hashing: Hashing | None = None",
    "dtype": "dtype: Dtype = 'float64'",
    "class_weight": "class_weight: ClassWeight = None",
}
OF_LABELS = ("labels", "class_weight")


def classifiers(wrapped: list[LearnerSource]) -> str:
    """The source of ``driftline.river.wrappers``."""
    shared = ("BOOLS", "ClassWeight", "Pair", "RiverClassifier", "RiverMulticlass", "Several")
    double = ("RiverDouble", "RiverPositive", "RiverSecondOrder")
    names = [*(("classifier", name) for name in shared), *(("float64_only", name) for name in double)]
    classes = [_classifier(one) for one in wrapped]
    return _module("The river classifiers of ``driftline.river``, one for each learner.", wrapped, names, classes)


def regressors(wrapped: list[LearnerSource]) -> str:
    """The source of ``driftline.river.regressors``."""
    options = {name: text for name, text in OPTIONS.items() if name not in OF_LABELS}
    described = documented("river/learner_wrapper.py", "RiverLearner")
    classes = [_class(one, one.regressor, _regressor_base(one)[1], options, described) for one in wrapped]
    bases = [_regressor_base(one) for one in wrapped]
    return _module("The river regressors of ``driftline.river``, one for each learner.", wrapped, bases, classes)


def _regressor_base(one: LearnerSource) -> tuple[str, str]:
    """The module and the name of the class that suits a rule of regression."""
    return ("regressor", "RiverRegressor") if one.rule.single else ("float64_only", "RiverSecondOrderRegressor")


def _base(one: LearnerSource) -> str:
    """The class that suits a rule of classification."""
    if one.rule.several:
        return "RiverMulticlass"
    if not one.rule.signed:
        return "RiverPositive"
    if one.family == "second_order":
        return "RiverSecondOrder"
    return "RiverClassifier" if one.rule.single else "RiverDouble"


def _classifier(one: LearnerSource) -> str:
    described = documented("river/learner_wrapper.py", "RiverLearner")
    described |= documented("river/classifier.py", "RiverClassifier")
    options = OPTIONS
    if one.rule.several:
        described |= documented("river/classifier.py", "RiverMulticlass")
        options = OPTIONS | {"labels": "labels: Several = None"}
    return _class(one, one.name, _base(one), options, described)


def _module(title: str, wrapped: list[LearnerSource], bases: list[tuple[str, str]], classes: list[str]) -> str:
    imports = import_lines(
        [
            *((module, name) for one in wrapped for name, module in one.imports.items()),
            ("driftline", "learners"),
            ("driftline.encode", "Hashing"),
            *(("driftline.river.learner_wrapper", name) for name in ("Dtype", "Scale")),
            *((f"driftline.river.{module}", name) for module, name in bases),
        ]
    )
    first = header("driftline/rules/registry.py", "driftline/learners")
    return "\n\n".join([first, f'"""{title}"""', f"from __future__ import annotations\n\n{imports}", *classes])


def _class(one: LearnerSource, name: str, base: str, options: dict[str, str], described: dict[str, str]) -> str:
    doc = replace(
        one.doc,
        lead=f"{one.doc.lead}\n\nThe learner is ``driftline.{one.name}``.",
        parameters=one.described(one.names) | {option: described[option] for option in options},
        examples="",
    )
    own = one.declared if "*" in one.declared else [*one.declared, "*"]
    given = ", ".join(["self", *own, *options.values()])
    passed = ", ".join([*(each.passed for each in one.parameters), *(f"{option}={option}" for option in options)])
    return (
        f"class {name}({base}):\n{doc.source()}\n\n"
        f"    def __init__({given}) -> None:\n"
        f"        super().__init__(learners.{one.name}({passed}))"
    )
