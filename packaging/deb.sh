#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/deb.sh [FOLDER]
#
# Makes gdb-ompd's .deb for this release of Debian from the files of the last commit, and has
# lintian look at it; installs from the distribution what that needs. FOLDER is build/packages.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/packages}
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/python/gdb_ompd/__init__.py")
log=$root/build/deb.log
. "$root/scripts/progress.sh"

sh "$root/scripts/bootstrap.sh" demo
sh "$root/scripts/bootstrap.sh" packages build-essential debhelper dh-python lintian
mkdir -p "$out"
out=$(cd "$out" && pwd)
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
tree=$sources/gdb-ompd-$version
mkdir "$tree"
git -C "$root" archive HEAD | tar -x -C "$tree"
cp -r "$tree/packaging/debian" "$tree/debian"
mkdir "$tree/debian/source"
echo "3.0 (native)" >"$tree/debian/source/format"
date=$(git -C "$root" log -1 --format=%cD)
cat >"$tree/debian/changelog" <<END
gdb-ompd ($version) unstable; urgency=medium

  * What has changed is in CHANGELOG.md.

 -- gdb-ompd developers <gdb-ompd@example.org>  $date
END

build() {
    cd "$tree" && dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary
}
if ! with_progress "deb: building the package" "$log" build; then
    echo "deb: the build failed; the end of $log:" >&2
    tail -n 15 "$log" >&2
    exit 1
fi
cp "$sources"/gdb-ompd_*.deb "$out"
lintian --fail-on error --tag-display-limit 0 --suppress-tags initial-upload-closes-no-bugs \
    "$sources"/gdb-ompd_*.deb
echo "deb: $(echo "$out"/gdb-ompd_*.deb)"
