"""The imports and ``__all__`` of packages, inside files that are otherwise written by hand."""

from __future__ import annotations

from generate.source import END, LearnerSource, header, import_lines, with_block

FIRST = header("driftline/rules/registry.py")


def of_rules(every: list[LearnerSource]) -> str:
    """The rule of each learner."""
    imports = import_lines((one.rule.__module__, one.name) for one in every)
    return _written("src/driftline/rules/__init__.py", f"{imports}\n\n{_all([one.name for one in every])}")


def of_learners(every: list[LearnerSource]) -> str:
    """The learners, and the registry of them."""
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
    """The learners, which are imported when they are first used."""
    names = [one.name for one in every]
    block = f"if TYPE_CHECKING:\n    from driftline.learners import {', '.join(names)}\n\n{_all(names)}"
    return _written("src/driftline/__init__.py", block)


def of_sklearn(wrapped: list[LearnerSource]) -> str:
    """The generated classifiers."""
    return _reexported("sklearn", "estimators", [f"{one.name}Classifier" for one in wrapped])


def of_river(wrapped: list[LearnerSource]) -> str:
    """The generated wrappers."""
    return _reexported("river", "wrappers", [one.name for one in wrapped])


def _reexported(package: str, module: str, names: list[str]) -> str:
    imports = import_lines((f"driftline.{package}.{module}", name) for name in names)
    return _written(f"src/driftline/{package}/__init__.py", f"{imports}\n\n{_all(names)}")


def _all(names: list[str]) -> str:
    return f"__all__ += [{', '.join(repr(name) for name in names)}]"


def _written(path: str, block: str) -> str:
    return with_block(path, block, FIRST, END)
