#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/screenshots.sh FOLDER [PAGE]...
#
# Makes pictures of pages that "ompd report" has written, to be looked at: FOLDER/PAGE-WIDTH-LOOK.png,
# 1280 and 400 pixels wide, light and dark. Without a PAGE, of made hangs of 4 to 1000 threads.
# Needs chromium.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
if [ $# = 0 ]; then
    PYTHONPATH="$root/python:$root/tests" "$(sh "$root/scripts/gdb-python.sh")" \
        -m support.made_pages "$folder"
    set -- "$folder"/*.html
fi
for page in "$@"; do
    page=$(realpath "$page")
    for width in 1280 400; do
        for look in light dark; do
            [ "$look" = dark ] && scheme=0 || scheme=1
            picture=$folder/$(basename "$page" .html)-$width-$look.png
            # Chromium's window is not narrower than 500 pixels: a frame is.
            frame=$folder/frame.html
            printf '<body style="margin:0"><iframe src="file://%s" style="border:0;width:%spx;height:1600px">' \
                "$page" "$width" >"$frame"
            chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
                --allow-file-access-from-files --window-size=$((width + 20)),1600 \
                --blink-settings=preferredColorScheme=$scheme \
                --screenshot="$picture" "file://$frame" >"$folder/chromium.log" 2>&1 ||
                { cat "$folder/chromium.log" >&2; exit 1; }
        done
    done
done
rm -f "$folder/frame.html" "$folder/chromium.log"
