# shellcheck shell=bash
# Shared by run, test and bench; sourced, not run. Expects bash with `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pg_programs=/usr/lib/postgresql/15/bin
export LC_ALL=C.UTF-8 # every Debian has it; the locale that the environment names may be missing
umask 022 # the server's user enters what root makes; what is secret says so itself

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# -- progress: what takes long says what it does, how far it is and how long it will take, on standard error ----------------

progress_every=${PROGRESS_EVERY:-10} # seconds between two lines where that is no terminal
export PROGRESS_QUIET=${PROGRESS_QUIET:-no} # --quiet: `yes`, for the scripts that are called as well

# Whether one line can be rewritten.
progress_on_terminal() { [ -t 2 ] && [ -n "${TERM:-}" ] && [ "$TERM" != dumb ]; }

# progress_share LOG: how far ninja (`[3/10]`) or apt (`pmstatus:…:33.3:…`) is by its words, in thousandths, and what to say of it;
# nothing when they do not say.
progress_share() {
  tail -c 4096 "$1" 2>/dev/null | tr '\r' '\n' | awk -F: '
    /^\[[0-9]+\/[0-9]+\]/ { split(substr($0, 2), n, /[\/\]]/); if (n[2] > 0) { share = 1000 * n[1] / n[2]; words = n[1] " of " n[2] } }
    /^dlstatus:/ { share = $3 * 5; words = "downloading" }
    /^pmstatus:/ { share = 500 + $3 * 5; words = "unpacking and setting up" }
    END { if (words != "") printf "%d %s\n", share, words }'
}

progress_time() { # SECONDS
  if [ "$1" -lt 60 ]; then echo "$1 s"; elif [ "$1" -lt 3600 ]; then echo "$(($1 / 60)) min $(($1 % 60)) s"; else echo "$(($1 / 3600)) h $(($1 / 60 % 60)) min"; fi
}

# progress_line WHAT LOG SECONDS: the line after so many seconds.
progress_line() {
  local share='' words=''
  read -r share words < <(progress_share "$2") || true
  if [ -z "$share" ]; then
    echo "$1: $(progress_time "$3") so far"
  elif [ "$share" -lt 10 ] || [ "$3" -lt 2 ]; then
    echo "$1: $words, $((share / 10)) %, $(progress_time "$3") so far"
  else
    echo "$1: $words, $((share / 10)) %, about $(progress_time $(($3 * (1000 - share) / share))) left"
  fi
}

