#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/try-wheel.sh WHEEL CHECKOUT
#
# Installs WHEEL by pip in the two ways that the documentation has, has gdb say why CHECKOUT's
# examples/hang.c hangs, and takes all back. Says a line for each way; the exit code is 0 only if
# all was right. Called by packaging/wheels.sh, in a folder that has gdb, gcc and pip and no network.
set -eu
export PIP_ROOT_USER_ACTION=ignore

wheel=$1
checkout=$2
work=$(mktemp -d)
python=$(sh "$checkout/scripts/gdb-python.sh")
export HOME="$work/home"
unset XDG_CACHE_HOME
mkdir "$HOME"
cd "$work"
(cd "$checkout/examples" && gcc -g -fopenmp -o "$work/hang" hang.c settle.c)

# says_why COMMAND...: whether gdb, told so, has the verdict.
says_why() {
    gdb -q -batch -iex 'set auto-load safe-path /' "$@" -ex 'set print thread-events off' \
        -ex 'break hang.c:47' -ex run -ex 'ompd why' ./hang >why.log 2>&1 </dev/null || true
    grep -q '^Deadlock: GDB thread 2 waits for lock "account" at hang.c:27 held by GDB thread 3' why.log \
        || { cat why.log; echo "$way: no verdict" >&2; exit 1; }
}

nothing_left() {
    left=$(find "$HOME" -type f ! -path '*/.cache/*' | head -n 3)
    [ -z "$left" ] || { echo "$way: left behind: $left" >&2; exit 1; }
}

way="pip install --target"
"$python" -m pip install -q --no-index --no-warn-script-location --target "$work/target" "$wheel"
says_why -nx -ex "source $work/target/share/gdb-ompd/ompd.py"
rm -rf "$work/target"
nothing_left
echo "$way, $("$python" --version), $(id -un): right"

way="a virtual environment"
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-index "$wheel"
"$work/venv/bin/gdb-ompd" install --yes >/dev/null
says_why
"$work/venv/bin/gdb-ompd" doctor >doctor.log || { cat doctor.log; exit 1; }
"$work/venv/bin/gdb-ompd" uninstall >/dev/null
"$work/venv/bin/pip" uninstall -q -y gdb-ompd
left=$(find "$work/venv" -name '*ompd*' | head -n 3)
[ -z "$left" ] || { echo "$way: left behind: $left" >&2; exit 1; }
nothing_left
echo "$way, $("$python" --version), $(id -un): right"
rm -rf "$work"
