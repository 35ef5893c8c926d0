#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/distribution-libgomps.sh [-hangs] [SUITE...]
#
# Holds what is said of programs of plain gcc against what omp_get_* answers in them, and the
# stops of event breakpoints against what the programs count, on the libgomp of each SUITE of
# the distribution (this release's and bullseye, trixie, sid and experimental). The packages
# are unpacked into the user's cache, not installed; the programs are this machine's gcc's.
#
# Prints a line each: suite, version of the package, how the extension calls the layout,
# facts, wrong ones, unknown ones, and stops of how many events; or that it needs a newer C
# library (GDB_OMPD_NEWER_SUITES=trixie in the environment has one fetched). With -hangs it is
# instead how often "ompd why" names the cause of a hang, and what it says where it does not.
# The exit code is 0 only if nothing was wrong. Takes two minutes.
set -eu

hangs=
[ "${1:-}" != -hangs ] || { hangs=$1; shift; }

scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/private-apt.sh"
[ $# -gt 0 ] || set -- "$(own_suite)" bullseye trixie sid experimental
architecture=$(dpkg --print-architecture)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd/libgomp
APT_FOLDER=$cache/apt
mkdir -p "$cache"

use_suites "$architecture" "$@"
private_apt get update >"$cache/update.log" 2>&1 ||
    echo "distribution-libgomps: not all lists could be read: $cache/update.log" >&2

# The newest of a suite.
offered() {
    private_apt cache madison "libgomp1:$architecture" | awk -F ' *[|] *' -v suite="$1" '
        $3 ~ / Packages$/ { split($3, place, " "); sub("/.*", "", place[2]) }
        $3 ~ / Packages$/ && place[2] == suite { print $2; exit }'
}

for suite in "$@"; do
    version=$(offered "$suite")
    folder=$cache/$suite-$version
    if [ -z "$version" ]; then
        echo "$suite: no libgomp1 is offered"
        continue
    fi
    if [ ! -e "$folder/libgomp.so.1" ]; then
        work=$(mktemp -d)
        (cd "$work" && private_apt get download "libgomp1:$architecture=$version" >download.log 2>&1)
        dpkg -x "$work"/*.deb "$work/tree"
        mkdir -p "$folder"
        find "$work/tree" -type f -name 'libgomp.so.1.*' -exec cp {} "$folder/libgomp.so.1" \;
        rm -rf "$work"
    fi
    echo "$suite $version $folder"
done >"$cache/list"

exec env -u PYTHONHOME PYTHONPATH="$scripts/../tests" PYTHONDONTWRITEBYTECODE=1 \
    "$(sh "$scripts/gdb-python.sh")" -m libgomps ${hangs:+"$hangs"} "$cache/list"
