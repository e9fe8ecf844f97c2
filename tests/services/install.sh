#!/usr/bin/env bash
# Installs what the services lane starts: Redis, PostgreSQL with pgvector, nginx. Needs root on Debian;
# where everything is there already it does nothing.
set -euo pipefail
