"""The files of the dashboard, in memory."""

from __future__ import annotations

from pathlib import Path

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""The Content-Security-Policy under which the dashboard is served."""

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def static_files() -> dict[str, tuple[str, bytes]]:
    """Return the content type and the bytes of each path of the dashboard.

    The page itself is ``/``; all other paths start with ``/static/``.

    >>> files = static_files()
    >>> files["/"][0], files["/static/app.js"][0]
    ('text/html; charset=utf-8', 'text/javascript; charset=utf-8')
    """
    found = {}
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(FOLDER).as_posix()
            found["/" if name == "index.html" else f"/static/{name}"] = TYPES[path.suffix], path.read_bytes()
    return found
