"""Streams of examples: drifting synthetic streams, and files (``read``).

Synthetic streams are seeded and repeatable, come in blocks, and need constant memory:

==========================  ======================================================================
`DriftingMixtures`          two Gaussian mixtures whose means take a small step every few trials
`SwitchingMixtures`         the same mixtures, with all means redrawn at regular intervals
`RotatingHyperplane`        a linear target that rotates by a fixed angle every round
`SwitchingHyperplane`       a linear target that is redrawn at regular intervals
`SEA`                       x1 + x2 <= theta with four thresholds in turn
`MovingChessboard`          the cells of a chessboard that turns and shifts
`RotatingBananas`           two interleaved bananas that turn about their common centre
`MovingCentres`             several classes of Gaussians whose centres move at a constant speed
`SwitchingTrees`            several classes by a random tree that is redrawn at regular intervals
`LED`                       ten digits of a display, with attributes that change places
`FourPhase`                 a labelled data set, sampled by a schedule of class probabilities
==========================  ======================================================================

A stream may be iterated any number of times, each time from its start. It yields blocks
``(X, y)``: X is float64, C-contiguous, one example per row (`FourPhase` over a CSR matrix yields
CSR). With two classes, y is float64 and holds -1.0 and +1.0. With k > 2 classes (`MovingCentres`,
`SwitchingTrees`, `LED`), y is int64 and holds 0 to k - 1. ``n`` is the number of examples, or None
for an endless stream. ``block`` is the number of rows per block; the examples do not depend on it.
``seed`` determines every example.

Two streams that differ only in n agree on their common prefix. There are two exceptions: `SEA`
without ``every`` divides n among its concepts, and the length of `FourPhase` is that of its
schedule.

>>> from driftline.streams import SwitchingHyperplane
>>> stream = SwitchingHyperplane(n=2500, d=5, seed=7)
>>> [X.shape for X, y in stream]
[(1000, 5), (1000, 5), (500, 5)]
>>> len(stream)
2500

Take as many blocks of an endless stream as you need:

>>> from itertools import islice
>>> sum(len(y) for X, y in islice(SwitchingHyperplane(n=None, block=100), 30))
3000

The same seed gives the same stream under the same version of numpy. Other versions of numpy may
have different generators.
"""

from driftline.streams.files import FileStream, ReadError, read
from driftline.streams.schema.recipe import Recipe
from driftline.streams.synthetic.bananas import RotatingBananas
from driftline.streams.synthetic.centres import MovingCentres
from driftline.streams.synthetic.chessboard import MovingChessboard
from driftline.streams.synthetic.four_phase import FourPhase
from driftline.streams.synthetic.hyperplanes import RotatingHyperplane, SwitchingHyperplane
from driftline.streams.synthetic.led import LED
from driftline.streams.synthetic.mixtures import DriftingMixtures, SwitchingMixtures
from driftline.streams.synthetic.sea import SEA
from driftline.streams.synthetic.stream import Stream
from driftline.streams.synthetic.trees import SwitchingTrees

__all__ = [
    "LED",
    "SEA",
    "DriftingMixtures",
    "FileStream",
    "FourPhase",
    "MovingCentres",
    "MovingChessboard",
    "ReadError",
    "Recipe",
    "RotatingBananas",
    "RotatingHyperplane",
    "Stream",
    "SwitchingHyperplane",
    "SwitchingMixtures",
    "SwitchingTrees",
    "read",
]
