#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/lint.sh [text|python|cpp]...
#
# Checks what a compiler and a test do not: format, types, clang-tidy, and that
# each file carries its licence and no trace of the machine it was written on.
# Without a part's name all of them. Every check runs, even when one has failed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
failed=0

complain() {
    echo "lint: $1" >&2
    failed=1
}

# Files of the project: what git tracks or would track.
files() {
    if [ -e .git ]; then
        git -c safe.directory="$root" ls-files --cached --others --exclude-standard -- "$@"
    else
        for pattern in "$@"; do
            find . \( -path ./build -o -name '__pycache__' -o -name '.*_cache' -o -name .hypothesis \) -prune \
                -o -type f -path "./$pattern" ! -name '*.so' -print
        done
    fi | while read -r file; do
        [ -f "$file" ] && echo "$file"
    done
}

check_licence() {
    files '*' | grep -v -E '^(\./)?LICENSE$|\.(md|txt|json|png)$' | while read -r file; do
        [ -s "$file" ] || continue
        licence='Apache-2\.0'
        case $file in */dagre.min.js) licence=MIT ;; esac  # another project's, carried as it is
        head -n 5 "$file" | grep -q "SPDX-License-Identifier: $licence" || echo "$file"
    done
}

# The brackets keep these patterns from finding themselves.
check_machine() {
    pattern='(^|[^A-Za-z0-9_.$})-])/([r]oot|[h]ome|[U]sers|[w]ork)/[A-Za-z0-9_.]'
    pattern="$pattern|[d]eb\\.debian|[s]napshot\\.debian|[p]ypi\\.|[r]egistry\\.npm|[c]rates\\.io"
    files '*' | while read -r file; do
        grep -I -n -H -E "$pattern" "$file" || true
    done
}

lint_text() {
    found=$(check_licence)
    [ -z "$found" ] || complain "no SPDX line in the first five of:
$found"
    found=$(check_machine)
    [ -z "$found" ] || complain "a path or a host of one machine in:
$found"
}

lint_python() {
    python=$(sh "$root/scripts/gdb-python.sh")
    sources=$(files '*.py' '*.pyi')
    # shellcheck disable=SC2086 # a list of names, meant to be split
    "$python" -m black --quiet --check $sources || {
        "$python" -m black --check $sources 2>&1 | grep '^would reformat' >&2 || true
        complain "black would change the files above"
    }
    "$python" -m mypy --strict python || complain "mypy is not content"
}

# In a unity build a file may lack an include that another one of its room has.
check_single() {
    if ! cmake -S . -B build/single -G Ninja -DGDB_OMPD_TESTS=OFF -DCMAKE_UNITY_BUILD=OFF \
        >build/single.log 2>&1; then
        tail -n 15 build/single.log >&2
        complain "cmake failed for a build of each file by itself"
        return
    fi
    sed -n 's/^ *"command": "\(.*\) -o [^ ]* -c \(.*\)",$/\1 -fsyntax-only \2/p' \
        build/single/compile_commands.json | tr '\n' '\0' |
        xargs -0 -r -n 1 -P "$(nproc)" sh -c ||
        complain "a file does not compile by itself (-DCMAKE_UNITY_BUILD=OFF)"
}

lint_cpp() {
    files 'native/*.cpp' 'native/*.hpp' 'native/*.h' \
        | xargs -r clang-format --dry-run -Werror || complain "clang-format would change the files above"
    # Of a unity build clang-tidy reads the headers once for a room, not for each file.
    mkdir -p build
    if ! cmake -S . -B build/lint -G Ninja -DGDB_OMPD_TESTS=OFF >build/lint.log 2>&1; then
        tail -n 15 build/lint.log >&2
        complain "cmake failed, so clang-tidy was not run"
        return
    fi
    check_single
    # The bindings, which take longest, are last in the list: one processor alone would check them.
    # Its count of what it suppressed in system headers goes to standard error.
    sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/lint/compile_commands.json | tac |
        xargs -r -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint --warnings-as-errors='*' \
            --checks=-bugprone-suspicious-include 2>/dev/null || complain "clang-tidy is not content"
}

[ $# -gt 0 ] || set -- text python cpp
for part in "$@"; do
    case $part in
        text) lint_text ;;
        python) lint_python ;;
        cpp) lint_cpp ;;
        *) echo "usage: sh scripts/lint.sh [text|python|cpp]..." >&2; exit 2 ;;
    esac
done
exit "$failed"
