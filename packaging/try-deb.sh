#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/try-deb.sh DEB CHECKOUT
#
# Installs an earlier version of DEB and then DEB for every user, has gdb say to root and to a user
# why CHECKOUT's examples/hang.c hangs, removes it, and compares the files that there are with those
# of before. The exit code is 0 only if all was right. Called by packaging/in-releases.sh, by root,
# in a folder without a network that has what DEB depends on.
set -eu

deb=$1
checkout=$2
. "$checkout/packaging/trying.sh"

# Without what gdb's own Python modules are compiled to, when root starts it.
files() {
    find / -xdev ! -type d ! -path '/proc/*' ! -path '/tmp/*' ! -path '/var/log/*' ! -path '/var/cache/*' \
        ! -path '/var/lib/dpkg/*' \( ! -name '*.pyc' -o -path '*ompd*' \) | sort
}

# It differs by its version alone.
earlier() {
    dpkg-deb -R "$deb" "$work/unpacked"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$work/unpacked/DEBIAN/control"
    dpkg-deb -b "$work/unpacked" "$work/earlier.deb" >/dev/null
    rm -rf "$work/unpacked"
}

way=".deb"
files >before.txt
earlier
dpkg -i "$work/earlier.deb" >dpkg.log 2>&1 || { cat dpkg.log; fail "not installed"; }
dpkg -i "$deb" >dpkg.log 2>&1 || { cat dpkg.log; fail "no upgrade"; }
says_why
gdb-ompd doctor >doctor.log || { cat doctor.log; exit 1; }
right
user=$(mktemp -d)
cp hang "$user"
chown -R 65534:65534 "$user"
(cd "$user" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$user" \
    gdb -q -batch -ex 'break hang.c:47' -ex run -ex 'ompd why' ./hang) >user.log 2>&1 </dev/null || true
grep -q '^Deadlock: GDB thread 2' user.log || { cat user.log; fail "no verdict for a user"; }
dpkg --purge gdb-ompd >dpkg.log 2>&1 || { cat dpkg.log; fail "not removed"; }
files >after.txt
diff before.txt after.txt || fail "left behind"
echo "$way, upgraded, by a user, removed: right"
rm -rf "$work" "$user"
