"""``driftline serve``: answer predictions over HTTP, and learn from labels that come later."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter

if TYPE_CHECKING:
    from driftline.serve.hub import Hub
    from driftline.serve.spec import Spec

DB, DEFAULT_DB = "DRIFTLINE_DB", "driftline.db"
MIB = 1024 * 1024


def serve(
    db: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    model: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    demo: Annotated[bool, Parameter(negative="")] = False,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    max_body: int = 8,
    max_connections: int = 1000,
    max_batch: int = 10_000,
    max_models: int = 1000,
    snapshot_events: int = 100_000,
    snapshot_seconds: float = 300.0,
    log_requests: bool = True,
    otel: Annotated[bool, Parameter(negative="")] = False,
    advertise: str | None = None,
    lease: float = 30.0,
) -> int:
    """Answer predictions over HTTP, and learn from labels that come later.

    The API is described at /openapi.json, and / is a dashboard. SIGTERM and Ctrl-C stop the server
    after the last commit. The log goes to stderr, as JSON lines.

    Parameters
    ----------
    db
        SQLite file, or URL of a PostgreSQL database as postgresql://...
        Default: the environment variable DRIFTLINE_DB, or else driftline.db.
    host
        Address to listen on. If other machines can reach it, a token is needed: see driftline token.
    port
        Port to listen on. 0 takes a free one.
    model
        Create a model as NAME=LEARNER, such as spam=tracker or 'spam=pa1(C=0.1)', unless it exists.
        Repeat the option for several models.
    demo
        Create two models and feed them a drifting stream with late labels.
        Without a database, the demo uses a temporary file.
    tls_cert
        File with the TLS certificate, followed by the certificates of its issuers.
    tls_key
        File with the private key of the certificate.
    max_body
        Largest body of a request after decompression, in MiB.
    max_connections
        Most open connections.
    max_batch
        Most items of a batch.
    max_models
        Most models.
    snapshot_events
        Number of new examples and labels after which a model gets a snapshot.
    snapshot_seconds
        Seconds after which a model with new events gets a snapshot.
    log_requests
        Log each request.
    otel
        Make an OpenTelemetry span for each request. Run opentelemetry-instrument driftline serve,
        which the variables OTEL_... configure.
    advertise
        Share a PostgreSQL database with other servers. Each model is held by one of them. The value
        is the address at which clients reach this server, such as http://10.0.0.5:8000.
    lease
        PostgreSQL: seconds after which another server has taken over from one that was killed. Without
        --advertise, seconds after which another server may start.
    """
    check_extra()
    from driftline.internals.require import positive, whole
    from driftline.serve.dashboard import static_files
    from driftline.serve.http.feeder import feed
    from driftline.serve.http.limits import Limits
    from driftline.serve.http.server import Server, ServerOptions
    from driftline.serve.http.tracing import Tracing
    from driftline.serve.settings import Settings
    from driftline.serve.storage.opening import open_storage

    whole("serve", "--port", port, 0, 65535)
    whole("serve", "--max-body", max_body, 1, 1024)
    whole("serve", "--max-connections", max_connections, 1, 1_000_000)
    whole("serve", "--max-batch", max_batch, 1, 1_000_000)
    whole("serve", "--max-models", max_models, 1, 1_000_000)
    whole("serve", "--snapshot-events", snapshot_events, 1, 1_000_000_000)
    positive("serve", "--snapshot-seconds", snapshot_seconds)
    _check_tls(tls_cert, tls_key)
    _check_sharing(advertise, lease)
    options = ServerOptions(
        host=host,
        port=port,
        cert=tls_cert,
        key=tls_key,
        limits=Limits(body=max_body * MIB, connections=max_connections),
        settings=Settings(
            max_batch=max_batch,
            max_models=max_models,
            snapshot_events=snapshot_events,
            snapshot_seconds=snapshot_seconds,
        ),
        log_requests=log_requests,
        tracing=Tracing() if otel else None,
        files=static_files(),
    )
    specs = dict(spec_of(text) for text in model)
    with ExitStack() as stack:
        database = db or os.environ.get(DB) or DEFAULT_DB
        if demo and db is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="driftline-demo-"))
            database = str(Path(folder) / "demo.db")
        server = Server(
            open_storage(database, lease_seconds=lease, advertise=(advertise or "").rstrip("/")),
            options,
            started=_creating(specs, demo),
            ready=lambda url: print(f"serving {url} from {shown(database)}", flush=True),
            background=feed if demo else None,
        )
        server.run()
    return 0


def _creating(specs: dict[str, Spec], demo: bool) -> Callable[[Hub], Awaitable[None]]:
    """Return what creates the models of the command line that do not exist."""

    async def create(hub: Hub) -> None:
        from driftline.serve.errors import Conflict, ServeError
        from driftline.serve.http.feeder import prepare

        if demo:
            await prepare(hub)
        existing = {one.name for one in hub.models()}
        for name, spec in specs.items():
            if name not in existing:
                try:
                    await hub.create(name, spec, "command line")
                except Conflict:
                    continue  # another server has it
                except ServeError as error:
                    raise ValueError(f"--model {name}: {error.detail}") from None

    return create


def spec_of(text: str) -> tuple[str, Spec]:
    """Return the name and the spec of a model given as NAME=LEARNER.

    >>> name, spec = spec_of("spam=pa1(0.5, when='mistake')")
    >>> name, spec.learner, spec.options
    ('spam', 'pa1', {'C': 0.5, 'when': 'mistake'})
    """
    from driftline.cli.learner import BASE, called, parameters_of
    from driftline.serve.spec import Spec

    name, equals, learner = text.partition("=")
    if not equals:
        raise ValueError(f"--model must be NAME=LEARNER, got {text!r}. Example: spam=tracker")
    try:
        make, positional, named = called(learner)
    except ValueError as error:
        raise ValueError(str(error).replace("--learner", f"--model {name}: learner", 1)) from None
    names = ["learner" if one == BASE else one for one in parameters_of(make)]
    return name, Spec(learner=make.__name__.lower(), options=dict(zip(names, positional, strict=False)) | named)


def check_extra() -> None:
    """Require the packages of the extra ``serve``."""
    from importlib.util import find_spec

    needed = ("msgspec", "uvicorn", "httptools", *(("uvloop",) if os.name != "nt" else ()))
    missing = [one for one in needed if find_spec(one) is None]
    if missing:
        raise ImportError(f'serve needs {", ".join(missing)}: pip install "driftline[serve]"')


def _check_tls(cert: str | None, key: str | None) -> None:
    """Require both files or none, and that they can be used."""
    import ssl

    if (cert is None) != (key is None):
        raise ValueError("serve: --tls-cert and --tls-key must be given together, got one of them. Add the other")
    if cert is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ValueError(f"serve: --tls-cert and --tls-key must be a pair of PEM files, got: {reason}") from None


def _check_sharing(advertise: str | None, lease: float) -> None:
    """Require the address of a server, and a lease that can be renewed in time."""
    if not 1.0 <= lease <= 3600.0:
        raise ValueError(f"serve: --lease must be from 1 to 3600 seconds, got {lease:g}")
    if advertise is not None:
        parts = urlsplit(advertise)
        plain = not (parts.path.rstrip("/") or parts.query or parts.fragment or "@" in parts.netloc)
        if parts.scheme not in ("http", "https") or not parts.hostname or not plain or not advertise.isascii():
            raise ValueError(
                f"serve: --advertise must be an address such as http://10.0.0.5:8000, got {advertise!r}. "
                "Leave out user, path and query"
            )


def shown(database: str) -> str:
    """Return the address of a database without a password.

    >>> shown("postgresql://me:secret@host/db"), shown("a.db")
    ('postgresql://host/db', 'a.db')
    """
    if "://" not in database:
        return database
    parts = urlsplit(database)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
