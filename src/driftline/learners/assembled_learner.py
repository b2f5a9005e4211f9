"""The parts of a learner: encoder, labels, scaler and engine; and the state that they have learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from driftline.encode import Classes, Encoder, Hashing, Labels, Targets
from driftline.encode.class_weights import ClassWeights
from driftline.encode.faults import LONGEST, LONGEST_32
from driftline.encode.features import BIAS_NAME
from driftline.engines import engine_for
from driftline.engines.calibration.recent_rounds import RecentRounds
from driftline.engines.engine import Engine
from driftline.engines.state import (
    FIRST,
    INFEASIBLES,
    LABEL_ERRORS,
    MARGIN_ERRORS,
    MISTAKES,
    SEEN,
    UPDATES,
    trial_rows,
)
from driftline.internals.compiled import Floats
from driftline.internals.one_call import Shared, whole_call
from driftline.internals.require import require, whole
from driftline.internals.rows import SparseRows
from driftline.internals.writable import writable
from driftline.learners.options import RULE_DEFAULT, ClassWeight, Options, Scale, parameter_names, scaler_of
from driftline.rules import RandomFourier, Rule
from driftline.rules.kernel.random_fourier import Waves

if TYPE_CHECKING:
    from driftline.streams.schema.recipe import Recipe


class AssembledLearner(Shared):
    """A learner that is put together but can neither learn nor score yet. See ``Learner``."""

    recipe: Recipe | None = None
    """How the records of files became examples; None if the learner has not learned from files.

    ``driftline.run`` sets it. Copies, pickles and model files keep it.
    """
    _class_weights: ClassWeights | None = None
    """The weights of the classes; None if all are 1."""
    _row_buffer: SparseRows | None = None
    """The buffer for which the row calls are prepared."""
    _recent: RecentRounds | None = None
    """The recent rounds of two labels, from which probabilities are computed; None if the engine does that."""
    _uncopied = (*Shared._uncopied, "_learn_row_call", "_score_row_call", "_row_buffer")

    def __init__(
        self,
        rule: Rule,
        *,
        bias: bool = RULE_DEFAULT,
        scale: Scale = None,
        labels: tuple[Any, ...] | None = None,
        hashing: Hashing | None = None,
        dtype: Literal["float64", "float32"] = "float64",
        class_weight: ClassWeight = None,
        **unknown: object,
    ) -> None:
        where = type(self).__name__
        if unknown:
            has = ", ".join(parameter_names(type(self), rule.regresses))
            raise TypeError(f"{where}() got an unexpected keyword argument {next(iter(unknown))!r}. It has {has}")
        bias = rule.biased if bias is RULE_DEFAULT else bias
        require(isinstance(bias, bool), where, "bias must be True or False", bias)
        what = "bias must be False: this learner has no constant feature"
        require(rule.biased or not bias, where, what, bias, "Leave it out")
        known = scale is None or isinstance(scale, RandomFourier)
        known = known or (isinstance(scale, str) and scale in ("unit", "standard"))
        require(known, where, "scale must be None, 'unit', 'standard' or a RandomFourier", scale)
        kept = rule.signed or scale is None or scale == "unit"
        require(kept, where, "scale must be None or 'unit': features must not become negative", scale)
        require(
            hashing is None or isinstance(hashing, Hashing),
            where,
            "hashing must be None or a Hashing",
            hashing,
        )
        require(str(dtype) in ("float64", "float32"), where, "dtype must be 'float64' or 'float32'", dtype)
        remedy = "Leave it out, or use a learner that supports float32, such as PA1"
        require(rule.single or str(dtype) == "float64", where, "dtype must be 'float64'", dtype, remedy)
        if rule.regresses:
            what = "must be None: targets are real numbers"
            require(labels is None, where, f"labels {what}", labels, "Leave it out, or use a classifier")
            require(class_weight is None, where, f"class_weight {what}", class_weight, "Pass sample weights instead")
        if class_weight is not None:
            self._class_weights = ClassWeights(where, class_weight)
            class_weight = self._class_weights.given or "balanced"
        self.rule = rule
        self.options = Options(
            bias=bias, scale=scale, labels=labels, hashing=hashing, dtype=dtype, class_weight=class_weight
        )
        longest: float | None = LONGEST if dtype == "float64" else LONGEST_32
        if rule.takes_missing and scale is None:
            longest = None
        self._encoder = Encoder(where, hashing, math.inf if scale == "unit" else longest)
        self._encoder.clips = not isinstance(scale, RandomFourier)
        self._labels = self._new_labels(labels)
        if self._class_weights is not None and labels is not None:
            self._class_weights.check_declared(self._labels)
        self._scaler = scaler_of(scale, bias)
        constant = 0.0 if not bias else math.sqrt(0.5) if scale == "unit" else 1.0
        self._engine = engine_for(rule, constant, np.dtype(dtype))
        self._engine.reserve(self._width)
        uncalibrated = rule.several or rule.regresses or self._engine.calibrates
        self._recent = None if uncalibrated else RecentRounds()
        # the engine never stops within checked rows, so no snapshot is needed to undo them
        self._never_stops = scale is None and not rule.refuses
        # dicts skip the checks of values, because the engine finds bad values itself
        self._skips_checks = self._may_skip_checks(self._engine)
        # dicts are scored before their values are checked, because the score shows bad values
        self._scores_first = scale is None and not _hides_bad_values(self._engine)
        self._single_round = np.ones((trial_rows(rule.several), 1))
        self._score_buffer = np.zeros(1)
        self._busy = False

    def _new_labels(self, declared: tuple[Any, ...] | None) -> Labels:
        """The labels or targets of a new learner."""
        where = type(self).__name__
        if self.rule.regresses:
            return Targets(where)
        return Classes(where, declared) if self.rule.several else Labels(where, declared)

    # copies and pickles ------------------------------------------------------------------------
    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(writable(state))

    @property
    def kind(self) -> str:
        """The name of the kind of learner: the name of its class."""
        return type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the rule: name to value."""
        return {one.name: getattr(self.rule, one.name) for one in fields(self.rule)}

    def __repr__(self) -> str:
        given = self.parameters
        plain = Options(
            bias=self.rule.biased, scale=None, labels=None, hashing=None, dtype="float64", class_weight=None
        )
        given |= {name: value for name, value in self.options.items() if value != plain.get(name)}
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _repr_html_(self) -> str:
        """The view of a notebook."""
        from driftline.report.notebook.views import learner_view  # a higher layer, imported late

        return learner_view(self)

    def _may_skip_checks(self, engine: Engine) -> bool:
        """Whether rows reach the engine as they are, it finds bad values itself, and labels have no weights."""
        plain = self.options["scale"] is None and self.options["dtype"] == "float64"
        return plain and engine.finds_bad_values and self._class_weights is None

    def _prepare_row_calls(self, rows: SparseRows) -> None:
        """Prepare the calls that learn and score the dict in the row buffer of the encoder."""
        self._reserve()
        if self._recent is not None:
            self._recent.settle()
        self._learn_row_call = self._engine.learner_of(rows, self._single_round, self._recent)
        self._score_row_call = self._engine.scorer_of(rows)
        self._row_buffer = rows

    def _reserve(self) -> None:
        """Make the engine large enough for all known features."""
        self._row_buffer = None
        try:
            self._engine.reserve(self._encoder.features if self._scaler is None else self._width)
        except MemoryError:
            raise ValueError(
                f"{self._encoder.where}: the weights must fit into memory, got {self._encoder.features} features. "
                "Set hashing=Hashing()"
            ) from None

    # learned state -----------------------------------------------------------------------------
    @whole_call
    def weights(self) -> dict[Any, Any]:
        """The weights that are not 0.

        Returns
        -------
        dict
            Feature to weight; with several classes, label to such a dict. A feature is a name, a
            column number or a hashed index; the constant feature is "(bias)". With
            ``scale=RandomFourier(n)`` the features are the random ones, numbered 0 to n - 1.
        """
        return self._weights()

    def _weights(self) -> dict[Any, Any]:
        return self._by_name(self._engine.weights())

    def _by_name(self, weights: Floats) -> dict[Any, float]:
        """The non-zero entries of an array laid out like ``engine.v``, by feature."""
        w = weights[: FIRST + self._width]
        names = self._names()
        known: dict[Any, float] = {BIAS_NAME: float(w[0])} if w[0] != 0.0 else {}
        for index in np.flatnonzero(w[FIRST:]).tolist():
            known[names[index]] = float(w[FIRST + index])
        return known

    def _names(self) -> Sequence[Any]:
        """The feature of each weight, without the constant one."""
        encoder = self._encoder
        named = (encoder.named or encoder.hashed) and not isinstance(self._scaler, Waves)
        return encoder.names.names() if named else range(self._width)

    @property
    def _width(self) -> int:
        """The number of features of the engine: the known ones, or those of RandomFourier."""
        return self._scaler.width if isinstance(self._scaler, Waves) else self._encoder.features

    @whole_call
    def largest(self, k: int) -> list[tuple[Any, float]]:
        """The k weights with the largest absolute values.

        Parameters
        ----------
        k
            The number of weights, at least 1.

        Returns
        -------
        list of (feature, float)
            Features, as in ``weights`` (with several classes "label: feature"), and weights; the
            largest absolute value first. Of two equal weights, the feature that appeared first
            comes first.

        >>> import driftline as dl
        >>> learner = dl.PA(bias=False)
        >>> _ = learner.learn_one({"a": 0.6, "b": -0.8}, True)
        >>> learner.largest(1)
        [('b', -0.8)]
        """
        whole(f"{type(self).__name__}.largest", "k", k, 1)
        return self._largest(k)

    def _largest(self, k: int) -> list[tuple[Any, float]]:
        return self._largest_of(self._engine.weights(), k)

    def _largest_of(self, weights: Floats, k: int) -> list[tuple[Any, float]]:
        """``largest`` for an array laid out like ``engine.v``."""
        w = weights[: FIRST + self._width]
        found = np.flatnonzero(w)
        size = np.abs(w[found])
        if found.size > k:
            least = np.partition(size, -k)[-k]
            chosen = np.concatenate([np.flatnonzero(size > least), np.flatnonzero(size == least)])[:k]
            found, size = found[chosen], size[chosen]
        ranked = found[np.lexsort((found, -size))].tolist()
        names = self._names()
        return [(BIAS_NAME if index == 0 else names[index - FIRST], float(w[index])) for index in ranked]

    @property
    @whole_call
    def labels(self) -> tuple[Any, ...]:
        """The labels known so far: negative, positive; several classes in order of appearance.

        A regressor has none.
        """
        return self._labels.known()

    @property
    @whole_call
    def n_features(self) -> int:
        """The number of known features, without the constant one."""
        return self._encoder.features

    @property
    @whole_call
    def n_seen(self) -> int:
        """The number of examples learned."""
        return self._seen

    @property
    def _seen(self) -> int:
        return int(self._engine.state[SEEN])

    @property
    @whole_call
    def mistakes(self) -> int:
        """The number of rounds with y * score <= 0; 0 for a regressor."""
        return int(self._engine.state[MISTAKES])

    @property
    @whole_call
    def label_errors(self) -> int:
        """The number of rounds in which the predicted label was wrong.

        Differs from ``mistakes`` at a score of exactly 0.
        """
        return int(self._engine.state[LABEL_ERRORS])

    @property
    @whole_call
    def margin_errors(self) -> int:
        """The number of rounds with y * score <= the margin of the rule.

        For a regressor, the number of rounds with an error above ``epsilon``.
        """
        return int(self._engine.state[MARGIN_ERRORS])

    @property
    @whole_call
    def updates(self) -> int:
        """The number of rounds in which the example was added to the weights."""
        return int(self._engine.state[UPDATES])

    @property
    @whole_call
    def infeasible(self) -> int:
        """The number of rounds in which the rule fired but its problem had no solution."""
        return int(self._engine.state[INFEASIBLES])


def _hides_bad_values(engine: Engine) -> bool:
    """Whether an example with bad values may have an ordinary score."""
    return engine.hides_bad_values or any(_hides_bad_values(part) for part in engine.inner())
