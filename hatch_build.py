"""Puts compiled code into the wheel, if DRIFTLINE_COMPILED names its folder. ``make wheel`` sets it.

Without it the wheel is pure Python, as before. With it the wheel is for one Python version and one
platform. The code is no shared library and links to no version of the C library, so any Linux for
which this tag allows wheels can use it. Where it cannot be used, driftline compiles.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("index.json", "code.bin")


def tag() -> str:
    """The tag of a wheel with code for this Python on this platform."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if sys.platform == "linux":
        system = f"manylinux_2_17_{platform.machine()}"
    return f"{python}-{python}-{system}"


class CompiledCode(BuildHookInterface):  # type: ignore[misc]
    """Adds the two files to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds."""
        folder = os.environ.get("DRIFTLINE_COMPILED")
        if not folder or version != "standard":  # an editable install reads the sources
            return
        for name in FILES:
            build_data["force_include"][str(Path(folder) / name)] = f"driftline/compiled/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = tag()
