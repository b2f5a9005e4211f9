"""Random numbers of the tests are the same in every run, so that a failure is never bad luck."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings

settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fixed")


def pytest_configure(config: Any) -> None:
    """Compile the Tracker before several workers start: see ``support/compile_tracker.py``."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, str(Path(__file__).parent / "support" / "compile_tracker.py")], check=True)


def pytest_runtest_setup() -> None:
    """Set the generators that are shared, as scikit-learn's and river's defaults are, whatever test ran before."""
    random.seed(0)
    np.random.seed(0)
