"""The systemd unit: systemd accepts it, it is hardened, and it starts what is installed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

UNIT = ROOT / "deploy" / "driftline.service"
ANALYZE = shutil.which("systemd-analyze")
MOST_EXPOSED = 2.0
"""Of 10, as systemd-analyze security counts."""
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="needs systemd-analyze")


def settings(text: str) -> dict[str, dict[str, list[str]]]:
    """Section to name to values."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, separator, value = line.partition("=")
            assert separator and re.fullmatch(r"[A-Z]\w+", name), line
            section.setdefault(name, []).append(value)
    return found


SECTIONS = settings(UNIT.read_text())
SERVICE = {name: values[-1] for name, values in SECTIONS["Service"].items()}


def test_the_server_starts_again_and_may_write_only_its_own_folders() -> None:
    assert set(SECTIONS) == {"Unit", "Service", "Install"}
    hardened = {
        "Restart": "on-failure",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "ProtectHome": "yes",
        "PrivateTmp": "yes",
        "StateDirectory": "driftline",
        "DynamicUser": "yes",
        "CapabilityBoundingSet": "",
    }
    assert {name: SERVICE[name] for name in hardened} == hardened
    assert "MemoryDenyWriteExecute" not in SERVICE  # numba compiles at run time
    words = shlex.split(SERVICE["ExecStart"])
    assert words[1] == "serve" and words[2].startswith("/var/lib/driftline/")
    assert words[words.index("--host") + 1] == "127.0.0.1"
    assert SERVICE["Environment"].startswith("NUMBA_CACHE_DIR=/var/cache/driftline")


@needs_systemd
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    """With a program that exists: the folder /opt/driftline is made at the installation."""
    assert ANALYZE
    copy = tmp_path / UNIT.name
    program = shlex.split(SERVICE["ExecStart"])[0]
    copy.write_text(UNIT.read_text().replace(f"ExecStart={program}", f"ExecStart={sys.executable}"))
    done = subprocess.run([ANALYZE, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False)
    own = [line for line in done.stderr.splitlines() if UNIT.name in line]
    assert (done.returncode, own) == (0, []), done.stderr
    copy.write_text(copy.read_text().replace("ProtectSystem=strict", "ProtectSystem=much"))
    done = subprocess.run([ANALYZE, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False)
    assert f"{UNIT.name}:" in done.stderr


@needs_systemd
def test_the_unit_is_hardened_as_systemd_counts_it() -> None:
    assert ANALYZE
    done = subprocess.run(
        [ANALYZE, "security", "--offline=true", str(UNIT)], capture_output=True, text=True, check=False
    )
    if "unrecognized option" in done.stderr:
        pytest.skip("needs systemd 250")
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)
    assert exposure and float(exposure[1]) <= MOST_EXPOSED, done.stdout
