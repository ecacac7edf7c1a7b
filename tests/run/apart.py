"""For tests of programs that need ports of their own: runs the calling script again in a network where nobody else is."""
import os
import subprocess
import sys

AGAIN = "TEST_NETWORK"
NAMESPACES = ["--net", "--pid", "--mount-proc", "--fork", "--kill-child"]  # nothing that is started there goes on


def cannot(why):
    print(f"cannot be tried here: {why}", file=sys.stderr)
    sys.exit(77)


def in_a_network_of_its_own(*addresses):
    """Comes back in a network that has nothing but this machine, by these addresses as well, and with a /dev/shm of its own. Ends with 77, after
    saying why, where none can be made."""
    if AGAIN in os.environ:
        return
    if os.geteuid() != 0:
        cannot("it needs root")
    if subprocess.run(["unshare", *NAMESPACES, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        cannot("no network of its own can be made")
    memory = "{ [ ! -d /dev/shm ] || mount -t tmpfs tmpfs /dev/shm -o mode=1777; }"  # what killed programs leave there goes as well
    inside = " && ".join(["ip link set lo up", memory, *(f"ip address add {each}/32 dev lo" for each in addresses), 'exec "$0" "$@"'])
    os.execvpe("unshare", ["unshare", *NAMESPACES, "bash", "-c", inside, sys.executable, *sys.argv], {**os.environ, AGAIN: "yes"})
