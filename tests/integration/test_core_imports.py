"""Neither the core nor the command line imports an engine or a broker that happens to be installed."""

import subprocess
import sys

CODE = """
import sys
import driftline as dl, driftline.cli.main
dl.sweep([dl.PA1(), dl.AROW()], [({"a": 1.0}, 1), ({"b": 1.0}, 0)])
print(sorted({"ray", "pyspark", "confluent_kafka"} & set(sys.modules)))
"""


def test_the_core_imports_no_engine() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
