"""Work on several machines with Ray: sweeps, parameter mixing and keyed learners.

The rest of the library does not import this package. The functions use the Ray that the program
has started. If there is none, they start Ray on this machine, and stop it at the end; with the
environment variable RAY_ADDRESS they connect to that cluster.
"""

# this import comes first: without Ray its error says what to install
from driftline.scale import cluster as cluster
from driftline.scale.keyed import Keyed
from driftline.scale.sweep import sweep

__all__ = ["Keyed", "sweep"]
