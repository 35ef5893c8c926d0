#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/wheels.sh [FOLDER]
#
# Makes a wheel for the Python inside the gdb of each release of Debian from 11 (Python 3.9) on,
# from the files of the last commit, and tries each in a folder that has nothing of ours: installed
# by pip for root and in a virtual environment of a user's, without a network, up to the verdict of
# "ompd why". FOLDER is build/packages; --build makes them only.
#
# All are built in Debian 11, so that they run on its glibc (2.31) and all later ones, with other
# releases' headers of Python. libelf, libdw and Capstone are linked in and hidden. Needs root, and
# takes 10 minutes on two processors the first time. The same commit gives the same bytes.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=wheels
suites="bullseye bookworm trixie sid"
only_build=
[ "${1:-}" != --build ] || { only_build=yes; shift; }
out=${1:-$root/build/packages}
. "$root/scripts/release-folder.sh"
mkdir -p "$out"
out=$(cd "$out" && pwd)
headers=/opt/gdb-ompd/headers
elfutils=/opt/gdb-ompd/elfutils
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH

install_tools() {
    enter 'apt-get update && apt-get install -y --no-install-recommends ca-certificates ccache g++ make m4 cmake \
        ninja-build pkg-config gdb zlib1g-dev libelf-dev libdw-dev libcapstone-dev'
}

# Debian's libelf.a is no position independent code, which a module has to be.
build_elfutils() {
    [ ! -e "$place$elfutils/lib/libdw.a" ] || return 0
    APT_FOLDER=$(mktemp -d "$places/apt.XXXXXX")
    . "$root/scripts/private-apt.sh"
    use_source_packages
    private_apt get update
    (cd "$APT_FOLDER" && private_apt get source --download-only elfutils)
    mkdir -p "$place/opt/gdb-ompd"
    rm -rf "$place/opt/gdb-ompd/source"
    mkdir "$place/opt/gdb-ompd/source"
    tar -x --strip-components=1 -C "$place/opt/gdb-ompd/source" -f "$APT_FOLDER"/elfutils_*.orig.tar.bz2
    rm -rf "$APT_FOLDER"
    enter "cd /opt/gdb-ompd/source && ./configure --prefix=$elfutils --disable-debuginfod \
        --disable-libdebuginfod --disable-nls --without-bzlib --without-lzma --without-zstd \
        CFLAGS='-O2 -fPIC -Wno-error' && for part in config lib; do make -C \$part; done &&
        make -C libelf libelf.a && make -C libebl && make -C libdwelf && make -C libdwfl &&
        make -C libcpu && make -C backends libebl_backends.a && make -C libdw libdw.a &&
        mkdir -p $elfutils/lib && cp libelf/libelf.a libdw/libdw.a $elfutils/lib"
}

# What is installed here is no matter.
not_ours='-o Dir::State::status=/dev/null'

# The headers of the Python that the suite's gdb embeds go to headers/VERSION, and those of the
# newest pybind11 beside them: Python 3.13 needs a newer one than Debian 11 has.
fetch_headers() {
    APT_FOLDER=$(mktemp -d "$places/apt.XXXXXX")
    . "$root/scripts/private-apt.sh"
    use_suites "$(dpkg --print-architecture)" "$1"
    private_apt get update
    python=$(private_apt cache $not_ours depends gdb | sed -n 's/.*Depends: libpython\(3\.[0-9]*\).*/\1/p' | head -n 1)
    (cd "$APT_FOLDER" && private_apt get $not_ours download "libpython$python-dev" pybind11-dev)
    rm -rf "$place$headers/$python" "$place$headers/pybind11"
    mkdir -p "$place$headers"
    for package in "$APT_FOLDER"/libpython*.deb; do dpkg-deb -x "$package" "$place$headers/$python"; done
    dpkg-deb -x "$APT_FOLDER"/pybind11-dev*.deb "$place$headers/pybind11"
    rm -rf "$APT_FOLDER"
    echo "$python" >"$place$headers/of-$1"
}

copy_commit() {
    mkdir -p "$place/checkout"
    find "$place/checkout" -mindepth 1 -maxdepth 1 ! -name "build*" -exec rm -rf {} +
    git -C "$root" archive HEAD | tar -x -C "$place/checkout"
}

# build_for PYTHON: the core is compiled once for all of them.
build_for() {
    include=$headers/$1/usr/include
    rm -rf "$place/tmp/stage"
    enter "cmake -S . -B build-wheels -G Ninja -DGDB_OMPD_TESTS=OFF -DGDB_OMPD_IN_PLACE=OFF \
        -DCMAKE_PREFIX_PATH='$elfutils;$headers/pybind11/usr' -DGDB_OMPD_BUNDLE=ON \
        -DGDB_PYTHON_VERSION=$1 -DGDB_PYTHON_INCLUDE='$include/python$1;$include' \
        -DGDB_PYTHON_SUFFIX=.cpython-$(echo "$1" | tr -d .)-x86_64-linux-gnu.so \
        -DSKBUILD=ON -DSKBUILD_PLATLIB_DIR=/tmp/stage/platlib -DSKBUILD_DATA_DIR=/tmp/stage/data &&
        cmake --build build-wheels && cmake --install build-wheels --strip"
    python3 "$root/packaging/wheel.py" "$place/tmp/stage" "$1" 2_31 "$out"
}

prepare_users() {
    enter 'apt-get update && apt-get install -y --no-install-recommends gdb gcc libc6-dev \
        python3-pip python3-venv'
}

# try_in SUITE WHEEL: by root and by a user, each in a copy of a folder with gdb, gcc and pip.
try_in() {
    rm -rf "$place/wheels"
    mkdir -p "$place/wheels/checkout"
    cp "$2" "$place/wheels"
    git -C "$root" archive HEAD scripts examples packaging | tar -x -C "$place/wheels/checkout"
    try="sh /wheels/checkout/packaging/try-wheel.sh /wheels/$(basename "$2") /wheels/checkout"
    enter_copy "$try"
    enter_copy "setpriv --reuid=65534 --regid=65534 --clear-groups $try"
}

use_release bullseye
log=$logs/wheels.log
step "installing compilers" install_tools
step "building libelf and libdw" build_elfutils
step "copying the last commit" copy_commit
for suite in $suites; do
    step "headers of $suite's Python" fetch_headers "$suite"
done
use_release bullseye
for suite in $suites; do
    python=$(cat "$place$headers/of-$suite")
    log=$logs/wheel-$python.log
    step "building for Python $python, which $suite's gdb has" build_for "$python"
done
ls "$out"/*.whl
[ -z "$only_build" ] || exit 0

for suite in $suites; do
    python=$(cat "$places/bullseye$headers/of-$suite")
    use_release "$suite" users
    log=$logs/wheels-$suite.log
    step "installing gdb, gcc and pip in $suite" prepare_users
    step "trying the wheel in $suite" try_in "$suite" "$out"/gdb_ompd-*-cp"$(echo "$python" | tr -d .)"-*.whl
    sed "s/^/$suite: /" "$log"
done
