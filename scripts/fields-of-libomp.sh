#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/fields-of-libomp.sh VERSION [--machine aarch64] [NEXT]
#
# Builds LLVM's OpenMP runtime VERSION with symbols and writes what is known of that
# release, python/gdb_ompd/host/symbols/releases/llvm-VERSION.json, or llvm-VERSION-aarch64.json
# where that differs on another machine than x86-64: the constants that
# ompd_init() stores, by the file's code, and the places of the fields that OMPD does not
# publish, by its debug information. NEXT is the file of a later release's libomp.so: three
# of the names that only that one exports tell the two apart. Without it the names that the
# file has are kept.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
    *[!0-9]* | '') sed -n 's/^# Usage: /usage: /p' "$0" >&2; exit 2 ;;
esac
version=$1
shift
machine=
if [ "${1:-}" = --machine ]; then
    machine=$2
    shift 2
fi
folder=$(sh "$scripts/build-libomp.sh" "$version" ${machine:+--machine "$machine"})
next=$(nm -D --defined-only "${1:-$folder/libomp.so}" | sed -n 's/.* [TW] \(omp_\|kmp_\|__kmpc_\)/\1/p')
cd "$scripts/.."
env -u PYTHONHOME PYTHONPATH=python "$(sh scripts/gdb-python.sh)" - \
    "$version" "$machine" "$folder/libomp.so" "$next" <<'END'
import json
import os
import sys

from gdb_ompd import _native
from gdb_ompd.host.symbols import releases

version, machine, path, following = sys.argv[1:]
runtime = _native.Elf(path)
fields = _native.PrivateFields.of_debug_information(runtime)
recovery = _native.recover(path)
if fields is None or recovery.reasons:
    sys.exit(f"fields-of-libomp: {path}: no debug information, or not recovered")
suffix = f"-{machine}" if machine else ""
place = os.path.join(releases.FOLDER, f"llvm-{version}{suffix}.json")
kept = json.load(open(place)) if os.path.exists(place) else {}
names = (name.partition("@")[0] for name in following.split())
later = sorted({name for name in names if not runtime.exports(name)})[:3]


def lines(values):
    return "{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in values.items()) + "\n }"


with open(place, "w", encoding="ascii") as file:
    file.write(
        f'{{\n "label": "LLVM {version}",\n'
        f' "provenance": {json.dumps(kept.get("provenance", f"LLVM {version} {machine}".strip()))},\n'
        f' "later": {json.dumps(later or kept.get("later", []))},\n'
        f' "constants": {lines({n: recovery.constants[n] for n in _native.META_SYMBOLS})},\n'
        f' "fields": {lines({name: list(at) for name, at in fields.places.items()})}\n}}\n'
    )
print(place)
END
