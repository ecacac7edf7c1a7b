# shellcheck shell=bash
# Shared by run, test and bench; sourced, not run. Expects bash with `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pg_programs=/usr/lib/postgresql/15/bin

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs the packages of the kinds given that are missing.
install_packages() {
  local kinds="$*" missing=() kind name program
  while read -r kind name program; do
    case "$kind" in '#'*|'') continue ;; esac
    [[ " $kinds " == *" $kind "* ]] || continue
    [ -z "$program" ] || ! command -v "$program" >/dev/null || continue
    dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -q '^installed$' || missing+=("$name")
  done < "$root/ops/packages"
  [ ${#missing[@]} = 0 ] && return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "these packages are missing and there is no root or sudo to install them: ${missing[*]}"
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  # The cluster that the package would make by itself is of no use here.
  as_root mkdir -p /etc/postgresql-common/createcluster.d
  printf 'create_main_cluster = false\n' | as_root tee /etc/postgresql-common/createcluster.d/credence.conf >/dev/null
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET TARGET...: configures when needed, then builds.
build() {
  local preset=$1; shift
  local flags=()
  command -v ccache >/dev/null && flags+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  [ -f "$root/build/$preset/build.ninja" ] || (cd "$root" && cmake --preset "$preset" "${flags[@]}" >/dev/null)
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@")
}

# The same, with the compiler's words kept in build/PRESET.log and shown when it fails.
build_quietly() {
  local log=$root/build/$1.log
  mkdir -p "$root/build"
  build "$@" >"$log" 2>&1 && return 0
  grep -E 'error|FAILED' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
  die "the build failed; everything it said is in $log"
}

# The user that PostgreSQL and the server run as: the caller, or an unprivileged
# system user when the caller is root.
service_user() {
  if [ "$(id -u)" = 0 ]; then echo postgres; else id -un; fi
}
as_service() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; else "$@"; fi
}

# pg_prepare DIR: a private cluster in DIR/postgres, unix socket only, durable.
pg_prepare() {
  local dir=$1
  [ -x "$pg_programs/initdb" ] || die "PostgreSQL 15 is not installed under $pg_programs"
  mkdir -p "$dir"
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$dir"
  if [ ! -f "$dir/postgres/PG_VERSION" ]; then
    as_service "$pg_programs/initdb" -D "$dir/postgres" -U credence -A peer --auth-local=trust -E UTF8 --locale=C.UTF-8 >/dev/null
    as_service tee -a "$dir/postgres/postgresql.conf" >/dev/null <<'CONF'
listen_addresses = ''
unix_socket_permissions = 0700
fsync = on
full_page_writes = on
synchronous_commit = on
shared_buffers = 256MB
max_wal_size = 4GB
min_wal_size = 1GB
wal_init_zero = off
checkpoint_timeout = 15min
wal_compression = off
jit = off
max_connections = 50
log_min_messages = warning
CONF
  fi
}

# A socket's path may have 107 bytes and passes through a shell; a deep or odd directory gets a short one elsewhere.
pg_socket_dir() {
  local dir=$1 short
  if [ ${#dir} -le 80 ] && [[ $dir != *[!A-Za-z0-9/._\ -]* ]]; then echo "$dir"; return; fi
  # Below /run nobody but root can have put something there before.
  if [ "$(id -u)" = 0 ]; then short=/run; else short=${XDG_RUNTIME_DIR:-/tmp}; fi
  short=$short/credence-$(id -u)-$(printf '%s' "$dir" | cksum | cut -d' ' -f1)
  mkdir -p "$short"
  chmod 700 "$short" || die "the directory $short belongs to somebody else"
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$short"
  echo "$short"
}

pg_running() { as_service "$pg_programs/pg_ctl" -D "$1/postgres" status >/dev/null 2>&1; }

pg_start() {
  local dir=$1 socket
  socket=$(pg_socket_dir "$dir")
  pg_running "$dir" || as_service "$pg_programs/pg_ctl" -D "$dir/postgres" -l "$dir/postgres.log" -w -t 60 -s \
    -o "-c unix_socket_directories='$socket'" start || die "PostgreSQL did not start; see $dir/postgres.log"
  if ! as_service psql -h "$socket" -U credence -d postgres -Atqc "SELECT 1 FROM pg_database WHERE datname = 'credence'" | grep -q 1; then
    pg_prepare_wal "$socket"
    as_service psql -h "$socket" -U credence -d postgres -qc 'CREATE DATABASE credence' >/dev/null
  fi
}

# Walks through a gigabyte of write-ahead log once, so that its files are there, and full, to be
# used again: a commit to a new file waits for the file system.
pg_prepare_wal() {
  { echo 'SET wal_init_zero = on;'; for _ in $(seq 64); do echo "SELECT pg_logical_emit_message(true, 'credence', 'walk'); SELECT pg_switch_wal();"; done; echo 'CHECKPOINT;'; } |
    as_service psql -h "$1" -U credence -d postgres -Atq >/dev/null
}

pg_stop() { ! pg_running "$1" || as_service "$pg_programs/pg_ctl" -D "$1/postgres" -m fast -w -t 60 -s stop; }

pg_url() { printf "host='%s' user=credence dbname=credence" "$(pg_socket_dir "$1")"; }
