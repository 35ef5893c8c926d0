#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pack what CMake has installed as a wheel: python3 wheel.py STAGE PYTHON GLIBC FOLDER.

STAGE has the folders platlib and data; PYTHON is such as 3.9, GLIBC the oldest that it runs on,
such as 2_31. The same files give the same bytes, of the time SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import time
import zipfile
from pathlib import Path
from typing import Iterator

import tomllib

ROOT = Path(__file__).resolve().parent.parent
EXECUTABLE = (".so",)


def version() -> str:
    """Return the version, which the package alone has."""
    text = (ROOT / "python/gdb_ompd/__init__.py").read_text("utf-8")
    return text.split('__version__ = "', 1)[1].split('"', 1)[0]


def metadata(project: dict) -> str:
    """Return the file METADATA of the PROJECT in pyproject.toml."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        f"License: {project['license']['text']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / project["readme"]).read_text("utf-8"),
    ]
    return "\n".join(lines)


def contents(stage: Path, tag: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each file but RECORD."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    name = f"gdb_ompd-{version()}"
    for folder, place in (("platlib", ""), ("data", f"{name}.data/data/")):
        for path in sorted((stage / folder).rglob("*")):
            if path.is_file():
                yield place + str(path.relative_to(stage / folder)), path.read_bytes()
    scripts = "".join(f"{key} = {value}\n" for key, value in project["scripts"].items())
    wheel = f"Wheel-Version: 1.0\nGenerator: gdb-ompd\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{name}.dist-info/METADATA", metadata(project).encode()
    yield f"{name}.dist-info/WHEEL", wheel.encode()
    yield f"{name}.dist-info/entry_points.txt", f"[console_scripts]\n{scripts}".encode()
    yield f"{name}.dist-info/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()


def main(stage: str, python: str, glibc: str, folder: str) -> None:
    """Write the wheel into FOLDER, and say its name."""
    cpython = "cp" + python.replace(".", "")
    tag = f"{cpython}-{cpython}-manylinux_{glibc}_x86_64"
    out = Path(folder) / f"gdb_ompd-{version()}-{tag}.whl"
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    record = ""
    with zipfile.ZipFile(out, "w") as wheel:

        def add(name: str, data: bytes) -> None:
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (0o755 if name.endswith(EXECUTABLE) else 0o644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)

        for name, data in contents(Path(stage), tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
            add(name, data)
        name = f"gdb_ompd-{version()}.dist-info/RECORD"
        add(name, f"{record}{name},,\n".encode())
    print(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
