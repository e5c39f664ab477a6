#!/bin/sh
# Installs what the crate needs to build on Linux: a C linker, pkg-config and ALSA's headers.
# Safe to run again: it does nothing when they are there, or on other systems, which bring their own.
set -eu

[ "$(uname -s)" = Linux ] || exit 0

have() { command -v "$1" >/dev/null 2>&1; }
all_here() { have cc && have pkg-config && pkg-config --exists alsa; }

if all_here; then
    exit 0
fi

# With sudo only when it is needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        echo "setup.sh: this needs root, and there is no sudo: $*" >&2
        exit 1
    fi
}

# What to ask for: missing <the linker's package> <pkg-config's> <that of ALSA's headers>
missing() {
    have cc || echo "$1"
    have pkg-config || echo "$2"
    # Without pkg-config there is no asking whether the headers are here.
    { have pkg-config && pkg-config --exists alsa; } || echo "$3"
}

# The lists are split into words on purpose: they are package names.
# shellcheck disable=SC2046
if have apt-get; then
    as_root apt-get update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y $(missing "gcc libc6-dev" pkg-config libasound2-dev)
elif have dnf; then
    as_root dnf install -y $(missing gcc pkgconf-pkg-config alsa-lib-devel)
elif have pacman; then
    # A fresh container has no package lists; elsewhere, new lists without an upgrade could break things.
    [ -e /var/lib/pacman/sync/core.db ] || as_root pacman -Sy
    as_root pacman -S --needed --noconfirm $(missing gcc pkgconf alsa-lib)
elif have zypper; then
    as_root zypper --non-interactive install $(missing gcc pkgconf-pkg-config alsa-devel)
elif have apk; then
    as_root apk add $(missing build-base pkgconf alsa-lib-dev)
else
    echo "setup.sh: no apt, dnf, pacman, zypper or apk here." >&2
    echo "Please install a C linker (cc), pkg-config and ALSA's headers (alsa.pc) by hand." >&2
    exit 1
fi

if ! all_here; then
    echo "setup.sh: something is still missing: cc, pkg-config or alsa.pc." >&2
    exit 1
fi
