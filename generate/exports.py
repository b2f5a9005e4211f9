"""The generated imports and ``__all__`` in the ``__init__`` files of packages."""

from __future__ import annotations

from generate.source import END, LearnerSource, header, import_lines, with_block

FIRST = header("driftline/rules/registry.py")


def of_rules(every: list[LearnerSource]) -> str:
    """The exports of ``driftline.rules``: the rule of each learner."""
    imports = import_lines((one.rule.__module__, one.name) for one in every)
    return _written("src/driftline/rules/__init__.py", f"{imports}\n\n{_all([one.name for one in every])}")


def of_learners(every: list[LearnerSource]) -> str:
    """The exports of ``driftline.learners``, and the registry."""
    imports = import_lines((one.module, one.name) for one in every)
    classes = ", ".join(one.name for one in every)
    registry = (
        "REGISTRY: dict[str, type[Learner]] = "
        f"{{learner.__name__.lower(): learner for learner in ({classes},)}}\n"
        '"""Every learner by its name in lower case."""'
    )
    block = f"{imports}\n\n{registry}\n\n{_all([one.name for one in every])}"
    return _written("src/driftline/learners/__init__.py", block)


def of_driftline(every: list[LearnerSource]) -> str:
    """The exports of ``driftline``; learners are imported on first use."""
    names = [one.name for one in every]
    block = f"if TYPE_CHECKING:\n    from driftline.learners import {', '.join(names)}\n\n{_all(names)}"
    return _written("src/driftline/__init__.py", block)


def of_sklearn(classifiers: list[LearnerSource], regressors: list[LearnerSource]) -> str:
    """The exports of ``driftline.sklearn``."""
    return _reexported("sklearn", {"estimators": [f"{one.name}Classifier" for one in classifiers]}, regressors)


def of_river(classifiers: list[LearnerSource], regressors: list[LearnerSource]) -> str:
    """The exports of ``driftline.river``."""
    return _reexported("river", {"wrappers": [one.name for one in classifiers]}, regressors)


def _reexported(package: str, modules: dict[str, list[str]], regressors: list[LearnerSource]) -> str:
    modules = modules | {"regressors": [one.regressor for one in regressors]}
    pairs = [(f"driftline.{package}.{module}", name) for module, names in modules.items() for name in names]
    block = f"{import_lines(pairs)}\n\n{_all([name for _, name in pairs])}"
    return _written(f"src/driftline/{package}/__init__.py", block)


def _all(names: list[str]) -> str:
    return f"__all__ += [{', '.join(repr(name) for name in names)}]"


def _written(path: str, block: str) -> str:
    return with_block(path, block, FIRST, END)
