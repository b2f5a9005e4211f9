"""Work on several machines with Ray: sweeps, parameter mixing and keyed learners.

The rest of the library does not import this package. The functions use the Ray that the program
has started. If there is none, they start Ray on this machine, and stop it at the end; with the
environment variable RAY_ADDRESS they connect to that cluster. Only ``mix`` works without Ray.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from driftline.scale.mixing import Mixed, mix

__all__ = ["Keyed", "Mixed", "mix", "sweep"]

if TYPE_CHECKING or find_spec("ray") is not None:
    from driftline.scale import cluster as cluster
    from driftline.scale.keyed import Keyed
    from driftline.scale.sweep import sweep
else:

    def __getattr__(name: str) -> Any:
        """Say what must be installed for a name that needs Ray."""
        if name in __all__:
            from driftline.scale import cluster  # noqa: F401 - it raises the error

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
