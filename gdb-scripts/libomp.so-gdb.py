# SPDX-License-Identifier: Apache-2.0
"""Loads the OpenMP commands when GDB loads an OpenMP runtime.

GDB looks for this as the runtime's file with "-gdb.py" behind its name, in the
runtime's folder or, under the same path, in its auto-load folder. Link it there:

    ln -s .../share/gdb-ompd/libomp.so-gdb.py \
        /usr/share/gdb/auto-load/usr/lib/llvm-19/lib/libomp.so.5-gdb.py
"""

import os
import runpy

# Not __file__: where a Python script had GDB load the runtime, that is the script's.
here = os.path.dirname(os.path.realpath((lambda: None).__code__.co_filename))
runpy.run_path(os.path.join(here, "ompd.py"))
