# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that read other package lists than the system's.
#
# An apt with sources, lists and a cache of its own, in the folder APT_FOLDER:
# the system's configuration, lists and installed packages are left alone. Where
# packages come from is taken from the system's own sources.

private_apt() {
    command=$1
    shift
    "apt-$command" \
        -o Dir::Etc::sourcelist="$APT_FOLDER/sources.list" \
        -o Dir::Etc::sourceparts="$APT_FOLDER/sources.list.d" \
        -o Dir::State::lists="$APT_FOLDER/lists" \
        -o Dir::Cache="$APT_FOLDER/cache" \
        -o Acquire::Languages=none \
        -o APT::Sandbox::User="$(id -un)" \
        "$@"
}

make_apt_folder() {
    mkdir -p "$APT_FOLDER/sources.list.d" "$APT_FOLDER/lists/partial" \
        "$APT_FOLDER/cache/archives/partial"
    : >"$APT_FOLDER/sources.list"
}

# The suite this machine's packages come from: an unstable release has the name of the
# next one in os-release, and its own in the sources.
own_suite() {
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    for suite in "$codename" sid unstable; do
        if grep -qsw -- "$suite" /etc/apt/sources.list /etc/apt/sources.list.d/*; then
            echo "$suite"
            return
        fi
    done
    echo "$codename"
}

# Source packages instead of binary ones.
use_source_packages() {
    make_apt_folder
    if [ -e /etc/apt/sources.list ]; then
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$APT_FOLDER/sources.list"
    fi
    for file in /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        sed -e 's/^deb /deb-src /' -e 's/^Types:.*/Types: deb-src/' "$file" \
            >"$APT_FOLDER/sources.list.d/$(basename "$file")"
    done
}

# use_suites ARCHITECTURE SUITE...: other suites of the archive that this release
# comes from, found as the entry that names the release itself.
use_suites() {
    architecture=$1
    shift
    release=$(own_suite)
    make_apt_folder
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        awk -v release="$release" -v suites="$*" -v architecture="$architecture" '
            BEGIN { RS = ""; FS = "\n" }
            $0 ~ ("(^|\n)Suites:([^\n]* )?" release "( |\n|$)") {
                for (i = 1; i <= NF; i++) {
                    if ($i ~ /^(Architectures|Enabled):/) continue
                    sub(/^Types:.*/, "Types: deb", $i)
                    sub(/^Suites:.*/, "Suites: " suites, $i)
                    print $i
                }
                print "Architectures: " architecture "\n"
            }' "$file" >"$APT_FOLDER/sources.list.d/$(basename "$file")"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] || continue
        for suite in "$@"; do
            # Options in brackets, such as signed-by, are kept; arch= is replaced.
            sed -n -e 's/^deb  *\[\([^]]*\)\]/deb \1 ]/' -e 's/^deb  *\([^]]*\)$/deb ] \1/' \
                -e 's/arch=[^ ]*//' \
                -e "s/^deb \(.*\)\] *\([^ ]*\)  *$release  *\(.*\)/deb [arch=$architecture \1] \2 $suite \3/p" \
                "$file"
        done
    done >>"$APT_FOLDER/sources.list"
}
