# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that build and test in another release of the distribution.
#
# use_release SUITE [KIND]: from here on $place is the folder of that release, in the user's cache,
# another one for each KIND, made once (0.3 GB; 1.5 GB with compilers) by debootstrap from where this machine has its packages.
# What is executed in it has mounts and processes of its own; nothing else is changed. The caller
# has set $root, the checkout, and $me, its name in messages. Needs root.

[ "$(id -u)" -eq 0 ] || {
    echo "$me: only root can make and enter a folder with another release: use sudo" >&2
    exit 1
}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gdb-ompd
places=$cache/releases
logs=$root/build/logs
mkdir -p "$places" "$logs"

# step MESSAGE COMMAND...: the command's output goes to $log; its failure ends the script.
step() {
    echo "$me: $1 (log: $log)"
    shift
    # Not as a condition: the shell would go on after a failed command of it.
    set +e
    (set -e; "$@") >"$log" 2>&1 </dev/null
    code=$?
    set -e
    [ "$code" -eq 0 ] || {
        echo "$me: that failed; the end of $log:" >&2
        tail -n 15 "$log" >&2
        exit 1
    }
}

# Where this machine gets the suite from, by its own sources.
mirror_of() {
    APT_FOLDER=$(mktemp -d "$places/apt.XXXXXX")
    . "$root/scripts/private-apt.sh"
    use_suites "$(dpkg --print-architecture)" "$1"
    private_apt get update --print-uris | sed -n "s#^'\(.*\)dists/$1/.*#\1#p" | head -n 1
    rm -rf "$APT_FOLDER"
}

# make_root SUITE FOLDER
make_root() {
    command -v debootstrap >/dev/null \
        || env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap
    rm -rf "$2.making" "$2"
    debootstrap --variant=minbase --include=ca-certificates "$1" "$2.making" "$(mirror_of "$1")"
    # How packages are fetched is this machine's matter, too: an archive may be an old one.
    for option in Acquire::Check-Valid-Until Acquire::http Acquire::https; do
        apt-config dump "$option"
    done >"$2.making/etc/apt/apt.conf.d/90-as-on-the-machine"
    echo "127.0.0.1 localhost" >"$2.making/etc/hosts"
    mv "$2.making" "$2"
}

use_release() {
    suite=$1
    place=$places/$suite${2:+-$2}
    [ -d "$place" ] || {
        log=$logs/debootstrap-$suite.log
        step "installing $suite" make_root "$suite" "$place"
    }
}

# The checkout as it is, without what git does not know, at /checkout. Only the build is kept from
# last time.
copy_checkout() {
    mkdir -p "$place/checkout"
    find "$place/checkout" -mindepth 1 -maxdepth 1 ! -name "build*" -exec rm -rf {} +
    git -C "$root" -c safe.directory="$root" ls-files -z --cached --others --exclude-standard \
        | (cd "$root" && xargs -0 sh -c 'for file do [ ! -f "$file" ] || printf "%s\0" "$file"; done' sh \
            | tar -c --null -T - -f -) | tar -x --no-same-owner -f - -C "$place/checkout"
    # What was built of them is kept by contents, and gdb warns of a source that is newer.
    find "$place/checkout/tests/programs" -type f -exec touch -d 2020-01-01 {} +
}

# enter COMMAND: in the folder's checkout, where nothing of it outlives the command.
enter() {
    # shellcheck disable=SC2016 # for the shell inside
    run_in '' 'echo "$1"' "$1"
}

# enter_copy COMMAND: the same in a copy of the folder that is gone afterwards, without a network.
enter_copy() {
    # shellcheck disable=SC2016
    run_in --net '
        mount -t tmpfs none /mnt
        mkdir /mnt/changed /mnt/work /mnt/all
        mount -t overlay none -o "lowerdir=$1,upperdir=/mnt/changed,workdir=/mnt/work" /mnt/all
        echo /mnt/all' "$1"
}

# run_in OPTIONS MOUNT COMMAND: MOUNT prints what the root becomes.
run_in() {
    # shellcheck disable=SC2016,SC2086
    unshare --mount --pid --fork --kill-child $1 sh -ec '
        mount --make-rprivate /
        place=$(sh -ec "$2" sh "$1")
        shift 2
        mount -t proc proc "$place/proc"
        mount --rbind /dev "$place/dev"
        mount --rbind /sys "$place/sys"
        exec chroot "$place" "$@"' sh "$place" "$2" \
        env -i HOME="$HOME" XDG_CACHE_HOME="${cache%/gdb-ompd}" LC_ALL=C.UTF-8 TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive sh -c "mkdir -p /checkout && cd /checkout && $3"
}
