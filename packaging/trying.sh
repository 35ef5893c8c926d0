# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that try an installation: $checkout is the caller's. From here on it works
# in a folder of its own, with a home that is empty, and $way names what is tried.

export PIP_ROOT_USER_ACTION=ignore
work=$(mktemp -d)
export HOME="$work/home"
unset XDG_CACHE_HOME
mkdir "$HOME"
cd "$work"
(cd "$checkout/examples" && gcc -g -fopenmp -o "$work/hang" hang.c settle.c)

fail() {
    echo "$way: $1" >&2
    exit 1
}

# says_why COMMAND...: whether gdb, told so, has the verdict.
says_why() {
    gdb -q -batch -iex 'set auto-load safe-path /' "$@" -ex 'set print thread-events off' \
        -ex 'break hang.c:47' -ex run -ex 'ompd why' ./hang >why.log 2>&1 </dev/null || true
    grep -q '^Deadlock: GDB thread 2 waits for lock "account" at hang.c:27 held by GDB thread 3' why.log \
        || { cat why.log; fail "no verdict"; }
}

# nothing_in FOLDER [FIND TEST]...
nothing_in() {
    folder=$1
    shift
    left=$(find "$folder" -type f ! -path '*/.cache/*' "$@" | head -n 3)
    [ -z "$left" ] || fail "left behind: $left"
}

right() {
    echo "$way, $(gdb -nx --version | sed -n 's/.* \([0-9][0-9.]*\).*/gdb \1/p;q'), $(id -un): right"
}
