"""The pages of the learners: one for each, grouped by the family of its rule."""

from __future__ import annotations

from generate.learners_page import row
from generate.source import LearnerSource, learners_of_the_registry

FAMILIES = {
    "tracker": "Nothing to tune",
    "linear": "Linear rules",
    "second_order": "Second-order rules",
    "multiplicative": "Multiplicative rules",
    "kernel": "Kernels and products of features",
    "multiclass": "Several classes",
    "regression": "Regression",
    "experts": "Experts",
    "consistent": "Consistent hypotheses",
    "composed": "Learners made of learners",
}


def pages() -> dict[str, str]:
    """The text of each page, by its path."""
    every = learners_of_the_registry()
    found = {"learners/index.md": _index(every)}
    for one in every:
        found[f"learners/{one.name.lower()}.md"] = _page(one)
    return found


def _index(every: list[LearnerSource]) -> str:
    parts = [
        "# Learners\n\nEvery learner, by the kind of its rule. [Which learner](../guide/choosing.md) says when to use "
        "which. All of them have the methods of [`Learner`](../reference/learner.md). [Rules, theorems, oracles and "
        "tests](../learners.md) links each learner to its files.\n"
    ]
    for family, title in FAMILIES.items():
        of_family = [one for one in every if one.family == family]
        rows = "\n".join(
            f"| [{one.name}]({one.name.lower()}.md) | {_summary(one)} | {one.rule.paper} |" for one in of_family
        )
        parts.append(f"## {title}\n\n| learner | the idea | paper |\n|---|---|---|\n{rows}\n")
    known = {one.family for one in every}
    if known != set(FAMILIES):
        raise ValueError(f"generate.site.learners: every family must have a title, missing: {known - set(FAMILIES)}")
    names = "\n".join(f"{one.name.lower()}" for family in FAMILIES for one in every if one.family == family)
    return "\n".join(parts) + f"\n```{{toctree}}\n:hidden:\n\n{names}\n../learners\n```\n"


def _summary(one: LearnerSource) -> str:
    return one.doc.summary.replace("``", "`").removesuffix(".").replace("|", "\\|")


def _page(one: LearnerSource) -> str:
    files = row(one.name.lower())
    theorems = ", ".join(f"[{name}](../bounds/{name}.md)" for name in files.bounds) or files.no_bound
    return (
        f"# {one.name}\n\n"
        f"Paper: {one.rule.paper or 'none'}. Theorems: {theorems}.\n\n"
        "Methods that are not listed here are those of [`Learner`](../reference/learner.md).\n\n"
        f"```{{eval-rst}}\n.. autoclass:: driftline.{one.name}\n   :members:\n   :inherited-members: Learner\n"
        f"   :exclude-members: {', '.join(_of_learner())}\n```\n"
    )


def _of_learner() -> list[str]:
    """The public attributes of ``Learner``."""
    import driftline as dl

    return [name for name in dir(dl.Learner) if not name.startswith("_")]
