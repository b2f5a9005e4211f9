"""Streams from files: svmlight, VW text, JSON lines, CSV, Parquet, Arrow and ARFF."""

from driftline.streams.files.faults import ReadError
from driftline.streams.files.read import read
from driftline.streams.files.stream import FileStream

__all__ = ["FileStream", "ReadError", "read"]
