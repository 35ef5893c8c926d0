# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts with long steps: shows how far one is while it runs.

# with_progress NAME LOG COMMAND...: run COMMAND with its output in LOG; say where that is, and
# on a terminal how many of ninja's steps are done. Returns COMMAND's exit code.
with_progress() {
    progress_name=$1
    progress_log=$2
    shift 2
    echo "$progress_name (log: $progress_log)"
    "$@" >"$progress_log" 2>&1 </dev/null &
    progress_pid=$!
    if [ -t 1 ]; then
        while kill -0 "$progress_pid" 2>/dev/null; do
            sleep 1
            progress_step=$(tr '\r' '\n' <"$progress_log" |
                sed -n 's|^\[\([0-9]*\)/\([0-9]*\)\].*|\1 of \2|p' | tail -n 1)
            [ -z "$progress_step" ] || printf '\r  %s ' "$progress_step"
        done
        printf '\r%24s\r' ''
    fi
    wait "$progress_pid"
}
