"""Write linear learners for other programs: their weights as JSON, or as an ONNX graph.

A program in any language computes the scores from such a file. It does not learn: to continue
learning, save the learner with ``save(path)``.
"""

from driftline.export.json_file import to_dict, to_json
from driftline.export.onnx_file import to_onnx

__all__ = ["to_dict", "to_json", "to_onnx"]
