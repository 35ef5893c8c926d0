# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe: copy this folder into packages/ of a repository of yours.

To load it, in gdb or as a line of ~/.gdbinit:
    source PREFIX/share/gdb-ompd/ompd.py
where PREFIX is what "spack location -i gdb-ompd" prints.
"""

from spack.package import *


class GdbOmpd(CMakePackage):
    """OpenMP for GDB, through OMPD: teams, regions, tasks, and why a program hangs."""

    homepage = "https://example.org/gdb-ompd"
    url = "https://example.org/gdb-ompd/gdb-ompd-0.2.0.tar.gz"
    license("Apache-2.0 AND MIT")

    # "sh scripts/release.sh VERSION" writes SHA256SUMS, which has the archive's.
    version("0.2.0")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("py-pybind11@2.6:", type="build")
    # The module is for the Python inside this gdb.
    depends_on("gdb@12: +python", type=("build", "link", "run"))
    depends_on("python@3.9:", type=("build", "link", "run"))
    depends_on("elfutils")
    depends_on("capstone")
    conflicts("target=ppc64le:", msg="x86-64 and aarch64 only")
    requires("platform=linux")
    requires("%gcc@10:", "%clang@14:", policy="one_of")

    def cmake_args(self):
        return [
            self.define("GDB_OMPD_TESTS", False),
            self.define("GDB_OMPD_IN_PLACE", False),
            self.define("GDB", join_path(self.spec["gdb"].prefix.bin, "gdb")),
        ]

    @run_after("install")
    def loads(self):
        """Have gdb load what was installed."""
        gdb = Executable(join_path(self.spec["gdb"].prefix.bin, "gdb"))
        line = "source " + join_path(self.prefix.share, "gdb-ompd", "ompd.py")
        said = gdb("-nx", "-batch", "-ex", line, "-ex", "ompd version", output=str)
        if str(self.version) not in said:
            raise InstallError("gdb does not load the extension: " + said)
