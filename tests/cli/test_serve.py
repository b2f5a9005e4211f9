"""``driftline serve`` and ``driftline token``."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest

from driftline.cli.main import main
from driftline.cli.serve import spec_of
from driftline.serve.storage.opening import attach_storage
from tests.serve.http.live import process


def test_a_server_with_its_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "a.db")
    with process("-m", "driftline.cli", "serve", database, "--port", "0", "--model", "spam=pa1(C=0.1)") as running:
        assert running.stdout is not None
        word, url, source, place = running.stdout.readline().split()
        assert (word, source, place) == ("serving", "from", database) and url.startswith("http://127.0.0.1:")
        (model,) = httpx.get(f"{url}/v1/models").json()["models"]
        assert model["name"] == "spam" and model["spec"]["options"] == {"C": 0.1}
        assert main(["serve", database, "--port", "0"]) == 2
        assert "no other server may use this database" in capsys.readouterr().err

        first = made(capsys, "add", "shop", "--scopes", "predict", "--db", database)
        wait_for(url, None, 401)
        assert ask(url, first) == 200
        second = made(capsys, "rotate", "shop", "--db", database)
        wait_for(url, first, 401)
        assert ask(url, second) == 200 and second != first
        assert main(["token", "revoke", "shop", "--db", database]) == 0
        wait_for(url, second, 401)
        running.terminate()
        assert running.wait(20) == 0


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_server_with_tls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cert, key, database = (str(tmp_path / name) for name in ("c.pem", "k.pem", "a.db"))
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
    about = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert]
    subprocess.run([*make, *about], check=True, capture_output=True)
    token = made(capsys, "add", "ops", "--scopes", "admin", "--db", database)
    tls = ("--tls-cert", cert, "--tls-key", key)
    with process("-m", "driftline.cli", "serve", database, "--port", "0", *tls) as running:
        assert running.stdout is not None
        url = running.stdout.readline().split()[1]
        assert url.startswith("https://127.0.0.1:")
        with httpx.Client(base_url=url, verify=ssl.create_default_context(cafile=cert)) as client:
            login = client.post("/v1/session", json={"token": token})
            assert login.status_code == 200 and "; Secure" in login.headers["set-cookie"]
            assert client.get("/v1/models").json() == {"models": []}  # by the cookie
        with pytest.raises(httpx.TransportError):
            httpx.get(url.replace("https", "http"))
        running.terminate()
        assert running.wait(20) == 0


def made(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["token", *arguments]) == 0
    return capsys.readouterr().out.strip()


def ask(url: str, token: str | None) -> int:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return httpx.get(f"{url}/v1/models", headers=headers).status_code


def wait_for(url: str, token: str | None, status: int) -> None:
    """The server reads the tokens once a second; 100 requests, each of which waits a little, are enough."""
    transport = httpx.HTTPTransport()
    with httpx.Client(transport=transport) as client:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        for _ in range(10_000):
            if client.get(f"{url}/v1/models", headers=headers).status_code == status:
                return
    raise AssertionError(f"no {status}")


def test_the_demo_learns(tmp_path: Path) -> None:
    with process("-m", "driftline.cli", "serve", "--demo", "--port", "0", "--no-log-requests") as running:
        assert running.stdout is not None
        url = running.stdout.readline().split()[1]
        learned = 0
        with httpx.Client(base_url=url, timeout=20) as client:
            for _ in range(20_000):
                models = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
                learned = models["parcels"]["contenders"][0]["counts"]["labelled"]
                if learned >= 20:
                    break
            assert learned >= 20 and set(models) == {"parcels", "mails"}
            assert "<html" in client.get("/").text
        running.terminate()
        assert running.wait(60) == 0


def test_a_public_address_needs_a_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "a.db")
    arguments = ["serve", database, "--host", "0.0.0.0", "--port", "0"]
    assert main(arguments) == 2
    assert "must have a token, got --host 0.0.0.0 and none. Make one: driftline token add" in capsys.readouterr().err
    made(capsys, "add", "old", "--db", database)
    assert main(["token", "revoke", "old", "--db", database]) == 0
    assert main(arguments) == 2


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--port", "70000"], "--port must be a whole number from 0 to 65535"),
        (["--max-body", "0"], "--max-body must be"),
        (["--host", "nowhere.invalid"], "the address must be free"),
        (["--model", "spam"], "--model must be NAME=LEARNER"),
        (["--model", "spam=nothing"], "must be one of"),
        (["--model", "SP AM=pa1", "--port", "0"], "--model SP AM: model: name must"),
        (["--tls-cert", "c.pem"], "must be given together"),
        (["--tls-cert", "c.pem", "--tls-key", "k.pem"], "must be a pair of PEM files"),
    ],
)
def test_wrong_options(arguments: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(tmp_path / "a.db"), *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("driftline: ") and part in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["add"], "token add must be given a name"),
        (["list", "shop"], "token list must be given no name"),
        (["add", "SHOP"], "name must be a lower-case letter"),
        (["add", "shop", "--scopes", "root"], "scopes must be some of predict, learn, admin, got 'root'"),
        (["add", "shop", "--days", "0"], "--days must be > 0"),
        (["rotate", "shop"], "the name must be that of a valid token"),
        (["revoke", "shop"], "shop"),
        (["revoke", "shop", "--days", "1"], "no other options"),
    ],
)
def test_wrong_tokens(arguments: list[str], part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "a.db")
    made(capsys, "add", "first", "--db", database)
    assert main(["token", *arguments, "--db", database]) == 2
    assert part in capsys.readouterr().err
    storage = attach_storage(database)
    assert [row.name for row in storage.tokens()] == ["first"]
    storage.close()


def test_tokens_keep_what_a_rotation_does_not_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = str(tmp_path / "a.db")
    text = made(
        capsys, "add", "shop", "--scopes", "learn,predict", "--per-second", "9", "--days", "3", "--db", database
    )
    assert text.startswith("dl_shop_")
    made(capsys, "rotate", "shop", "--scopes", "admin", "--db", database)
    storage = attach_storage(database)
    (row,) = storage.tokens()
    storage.close()
    assert (row.scopes, row.per_second) == ("admin", 9.0) and row.expires_at is not None
    assert text.rpartition("_")[2].encode() not in (tmp_path / "a.db").read_bytes()
    assert made(capsys, "list", "--db", database).splitlines()[1].split()[:2] == ["shop", "admin"]


def test_the_extra_is_named_if_it_is_missing(tmp_path: Path) -> None:
    code = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "uvicorn" else find(name, *rest)
from driftline.cli.main import main
sys.exit(main(["serve", "a.db"]))
"""
    with process("-c", code) as running:
        _, err = running.communicate(timeout=60)
    assert running.returncode == 2
    assert err == 'driftline: serve needs uvicorn: pip install "driftline[serve]"\n'


def test_models_of_the_command_line_have_named_options() -> None:
    name, spec = spec_of("a=onevsrest(pa1(C=0.5))")
    assert (name, spec.learner, spec.options) == ("a", "onevsrest", {"learner": "pa1(C=0.5)"})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--advertise", "10.0.0.5:8000"], "--advertise must be an address such as"),
        (["--advertise", "http://me@host"], "--advertise must be an address such as"),
        (["--lease", "0.5"], "--lease must be from 1 to 3600 seconds, got 0.5"),
        (["--snapshot-events", "0"], "--snapshot-events must be a whole number from 1"),
        (["--snapshot-seconds", "0"], "--snapshot-seconds must be > 0, got 0"),
        (["--max-batch", "0"], "--max-batch must be a whole number from 1"),
        (["--max-models", "0"], "--max-models must be a whole number from 1"),
        (["--advertise", "http://10.0.0.5:8000"], "servers that share a database must use PostgreSQL"),
    ],
)
def test_options_that_cannot_work_are_refused(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path / "a.db"), *options]) == 2
    assert said in capsys.readouterr().err
