#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/sanitize.sh [address|thread] [CTEST OPTION]...
#
# Builds the native tests with AddressSanitizer and UndefinedBehaviorSanitizer (address,
# the default) or with ThreadSanitizer, in a folder of their own, and runs them. The exit
# code is 0 only if every test passed and nothing was reported.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
kind=${1:-address}
[ $# -eq 0 ] || shift
case $kind in
address) folder=$root/build/sanitize sanitize=ON ;;
thread) folder=$root/build/sanitize-thread sanitize=thread ;;
*)
    echo "sanitize.sh: '$kind' is neither address nor thread" >&2
    exit 2
    ;;
esac

# Half the time to compile of -O2 -g, and reports have their lines all the same.
cmake -S "$root" -B "$folder" -G Ninja -DGDB_OMPD_TESTS=ON -DGDB_OMPD_WERROR=ON "-DGDB_OMPD_SANITIZE=$sanitize" \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1'
cmake --build "$folder"
exec ctest --test-dir "$folder/native" --parallel 2 --no-tests=error --output-on-failure "$@"
