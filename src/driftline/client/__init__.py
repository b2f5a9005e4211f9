"""Clients of the service: synchronous and asynchronous.

>>> from driftline.client import Client
>>> client = Client("http://127.0.0.1:8000")
>>> client.model("spam").name
'spam'
"""

try:
    import httpx as _httpx
    import msgspec as _msgspec
except ImportError as error:  # pragma: no cover
    raise ImportError(f'the client needs {error.name}: pip install "driftline[client]"', name=error.name) from None

from driftline.client.asynchronous import AsyncClient, AsyncModel
from driftline.client.batcher import Batcher
from driftline.client.errors import BatchError, ServiceError, UnreachableError
from driftline.client.results import Contender, Counts, Explanation, ModelInfo, Outcome, Prediction, Question, Snapshot
from driftline.client.sync import Client, Model

del _httpx, _msgspec

__all__ = [
    "AsyncClient",
    "AsyncModel",
    "BatchError",
    "Batcher",
    "Client",
    "Contender",
    "Counts",
    "Explanation",
    "Model",
    "ModelInfo",
    "Outcome",
    "Prediction",
    "Question",
    "ServiceError",
    "Snapshot",
    "UnreachableError",
]
