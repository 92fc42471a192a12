#!/bin/sh
# Usage: tools/system_package.sh CHECK PACKAGE "what happens without it"
# Installs a Debian package unless the command CHECK succeeds. Needs apt-get and the right to use it
# (root, or sudo without a password); otherwise says in one sentence what is missed and goes on.
check=$1 package=$2 without=$3

is_there() { sh -c "$check" >/dev/null 2>&1; }

is_there && exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    as_root="sudo -n"
    sudo -n true >/dev/null 2>&1 || as_root=no
fi
if command -v apt-get >/dev/null 2>&1 && [ "$as_root" != no ]; then
    echo "installing $package (apt-get) ..."
    install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends"
    log=$(mktemp)
    if { $install "$package" || { $as_root apt-get update -qq && $install "$package"; }; } \
        >"$log" 2>&1 </dev/null && is_there; then
        rm -f "$log"
        exit 0
    fi
    tail -n 3 "$log" >&2
    rm -f "$log"
fi
echo "note: the package $package is not installed: $without" >&2
