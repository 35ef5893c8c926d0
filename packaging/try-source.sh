#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh packaging/try-source.sh BUILD CHECKOUT
#
# Installs what was built in BUILD into the user's home, as README.md has it, has gdb say why
# CHECKOUT's examples/hang.c hangs, and takes all back. The exit code is 0 only if all was right.
# Called by packaging/in-releases.sh, in a folder without a network.
set -eu

build=$1
checkout=$2
. "$checkout/packaging/trying.sh"

way="source"
cmake --install "$build" --prefix "$HOME/.local" >/dev/null
"$HOME/.local/bin/gdb-ompd" install --yes >/dev/null
says_why
"$HOME/.local/bin/gdb-ompd" doctor >doctor.log || { cat doctor.log; exit 1; }
"$HOME/.local/bin/gdb-ompd" uninstall >/dev/null
cmake --build "$build" --target uninstall >/dev/null
nothing_in "$HOME"
right
rm -rf "$work"
