"""Linear learners as ONNX graphs: a dense row of doubles in, the label and the scores out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from driftline.export.json_file import told
from driftline.internals.compiled import Floats
from driftline.learners.learner import Learner
from driftline.learners.linear_form import Moments, linear_form
from driftline.saved.atomic_write import replace
from driftline.saved.fault import Place
from driftline.version import __version__

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

OPSET, IR = 17, 8
"""The versions of the operators and of the file format, which runtimes since 2022 support."""
INPUT, LABEL, SCORES, PREDICTION = "x", "label", "scores", "prediction"


class Graph:
    """The nodes and constants of a graph that is being built."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        """Add a constant, and return its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        from onnx import helper

        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output


def to_onnx(learner: Learner, path: Place, *, sparse: bool = False) -> None:
    """Write a linear learner to an ONNX file.

    The input ``x`` is a matrix of doubles: a row for each example, a column for each feature, in
    the order of the entry "features" of the metadata. An absent feature has the value 0. The
    outputs of a classifier are ``label`` and ``scores``, a column for each label, as
    ``scores_many`` returns them. The output of a regressor is ``prediction``. If writing fails, an
    existing file is left unchanged.

    It needs the package onnx: ``pip install "driftline[onnx]"``.

    Parameters
    ----------
    learner : Learner
        A linear learner that knows two labels or more, or a linear regressor, with one feature or
        more. The others are refused with a ValueError, and so are hashed features and
        ``scale=RandomFourier(...)``. Labels must be all strings, all bools or all numbers.
    path : str or path
        The file to write.
    sparse : bool, default=False
        Whether the rows of a learner of columns were sparse. It matters only with
        ``scale="standard"``, which centres arrays, but not sparse rows.
    """
    replace(path, [_model(learner, sparse).SerializeToString()])


def _model(learner: Learner, sparse: bool) -> ModelProto:
    try:
        from onnx import TensorProto, helper
    except ImportError:
        raise ImportError('ONNX files need onnx: pip install "driftline[onnx]"') from None
    form = linear_form(learner, "to_onnx")
    facts = told(form, learner.recipe, sparse, "to_onnx")
    if form.bits is not None:
        raise ValueError(
            f"to_onnx: features must be names or columns, got {2**form.bits:,} hashes. Write JSON, or do not hash"
        )
    if not form.features:
        raise ValueError("to_onnx: the learner must know a feature or more, got none. Learn an example first")
    graph = Graph()
    x = INPUT
    if form.length is not None:
        x = _unit(graph, x, form.length)
    if form.moments is not None:
        x = _standard(graph, x, form.moments, facts["scale"]["centred"])
    score = graph.add("Add", graph.add("MatMul", x, graph.constant(form.weights)), graph.constant(form.constants))
    outputs: list[tuple[str, int, list[str | int]]] = [(PREDICTION, TensorProto.DOUBLE, ["rows"])]
    if form.regresses:
        graph.add("Squeeze", score, graph.constant(np.array([1])), output=PREDICTION)
    else:
        labels = _labels(facts["labels"])
        code = _decide(graph, score, several=len(form.outputs) > 1)
        graph.add("Gather", graph.constant(labels), code, output=LABEL)
        kind = helper.np_dtype_to_tensor_dtype(labels.dtype)
        outputs = [(LABEL, kind, ["rows"]), (SCORES, TensorProto.DOUBLE, ["rows", len(labels)])]
    made = helper.make_graph(
        graph.nodes,
        form.kind,
        [helper.make_tensor_value_info(INPUT, TensorProto.DOUBLE, ["rows", len(form.features)])],
        [helper.make_tensor_value_info(*output) for output in outputs],
        graph.constants,
    )
    model = helper.make_model(
        made,
        ir_version=IR,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="driftline",
        producer_version=__version__,
    )
    described = ("learner", "task", "input", "features", "labels", "recipe")
    helper.set_model_props(model, {name: json.dumps(facts[name]) for name in described})
    return model


def _unit(graph: Graph, x: str, length: float) -> str:
    """Scale each row to a length, by its largest absolute value first, so that no square overflows."""
    last, zero, one = graph.constant(np.array([1])), graph.constant(0.0), graph.constant(1.0)
    highest = graph.add("ReduceMax", graph.add("Abs", x), axes=[1])
    divisor = graph.add("Where", graph.add("Equal", highest, zero), one, highest)
    x = graph.add("Div", x, divisor)
    square = graph.add("ReduceSum", graph.add("Mul", x, x), last)
    size = graph.add("Where", graph.add("Equal", square, zero), one, graph.add("Sqrt", square))
    return graph.add("Mul", x, graph.add("Div", graph.constant(length), size))


def _standard(graph: Graph, x: str, moments: Moments, centred: bool) -> str:
    """Divide by running deviations, which include the row itself; subtract the means if ``centred``."""
    number = graph.constant(moments.examples + 1.0)
    change = graph.add("Sub", x, graph.constant(_row(moments.mean)))
    mean = graph.add("Add", graph.constant(_row(moments.mean)), graph.add("Div", change, number))
    rest = graph.add("Sub", x, mean)
    spread = graph.add("Add", graph.constant(_row(moments.spread)), graph.add("Mul", change, rest))
    varied = graph.add("Greater", spread, graph.constant(0.0))
    deviation = graph.add("Sqrt", graph.add("Div", spread, number))
    safe = graph.add("Where", varied, deviation, graph.constant(1.0))
    scaled = graph.add("Div", rest if centred else x, safe)
    return graph.add("Where", varied, scaled, graph.constant(0.0))


def _row(values: Floats) -> Floats:
    return values.reshape(1, -1)


def _decide(graph: Graph, score: str, several: bool) -> str:
    """Add the scores of all labels, and return the name of the number of the predicted label."""
    if several:
        graph.add("Identity", score, output=SCORES)
        return graph.add("ArgMax", score, axis=1, keepdims=0)
    from onnx import TensorProto

    zero = graph.constant(0.0)
    graph.add("Concat", graph.add("Sub", zero, score), score, axis=1, output=SCORES)
    positive = graph.add("Cast", graph.add("GreaterOrEqual", score, zero), to=TensorProto.INT64)
    return graph.add("Squeeze", positive, graph.constant(np.array([1])))


def _labels(labels: list[Any]) -> np.ndarray:
    """The labels as an array of one type that ONNX has."""
    kinds = {type(label) for label in labels}
    if kinds == {str}:
        return np.array(labels, object)
    if kinds == {bool}:
        return np.array(labels, bool)
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in labels):
        return np.array(labels, np.int64)
    if kinds <= {int, float} and all(float(label) == label for label in labels):
        return np.array(labels, np.float64)
    raise ValueError(
        f"to_onnx: labels must be all strings, all bools or all numbers that fit into 64 bits, got {labels}. "
        "Use strings"
    )
