#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/bootstrap.sh [demo|test|packages NAME...]
#
# Installs from the distribution what scripts/demo.sh or scripts/test.sh needs
# and this machine lacks, or the packages of these names. Says one line per step; the rest goes to a log.
set -eu

profile=${1:-test}
demo="gdb clang g++ cmake ninja-build pkg-config pybind11-dev python3-dev libelf-dev libdw-dev
    libcapstone-dev libomp-dev"
tests="ccache xz-utils gdbserver gcc gfortran lld binutils elfutils git libc6-dbg libgtest-dev
    python3-pip python3-pytest python3-pytest-xdist python3-pytest-timeout python3-hypothesis
    python3-pexpect python3-jsonschema tmux black mypy clang-format clang-tidy mkdocs"

case $profile in
    demo) wanted=$demo ;;
    test) wanted="$demo $tests" ;;
    packages) shift; wanted=$* ;;
    *) echo "usage: sh scripts/bootstrap.sh [demo|test|packages NAME...]" >&2; exit 2 ;;
esac

cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd
log=$cache/bootstrap.log
no_backport=$cache/no-scikit-build-core

missing_of() {
    installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null \
        | sed -n 's/^.i. *//p') || true
    for package in "$@"; do
        case "
$installed
" in
            *"
$package
"*) ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# No package of the user's is ever removed to make room for one of ours.
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@"
}

step() {
    echo "bootstrap: $1 (log: $log)"
    shift
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        echo "bootstrap: that failed; the end of $log:" >&2
        tail -n 15 "$log" >&2
        exit 1
    fi
}

install_missing() {
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        echo "bootstrap: neither root nor sudo; ask for: apt-get install $*" >&2
        exit 1
    fi
    : >"$log"
    step "reading the package lists" apt_install update
    step "installing $*" \
        apt_install install -y --no-install-recommends --no-remove \
        -o DPkg::Lock::Timeout=300 "$@"
}

# The system's own sources, with the backports suite beside the release.
backport_sources() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] || continue
        sed -n "s/^\(deb .*\) $release \(.*\)/&\n\1 $release-backports \2/p" "$file"
    done >"$private/sources.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        sed "/^Suites:/s/ $release\( \|\$\)/ $release $release-backports /" "$file" \
            >"$private/sources.list.d/$(basename "$file")"
    done
}

private_apt() {
    apt_install \
        -o Dir::Etc::sourcelist="$private/sources.list" \
        -o Dir::Etc::sourceparts="$private/sources.list.d" \
        -o Dir::State::lists="$private/lists" \
        -o Dir::Cache="$private/cache" \
        -o APT::Sandbox::User=root \
        -o DPkg::Lock::Timeout=300 \
        "$@"
}

install_backport() {
    mkdir -p "$private/sources.list.d" "$private/lists/partial" "$private/cache/archives/partial"
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    backport_sources
    private_apt update &&
        private_apt install -y --no-install-recommends --no-remove \
            -t "$release-backports" python3-scikit-build-core
}

# Only the test of `pip install` needs it, so its absence is no failure. The
# note of a failed attempt spares the next day's runs the network.
try_scikit_build_core() {
    [ -n "$(missing_of python3-scikit-build-core)" ] || return 0
    if [ -n "$(find "$no_backport" -mtime -1 2>/dev/null)" ]; then
        return 0
    fi
    private=$(mktemp -d "$cache/apt.XXXXXX")
    trap 'as_root rm -rf "$private"' EXIT
    echo "bootstrap: installing python3-scikit-build-core (optional)"
    if apt_install install -y --no-install-recommends --no-remove python3-scikit-build-core \
        >>"$log" 2>&1 </dev/null || install_backport >>"$log" 2>&1 </dev/null; then
        rm -f "$no_backport"
    else
        touch "$no_backport"
        echo "bootstrap: python3-scikit-build-core cannot be had; the pip test will be skipped"
    fi
}

# What single tests need, where the distribution has it: a browser that pages of "ompd report"
# are looked at in, MPI with its launcher, and programs of the distribution that use OpenMP.
try_optional() {
    [ -n "$(missing_of "$@")" ] || return 0
    echo "bootstrap: installing $* (optional)"
    apt_install install -y --no-install-recommends --no-remove "$@" >>"$log" 2>&1 </dev/null ||
        echo "bootstrap: $* cannot be had; the tests that need it will be skipped"
}

mkdir -p "$cache"
# shellcheck disable=SC2086 # a list of names, meant to be split
missing=$(missing_of $wanted)
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    install_missing $missing
fi
if [ "$profile" = test ]; then
    try_scikit_build_core
    try_optional chromium
    try_optional openmpi-bin libopenmpi-dev
    try_optional python3-numpy libopenblas0-openmp
    try_optional imagemagick graphicsmagick
fi
