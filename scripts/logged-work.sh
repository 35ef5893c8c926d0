# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that make something in the user's cache.
#
# begin_logged_work FOLDER LOG COMPLAINT: makes the folder $work of the mktemp template
# FOLDER, which is gone when the script ends. From here on all that is said goes to LOG;
# 3 and 4 are standard output and error as they were. If the script ends with an error,
# COMPLAINT and the end of LOG are written there.

begin_logged_work() {
    work=$(mktemp -d "$1")
    work_log=$2
    work_complaint=$3
    exec 3>&1 4>&2
    trap end_logged_work EXIT
    trap 'exit 130' INT TERM
    exec >"$work_log" 2>&1
}

end_logged_work() {
    code=$?
    rm -rf "$work"
    [ "$code" -eq 0 ] || {
        echo "$work_complaint; see $work_log"
        tail -n 15 "$work_log"
    } >&4
}
