# SPDX-License-Identifier: Apache-2.0
# Adds the OpenMP commands to GDB: "source" this file.
#
# It finds the package wherever it was installed, or in the checkout it is part of. Whatever is wrong
# is said in one line: an exception in a sourced file would have GDB print a traceback.

# A GDB without Python takes this file for its own commands, and says that it has none of this name.
gdb_ompd_needs_a_gdb_with_Python = True

import gc
import importlib.machinery
import os
import re
import sys

import gdb

BUILD = "cmake -S CHECKOUT -B CHECKOUT/build && cmake --build CHECKOUT/build"
CURE = f"install it with this gdb's Python, or build it: {BUILD}"

# Not __file__: of a file that a Python script has sourced GDB leaves that script's name there.
HERE = os.path.dirname(os.path.realpath((lambda: None).__code__.co_filename))


def _package_folder():
    above = os.path.dirname(HERE)
    prefix = os.path.dirname(above)
    # Beside this file (installed), in the checkout, where "pip --target" puts it, and where pip
    # does for a Python of its own, as in a virtual environment.
    own = os.path.join(prefix, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
    for folder in (HERE, os.path.join(above, "python"), prefix, own):
        if os.path.isdir(os.path.join(folder, "gdb_ompd")):
            return folder
    import importlib.util

    spec = importlib.util.find_spec("gdb_ompd")  # pip for the Python inside GDB
    return os.path.dirname(os.path.dirname(spec.origin)) if spec and spec.origin else None


def _module_problem(folder):
    """Say what is wrong with the native module; None if it is the one for this GDB."""
    package = os.path.join(folder, "gdb_ompd")
    if os.path.exists(os.path.join(package, "_native" + importlib.machinery.EXTENSION_SUFFIXES[0])):
        return None
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}{sys.abiflags}"
    for name in sorted(os.listdir(package)):
        other = re.match(r"_native\.cpython-(\d)(\d+t?)", name)
        if other:
            theirs = f"{other.group(1)}.{other.group(2)}"
            return f"its native module is built for Python {theirs}, this gdb has Python {mine}: {CURE}"
    return f"its native module is not built for this gdb's Python {mine}: {CURE}"


def _load():
    """Register the commands; return what prevents it, None if nothing does."""
    if sys.version_info < (3, 9):
        return f"this gdb has Python {sys.version.split()[0]}, and 3.9 or later is needed: install a newer gdb"
    folder = _package_folder()
    if folder is None:
        return f"the package gdb_ompd is not beside {HERE}: install it again"
    problem = _module_problem(folder)
    if problem:
        return problem
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        import gdb_ompd
        import gdb_ompd._native
    except ImportError as error:
        return f"it cannot be loaded ({error}): {CURE}"
    gdb_ompd.register()
    return None


_collects = gc.isenabled()
gc.disable()  # loading makes no cycles, and looking for some takes a tenth of its time
try:
    _problem = _load()
finally:
    if _collects:
        gc.enable()
if _problem:
    gdb.write(f"gdb-ompd: {_problem}\n", gdb.STDERR)
