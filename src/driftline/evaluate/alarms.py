"""The settings of alarms: which detectors watch a run."""

from __future__ import annotations

from driftline.drift import ADWIN, CUSUM, Detector, InputMonitor, LabelShares
from driftline.drift.detector import check_delta
from driftline.internals.require import require, whole

FEATURES = 64
KINDS = {"adwin": ADWIN, "cusum": CUSUM}


class Alarms:
    """Which detectors watch a run.

    The error is that of the predicted labels before they are learned; only a rise is an alarm. The
    inputs and the shares of the labels are watched for any change. For a regressor, the share of
    absolute errors above the median of the first 500 is watched instead of the error, and the share
    of targets above their first median instead of the labels.

    ``delta`` is divided equally among the parts that are on. If the examples are independent draws
    from one distribution and the error does not rise, the probability of an alarm within n examples
    is at most n * delta: with the default, at most one false alarm in a million examples. Streams
    with a daily rhythm or a trend have more alarms.

    Parameters
    ----------
    error : {"adwin", "cusum"}, Detector or None, default="adwin"
        The detector of the error: its name, or a new detector such as
        ``dl.drift.CUSUM(baseline=0.05)``, which has its own delta. None does not watch the error.
    inputs : bool or int, default=True
        Whether the inputs are watched; or the most features that are watched, from 1 to 1,024. True
        watches 64: those that are present most often in the first 500 examples.
    shares : bool, default=True
        Whether the share of each label, or the targets of a regressor, are watched.
    delta : float, default=1e-6
        The false alarms per example: > 0, at most 0.01.

    Examples
    --------
    >>> import driftline as dl
    >>> stream = [({"a": k % 7, "b": 1.0}, k % 7 > 3) for k in range(4000)]
    >>> stream += [({"a": k % 7, "b": 1.0}, k % 5 > 3) for k in range(1000)]
    >>> run = dl.run(dl.PA1(), stream, alarms=dl.Alarms(inputs=False, shares=False))
    >>> print(run.alarms[0])
    example 4,032: the error rose from 0.027 % to 46.9 %
    """

    def __init__(
        self,
        error: str | Detector | None = "adwin",
        inputs: bool | int = True,
        shares: bool = True,
        delta: float = 1e-6,
    ) -> None:
        check_delta("Alarms", delta)
        known = error is None or isinstance(error, Detector) or (isinstance(error, str) and error in KINDS)
        require(known, "Alarms", "error must be 'adwin', 'cusum', a detector or None", error)
        require(not isinstance(error, Detector) or not error.n_seen, "Alarms", "error must be a new detector", error)
        if not isinstance(inputs, bool):
            whole("Alarms", "inputs", inputs, 1, 1024)
        require(isinstance(shares, bool), "Alarms", "shares must be True or False", shares)
        require(error is not None or bool(inputs) or shares, "Alarms", "error, inputs or shares must be on", "none")
        self.error = error
        self.inputs = inputs
        self.shares = shares
        self.delta = float(delta)

    def __repr__(self) -> str:
        return f"Alarms(error={self.error!r}, inputs={self.inputs!r}, shares={self.shares!r}, delta={self.delta!r})"

    def detectors(self) -> tuple[Detector | None, InputMonitor | None, LabelShares | None]:
        """New detectors of the error, the inputs and the shares; None for what is not watched."""
        parts = isinstance(self.error, str) + bool(self.inputs) + self.shares
        delta = self.delta / max(1, parts)
        error = self.error.copy() if isinstance(self.error, Detector) else None
        if isinstance(self.error, str):
            error = KINDS[self.error](delta)
        features = FEATURES if self.inputs is True else int(self.inputs)
        inputs = InputMonitor(features, delta) if self.inputs else None
        return error, inputs, LabelShares(delta) if self.shares else None


def alarms_of(where: str, alarms: object) -> Alarms | None:
    """The settings for a parameter ``alarms``: True, False, None or ``Alarms``."""
    if alarms is None or alarms is False:
        return None
    require(alarms is True or isinstance(alarms, Alarms), where, "alarms must be True, False or dl.Alarms(...)", alarms)
    return alarms if isinstance(alarms, Alarms) else Alarms()