# Until the shell with that process id ends, or this is killed.
progress_watch() { # WHAT LOG PID
  local began=$SECONDS rewritten=no every=$progress_every text width never
  if progress_on_terminal; then rewritten=yes every=0.3; fi
  exec {never}<> <(:) # nothing comes from there: waiting without a process that would stay behind
  while true; do
    read -rt "$every" -u "$never" || true
    kill -0 "$3" 2>/dev/null || return 0
    text=$(progress_line "$1" "$2" $((SECONDS - began)))
    if [ "$rewritten" = yes ]; then
      width=$(stty size 2>/dev/null <&2) || width=80
      width=${width##* }
      [ "$width" -gt 0 ] || width=80
      printf '\r\033[K%s' "${text:0:width - 1}" >&2
    else
      say "$text"
    fi
  done
}

# with_progress WHAT LOG COMMAND...: runs it with all that it says in that log, and tells how far it is. The command stays in the
# foreground, so that Ctrl-C reaches it as ever.
with_progress() {
  local what=$1 log=$2 code=0 watcher=''
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  if [ "$PROGRESS_QUIET" = no ]; then
    progress_watch "$what" "$log" $$ </dev/null >/dev/null &
    watcher=$!
  fi
  # A command may end by itself after Ctrl-C, and with any code. The line is left as it was last seen; what comes next begins below it.
  trap 'progress_end "$watcher"; ! progress_on_terminal || printf "\n" >&2; trap - INT; kill -INT $$' INT
  "$@" >"$log" 2>&1 || code=$?
  trap - INT
  progress_end "$watcher"
  if [ -n "$watcher" ] && progress_on_terminal; then printf '\r\033[K' >&2; fi
  return "$code"
}

progress_end() { # WATCHER, or nothing
  [ -z "$1" ] || { kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; } || true
}

# Installs the packages of the kinds given that are missing; all that apt says is in build/packages.log.
install_packages() {
  local kinds="$*" missing=() kind name program log=$root/build/packages.log
  while read -r kind name program; do
    case "$kind" in '#'*|'') continue ;; esac
    [[ " $kinds " == *" $kind "* ]] || continue
    [ -z "$program" ] || ! command -v "$program" >/dev/null || continue
    [[ " ${missing[*]} " != *" $name "* ]] || continue
    dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -q '^installed$' || missing+=("$name")
  done < "$root/ops/packages"
  [ ${#missing[@]} = 0 ] && return 0
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "these packages are missing and there is no root or sudo to install them: ${missing[*]}"
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  # The cluster that the package would make by itself is of no use here.
  as_root mkdir -p /etc/postgresql-common/createcluster.d
  printf 'create_main_cluster = false\n' | as_root tee /etc/postgresql-common/createcluster.d/credence.conf >/dev/null
  with_progress "reading what packages there are" "$log" as_root apt-get update -qq || failed_by "$log" "apt-get update has failed"
  # What was stopped in the middle before is finished first, as far as it can be; --fix-broken does the rest.
  with_progress "setting up what is unpacked" "$log" as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a --force-confold </dev/null || true
  # The status has a descriptor of its own: apt closes that one for maintainer scripts. sudo passes on no more than three.
  # shellcheck disable=SC2016 # for the shell that is called
  with_progress "installing ${#missing[@]} packages" "$log" \
    as_root sh -c 'exec env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --fix-broken \
      -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold -o APT::Status-Fd=3 "$@" 3>&1' sh "${missing[@]}" </dev/null ||
    failed_by "$log" "the packages could not be installed"
}

# unpack_packages [KIND...]: puts what packages of these kinds (`unpack`) hold into build/unpacked, and their programs on the PATH. Nothing
# is installed. Fails, after saying why, where a package cannot be had.
unpack_packages() {
  local kinds=${*:-unpack} kind name program to log=$root/build/packages.log
  while read -r kind name program; do
    case "$kind" in '#'*|'') continue ;; esac
    [[ " $kinds " == *" $kind "* ]] || continue
    to=$root/build/unpacked/$name
    PATH=$PATH:$to/usr/bin:$to/usr/sbin
    if [ -n "$program" ]; then ! command -v "$program" >/dev/null || continue; else [ ! -d "$to" ] || continue; fi
    say "unpacking the Debian package $name"
    rm -rf "$to.new" # of an earlier time that was stopped
    mkdir -p "$to.new"
    (
      cd "$to.new" &&
        { apt-get download -qq "$name" || { as_root apt-get update -qq && apt-get download -qq "$name"; }; } &&
        dpkg-deb --extract "$name"_*.deb . && rm "$name"_*.deb && mv "$to.new" "$to"
    ) >"$log" 2>&1 || { tail -n 5 "$log" >&2; say "$name could not be unpacked; everything that was said is in $log"; return 1; }
  done < "$root/ops/packages"
}

# failed_by LOG WHY: ends, with the end of the log.
failed_by() {
  grep -v '^[dp][lm]status:' "$1" | tail -n 20 >&2 || true
  die "$2; everything that was said is in $1"
}

# build PRESET TARGET...: configures when needed, then builds. Two at a time would write the same files; the second waits.
build() {
  local preset=$1; shift
  local flags=()
  command -v ccache >/dev/null && flags+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  mkdir -p "$root/build"
  (
    cd "$root" && flock 8 &&
      { [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" "${flags[@]}" >/dev/null; } &&
      cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@"
  ) 8>"$root/build/$preset.lock"
}

# try_build PRESET TARGET...: the same with its progress, and with the compiler's words kept in build/PRESET.log and shown when it fails.
try_build() {
  local log=$root/build/$1.log
  with_progress "building ($1)" "$log" build "$@" && return 0
  grep -E 'error|FAILED' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
  return 1
}
build_quietly() { try_build "$@" || die "the build failed; everything it said is in $root/build/$1.log"; }

# node_libraries FOLDER: what its scripts import, as its lock says, with npm.
node_libraries() {
  local to=$root/$1 log=$root/build/npm.log
  [ ! "$to/node_modules/.package-lock.json" -nt "$to/package-lock.json" ] || return 0
  with_progress "installing libraries of $1" "$log" npm ci --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error && return 0
  tail -n 20 "$log" >&2
  return 1
}

# As root nothing runs as root that need not: PostgreSQL is the system user `postgres`, the server one of its
# own, `credence`, who is in no other group. Anybody else runs both.
as_user() {
  local who=$1
  shift
  if [ "$(id -u)" = 0 ]; then setpriv --reuid="$who" --regid="$(id -g "$who")" --clear-groups -- "$@"; else "$@"; fi
}
as_service() { as_user credence "$@"; }
as_postgres() { as_user postgres "$@"; }
# own USER PATH: gives it to that user, when there is more than one.
own() { [ "$(id -u)" != 0 ] || chown "$1:$1" "$2"; }

make_service_user() {
  [ "$(id -u)" = 0 ] || return 0
  id -u credence >/dev/null 2>&1 ||
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin credence
  [ "$(id -G credence)" = "$(id -g credence)" ] || say "the user credence is in other groups, too: $(id -Gn credence)"
}

# Whether nobody but root can put something else in the place of what lies in a directory.
only_root_may_change() {
  local at mode owner
  for ((at = 1; ; at++)); do
    read -r owner mode < <(stat -c '%u %a' "$1") || return 1
    # In a directory such as /tmp nobody can replace what is somebody else's.
    [ "$owner" = 0 ] && { (((8#$mode & 8#22) == 0)) || { ((at > 1)) && (((8#$mode & 8#1000) != 0)); }; } || return 1
    [ "$1" != / ] || return 0
    set -- "$(dirname "$1")"
  done
}

# place DIR USUAL ELSEWHERE: makes the directory that was named with --data-dir or --dir, or where that is empty the usual one, or the other where
# root must not use that; prints its path. What root executes, locks and writes must be where nobody else can put something in its place.
place() {
  local dir=$1
  if [ -z "$dir" ]; then
    dir=$2
    if [ "$(id -u)" = 0 ] && ! { only_root_may_change "$root" && as_user nobody test -x "$root"; }; then
      dir=$3
      say "$root can be changed by others than root, or not be entered by them: using $dir"
    fi
  fi
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd -P)
  [ "$(id -u)" != 0 ] || only_root_may_change "$dir" || die "the directory $dir: as root it has to be one that nobody else can change, and so do all above it"
  as_user nobody test -x "$dir" || die "the directory $dir: others have to be able to enter it, and all above it, as the server is another user than root"
  echo "$dir"
}

# pg_prepare DIR: a private cluster in DIR/postgres, unix socket only, durable. Nobody has a password: PostgreSQL
# knows who calls by the user that the process runs as. The server is a role that can read and write rows and
# nothing else; `credence_owner` owns the tables and migrates them.
pg_prepare() {
  local dir=$1 me sockets=0700
  me=$(id -un)
  [ "$me" != root ] || sockets=0777 # peer decides
  [ -x "$pg_programs/initdb" ] || die "PostgreSQL 15 is not installed under $pg_programs"
  make_service_user
  mkdir -p "$dir"
  [ ! -f "$dir/postgres/PG_VERSION" ] || grep -q '^credence ' "$dir/postgres/pg_ident.conf" ||
    die "the database in $dir was made by an earlier version, where the server's role could do everything; move the directory away, or name another one with --data-dir"
  if [ ! -f "$dir/postgres/PG_VERSION" ]; then
    # Under another name until it is complete.
    rm -rf "$dir/postgres.new"
    mkdir -p "$dir/postgres.new"
    own postgres "$dir/postgres.new"
    as_postgres "$pg_programs/initdb" -D "$dir/postgres.new" -U postgres -A peer -E UTF8 --locale=C.UTF-8 >/dev/null
    echo 'local all all peer map=credence' | as_postgres tee "$dir/postgres.new/pg_hba.conf" >/dev/null
    if [ "$me" = root ]; then
      printf 'credence %s\n' 'credence credence' 'postgres postgres' 'postgres credence_owner' 'root credence' 'root postgres' 'root credence_owner'
    else
      printf 'credence "%s" %s\n' "$me" credence "$me" postgres "$me" credence_owner
    fi | as_postgres tee -a "$dir/postgres.new/pg_ident.conf" >/dev/null
    as_postgres tee -a "$dir/postgres.new/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
unix_socket_permissions = $sockets
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
    mv "$dir/postgres.new" "$dir/postgres"
  fi
}

# A socket's path may have 107 bytes and passes through a shell; a deep or odd directory gets a short one elsewhere.
pg_socket_dir() {
  local dir=$1/run
  if [ ${#dir} -gt 80 ] || [[ $dir == *[!A-Za-z0-9/._\ -]* ]]; then
    # Below /run nobody but root can have put something there before.
    if [ "$(id -u)" = 0 ]; then dir=/run; else dir=${XDG_RUNTIME_DIR:-/tmp}; fi
    dir=$dir/credence-$(id -u)-$(printf '%s' "$1" | cksum | cut -d' ' -f1)
  fi
  if [ ! -d "$dir" ]; then
    mkdir -p -m 755 "$dir"
    own postgres "$dir"
  fi
  [ "$(id -u)" = 0 ] || chmod 700 "$dir" || die "the directory $dir belongs to somebody else"
  echo "$dir"
}

pg_running() { as_postgres "$pg_programs/pg_ctl" -D "$1/postgres" status >/dev/null 2>&1; }

# pg_sql DIR USER DATABASE [psql options]: runs what standard input says.
pg_sql() { local dir=$1 user=$2 database=$3; shift 3; as_postgres psql -h "$(pg_socket_dir "$dir")" -U "$user" -d "$database" -v ON_ERROR_STOP=1 -Atq "$@"; }

pg_start() {
  local dir=$1 socket said
  socket=$(pg_socket_dir "$dir")
  pg_running "$dir" || as_postgres "$pg_programs/pg_ctl" -D "$dir/postgres" -l "$dir/postgres/server.log" -w -t 60 -s \
    -o "-c unix_socket_directories='$socket'" start || die "PostgreSQL did not start; see $dir/postgres/server.log"
  if ! pg_has_roles "$dir"; then
    pg_prepare_wal "$dir"
    # Goes on behind what is there already of a start that was stopped here.
    said=$(pg_sql "$dir" postgres postgres -v ON_ERROR_STOP=0 < "$root/ops/roles.sql" 2>&1) || true
    pg_has_roles "$dir" || die "the database and its roles could not be made: $said"
  fi
}

# Whether ops/roles.sql was carried out to its end, which is two default privileges.
pg_has_roles() { [ "$(pg_sql "$1" postgres credence <<<"SELECT count(*) >= 2 FROM pg_default_acl" 2>/dev/null)" = t ]; }

# Walks through a gigabyte of write-ahead log once, so that its files are there, and full, to be
# used again: a commit to a new file waits for the file system.
pg_prepare_wal() {
  { echo 'SET wal_init_zero = on;'; for _ in $(seq 64); do echo "SELECT pg_logical_emit_message(true, 'credence', 'walk'); SELECT pg_switch_wal();"; done; echo 'CHECKPOINT;'; } |
    pg_sql "$1" postgres postgres >/dev/null
}

pg_stop() { ! pg_running "$1" || as_postgres "$pg_programs/pg_ctl" -D "$1/postgres" -m fast -w -t 60 -s stop; }

# Connection strings: of the server, and of who migrates and fills the database.
pg_url() { printf "host='%s' user=credence dbname=credence" "$(pg_socket_dir "$1")"; }
pg_owner_url() { printf "host='%s' user=credence_owner dbname=credence" "$(pg_socket_dir "$1")"; }
