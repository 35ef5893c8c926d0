#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/try-wheel.sh WHEEL CHECKOUT
#
# Installs WHEEL by pip in the two ways that the documentation has, has gdb say why CHECKOUT's
# examples/hang.c hangs, and takes all back. Says a line for each way; the exit code is 0 only if
# all was right. Called by packaging/wheels.sh, in a folder that has gdb, gcc and pip and no network.
set -eu

wheel=$1
checkout=$2
python=$(sh "$checkout/scripts/gdb-python.sh")
. "$checkout/packaging/trying.sh"

way="wheel by pip install --target"
"$python" -m pip install -q --no-index --no-warn-script-location --target "$work/target" "$wheel"
says_why -nx -ex "source $work/target/share/gdb-ompd/ompd.py"
rm -rf "$work/target"
nothing_in "$HOME"
right

way="wheel in a virtual environment"
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-index "$wheel"
"$work/venv/bin/gdb-ompd" install --yes >/dev/null
says_why
"$work/venv/bin/gdb-ompd" doctor >doctor.log || { cat doctor.log; exit 1; }
"$work/venv/bin/gdb-ompd" uninstall >/dev/null
"$work/venv/bin/pip" uninstall -q -y gdb-ompd
nothing_in "$work/venv" -name '*ompd*'
nothing_in "$HOME"
right
rm -rf "$work"
