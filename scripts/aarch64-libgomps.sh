#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/aarch64-libgomps.sh [SUITE...]
#
# Holds what is said of aarch64 programs of plain gcc against what omp_get_* answers in them, and
# asks of the README's hang for its verdict and where its region begins. On this machine under
# qemu-user, on the libgomp and C library of each SUITE of the distribution (this release's and
# bullseye, trixie and sid), and of plain clang on LLVM 14's runtime of this release. The packages
# are unpacked into the user's cache, not installed. Needs aarch64-linux-gnu-gcc, qemu-aarch64 and gdb-multiarch in the PATH
# (apt-get install gcc-aarch64-linux-gnu qemu-user gdb-multiarch).
#
# Prints a line each: suite, version of the package, facts, wrong and unknown ones; the
# exit code is 0 only if nothing was wrong. Takes a minute.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/private-apt.sh"
[ $# -gt 0 ] || set -- "$(own_suite)" bullseye trixie sid
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd/aarch64
APT_FOLDER=$cache/apt
mkdir -p "$cache"

# The program's compiler is this release's, and its C library may be older than what that needs.
use_suites arm64 "$(own_suite)" "$@"
private_apt get update >"$cache/update.log" 2>&1 ||
    echo "aarch64-libgomps: not all lists could be read: $cache/update.log" >&2

# offered PACKAGE SUITE: its newest version there.
offered() {
    private_apt cache madison "$1:arm64" | awk -F ' *[|] *' -v suite="$2" '
        $3 ~ / Packages$/ { split($3, place, " "); sub("/.*", "", place[2]) }
        $3 ~ / Packages$/ && place[2] == suite { print $2; exit }'
}

llvm_package=libomp5-14  # of which the layout is known on aarch64

# A libgomp runs on the C library of its release, or on this one's if that is newer. What ends
# threads needs libgcc_s.
for suite in "$@"; do
    version=$(offered libgomp1 "$suite")
    if [ -z "$version" ]; then
        echo "$suite: no libgomp1 is offered for arm64" >&2
        continue
    fi
    root=$cache/$suite-$version
    own=
    [ "$suite" != "$(own_suite)" ] || own=$(offered "$llvm_package" "$suite")
    if [ ! -e "$root/lib/libgomp.so.1" ] || { [ -n "$own" ] && [ ! -e "$root/lib/libomp.so.5" ]; }; then
        work=$(mktemp -d)
        packages="libgomp1:arm64=$version ${own:+$llvm_package:arm64=$own}"
        for package in libc6 libgcc-s1; do
            newest=$(printf '%s\n' "$(offered $package "$suite")" \
                "$(offered $package "$(own_suite)")" | sort -V | tail -n 1)
            packages="$packages $package:arm64=$newest"
        done
        # shellcheck disable=SC2086 # a list of packages, meant to be split
        (cd "$work" && private_apt get download $packages >download.log 2>&1)
        for package in "$work"/*.deb; do
            dpkg -x "$package" "$work/tree"
        done
        mkdir -p "$root/lib"
        find "$work/tree" \( -name 'lib*.so.[0-9]' -o -name 'ld-linux-aarch64.so.1' \) \
            -path '*aarch64-linux-gnu/*' -exec cp -L {} "$root/lib/" \;
        rm -rf "$work"
    fi
    echo "gcc $suite $version $root"
    [ -n "$own" ] || continue
    ln -sf libomp.so.5 "$root/lib/libomp.so"  # the name that clang links with
    echo "clang $suite $own $root"
done >"$cache/list"

exec env -u PYTHONHOME PYTHONPATH="$scripts/../tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$scripts/gdb-python.sh")" -m aarch64_libgomps "$cache/list"
