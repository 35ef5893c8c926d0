# SPDX-License-Identifier: Apache-2.0
"""The native module without GDB, and a fake OMPD library to load into it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))


@pytest.fixture(scope="session")
def native() -> ModuleType:
    """Return the module that the build put into the checkout."""
    name = "_native" + str(sysconfig.get_config_var("EXT_SUFFIX"))
    path = ROOT / "python" / "gdb_ompd" / name
    if not path.exists():
        pytest.fail(f"{path} is missing: build first, and run pytest with the Python inside GDB")
    spec = importlib.util.spec_from_file_location("gdb_ompd._native", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the fake of the C++ tests."""
    path = tmp_path_factory.mktemp("fake") / "libfake_ompd.so"
    source = ROOT / "native" / "tests" / "fake_libompd.cpp"
    compiler = os.environ.get("CXX", "c++")
    options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]
    options.append(f"-I{ROOT / 'native' / 'src'}")
    subprocess.run([compiler, *options, "-o", str(path), str(source)], check=True)
    return str(path)
