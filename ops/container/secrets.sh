#!/usr/bin/env bash
# ops/container/secrets.sh [DIR]: makes what compose.yaml gives to containers as secrets, in DIR (secrets/ beside this file), once: passwords that
# nobody has to know, and who may sign in at Grafana. What is there stays.
set -euo pipefail
to=${1:-$(dirname "${BASH_SOURCE[0]}")/secrets}
umask 077 # others come no further than the directory; below it, users of containers read
mkdir -p "$to"
chmod 700 "$to" # also where it was there
password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
make() { # make NAME TEXT
  [ ! -s "$to/$1" ] || return 0
  printf '%s\n' "$2" > "$to/$1.new"
  chmod 644 "$to/$1.new"
  mv "$to/$1.new" "$to/$1"
}
make postgres_password "$(password)"
make owner_url "host=postgres dbname=credence user=credence_owner password=$(password)"
make server_url "host=postgres dbname=credence user=credence password=$(password)"
make grafana_password "$(password)"
