"""``driftline info``: versions, compiled code and processor."""

from __future__ import annotations

from typing import Any


def info(*, json: bool = False) -> int:
    """Print versions, whether compiled code of the installed package is used, and the cache folder.

    A wheel may contain compiled code. It is used if Python, numba, llvmlite and the sources are those
    of its build, and if the processor has the features that it needs. Otherwise functions are
    compiled when they are first called, and stored in the cache folder.

    Parameters
    ----------
    json
        Print the result as JSON.
    """
    import json as as_json

    facts = _facts()
    print(as_json.dumps(facts) if json else "\n".join(f"{name}: {_text(value)}" for name, value in facts.items()))
    return 0


def _facts() -> dict[str, Any]:
    """Return what is printed, as JSON values."""
    import platform

    import numpy as np
    from llvmlite import binding

    from driftline.internals.compiled import INTERPRETED
    from driftline.internals.packaged_code import features_of_processor, versions
    from driftline.version import __version__

    own = versions()
    return {
        "driftline": __version__,
        "python": platform.python_version(),
        "numba": own["numba"],
        "llvmlite": own["llvmlite"],
        "numpy": np.__version__,
        "platform": own["platform"],
        **({"packaged code": "not used: NUMBA_DISABLE_JIT is set"} if INTERPRETED else _compiled_code()),
        "processor": binding.get_host_cpu_name(),
        "features": sorted(features_of_processor()),
    }


def _compiled_code() -> dict[str, Any]:
    """Return where compiled code comes from."""
    from driftline.engines.linear import euclidean
    from driftline.internals.code_cache import folder_cache
    from driftline.internals.compiled import BOUNDS_CHECKED, source_stamps
    from driftline.internals.packaged_code import Archive, archive_or_reason, changed_folders

    found = archive_or_reason()
    if isinstance(found, Archive):
        used = f"used: {len(found)} functions for {found.baseline['cpu']}"
        changed = changed_folders(source_stamps())
        if BOUNDS_CHECKED:
            used = "not used: NUMBA_BOUNDSCHECK is set"
        elif changed:
            used += f"; not used in {', '.join(changed)}, where the sources are not those of the build"
    else:
        used = f"not used: {found}"
    sample: Any = euclidean.learn
    return {"packaged code": used, "cache folder": folder_cache(sample.py_func, None).cache_path or "none"}


def _text(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value)
