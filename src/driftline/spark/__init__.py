"""Score Spark frames with saved models, and train a learner for each key of them.

The rest of the library does not import this package. It needs ``pip install "driftline[spark]"``
on all machines, and Java 17.
"""

try:
    import pyspark as pyspark
except ImportError as error:
    raise ImportError(f'driftline.spark needs Spark: pip install "driftline[spark]" ({error})') from None

from driftline.spark.keyed import train_keyed
from driftline.spark.scoring import score

__all__ = ["score", "train_keyed"]
