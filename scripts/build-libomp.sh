#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/build-libomp.sh VERSION
#
# Builds LLVM's OpenMP runtime VERSION (14, 19, ...) with symbols and OMPD from
# the distribution's source package, and LLVM's own gdb plugin with it (for the
# benchmarks). Prints the folder that holds libomp.so and libompd.so.
#
# Distribution packages of libomp are stripped; the tests need a runtime whose
# symbols are there. The result is kept in the user's cache and made once.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
version=${1:?"usage: sh scripts/build-libomp.sh VERSION"}
case $version in
    *[!0-9]* | '') echo "build-libomp: VERSION is a number, such as 14 or 19" >&2; exit 2 ;;
esac
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd
prefix=$cache/libomp-$version
log=$cache/libomp-$version.log

if [ -e "$prefix/done" ]; then
    echo "$prefix/lib"
    exit 0
fi

mkdir -p "$cache"
# Parallel tests may ask for the same runtime: one builds, the others wait.
exec 9>"$cache/libomp-$version.lock"
flock 9
if [ -e "$prefix/done" ]; then
    echo "$prefix/lib"
    exit 0
fi
work=$(mktemp -d "$cache/build-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The system's apt configuration is left alone: a copy of its sources, with
# source packages switched on, is used with lists and caches of its own.
private_apt() {
    apt-get \
        -o Dir::Etc::sourcelist="$work/apt/sources.list" \
        -o Dir::Etc::sourceparts="$work/apt/sources.list.d" \
        -o Dir::State::lists="$work/apt/lists" \
        -o Dir::Cache="$work/apt/cache" \
        -o APT::Sandbox::User="$(id -un)" \
        "$@"
}

make_private_apt() {
    mkdir -p "$work/apt/sources.list.d" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
    touch "$work/apt/sources.list"
    if [ -e /etc/apt/sources.list ]; then
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$work/apt/sources.list"
    fi
    for file in /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        sed -e 's/^deb /deb-src /' -e 's/^Types:.*/Types: deb-src/' "$file" \
            >"$work/apt/sources.list.d/$(basename "$file")"
    done
}

fetch_source() {
    make_private_apt
    private_apt update
    mkdir -p "$work/download" "$work/source"
    (cd "$work/download" && private_apt --download-only source "llvm-toolchain-$version")
    # Two of its forty projects are wanted; unpacking all takes minutes.
    tar -C "$work/source" --strip-components=1 --wildcards --no-wildcards-match-slash \
        -xJf "$work"/download/llvm-toolchain-"$version"_*.orig.tar.xz '*/openmp' '*/cmake'
}

build() {
    # gdb shows the runtime's source lines as it would with a developer's build,
    # from the copy that is kept.
    map="-ffile-prefix-map=$work/source/openmp/runtime/src=$prefix/source"
    cmake -S "$work/source/openmp" -B "$work/build" -G Ninja \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_C_FLAGS="$map" -DCMAKE_CXX_FLAGS="$map" -DCMAKE_ASM_FLAGS="$map" \
        -DOPENMP_LIBDIR_SUFFIX= \
        -DLIBOMP_OMPD_SUPPORT=ON -DLIBOMP_OMPD_GDB_SUPPORT=ON \
        -DOPENMP_ENABLE_LIBOMPTARGET=OFF \
        -DPython3_EXECUTABLE="$(sh "$scripts/gdb-python.sh")" \
        -DCMAKE_POLICY_DEFAULT_CMP0116=NEW
    cmake --build "$work/build"
    rm -rf "$prefix"
    cmake --install "$work/build"
    cp -r "$work/source/openmp/runtime/src" "$prefix/source"
    touch "$prefix/done"
}

if ! { fetch_source && build; } >"$log" 2>&1; then
    echo "build-libomp: building libomp $version failed; see $log" >&2
    tail -n 15 "$log" >&2
    exit 1
fi
echo "$prefix/lib"
