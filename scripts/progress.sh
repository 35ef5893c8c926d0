# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts with long steps: shows how far one is while it runs.

# with_progress NAME LOG COMMAND...: run COMMAND with its output in LOG; say where that is, and how far
# it is: how many of ninja's steps are done, or the last line of LOG. On a terminal that is always to
# be seen; else it is a line a minute. Returns COMMAND's exit code.
with_progress() {
    progress_name=$1
    progress_log=$2
    shift 2
    echo "$progress_name (log: $progress_log)"
    "$@" >"$progress_log" 2>&1 </dev/null &
    progress_pid=$!
    progress_seconds=0
    while kill -0 "$progress_pid" 2>/dev/null; do
        sleep 1
        progress_seconds=$((progress_seconds + 1))
        if [ -t 1 ]; then
            printf '\r  %-76s' "$(progress_of "$progress_log")"
        elif [ $((progress_seconds % 60)) -eq 0 ]; then
            echo "  $((progress_seconds / 60)) min: $(progress_of "$progress_log")"
        fi
    done
    [ ! -t 1 ] || printf '\r%78s\r' ''
    wait "$progress_pid"
}

# progress_of LOG: how far it is, in at most 76 characters.
progress_of() {
    tail -c 4096 "$1" | tr '\r' '\n' | sed -e '/^[[:space:]]*$/d' -e 's|^\[\([0-9]*\)/\([0-9]*\)\].*|\1 of \2|' \
        | tail -n 1 | cut -c 1-76
}
