#!/usr/bin/env bash
# Installs pgvector for the newest PostgreSQL of this machine. Needs root on Debian. Where the
# distribution has no package, Debian's own source package of a later release is built; its signature
# is checked by apt, and the machine's own lists of packages stay as they are.
set -euo pipefail

later_release=trixie

bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
major=$(basename "$(dirname "$bin")")
export DEBIAN_FRONTEND=noninteractive

if apt-get install -y -qq --no-install-recommends "postgresql-$major-pgvector" 2>/dev/null; then
    exit 0
fi

apt-get install -y -qq --no-install-recommends \
    build-essential dpkg-dev "postgresql-server-dev-$major"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial"
# The mirror that the machine uses already.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $later_release main" \
    >"$work/later.list"
later=(
    -o "Dir::Etc::sourcelist=$work/later.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::Lists=$work/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Sandbox::User=root
)
apt-get "${later[@]}" update -qq
cd "$work"
apt-get "${later[@]}" source -qq pgvector
cd pgvector-*/
# No instructions that only this processor has, and no bitcode, which would want a compiler at run time.
build=(make -s "PG_CONFIG=$bin/pg_config" OPTFLAGS= with_llvm=no)
"${build[@]}"
"${build[@]}" install
