#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/build-libomp.sh VERSION [--compiler clang|gcc] [--optimize LEVEL]
#                                           [--thinlto] [--no-ompd] [--machine aarch64]
#
# Builds LLVM's OpenMP runtime VERSION (14, 19, ...) with symbols and OMPD from
# the distribution's source package, and LLVM's own gdb plugin with it (for the
# benchmarks). Prints the folder that holds libomp.so and libompd.so.
#
# With any option, libomp.so alone is built, with its symbol table: a variant for
# the tests of recovery. LEVEL is O0, O1, O2, O3 or Os; clang and O2 are taken
# where only other options are given. For aarch64 GCC's cross compiler makes it, with
# debug information (apt-get install g++-aarch64-linux-gnu).
#
# Distribution packages of libomp are stripped; the tests need a runtime whose
# symbols are there. The result is kept in the user's cache and made once, and so
# is the source.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/logged-work.sh"
. "$scripts/private-apt.sh"
usage() {
    sed -n 's/^# Usage: /usage: /p; s/^#   *\[/    [/p' "$0" >&2
    exit 2
}

version=${1:-}
case $version in
    *[!0-9]* | '') echo "build-libomp: VERSION is a number, such as 14 or 19" >&2; usage ;;
esac
shift
variant=
compiler=clang
level=O2
thinlto=
machine=
ompd=ON
while [ $# -gt 0 ]; do
    variant=yes
    case $1 in
        --compiler) compiler=${2:-}; shift ;;
        --optimize) level=${2:-}; shift ;;
        --thinlto) thinlto=-thinlto ;;
        --no-ompd) ompd=OFF ;;
        --machine) machine=${2:-}; compiler=$machine-linux-gnu-gcc; shift ;;
        *) usage ;;
    esac
    shift
done
case $compiler-$level in
    clang-O[0123s]) cxx=clang++ ;;
    gcc-O[0123s]) cxx=g++ ;;
    aarch64-linux-gnu-gcc-O[0123s]) cxx=aarch64-linux-gnu-g++ ;;
    *) usage ;;
esac
if [ -n "$thinlto" ] && [ "$compiler" != clang ]; then
    echo "build-libomp: ThinLTO is clang's" >&2
    exit 2
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd
name=libomp-$version
if [ -n "$variant" ]; then
    name=$name-$compiler-$level$thinlto
    [ "$ompd" = ON ] || name=$name-no-ompd
fi
prefix=$cache/$name
log=$cache/$name.log
source=$cache/source-$version

if [ -e "$prefix/done" ]; then
    echo "$prefix/lib"
    exit 0
fi

mkdir -p "$cache"
# Parallel tests may ask for the same runtime: one builds, the others wait.
exec 9>"$cache/$name.lock"
flock 9
if [ -e "$prefix/done" ]; then
    echo "$prefix/lib"
    exit 0
fi

fetch_source() {
    use_source_packages
    private_apt get update
    mkdir -p "$work/download" "$work/source"
    (cd "$work/download" && private_apt get --download-only source "llvm-toolchain-$version")
    # Two of its forty projects are wanted; unpacking all takes minutes.
    tar -C "$work/source" --strip-components=1 --wildcards --no-wildcards-match-slash \
        -xJf "$work"/download/llvm-toolchain-"$version"_*.orig.tar.xz '*/openmp' '*/cmake'
    rm -rf "$source" "$work/download"
    mv "$work/source" "$source"
}

# Variants that are built side by side share one download.
need_source() {
    exec 8>"$source.lock"
    flock 8
    [ -d "$source" ] || fetch_source
    exec 8>&-
}

# What CMake finds out about the compiler takes longer than compiling: it is asked once for all
# versions and variants. The same questions have the same names in each version.
keep_answers() {
    awk '/^\/\/(Test|Have) / {
        getline
        if (split($0, answer, ":INTERNAL=") == 2)
            printf "set(%s \"%s\" CACHE INTERNAL \"\")\n", answer[1], answer[2]
    }' "$work/build/CMakeCache.txt" >"$work/answers"
    cat "$work/answers" >>"$answers"
}

configure() {
    answers=$cache/answers-$compiler-$("$compiler" -dumpversion).cmake
    touch "$answers"
    cmake -C "$answers" -S "$source/openmp" -B "$work/build" -G Ninja \
        -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$cxx" \
        -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DOPENMP_LIBDIR_SUFFIX= \
        -DOPENMP_ENABLE_LIBOMPTARGET=OFF \
        -DOPENMP_ENABLE_OMPT_TOOLS=OFF \
        -DPython3_EXECUTABLE="$(sh "$scripts/gdb-python.sh")" \
        -DCMAKE_POLICY_DEFAULT_CMP0116=NEW \
        "$@"
    keep_answers
}

build() {
    # gdb shows the runtime's source lines as it would with a developer's build,
    # from the copy that is kept.
    map="-ffile-prefix-map=$source/openmp/runtime/src=$prefix/source"
    configure -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_FLAGS="$map" -DCMAKE_CXX_FLAGS="$map" -DCMAKE_ASM_FLAGS="$map" \
        -DLIBOMP_OMPD_SUPPORT=ON -DLIBOMP_OMPD_GDB_SUPPORT=ON
    cmake --build "$work/build"
    rm -rf "$prefix"
    cmake --install "$work/build"
    cp -a "$source/openmp/runtime/src" "$prefix/source"
}

build_variant() {
    flags=
    linker=-Wl,--build-id
    if [ -n "$thinlto" ]; then
        flags=-flto=thin
        linker="$linker -flto=thin -fuse-ld=lld"
    fi
    if [ -n "$machine" ]; then
        flags="$flags -g"
        set -- -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" -DLIBOMP_ARCH="$machine"
    fi
    configure "$@" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS_RELEASE="-$level -DNDEBUG $flags" \
        -DCMAKE_CXX_FLAGS_RELEASE="-$level -DNDEBUG $flags" \
        -DCMAKE_SHARED_LINKER_FLAGS="$linker" \
        -DLIBOMP_OMPD_SUPPORT="$ompd" -DLIBOMP_OMPD_GDB_SUPPORT=OFF
    cmake --build "$work/build" --target omp
    rm -rf "$prefix"
    mkdir -p "$prefix/lib"
    cp "$work/build/runtime/src/libomp.so" "$prefix/lib/"
}

make_runtime() {
    need_source
    if [ -n "$variant" ]; then
        build_variant
    else
        build
    fi
    touch "$prefix/done"
}

begin_logged_work "$cache/build-$version.XXXXXX" "$log" "build-libomp: building $name failed"
APT_FOLDER=$work/apt
# Not as a condition: the shell would go on after a failed step of it.
make_runtime
echo "$prefix/lib" >&3
