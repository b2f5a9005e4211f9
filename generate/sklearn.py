"""``driftline.sklearn``: classifiers and regressors, one for each learner with feature weights."""

from __future__ import annotations

from dataclasses import replace

from generate.source import LearnerSource, documented, header, import_lines

OPTIONS = ("bias", "scale", "dtype", "max_iter", "shuffle", "random_state")


def classifiers(wrapped: list[LearnerSource]) -> str:
    """The source of ``driftline.sklearn.estimators``."""
    bases = [("online", "_OnlineClassifier"), ("multiclass", "_MulticlassClassifier")]
    classes = [_classifier(one) for one in wrapped]
    return _module("The online classifiers of ``driftline.sklearn``, one for each learner.", wrapped, bases, classes)


def regressors(wrapped: list[LearnerSource]) -> str:
    """The source of ``driftline.sklearn.regressors``."""
    bases = [("online_regressor", "_OnlineRegressor")]
    classes = [_class(one, one.regressor, "_OnlineRegressor", _options()) for one in wrapped]
    return _module("The online regressors of ``driftline.sklearn``, one for each learner.", wrapped, bases, classes)


def _module(title: str, wrapped: list[LearnerSource], bases: list[tuple[str, str]], classes: list[str]) -> str:
    imports = import_lines(
        [
            *((module, name) for one in wrapped for name, module in one.imports.items()),
            *(("dataclasses", "KW_ONLY") for one in wrapped if "*" in one.declared),
            ("dataclasses", "dataclass"),
            ("typing", "ClassVar"),
            ("driftline", "learners"),
            ("driftline.learners", "Learner"),
            *((f"driftline.sklearn.{module}", name) for module, name in bases),
        ]
    )
    first = header("driftline/rules/registry.py", "driftline/learners")
    return "\n\n".join([first, f'"""{title}"""', f"from __future__ import annotations\n\n{imports}", *classes])


def _options() -> dict[str, str]:
    """The entries of the parameters that all estimators have."""
    options = documented("sklearn/online_estimator.py", "_OnlineEstimator")
    return {name: options[name] for name in OPTIONS}


def _classifier(one: LearnerSource) -> str:
    weight = documented("sklearn/online.py", "_OnlineClassifier")
    base = "_MulticlassClassifier" if one.rule.several else "_OnlineClassifier"
    return _class(one, f"{one.name}Classifier", base, _options() | weight)


def _class(one: LearnerSource, name: str, base: str, options: dict[str, str]) -> str:
    doc = replace(
        one.doc,
        lead=f"{one.doc.lead}\n\nThe learner is ``driftline.{one.name}``.",
        parameters=one.described(one.names) | options,
        examples="",
    )
    lines = [f"learner: ClassVar[type[Learner]] = learners.{one.name}"]
    if one.rule.needs_scaling and not one.rule.regresses:
        lines.append("poor_score: ClassVar[bool] = True")
    lines += ["_: KW_ONLY" if line == "*" else line for line in one.declared]
    body = "\n".join(f"    {line}" for line in lines)
    return f"@dataclass(repr=False, eq=False)\nclass {name}({base}):\n{doc.source()}\n\n{body}"
