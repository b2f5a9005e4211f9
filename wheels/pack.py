"""Put the compiled functions of a folder of numba into the two files that a wheel carries.

python -m wheels.pack CACHE BASELINE OUT
"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import InTreeCacheLocator
from numba.core.serialize import dumps

from driftline.internals.compiled import STAMPED, source_stamps, stamp_of
from driftline.internals.linking import LINKED
from driftline.internals.packaged_code import FORMAT, HOME, key_of, versions
from wheels.baselines import BASELINES, Baseline

LEVEL = 9
ANNOTATION = 6
"""The place of the text of types in the stored form of a function; it is only for people to read."""


def pack(cache: Path, baseline: Baseline, out: Path) -> tuple[int, int]:
    """Write ``index.json`` and ``code.bin``. Return the number of functions and of bytes.

    Parameters
    ----------
    cache
        The folder that was NUMBA_CACHE_DIR while the functions were compiled.
    baseline
        The processor for which they were compiled.
    out
        The folder to write to.
    """
    places: dict[str, tuple[int, int, str]] = {}
    parts: list[bytes] = []
    at = 0
    for key, code in sorted(_functions(cache, baseline)):
        packed = zlib.compress(code, LEVEL)
        places[key] = (at, len(packed), hashlib.sha256(packed).hexdigest())
        parts.append(packed)
        at += len(packed)
    index = {
        "format": FORMAT,
        "versions": versions(),
        "baseline": {"cpu": baseline.cpu, "features": baseline.features},
        "stamps": source_stamps(),
        "functions": places,
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "code.bin").write_bytes(b"".join(parts))
    (out / "index.json").write_text(json.dumps(index))
    return len(places), at


def _functions(cache: Path, baseline: Baseline) -> Iterator[tuple[str, bytes]]:
    """The key and the stored form of each function that was compiled from the present sources."""
    cpu = (baseline.cpu, baseline.environment()["NUMBA_CPU_FEATURES"])
    for source in sorted(HOME.rglob("*.py")):
        where = source.relative_to(HOME)
        if where.parts[0] not in STAMPED:
            continue
        stamp = (stamp_of(str(source)), False)
        folder = cache / InTreeCacheLocator.get_suitable_cache_subpath(str(source))
        for file in sorted(folder.glob(f"{source.stem}.*.nbi")):
            qualname = file.name.removeprefix(f"{source.stem}.").rpartition("-")[0]
            if qualname.endswith(LINKED):
                continue  # only needed to compile
            for key, data in _stored(file):
                version, _, kept, code = data
                sig, (_, *processor), (bytecode, _) = key
                if kept != key or version != (numba.__version__, stamp) or tuple(processor) != cpu:
                    continue
                code = (*code[:ANNOTATION], "", *code[ANNOTATION + 1 :])
                yield key_of(where.as_posix(), qualname, bytecode, stamp, sig), dumps((sig, code))


def _stored(index: Path) -> Iterator[tuple[Any, Any]]:
    """The keys of an index of numba, and what is stored under them."""
    with index.open("rb") as file:
        pickle.load(file)  # the version
        _, overloads = pickle.loads(file.read())
    for key, name in overloads.items():
        yield key, pickle.loads((index.parent / name).read_bytes())


def main() -> None:
    cache, name, out = sys.argv[1:]
    functions, size = pack(Path(cache), BASELINES[name], Path(out))
    if not functions:
        raise SystemExit(
            f"make wheel: {cache} must hold code for {name} from the present sources, got none. "
            "Do not edit the sources while it runs"
        )
    print(f"{functions} functions, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
