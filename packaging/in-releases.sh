#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/in-releases.sh [SUITE]...
#
# Builds the last commit in clean folders of Debian's releases, as the documentation has it: from
# source in each, and as a package where gdb is new enough for that. Tries both in folders that have
# nothing of ours, without a network, up to the verdict of "ompd why", and takes them back. Says a
# line for each way. Wheels have a script of their own. Needs root; takes 15 minutes the first time.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
me=in-releases
suites=${*:-bullseye bookworm trixie sid}
. "$root/scripts/release-folder.sh"

clone() {
    rm -rf "$place/checkout"
    git clone -q "file://$root" "$place/checkout"
}

install_tools() {
    enter 'apt-get update && apt-get install -y --no-install-recommends git ccache gdb g++ cmake ninja-build \
        pkg-config pybind11-dev python3-dev libelf-dev libdw-dev libcapstone-dev debhelper'
}

build_source() {
    enter 'cmake -S . -B build -G Ninja -DGDB_OMPD_TESTS=OFF && cmake --build build'
}

build_package() {
    enter 'git config --global safe.directory "*" && sh packaging/deb.sh /packages'
}

# What the package depends on is there already: installing it must need no network.
prepare_users() {
    package=$(echo "$places/$suite"/packages/gdb-ompd_*.deb)
    needs=$(dpkg-deb -f "$package" Depends)
    enter "apt-get update && apt-get satisfy -y --no-install-recommends '$needs' gcc libc6-dev"
    rm -rf "$place/package"
    mkdir "$place/package"
    cp "$package" "$place/package"
    rm -rf "$place/checkout"
    git clone -q "file://$root" "$place/checkout"
}

try_source() {
    try="sh packaging/try-source.sh /checkout/build /checkout"
    enter_copy "$try"
    enter_copy "chown -R 65534:65534 build && setpriv --reuid=65534 --regid=65534 --clear-groups $try"
}

try_package() {
    enter_copy 'sh packaging/try-deb.sh /package/gdb-ompd_*.deb /checkout'
}

for suite in $suites; do
    use_release "$suite"
    log=$logs/in-$suite.log
    step "cloning the last commit in $suite" clone
    step "installing what building needs in $suite" install_tools
    step "building from source in $suite" build_source
    step "trying that in $suite" try_source
    sed "s/^/$suite: /" "$log"
    # The package asks for gdb 12: so many gdbs have what distributions' programs need.
    enter 'gdb -nx --version' | grep -q ' 1[01]\.' && continue
    log=$logs/deb-$suite.log
    step "building the package in $suite" build_package
    use_release "$suite" users
    step "installing what the package needs in $suite" prepare_users
    step "trying the package in $suite" try_package
    sed "s/^/$suite: /" "$log"
done
