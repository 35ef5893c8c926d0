#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/distribution-runtimes.sh [--suites "SUITE..."] [--architecture ARCH]
#                                            [--refresh] [VERSION...]
#
# Fetches the distribution's own libomp (stripped, as users have it) with its
# libompd, without installing it: of this release, or of SUITE... such as
# "trixie sid experimental"; of VERSION..., or of every one from 13 to 24 that is
# there. From other suites than this release's, their C library too.
#
# Prints a line each, separated by tabs: SUITE-VERSION, the folder with libomp.so
# and libompd.so, "libompd" or "-", the newest symbol version it needs of the C
# library, and "runs" or "newer libc", by the C library of this machine. The
# result is kept in the user's cache; what was not there is looked for again with
# --refresh.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
. "$scripts/logged-work.sh"
. "$scripts/private-apt.sh"
release=$(own_suite)
native=$(dpkg --print-architecture)
suites=$release
architecture=$native
refresh=
while [ $# -gt 0 ]; do
    case $1 in
        --suites) suites=$2; shift ;;
        --architecture) architecture=$2; shift ;;
        --refresh) refresh=yes ;;
        *[!0-9]* | '') sed -n 's/^# Usage: /usage: /p; s/^#   *\[/    [/p' "$0" >&2; exit 2 ;;
        *) break ;;
    esac
    shift
done
versions=${*:-13 14 15 16 17 18 19 20 21 22 23 24}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd/distribution
log=$cache/fetch.log
suffix=
[ "$architecture" = "$native" ] || suffix=-$architecture
mkdir -p "$cache"

# Folders of what may be there; each has the file "done", or "absent" in place of lib.
wanted() {
    for suite in $suites; do
        for version in $versions; do
            echo "$suite-$version$suffix"
        done
        [ "$suite" = "$release" ] || [ -n "$suffix" ] || echo "$suite-libc"
    done
}

known() {
    for name in $(wanted); do
        [ -e "$cache/$name/done" ] || [ -e "$cache/$name/absent" ] || return 1
    done
}

# What the lists offer, asked once: it takes a second.
read_offers() {
    names=libc6:$architecture
    for version in $versions; do
        for package in "libomp5-$version" "libomp5-${version}t64" libomp5; do
            names="$names $package:$architecture"
        done
    done
    # shellcheck disable=SC2086 # a list, meant to be split
    private_apt cache madison $names | awk -F ' *[|] *' '
        $3 ~ / Packages$/ {
            sub(/^ */, "", $1)
            sub(/:.*/, "", $1)
            split($3, place, " ")
            sub("/.*", "", place[2])
            print $1, place[2], $2
        }' >"$work/offers"
}

# offered PACKAGE SUITE PATTERN: the first version of it there that fits.
offered() {
    awk -v package="$1" -v suite="$2" -v pattern="$3" '
        $1 == package && $2 == suite && $3 ~ pattern { print $3; exit }' "$work/offers"
}

# unpack PACKAGE FULL_VERSION: into $work/tree
unpack() {
    rm -rf "$work/debs"
    mkdir -p "$work/debs"
    (cd "$work/debs" && private_apt get download "$1:$architecture=$2")
    for deb in "$work"/debs/*.deb; do
        dpkg -x "$deb" "$work/tree"
    done
}

begin_tree() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree" "$work/made/lib"
}

# The folder appears complete or not at all.
keep() {
    touch "$work/made/$2"
    rm -rf "${cache:?}/$1"
    mv "$work/made" "$cache/$1"
}

# find_package SUITE VERSION: prints "PACKAGE FULL_VERSION" of the runtime. The
# names changed: libomp5-14, libomp5-17t64, and libomp5 for all from 21 on, which
# was an empty package before.
find_package() {
    for package in "libomp5-$2" "libomp5-${2}t64" libomp5; do
        found=$(offered "$package" "$1" "^([0-9]+:)?$2([.][0-9]+[.][0-9]|~)")
        [ -z "$found" ] || { echo "$package $found"; return; }
    done
}

copy_libraries() {
    runtime=$(find "$work/tree" -type f -name libomp.so.5 | head -n 1)
    [ -n "$runtime" ] || return 1
    cp "$runtime" "$work/made/lib/libomp.so.5"
    ln -s libomp.so.5 "$work/made/lib/libomp.so"
    ompd=$(find "$work/tree" -type f -name libompd.so | head -n 1)
    [ -z "$ompd" ] || cp "$ompd" "$work/made/lib/"
}

fetch_runtime() {
    begin_tree
    # shellcheck disable=SC2046 # two words
    set -- "$1" "$2" $(find_package "$1" "$2")
    if [ $# -eq 4 ]; then
        unpack "$3" "$4"
        unpack "libomp-$2-dev" "$4" || echo "no libomp-$2-dev $4"
    fi
    if copy_libraries; then
        keep "$1-$2$suffix" "done"
    else
        keep "$1-$2$suffix" absent
    fi
}

fetch_libc() {
    begin_tree
    version=$(offered libc6 "$1" .)
    if [ -z "$version" ]; then
        keep "$1-libc" absent
        return
    fi
    unpack libc6 "$version"
    loader=$(find "$work/tree" -name 'ld-linux*' -path '*-linux-gnu*' | head -n 1)
    find "$(dirname "$loader")" -maxdepth 1 -name '*.so*' -exec cp -P {} "$work/made/lib/" \;
    keep "$1-libc" "done"
}

fetch() {
    # shellcheck disable=SC2086 # a list, meant to be split
    use_suites "$architecture" $suites
    private_apt get update
    read_offers
    for name in $(wanted); do
        [ -n "$refresh" ] || { [ ! -e "$cache/$name/done" ] && [ ! -e "$cache/$name/absent" ]; } \
            || continue
        rest=${name%"$suffix"}
        case $rest in
            *-libc) fetch_libc "${rest%-libc}" ;;
            *) fetch_runtime "${rest%-*}" "${rest##*-}" ;;
        esac
    done
}

# The file's own words: GLIBC_2.34.
libc_needed() {
    readelf -V "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1
}

verdict() {
    here=GLIBC_$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
    if [ -n "$suffix" ]; then
        echo "$architecture"
    elif [ "$(printf '%s\n%s\n' "$1" "$here" | sort -V | tail -n 1)" = "$here" ]; then
        echo runs
    else
        echo "newer libc"
    fi
}

report() {
    for name in $(wanted); do
        lib=$cache/$name/lib
        [ -e "$cache/$name/done" ] || continue
        if [ -e "$lib/libomp.so.5" ]; then
            ompd=-
            [ ! -e "$lib/libompd.so" ] || ompd=libompd
            needed=$(libc_needed "$lib/libomp.so.5")
            printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$lib" "$ompd" "$needed" "$(verdict "$needed")"
        else
            printf '%s\t%s\t-\t-\tlibc\n' "$name" "$lib"
        fi
    done
}

if [ -z "$refresh" ] && known; then
    report
    exit
fi
exec 9>"$cache/lock"
flock 9
begin_logged_work "$cache/work.XXXXXX" "$log" "distribution-runtimes: that failed"
APT_FOLDER=$work/apt
fetch
report >&3
