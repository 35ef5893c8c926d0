#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/fuzz-libgompd.sh [EXECUTIONS] [LIBFUZZER OPTION]...
#
# Answers the OMPD library for libgomp, by its callbacks, with what libFuzzer makes up,
# EXECUTIONS times (1000000), built with AddressSanitizer and UndefinedBehaviorSanitizer. What
# leads to new code is kept in build/fuzz-libgompd/corpus, and so is what leads to a fault:
# "sh scripts/fuzz-libgompd.sh 0 FILE" repeats that. The exit code is 0 only if there is none.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
executions=${1:-1000000}
[ $# -eq 0 ] || shift
folder=$root/build/fuzz-libgompd
mkdir -p "$folder/corpus"
[ $# -gt 0 ] || set -- "$folder/corpus"
capstone=$(pkg-config --cflags --libs capstone)

# shellcheck disable=SC2086
clang++ -std=c++20 -O2 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -I"$root/native/src" -I"$root/native/libgompd" "$root/native/tests/fuzz_gompd.cpp" \
    "$root"/native/libgompd/*.cpp $capstone -o "$folder/fuzz_gompd"
cd "$folder"
exec ./fuzz_gompd "-runs=$executions" -max_len=512 -timeout=10 -print_final_stats=1 "$@"
