#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/newer-debuggers.sh [--truth] [--one-build] [SUITE]... [-- PYTEST OPTION...]
#
# Runs the tests on the gdb, Python, compilers and OpenMP runtimes of other releases
# of the distribution ("trixie sid"; "here" is this machine as it is), and prints
# what passed by gdb, runtime and way to reach the program. With --truth only the
# tests that this matrix is of, which takes a third of the time. With --one-build the
# other tests are not repeated with GCC, at -O0 and on libomp 14, nor are those run that
# build runtimes: that takes half of the time.
#
# Each release lies in a folder of its own in the user's cache, made once (1.5 GB) by
# debootstrap from where this machine has its packages; nothing else is changed. The
# tests run in it with mounts and processes of their own. Needs root. The exit code is
# 0 only if every test passed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
tests=tests
suites=
one_build=
while [ $# -gt 0 ]; do
    case $1 in
        --truth) tests=tests/integration/test_truth.py ;;
        --one-build) one_build=yes ;;
        --) shift; break ;;
        -*) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
        *) suites="$suites $1" ;;
    esac
    shift
done
suites=${suites:-trixie sid}
builds='libomp14 or O0 or gcc or stripped14 or debian or everything_is_found or refused_or_right'
[ -z "$one_build" ] || set -- -k "test_truth or not ($builds)" "$@"
if [ "$(id -u)" -ne 0 ]; then
    echo "newer-debuggers: only root can make and enter such a folder: use sudo" >&2
    exit 1
fi

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd
places=$cache/newer-debuggers
logs=$root/build/logs
mkdir -p "$places" "$logs"

step() {
    echo "newer-debuggers: $1"
    shift
    # Not as a condition: the shell would go on after a failed command of it.
    set +e
    (set -e; "$@") >"$log" 2>&1 </dev/null
    code=$?
    set -e
    [ "$code" -eq 0 ] || {
        echo "newer-debuggers: that failed; the end of $log:" >&2
        tail -n 15 "$log" >&2
        exit 1
    }
}

# Where this machine gets the suite from, by its own sources.
mirror_of() {
    APT_FOLDER=$(mktemp -d "$places/apt.XXXXXX")
    . "$root/scripts/private-apt.sh"
    use_suites "$(dpkg --print-architecture)" "$1"
    private_apt get update --print-uris | sed -n "s#^'\(.*\)dists/$1/.*#\1#p" | head -n 1
    rm -rf "$APT_FOLDER"
}

make_root() {
    command -v debootstrap >/dev/null \
        || env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap
    rm -rf "$place.making"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$place.making" "$(mirror_of "$suite")"
    # How packages are fetched is this machine's matter, too: an archive may be an old one.
    for option in Acquire::Check-Valid-Until Acquire::http Acquire::https; do
        apt-config dump "$option"
    done >"$place.making/etc/apt/apt.conf.d/90-as-on-the-machine"
    rm -rf "$place"
    mv "$place.making" "$place"
}

copy_checkout() {
    mkdir -p "$place/checkout"
    # Only the build is kept from last time.
    find "$place/checkout" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard \
        | xargs -0 sh -c 'for file do [ ! -f "$file" ] || printf "%s\0" "$file"; done' sh \
        | tar -c --null -T - -f - | tar -x --no-same-owner -f - -C "$place/checkout"
    # What was built of them is kept by contents, and gdb warns of a source that is newer.
    find "$place/checkout/tests/programs" -type f -exec touch -d 2020-01-01 {} +
}

# Runtimes with symbols, as they are here: at the same place, for the source's sake.
copy_runtimes() {
    mkdir -p "$place$cache"
    for name in libomp-14 libomp-19 source-14 source-19; do
        [ -e "$place$cache/$name" ] || cp -a "$cache/$name" "$place$cache/"
    done
}

# enter COMMAND...: in the root folder, where nothing of it outlives the command.
enter() {
    # shellcheck disable=SC2016 # for the shell inside
    unshare --mount --pid --fork --kill-child sh -c '
        place=$1
        shift
        mount --make-rprivate /
        mount -t proc proc "$place/proc"
        mount --rbind /dev "$place/dev"
        exec chroot "$place" "$@"' sh "$place" \
        env -i HOME="$HOME" XDG_CACHE_HOME="${cache%/gdb-ompd}" LC_ALL=C.UTF-8 TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /checkout && $1"
}

build_inside() {
    # The module is put into the checkout when it is linked.
    rm -f "$place"/checkout/build/native/bindings/_native*
    enter 'sh scripts/bootstrap.sh test && cmake -S . -B build -G Ninja && cmake --build build'
}

prepare() {
    if [ ! -d "$place" ]; then
        log=$logs/debootstrap-$suite.log
        step "installing $suite" make_root
    fi
    log=$logs/prepare-$suite.log
    step "copying the checkout and the runtimes into it" copy_all
    step "installing what is missing there, and building" build_inside
}

copy_all() {
    copy_checkout
    copy_runtimes
}

# The versions of the release's own runtimes, such as "17 18 19".
versions_inside() {
    enter 'sh scripts/distribution-runtimes.sh' | sed -n 's/^[a-z]*-\([0-9]*\)\t.*\truns$/\1/p' \
        | tr '\n' ' '
}

run_tests() {
    enter "GDB_OMPD_STRIPPED='$(versions_inside)' nice \"\$(sh scripts/gdb-python.sh)\" -m pytest \
        -q -n 2 --timeout 300 --junitxml build/$suite.xml $quoted $tests"
}

run_here() {
    env -u PYTHONHOME -u PYTHONPATH nice "$(sh scripts/gdb-python.sh)" -m pytest \
        -q -n 2 --timeout 300 --junitxml "$logs/here.xml" "$@" "$tests" </dev/null
}

quoted=
for option in "$@"; do
    quoted="$quoted '$option'"
done
sh scripts/build-libomp.sh 14 >/dev/null
sh scripts/build-libomp.sh 19 >/dev/null
failed=0
reports=
for suite in $suites; do
    log=$logs/prepare-$suite.log
    out=$logs/newer-debuggers-$suite.log
    if [ "$suite" = here ]; then
        version=$(gdb --version | sed -n '1s/.* //p')
        run_here "$@" >"$out" 2>&1 || failed=1
    else
        place=$places/$suite
        prepare
        version=$(enter 'gdb --version' | sed -n '1s/.* //p')
        rm -f "$place/checkout/build/$suite.xml"
        run_tests >"$out" 2>&1 </dev/null || failed=1
        [ ! -e "$place/checkout/build/$suite.xml" ] || cp "$place/checkout/build/$suite.xml" "$logs/"
    fi
    printf 'gdb %-6s (%s): %s\n' "$version" "$suite" "$(tail -n 1 "$out")"
    reports="$reports $version=$logs/$suite.xml"
done
# shellcheck disable=SC2086 # a list, meant to be split
PYTHONPATH=tests python3 -m support.debugger_matrix $reports
exit "$failed"
