# shellcheck shell=bash
# A machine with systemd, in namespaces of its own, on a copy-on-write view of this system, so that nothing here is changed. Sourced by tests that
# need root for it: ends them with 77 where it cannot be had. They lay out what is to be in it under $put, as below /, with
# the script /srv/install, which runs once it has booted; then they call `boot`.
if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --fork --cgroup --net true 2>/dev/null; then
  echo "needs root and namespaces" >&2
  exit 77
fi
exec 7>"${TMPDIR:-/tmp}/credence-machine.lock"
flock --wait 1800 7 || { echo "another machine has run for half an hour" >&2; exit 1; } # one at a time: they see each other's processes in the control groups
work=$(mktemp -d)
put=$work.put
mkdir -p "$put/srv"
machine=
end() {
  [ -z "$machine" ] || { kill -KILL "$machine" 2>/dev/null; wait "$machine" 2>/dev/null; } || true
  rmdir "$work" 2>/dev/null || true
  rm -rf "$work".*
}
trap end EXIT

cat > "$work.boot" <<'BOOT'
set -euo pipefail
work=$1
ip link set lo up
mount -t tmpfs tmpfs "$work"
mkdir -p "$work"/{upper,work,root}
cp -r "$work.put/." "$work/upper/"
chmod -R go+rX "$work/upper"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
cd "$work/root"
for each in run tmp var/tmp; do mount -t tmpfs tmpfs "$each" -o mode=1777; done
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 none sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs tmpfs dev/shm -o mode=1777 # PostgreSQL, which is killed in the end, leaves some there
rm -rf etc/postgresql/* var/lib/postgresql/* etc/credence usr/local/bin/credence etc/systemd/system/credence*
mkdir -p var/lib/prometheus/node-exporter
! grep -q '^credence:' etc/passwd || chroot . userdel credence
cat > etc/systemd/system/install.service <<'UNIT'
[Service]
Type=oneshot
ExecStart=/bin/bash /srv/install
ExecStartPost=touch /run/installed
StandardOutput=file:/run/install.log
StandardError=file:/run/install.log
UNIT
mkdir -p mnt/old
pivot_root . mnt/old
umount -l /mnt/old
export container=namespace
exec /lib/systemd/systemd --system --unit=install.service --log-target=console --log-level=info --show-status=no
BOOT

# What the machine has come to, seen from its first process.
init() { local first=''; { read -r first _ <"/proc/$machine/task/$machine/children" || true; } 2>/dev/null; echo "$first"; }
inside() { nsenter --target "$(init)" --mount --pid --net -- "$@"; }
failed() {
  inside tail -n 40 /run/install.log >&2 || true
  inside journalctl --no-pager -q -n 20 -u credence >&2 || true
  tail -n 15 "$work.log" >&2 # what systemd says
  inside systemctl show -p Result -p ExecMainCode -p ExecMainStatus -p ExecStartPost install.service >&2 || true
  echo "$1" >&2
  exit 1
}
# boot PROMISE: boots it, and waits until the script has ended well; else that does not hold.
boot() {
  unshare --mount --pid --fork --uts --ipc --cgroup --net --kill-child --propagation private bash "$work.boot" "$work" >"$work.log" 2>&1 </dev/null 7>&- &
  machine=$!
  local booted=no installed=no deadline=$((SECONDS + 1200)) # as long as its commands may take on a machine that does much else
  while [ "$SECONDS" -lt "$deadline" ]; do
    kill -0 "$machine" 2>/dev/null || break
    ! inside systemctl show install.service >/dev/null 2>&1 || booted=yes
    inside test -e /run/installed 2>/dev/null && installed=yes && break
    ! inside systemctl is-failed --quiet install.service 2>/dev/null || break
    sleep 0.1
  done
  if [ "$booted" = no ]; then
    tail -n 5 "$work.log" >&2
    echo "systemd cannot be booted here" >&2
    exit 77
  fi
  [ "$installed" = yes ] || failed "$1"
}
