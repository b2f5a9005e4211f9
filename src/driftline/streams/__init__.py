"""Synthetic streams whose right answer changes: seeded, repeatable, in blocks, of constant memory.

==========================  =========================================================================
`DriftingMixtures`          two Gaussian mixtures whose means take a small step every few trials
`SwitchingMixtures`         the same, but all means are drawn anew from time to time
`RotatingHyperplane`        a linear target that turns by a fixed angle every round
`SwitchingHyperplane`       a linear target that is drawn anew from time to time
`SEA`                       x1 + x2 <= theta with four thresholds in turn
`FourPhase`                 a labelled data set, drawn by a schedule of class probabilities
==========================  =========================================================================

A stream is iterated as often as wanted, each time from its start, and yields blocks ``(X, y)``: X is
float64, C-contiguous, one example a row (`FourPhase` over a CSR matrix yields CSR); y is float64 and holds
-1.0 and +1.0. ``n`` is the number of examples, None for no end; ``block`` the rows of a block, on which the
examples do not depend; ``seed`` fixes everything. With another n the shorter stream is the beginning of the
longer one (but for `SEA` without ``every``, whose concepts share n among themselves, and `FourPhase`, whose
length is its schedule's).

>>> from driftline.streams import SwitchingHyperplane
>>> stream = SwitchingHyperplane(n=2500, d=5, seed=7)
>>> [X.shape for X, y in stream]
[(1000, 5), (1000, 5), (500, 5)]
>>> len(stream)
2500

An endless stream is cut by the reader:

>>> from itertools import islice
>>> sum(len(y) for X, y in islice(SwitchingHyperplane(n=None, block=100), 30))
3000

The same seed gives the same stream with one version of numpy; numpy may change its generators between
versions.
"""

from driftline.streams.files import FileStream, ReadError, read
from driftline.streams.synthetic.four_phase import FourPhase
from driftline.streams.synthetic.hyperplanes import RotatingHyperplane, SwitchingHyperplane
from driftline.streams.synthetic.mixtures import DriftingMixtures, SwitchingMixtures
from driftline.streams.synthetic.sea import SEA
from driftline.streams.synthetic.stream import Stream

__all__ = [
    "SEA",
    "DriftingMixtures",
    "FileStream",
    "FourPhase",
    "ReadError",
    "RotatingHyperplane",
    "Stream",
    "SwitchingHyperplane",
    "SwitchingMixtures",
    "read",
]
