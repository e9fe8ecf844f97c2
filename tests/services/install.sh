#!/usr/bin/env bash
# Installs what the services lane starts: Redis, PostgreSQL with pgvector, nginx, wrk. Needs root on
# Debian; where everything is there already it does nothing.
set -euo pipefail

# Debian keeps servers in directories that a user's PATH leaves out.
PATH="$PATH:/usr/sbin:/sbin"

missing=()

# want COMMAND PACKAGE: the package is wanted where nothing provides the command.
want() {
    command -v "$1" >/dev/null || missing+=("$2")
}

want redis-server redis-server
want nginx nginx-light
want wrk wrk
# Debian keeps the servers of each major version apart, and none on the PATH.
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
pgvector() {
    compgen -G '/usr/share/postgresql/*/extension/vector.control' >/dev/null
}

if [ ${#missing[@]} -eq 0 ] && pgvector; then
    exit 0
fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "services lane: please install ${missing[*]} and pgvector (as root on Debian this script does it)" >&2
    exit 1
fi

# The tests start servers of their own: those that the packages bring must not run. A policy that the
# machine has already stays.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if [ ${#missing[@]} -gt 0 ]; then
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
pgvector || "$(dirname "$0")/install_pgvector.sh"
