#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/release.sh [--tag] VERSION
#
# Makes what a release consists of, from the last commit, in build/release-VERSION: the source archive,
# the changes of that version, the wheels and the .deb, and SHA256SUMS. The same commit gives the same
# bytes: what is there already is made anew and compared. With --tag the commit gets the tag vVERSION,
# which is not pushed. Needs root for wheels and .deb; --sources makes the archive and changes only.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tag=
only_sources=
while [ $# -gt 1 ]; do
    case $1 in
        --tag) tag=yes ;;
        --sources) only_sources=yes ;;
        *) break ;;
    esac
    shift
done
case ${1:-} in
    [0-9]*) version=$1 ;;
    *) sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
esac
cd "$root"

fail() {
    echo "release: $1" >&2
    exit 1
}

[ -z "$(git status --porcelain --untracked-files=no)" ] || fail "there are changes that are not committed"
grep -qF "__version__ = \"$version\"" python/gdb_ompd/__init__.py ||
    fail "python/gdb_ompd/__init__.py, which alone has the version, has another than $version"
for recipe in packaging/gdb-ompd.spec packaging/spack/gdb-ompd/package.py packaging/easybuild/*.eb; do
    grep -qE "^ *([Vv]ersion|version\()[^0-9]*$version\b" "$recipe" || fail "$recipe has another version than $version"
done
changes=$(awk -v version="$version" '
    /^## / { ours = $2 == version || index(version, $2 ".") == 1 }
    ours' CHANGELOG.md)
[ -n "$changes" ] || fail "CHANGELOG.md has no section for $version"
case $tag$changes in
    yes*"(not released)"*) fail "CHANGELOG.md still says (not released) of $version" ;;
esac
[ -z "$tag" ] || ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "there is a tag v$version"

out=$root/build/release-$version
mkdir -p "$out"
new=$(mktemp -d "$root/build/release.XXXXXX")
trap 'rm -rf "$new"' EXIT
name=gdb-ompd-$version
# Neither the compressor's time nor the machine's gets in.
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$new/$name.tar.gz"
echo "$changes" >"$new/CHANGES-$version.md"
if [ -z "$only_sources" ]; then
    sh packaging/wheels.sh "$new"
    sh packaging/deb.sh "$new"
fi
(cd "$new" && sha256sum -- * >SHA256SUMS)
for file in "$new"/*; do
    before=$out/$(basename "$file")
    if [ -e "$before" ] && ! cmp -s "$file" "$before"; then
        echo "release: $(basename "$file") differs from what was made before"
    fi
    mv "$file" "$before"
done
[ -z "$tag" ] || git tag -a "v$version" -m "gdb-ompd $version"
cat "$out/SHA256SUMS"
echo "release: $out"
