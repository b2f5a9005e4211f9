"""Streams out of files: svmlight, VW text, JSON lines, CSV, Parquet, Arrow and ARFF, plain or compressed."""

from driftline.streams.files.faults import ReadError
from driftline.streams.files.stream import FileStream, read

__all__ = ["FileStream", "ReadError", "read"]
