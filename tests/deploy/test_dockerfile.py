"""The Dockerfile: valid instructions, no root, a volume, a health check that works."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from tests.deploy.dockerfile import stages, words
from tests.support.paths import ROOT

TEXT = (ROOT / "deploy" / "Dockerfile").read_text()
BUILD, FINAL = stages(TEXT)
PLACE = "/var/lib/driftline"


def test_both_stages_use_the_same_slim_python_that_the_package_supports() -> None:
    assert BUILD.image == FINAL.image
    version = re.fullmatch(r"python:3\.(\d+)-slim", FINAL.image)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert version and int(version[1]) >= int(project["requires-python"].removeprefix(">=3."))


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text().splitlines()
    copied = [path for line in BUILD.all("COPY") for path in line.split()[:-1]]
    assert "src" in copied and all((ROOT / path).exists() and f"!{path}" in ignored for path in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {project["readme"], *project["license-files"], "pyproject.toml"} <= set(copied)
    (line,) = FINAL.all("COPY")
    source, *paths = line.split()
    assert source == f"--from={BUILD.name}" and paths == ["/opt/driftline", "/opt/driftline"]
    (installed,) = re.findall(r'"\.\[(.*)\]"', "\n".join(BUILD.all("RUN")))
    assert {"serve", "postgres"} == set(installed.split(",")) <= set(project["optional-dependencies"])


def test_the_server_is_not_root_and_writes_only_to_the_volume() -> None:
    names = [word for word, _ in FINAL.instructions]
    assert FINAL.all("USER") == ["10001"] and f"--uid {FINAL.last('USER')}" in FINAL.all("RUN")[0]
    assert "RUN" not in names[names.index("USER") :]
    assert FINAL.last("VOLUME") == FINAL.last("WORKDIR") == PLACE
    environment = dict(one.split("=", 1) for one in FINAL.last("ENV").split())
    assert environment["NUMBA_CACHE_DIR"].startswith(PLACE + "/") and environment["DRIFTLINE_DB"].startswith(
        PLACE + "/"
    )
    assert FINAL.last("STOPSIGNAL") == "SIGTERM"
    assert not re.search(r"(?i)token=|password|secret", TEXT) and "ADD" not in names


def test_the_program_and_its_port() -> None:
    assert words(FINAL.last("ENTRYPOINT")) == ["driftline"]
    command, *options = words(FINAL.last("CMD"))
    assert command == "serve"
    assert dict(zip(options[::2], options[1::2], strict=True)) == {"--host": "0.0.0.0", "--port": FINAL.last("EXPOSE")}


@pytest.mark.parametrize("status", [200, 503])
def test_the_health_check_runs_and_fails_when_the_server_does(status: int) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    options, _, form = FINAL.last("HEALTHCHECK").partition("CMD ")
    program, *arguments = words(form)
    assert program == "python" and re.fullmatch(r"(--(interval|timeout|start-period|retries)=\d+s? )+", options)
    port = FINAL.last("EXPOSE")
    assert f"127.0.0.1:{port}/" in form
    arguments = [one.replace(f":{port}/", f":{server.server_address[1]}/") for one in arguments]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
    server.shutdown()
    thread.join()
    server.server_close()
    assert (done.returncode == 0) == (status == 200)


@pytest.mark.parametrize(
    "text",
    ["RUN true", "FROM a b\n", "FROM a\nFETCH b", "FROM a\nRUN true \\\n", "FROM a\nUSER"],
    ids=["no FROM", "FROM", "unknown", "continued", "empty"],
)
def test_the_reader_refuses_what_is_no_dockerfile(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        stages(text)
    with pytest.raises(ValueError):
        words("driftline serve")
