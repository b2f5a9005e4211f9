"""The API reference: one page per module, with every public name.

``MODULES`` says which modules are public. The names come from ``__all__``; learners have pages of
their own, and theorems are described on the pages of docs/bounds.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Module:
    """A public module and the title of its page."""

    name: str
    title: str
    omitted: frozenset[str] = frozenset()
    """Names that have a page elsewhere."""

    @property
    def page(self) -> str:
        """The name of the page, without its suffix."""
        return self.name.removeprefix("driftline.").replace(".", "_")

    def load(self) -> ModuleType:
        """The module."""
        return importlib.import_module(self.name)

    def names(self) -> list[str]:
        """The public names on the page."""
        module = self.load()
        return [name for name in public_names(module) if name not in self.omitted]


def public_names(module: ModuleType) -> list[str]:
    """The names in ``__all__``, or the module's own functions and classes."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return list(listed)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and inspect.isroutine(value) and value.__module__ == module.__name__
    ]


def _learner_names() -> frozenset[str]:
    import driftline as dl

    return frozenset(one.__name__ for one in dl.REGISTRY.values())


SUBMODULES = frozenset({"datasets", "drift", "export", "features", "kernels", "regions", "streams"})


def modules() -> list[Module]:
    """Every public module."""
    return [
        Module("driftline", "driftline", _learner_names() | SUBMODULES | {"Learner"}),
        Module("driftline.streams", "Streams and files"),
        Module("driftline.drift", "Drift detectors"),
        Module("driftline.features", "Feature selection"),
        Module("driftline.kernels", "Kernels", frozenset({"Callable"})),
        Module("driftline.regions", "Regions of weights"),
        Module("driftline.export", "Export of weights"),
        Module("driftline.datasets", "Sample data sets"),
        Module("driftline.evaluate", "Results of runs", frozenset(public_names(importlib.import_module("driftline")))),
        Module("driftline.bounds", "Theorems"),
        Module("driftline.sklearn", "scikit-learn estimators"),
        Module("driftline.river", "river estimators"),
        Module("driftline.client", "Clients of the service"),
    ]


def pages() -> dict[str, str]:
    """The text of each page, by its path."""
    found = {f"reference/{module.page}.md": _page(module) for module in modules()}
    return found | {"reference/learner.md": LEARNER, "reference/index.md": _index()}


DATA = {
    "CATALOGUE": "every theorem, by its name.",
    "REGISTRY": "the class of every learner, by its name in lower case.",
}
"""What a public name that is neither a class nor a function is."""

LEARNER = """# Learner

The methods and attributes of every learner. The [learners](../learners/index.md) have pages with their
parameters.

```{eval-rst}
.. autoclass:: driftline.Learner
   :members:
   :inherited-members: object
```
"""


def _index() -> str:
    rows = "\n".join(f"* [`{one.name}`]({one.page}.md): {_first_line(one.load())}" for one in modules())
    names = "\n".join(one.page for one in modules())
    return (
        "# API reference\n\nEvery public name, made from the docstrings. The [learners](../learners/index.md) have a "
        "page each, with their parameters; [Learner](learner.md) has the methods that they share.\n\n"
        f"{rows}\n\n```{{toctree}}\n:hidden:\n\nlearner\n{names}\n```\n"
    )


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0].replace("``", "`")


def _page(module: Module) -> str:
    loaded = module.load()
    parts = [f"# {module.title}\n\n`{module.name}`: {_first_line(loaded)}\n"]
    parts += [_entry(module.name, name, getattr(loaded, name)) for name in module.names()]
    return "\n".join(parts)


def _entry(module: str, name: str, value: object) -> str:
    if inspect.isclass(value):
        directive, options = "autoclass", "   :members:\n"
        if module in ("driftline.sklearn", "driftline.river", "driftline.bounds"):
            options = ""  # their methods are those of the library or of the base class
    elif inspect.isroutine(value):
        directive, options = "autofunction", ""
    else:
        return f"## {name}\n\n`{module}.{name}`: {DATA[name]}\n"
    return f"## {name}\n\n```{{eval-rst}}\n.. {directive}:: {module}.{name}\n{options}```\n"
